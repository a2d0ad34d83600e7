"""The command `qwirkle`."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from service.config import CannotRun

_COMMANDS = {
    "serve": "run the service",
    "worker": "play for bots and absent players, and send webhooks",
    "doctor": "check the settings and the store",
    "top": "show what a running server is doing",
    "webhook-secret": "print the secret of a tenant's webhook",
    "backup": "copy the embedded store into a file",
    "restore": "restore a backup into an empty folder",
    "simulate": "let bots play against bots",
    "tournament": "let every bot play every other one, and rate them",
    "engine": "play games over standard input and output",
    "bot": "let a bot play in a game on any server",
    "watch": "follow a live game in the terminal",
    "replay": "step through a recorded game",
    "verify": "check records of games",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code; 2 means that it could not start."""
    parsed = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = parsed.run
    try:
        code = run(parsed)
        sys.stdout.flush()
    except CannotRun as error:
        print(f"qwirkle: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output (`| head`) is gone, so nothing more can be printed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


class _Command(argparse.ArgumentParser):
    """A command in the module of its name, which is imported only when the command is used.

    What the module's `run` says of itself is shown to users.
    """

    def parse_known_args(self, *given: Any, **options: Any) -> Any:
        """Parse what follows the command's name."""
        command = import_module(f"service.commands.{self.prog.split()[-1].replace('-', '_')}")
        command.add_arguments(self)
        self.description = command.run.__doc__
        self.set_defaults(run=command.run)
        return super().parse_known_args(*given, **options)


class _Version(argparse.Action):
    """Looks up the version only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version  # noqa: PLC0415  # slow to import

        print(f"{parser.prog} {version('qwirkle-service')}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="qwirkle", description="The tile game Qwirkle over HTTP.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(required=True, metavar="command", parser_class=_Command)
    for name, meaning in _COMMANDS.items():
        commands.add_parser(name, help=meaning)
    return parser

"""The command `qwirkle`."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from service.config import Settings, SettingsError, unknown_settings

_OPTIONS = {
    "host": "address to listen on",
    "port": "port to listen on; 0 takes a free one",
    "data-dir": "folder for the embedded store and the secret",
    "redis-url": "an outside Redis or Valkey instead of the embedded store",
    "workers": "number of web workers",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code; 2 means that it could not start."""
    parsed = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = parsed.run
    try:
        code = run(parsed)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output (`| head`) is gone, so nothing more can be printed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


def _serve(parsed: argparse.Namespace) -> int:
    # Imported here so that the other commands start faster.
    from service.server.sockets import CannotListen  # noqa: PLC0415  # see above
    from service.server.supervisor import Supervisor  # noqa: PLC0415  # see above
    from service.store.embedded import EmbeddedStoreError  # noqa: PLC0415  # see above

    chosen = {
        "QWIRKLE_" + name.replace("-", "_").upper(): value
        for name in _OPTIONS
        if (value := getattr(parsed, name.replace("-", "_"))) is not None
    }
    environ = {**os.environ, **chosen}
    if unknown := unknown_settings(environ):
        print(f"qwirkle: ignoring unknown settings: {', '.join(unknown)}", file=sys.stderr)
    try:
        return Supervisor(Settings.from_env(environ), environ).run()
    except (SettingsError, CannotListen, EmbeddedStoreError) as error:
        print(f"qwirkle: {error}", file=sys.stderr)
        return 2


def _worker(_: argparse.Namespace) -> int:
    # Imported here so that the other commands start faster.
    from service.telemetry.logging import announce  # noqa: PLC0415  # see above
    from service.worker import main as worker  # noqa: PLC0415  # see above

    try:
        settings = Settings.from_env(os.environ)
        if settings.metrics_port is not None:
            worker.serve_metrics(settings.host, settings.metrics_port)
        return worker.run(settings, lambda: announce("The worker is running.", settings.log_format))
    except SettingsError as error:
        print(f"qwirkle: {error}", file=sys.stderr)
        return 2


class _Command(argparse.ArgumentParser):
    """A command whose module is imported only when the command is used."""

    def __init__(self, *, module: str | None = None, run: str = "run", **options: Any) -> None:
        super().__init__(**options)
        self._module = module
        self._run = run

    def parse_known_args(self, *given: Any, **options: Any) -> Any:
        """Parse what follows the command's name."""
        if self._module is not None:
            loaded = import_module(f"service.commands.{self._module}")
            loaded.add_arguments(self)
            self.set_defaults(run=getattr(loaded, self._run))
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
    serve = commands.add_parser(
        "serve",
        help="run the service",
        description="Runs the service until it is stopped. Every option is also a setting: "
        "--data-dir is QWIRKLE_DATA_DIR.",
    )
    for name, meaning in _OPTIONS.items():
        serve.add_argument(f"--{name}", help=meaning, metavar="...")
    serve.set_defaults(run=_serve)
    worker = commands.add_parser(
        "worker",
        help="play for bots and absent players, and send webhooks",
        description="Does what no request does, until it is stopped: bots' moves, turns whose time "
        "is up, webhooks. `qwirkle serve` starts one; any number may run beside it on the store "
        "that QWIRKLE_REDIS_URL names.",
    )
    worker.set_defaults(run=_worker)
    commands.add_parser(
        "doctor",
        help="check the settings and the store",
        description="Checks the settings, the secret and the store, and prints what is wrong and "
        "how to fix it. The exit code is 0 if there are at most warnings, else 1.",
        module="doctor",
    )
    commands.add_parser(
        "backup",
        help="copy the embedded store into a file",
        description="Copies all games of the embedded store, and the secret, into one file, while "
        "the service runs or not. The file gives access to every game: keep it secret.",
        module="backup",
        run="backup",
    )
    commands.add_parser(
        "restore",
        help="restore a backup into an empty folder",
        description="Creates an embedded store from a file of `qwirkle backup`. The folder must "
        "not have one yet.",
        module="backup",
        run="restore",
    )
    commands.add_parser(
        "simulate",
        help="let bots play against bots",
        description="Plays games between bots, each deal once from every seat, and prints "
        "how often each won. The same seed gives the same games.",
        module="simulate",
    )
    commands.add_parser(
        "bot",
        help="let a bot play in a game on any server",
        description="Plays one seat through the public API until the game is finished. Survives "
        "restarts of the server.",
        module="bot",
    )
    commands.add_parser(
        "watch",
        help="follow a live game in the terminal",
        description="Follows a game on any server until it is finished, and reconnects when "
        "needed. With a player's token, in QWIRKLE_TOKEN or a file, it shows that player's hand.",
        module="watch",
    )
    commands.add_parser(
        "replay",
        help="step through a recorded game",
        description="Shows a recorded game step by step in a terminal, elsewhere all at once.",
        module="replay",
    )
    commands.add_parser(
        "verify",
        help="check records of games",
        description="Recomputes everything in a record. The exit code is 0 if it is correct, 1 if "
        "it is not, and 2 if there is no record.",
        module="verify",
    )
    return parser

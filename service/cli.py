"""The command `qwirkle`."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from service.config import Settings, SettingsError, unknown_settings
from service.telemetry.logging import announce

_OPTIONS = {
    "host": "address to listen on",
    "port": "port to listen on; 0 takes a free one",
    "data-dir": "folder for the embedded store and the secret",
    "redis-url": "an outside Redis or Valkey instead of the embedded store",
    "workers": "number of web workers",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code; 2 means that it could not begin."""
    parsed = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = parsed.run
    try:
        code = run(parsed)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output (`| head`) has had enough; nothing more can be said.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


def _serve(parsed: argparse.Namespace) -> int:
    # Loaded late, as the worker is: whoever checks a record does not wait for a web server.
    from service.server.sockets import CannotListen  # noqa: PLC0415  # as said
    from service.server.supervisor import Supervisor  # noqa: PLC0415  # as said
    from service.store.embedded import EmbeddedStoreError  # noqa: PLC0415  # as said

    chosen = {
        "QWIRKLE_" + name.replace("-", "_").upper(): value
        for name in _OPTIONS
        if (value := getattr(parsed, name.replace("-", "_"))) is not None
    }
    environ = {**os.environ, **chosen}
    if unknown := unknown_settings(environ):
        print(f"qwirkle: no such setting, so ignored: {', '.join(unknown)}", file=sys.stderr)
    try:
        return Supervisor(Settings.from_env(environ), environ).run()
    except (SettingsError, CannotListen, EmbeddedStoreError) as error:
        print(f"qwirkle: {error}", file=sys.stderr)
        return 2


def _worker(_: argparse.Namespace) -> int:
    # Loaded late: the other commands need nothing of it, and start in half the time.
    from service.server.sockets import CannotListen, listen  # noqa: PLC0415  # as said
    from service.worker.main import run as run_worker  # noqa: PLC0415  # as said
    from service.worker.metrics_server import serve_metrics  # noqa: PLC0415  # as said

    try:
        settings = Settings.from_env(os.environ)
        if settings.metrics_port is not None:
            serve_metrics(listen(settings.host, settings.metrics_port))
        return run_worker(settings, lambda: announce("A worker is at work.", settings.log_format))
    except (SettingsError, CannotListen) as error:
        print(f"qwirkle: {error}", file=sys.stderr)
        return 2


class _Command(argparse.ArgumentParser):
    """A command that loads its module when it is chosen: the others' would only cost time."""

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
    """Finds out the release only when somebody asks."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version  # noqa: PLC0415  # loaded late, it costs time

        print(f"{parser.prog} {version('qwirkle-service')}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="qwirkle", description="The tile game Qwirkle over HTTP.")
    parser.add_argument("--version", action=_Version, nargs=0, help="say which release this is")
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
        help="move for bots and the absent, and send webhooks",
        description="Carries on what no request does until it is stopped: deadlines that nobody "
        "polls, bots' moves, webhooks. `qwirkle serve` starts one; any number may run beside it "
        "on the store that QWIRKLE_REDIS_URL names.",
    )
    worker.set_defaults(run=_worker)
    commands.add_parser(
        "doctor",
        help="say what is wrong with settings and store",
        description="Looks at the settings, the secret and the store, says what is wrong and how "
        "to mend it. Ends with 0 if nothing is, warnings aside, and with 1 if something is.",
        module="doctor",
    )
    commands.add_parser(
        "backup",
        help="copy the embedded store into a file",
        description="Copies all games of the embedded store, and the secret, into one file, while "
        "the service runs or not. Whoever has the file has every token.",
        module="backup",
        run="backup",
    )
    commands.add_parser(
        "restore",
        help="put a copy back into an empty folder",
        description="Makes an embedded store of what `qwirkle backup` wrote. The folder must not "
        "hold one.",
        module="backup",
        run="restore",
    )
    commands.add_parser(
        "simulate",
        help="let bots play against bots",
        description="Plays games between bots, each deal once from every seat, and prints "
        "who won how often. The same seed gives the same games.",
        module="simulate",
    )
    commands.add_parser(
        "bot",
        help="let a bot play at a table of any service",
        description="Plays one seat by the public interface alone until the game is finished. "
        "Survives restarts of the service.",
        module="bot",
    )
    commands.add_parser(
        "watch",
        help="show a live table in the terminal",
        description="Shows a game of any service as it goes on, until it is finished, through "
        "lost connections. A token in QWIRKLE_TOKEN or a file shows its player's hand too.",
        module="watch",
    )
    commands.add_parser(
        "replay",
        help="step through a recorded game",
        description="Shows a recorded game step by step: by keys in a terminal, else all at once.",
        module="replay",
    )
    commands.add_parser(
        "verify",
        help="check records of games",
        description="Recomputes everything in a record. Ends with 0 if all is right, with 1 if "
        "something is wrong, with 2 if there is no record to check.",
        module="verify",
    )
    return parser

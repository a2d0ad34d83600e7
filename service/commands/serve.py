"""`qwirkle serve`: the whole service."""

import argparse
import os
import sys

from service.config import Settings, unknown_settings
from service.server.supervisor import Supervisor

_OPTIONS = {
    "host": "address to listen on",
    "port": "port to listen on; 0 takes a free one",
    "data-dir": "folder for the embedded store and the secret",
    "redis-url": "an outside Redis or Valkey instead of the embedded store",
    "workers": "number of web workers",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    for name, meaning in _OPTIONS.items():
        parser.add_argument(f"--{name}", help=meaning, metavar="...")


def run(parsed: argparse.Namespace) -> int:
    """Run the service until it is stopped.

    Every option is also a setting: --data-dir is QWIRKLE_DATA_DIR.
    """
    chosen = {
        "QWIRKLE_" + name.replace("-", "_").upper(): value
        for name in _OPTIONS
        if (value := getattr(parsed, name.replace("-", "_"))) is not None
    }
    environ = {**os.environ, **chosen}
    if unknown := unknown_settings(environ):
        print(f"qwirkle: ignoring unknown settings: {', '.join(unknown)}", file=sys.stderr)
    return Supervisor(Settings.from_env(environ), environ).run()

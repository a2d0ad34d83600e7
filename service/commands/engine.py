"""`qwirkle engine`: play games over standard input and output."""

import argparse
import sys
from functools import partial
from os import read

from service.config import CannotGoOn
from service.engine.lines import converse


def add_arguments(parser: argparse.ArgumentParser) -> None:  # it has none
    """There are no options."""


def run(_: argparse.Namespace) -> int:
    """Answer commands, one JSON document a line, until the input ends. See docs/engine.md."""
    try:
        converse(partial(read, sys.stdin.fileno()), _write)
    except KeyboardInterrupt:
        return CannotGoOn.exit_code
    return 0


def _write(answers: bytes) -> None:
    sys.stdout.buffer.write(answers)
    sys.stdout.buffer.flush()

"""`qwirkle engine`: play games over standard input and output."""

import argparse
import sys

from service.config import CannotGoOn
from service.engine.lines import converse
from service.engine.pipes import Pipes


def add_arguments(parser: argparse.ArgumentParser) -> None:  # it has none
    """There are no options."""


def run(_: argparse.Namespace) -> int:
    """Answer commands, one JSON document a line, until the input ends. See docs/engine.md."""
    try:
        pipes = Pipes(sys.stdin.fileno(), sys.stdout.fileno())
        converse(pipes.read, pipes.write)
    except KeyboardInterrupt:
        return CannotGoOn.exit_code
    return 0

"""`qwirkle worker`: a background worker by itself."""

import argparse
import os

from service.config import Settings
from service.worker import main as worker


def add_arguments(_: argparse.ArgumentParser) -> None:
    """Declare nothing: the environment says which store it works for."""


def run(_: argparse.Namespace) -> int:
    """Do what no request does, until stopped: bots' moves, turns whose time is up, webhooks.

    `qwirkle serve` starts one; any number may run beside it on the store that QWIRKLE_REDIS_URL
    names.
    """
    return worker.run(Settings.from_env(os.environ), standalone=True)

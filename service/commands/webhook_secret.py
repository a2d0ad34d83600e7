"""`qwirkle webhook-secret`: what a tenant verifies webhook messages with."""

import argparse
import os

from service.config import CannotRun, Settings, signing_secrets
from service.games.keyring import Keyring


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments there are."""
    parser.add_argument("tenant", help="its name in QWIRKLE_WEBHOOKS")


def run(parsed: argparse.Namespace) -> int:
    """Print the secret with which a tenant verifies the messages to its webhook.

    It needs the settings of the service: QWIRKLE_WEBHOOKS, and QWIRKLE_SECRET or the data folder.
    """
    settings = Settings.from_env(os.environ)
    if parsed.tenant not in dict(settings.webhooks):
        raise CannotRun(f"QWIRKLE_WEBHOOKS has no webhook of {parsed.tenant!r}.")
    print(Keyring(signing_secrets(settings)).tenant_webhook_secret(parsed.tenant))
    return 0

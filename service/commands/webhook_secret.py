"""`qwirkle webhook-secret`: what a tenant verifies webhook messages with."""

import argparse
import os

from service.config import CannotRun, Settings, signing_secrets
from service.games.keyring import Keyring


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments there are."""
    parser.add_argument("tenant", help="its name in QWIRKLE_WEBHOOKS")
    parser.add_argument("--data-dir", help="the folder with the secret (QWIRKLE_DATA_DIR)")


def run(parsed: argparse.Namespace) -> int:
    """Print the secret with which a tenant verifies the messages to its webhook.

    It needs the settings of the service: QWIRKLE_API_KEYS, QWIRKLE_WEBHOOKS, and QWIRKLE_SECRET or
    the data folder. It makes no secret: that would not be the one of the service.
    """
    options = {"QWIRKLE_DATA_DIR": parsed.data_dir} if parsed.data_dir else {}
    settings = Settings.from_env({**os.environ, **options})
    if parsed.tenant not in dict(settings.webhooks):
        raise CannotRun(f"QWIRKLE_WEBHOOKS has no webhook of {parsed.tenant!r}.")
    secrets = signing_secrets(settings, make=False)
    print(Keyring(secrets).tenant_webhook_secret(parsed.tenant))
    return 0

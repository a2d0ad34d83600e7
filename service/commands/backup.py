"""`qwirkle backup`: a copy of the embedded store."""

import argparse
import os
from importlib.metadata import version
from pathlib import Path

from service.config import CannotRun, Settings
from service.store.backup import create_backup


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command and of `restore`."""
    parser.add_argument("file", type=Path, help="the copy")
    parser.add_argument("--data-dir", type=Path, help="the store's folder (QWIRKLE_DATA_DIR)")


def run(parsed: argparse.Namespace) -> int:
    """Copy all games of the embedded store, and the secret, into one file.

    The service may be running. The file gives access to every game: keep it secret.
    """
    data_dir, file = paths(parsed)
    has_secret = create_backup(data_dir, file, version("qwirkle-service"))
    advice = "" if has_secret else " Keep QWIRKLE_SECRET with it."
    print(f"The games of {data_dir} are in {file}.{advice}")
    return 0


def paths(parsed: argparse.Namespace) -> tuple[Path, Path]:
    """The store's folder and the copy; CannotRun if the settings name an outside store."""
    settings = Settings.from_env(os.environ)
    if settings.redis_url is not None:
        raise CannotRun(
            "QWIRKLE_REDIS_URL names an outside store: copy it with its own tools "
            "(docs/operations.md says how)."
        )
    return (parsed.data_dir or settings.data_dir).absolute(), parsed.file.absolute()

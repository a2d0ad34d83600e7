"""`qwirkle backup` and `qwirkle restore`: copies of the embedded store."""

import argparse
import os
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from service.config import Settings, SettingsError
from service.store.backup import BackupError, create_backup, restore_backup
from service.store.embedded import EmbeddedStoreError

OUTSIDE = (
    "QWIRKLE_REDIS_URL names an outside store: copy it with its own tools "
    "(docs/operations.md says how)."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of both commands."""
    parser.add_argument("file", type=Path, help="the copy")
    parser.add_argument("--data-dir", type=Path, help="the store's folder (QWIRKLE_DATA_DIR)")


def backup(parsed: argparse.Namespace) -> int:
    """Make a copy; 2 if that is not possible."""

    def run(data_dir: Path, file: Path) -> str:
        has_secret = create_backup(data_dir, file, version("qwirkle-service"))
        advice = "" if has_secret else " Keep QWIRKLE_SECRET with it."
        return f"The games of {data_dir} are in {file}.{advice}"

    return _run(parsed, run)


def restore(parsed: argparse.Namespace) -> int:
    """Restore a copy; 2 if that is not possible."""

    def run(data_dir: Path, file: Path) -> str:
        restore_backup(file, data_dir)
        return f"The games of {file} are in {data_dir}."

    return _run(parsed, run)


def _run(parsed: argparse.Namespace, run: Callable[[Path, Path], str]) -> int:
    try:
        settings = Settings.from_env(os.environ)
        data_dir = (parsed.data_dir or settings.data_dir).absolute()
        if settings.redis_url is not None:
            print(f"qwirkle: {OUTSIDE}", file=sys.stderr)
            return 2
        print(run(data_dir, parsed.file.absolute()))
    except (BackupError, EmbeddedStoreError, SettingsError) as error:
        print(f"qwirkle: {error}", file=sys.stderr)
        return 2
    return 0

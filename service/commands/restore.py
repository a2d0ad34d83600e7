"""`qwirkle restore`: an embedded store from a copy."""

import argparse

from service.commands import backup
from service.store.backup import restore_backup

add_arguments = backup.add_arguments


def run(parsed: argparse.Namespace) -> int:
    """Create an embedded store from a file of `qwirkle backup`.

    The folder must not have one yet.
    """
    data_dir, file = backup.paths(parsed)
    restore_backup(file, data_dir)
    print(f"The games of {file} are in {data_dir}.")
    return 0

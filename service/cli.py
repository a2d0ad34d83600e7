"""The command `qwirkle`."""


def main() -> int:
    """Runs the command and returns its exit code."""
    return 0

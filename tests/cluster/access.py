"""The rights that the manual tells operators to give, read from there."""

import shlex
from pathlib import Path

MANUAL = Path(__file__).parents[2] / "docs" / "operations.md"
USER = "qwirkle"
PASSWORD = "a/b:c@d #e%f"
QUOTED = "a%2Fb%3Ac%40d%20%23e%25f"


def rights() -> list[str]:
    """The arguments of `ACL SETUSER`, with a password that an address has to quote."""
    block = MANUAL.read_text().partition("valkey-cli ACL SETUSER ")[2].partition("```")[0]
    given = shlex.split(block.replace("\\\n", " "))
    return [f">{PASSWORD}" if each.startswith(">") else each for each in given]

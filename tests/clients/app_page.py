"""The app of docs/apps.md: its program in each language, and what it should print."""

import re

from tests.contract.document import ROOT

PAGE = (ROOT / "docs/apps.md").read_text("utf-8")


def api_keys() -> str:
    """The setting with which the page starts the service."""
    setting = re.search(r"^QWIRKLE_API_KEYS=(\S+) make run$", PAGE, re.MULTILINE)
    assert setting
    return setting[1]


def program(language: str, base_url: str) -> str:
    """All pieces of the app in this language, one after another."""
    pieces = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert len(pieces) > 5
    return "\n\n".join(pieces).replace("http://127.0.0.1:8000", base_url)


def check_evening(lines: list[str]) -> None:
    """The evening took the course that the page describes."""
    assert re.fullmatch(r"Ada sends Ben the code \w{4}-\w{4}", lines[0])
    turns = [line for line in lines if line.endswith(": It is your turn.")]
    assert {line.split(":")[0] for line in turns} == {"to user-17", "to user-42"}
    ends = [line for line in lines if line.endswith((": You have won!", ": The game is over."))]
    assert sorted(line.split(":")[0] for line in ends) == ["to user-17", "to user-42"]
    assert any("won" in line for line in ends)
    asked = [line for line in lines if line.endswith(": Another game?")]
    assert asked == ["to user-42: Another game?"]
    together = [line.lower() for line in lines if line.startswith("together")]
    assert together == ["together again: true"]
    assert "Ada's games: playing finished" in lines
    afterwards = lines[lines.index(asked[0]) :]
    assert any(line.endswith(": It is your turn.") for line in afterwards)

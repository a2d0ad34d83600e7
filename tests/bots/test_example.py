"""The example in the documentation runs as it is printed."""

import re
from pathlib import Path

import pytest

import service

PAGE = Path(service.__file__).parent.parent / "docs" / "bots.md"


def test_the_bot_of_ones_own_in_the_documentation_plays_a_game_to_its_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, str(PAGE), "exec"), names)
    assert re.fullmatch(r"\[\d+, \d+\] won by seat [01](?: 1)?\n", capsys.readouterr().out)

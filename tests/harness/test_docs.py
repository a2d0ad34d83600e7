"""The examples of the documentation do what they say."""

import re
from pathlib import Path
from typing import Any

import pytest

from service import rules
from service.rules.record.write import digest_of, record_of
from tests.golden.make import events_of

DOCS = Path(__file__).parents[2] / "docs"


def examples(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)


def test_the_example_of_the_library_plays_a_whole_game(capsys: pytest.CaptureFixture[str]) -> None:
    exec(examples("harness.md")[0], {})
    ended, report = capsys.readouterr().out.splitlines()
    assert ended.startswith("hand_empty [")
    assert report.startswith("Report(ok=True, complete=True")


def test_the_example_of_the_environment_plays_a_whole_game() -> None:
    pytest.importorskip("pettingzoo", reason="the extra [env] is not installed")
    names: dict[str, Any] = {}
    exec(examples("harness.md")[1], names)
    assert names["world"].game.phase == "finished"


def test_the_example_of_learning_beats_random_plays(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("gymnasium", reason="the extra [env] is not installed")
    text = examples("harness.md")[2]
    assert len([line for line in text.splitlines() if line]) <= 30
    names: dict[str, Any] = {}
    exec(text, names)
    assert names["won"] / names["games"] > 0.9, capsys.readouterr().out


def test_the_digest_of_the_documentation_is_the_records_own() -> None:
    names: dict[str, Any] = {}
    exec(examples("records.md")[0], names)
    record = record_of(events_of("two_players"))
    assert names["digest"](record) == record["digest"] == digest_of(record)


def test_every_code_of_a_report_is_explained() -> None:
    source = Path(rules.__path__[0])
    text = "".join((source / f"{name}.py").read_text() for name in ("record/read", "record/replay"))
    codes = set(re.findall(r'RecordBroken\(\s*[\w.]+,\s*"(\w+)"', text)) - {"unfinished"}
    assert len(codes) >= 6
    page = (DOCS / "records.md").read_text()
    assert [code for code in codes if f"`{code}`" not in page] == []

"""The operator's manual: each promise names tests that there are, and each setting one that is."""

import re

from service.config import unknown_settings
from tests.deploy.dockerfile import ROOT

MANUAL = (ROOT / "docs/operations.md").read_text()


def test_every_test_that_a_promise_names_exists() -> None:
    files = set(re.findall(r"`(\w+/test_\w+\.py)`", MANUAL))
    names = set(re.findall(r"`(test_\w+)`", MANUAL))
    assert len(files) > 5
    assert len(names) > 5
    for name in files:
        assert (ROOT / "tests" / name).is_file(), name
    written = "\n".join((ROOT / "tests" / name).read_text() for name in files)
    for name in names:
        assert f"def {name}(" in written, name


def test_every_death_has_its_row_and_the_row_its_test() -> None:
    table = MANUAL.partition("## When something dies")[2].partition("\n## ")[0]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    dying = " ".join(row[0] for row in rows)
    for each in ("web worker", "pod", "store's process", "primary", "zone"):
        assert each in dying
    for row in rows:
        # What could not be tried here says so in its own words.
        assert re.search(r"test_\w+\.py", row[-1]) or "not" in row[1] + row[-1], row[0]


def test_every_setting_that_is_named_exists() -> None:
    named = set(re.findall(r"QWIRKLE_[A-Z_]*[A-Z]", MANUAL))
    assert unknown_settings(dict.fromkeys(named - {"QWIRKLE_TTL"}, "")) == []

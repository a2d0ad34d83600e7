"""The page about security names a test for every threat, and each of them exists."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "security.md"
NAMED = re.compile(r"`(tests/[\w/.]+\.py)(?:::(\w+))?`")


@cache
def functions(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def threats() -> list[str]:
    """The lines of the table of threats, without its heading."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
    return [line for line in lines if not re.match(r"\|[ -]*(threat|-)", line)]


def test_every_threat_has_its_test() -> None:
    assert len(threats()) > 15
    for threat in threats():
        assert NAMED.search(threat), threat


def test_every_test_that_is_named_exists() -> None:
    named = NAMED.findall(PAGE.read_text())
    assert len(named) > 25
    for path, function in named:
        assert (ROOT / path).is_file(), path
        assert not function or function in functions(path), f"{path}::{function}"


def test_whoever_finds_a_hole_is_told_where_to_report_it() -> None:
    text = (ROOT / "SECURITY.md").read_text()
    assert "docs/security.md" in text
    assert "privately" in text

"""Tells how many changes to the rules the tests noticed, and lists those that they did not.

`make mutants` runs mutmut over service/rules and then this, which writes docs/mutants.md. Each
survivor needs a reason in reasons.toml; one without, or too many of them, is a failure.
"""

import difflib
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
MUTATED = ROOT / "mutants" / "service" / "rules"
PAGE = ROOT / "docs" / "mutants.md"
LEAST = 0.95

# What mutmut writes down as the exit code of the tests under a mutant.
SURVIVED, UNTOUCHED, NOT_RUN = 0, 33, None

_BEGINS = re.compile(r"( *)def (x\S*?__mutmut_(?:orig|\d+))\(")


@dataclass(frozen=True)
class Survivor:
    """A change that no test noticed."""

    function: str
    before: str
    after: str

    @property
    def change(self) -> str:
        return f"`{self.before}` became `{self.after}`"


def functions_of(source: str) -> dict[str, list[str]]:
    """The lines of every mutant in a file that mutmut has written, by name."""
    lines = source.split("\n")
    found = {}
    for at, line in enumerate(lines):
        if begins := _BEGINS.match(line):
            deeper = len(begins[1])
            end = at + 1
            while end < len(lines) and _inside(lines[end], deeper):
                end += 1
            found[begins[2]] = lines[at + 1 : end]
    return found


def _inside(line: str, deeper: int) -> bool:
    text = line.lstrip()
    return not text or text.startswith(")") or len(line) - len(text) > deeper


def changed(before: list[str], after: list[str]) -> tuple[str, str]:
    """What differs, each side on one line."""
    told = list(difflib.ndiff(before, after))
    old, new = (
        " ".join(line[2:].strip() for line in told if line.startswith(sign) and line[2:].strip())
        for sign in "-+"
    )
    return old, new


def results() -> Iterator[tuple[str, str, int | None]]:
    """Every mutant: its module, its name there, and what came of it."""
    for path in sorted(MUTATED.rglob("*.py.meta")):
        module = str(path.relative_to(MUTATED)).removesuffix(".py.meta")
        for name, code in json.loads(path.read_text())["exit_code_by_key"].items():
            yield module, name.rpartition(".")[2], code


def survivors(mutants: list[tuple[str, str, int | None]]) -> list[Survivor]:
    """Those that nobody noticed, with what they change."""
    found = []
    sources: dict[str, dict[str, list[str]]] = {}
    for module, name, code in mutants:
        if code not in (SURVIVED, UNTOUCHED):
            continue
        if module not in sources:
            sources[module] = functions_of((MUTATED / f"{module}.py").read_text())
        plain = name.partition("__mutmut_")[0]
        before, after = sources[module][f"{plain}__mutmut_orig"], sources[module][name]
        function = f"{module}.{plain.removeprefix('x_').removeprefix('xǁ').replace('ǁ', '.')}"
        found.append(Survivor(function, *changed(before, after)))
    return found


def reason_for(survivor: Survivor, reasons: list[dict[str, str]]) -> str | None:
    """Why no test can or need notice it, if that was written down."""
    for each in reasons:
        if re.fullmatch(each["function"], survivor.function) and re.search(
            each["change"], survivor.change
        ):
            return each["reason"]
    return None


def page(mutants: list[tuple[str, str, int | None]], told: dict[Survivor, str]) -> str:
    """The page, ready to be written."""
    tried = [each for each in mutants if each[2] is not NOT_RUN]
    killed = len(tried) - sum(code in (SURVIVED, UNTOUCHED) for _, _, code in tried)
    lines = [
        "# Mutants of the rules",
        "",
        "`make mutants` changes `service/rules` in one place at a time and runs the tests of the",
        "rules, the golden games and the verification; a change that no test notices survives.",
        "It writes this page and fails if fewer than 95% are noticed or a survivor has no reason.",
        "Decorated functions (properties, cached functions, class methods) and what runs only",
        "when a module is loaded are not changed: mutmut cannot switch those on and off.",
        "",
        f"{len(tried):,} of {len(mutants):,} mutants were tried: {killed:,} were noticed,",
        f"**{killed / max(1, len(tried)):.1%}**; {len(tried) - killed} survived.",
        "",
        "| module | tried | survived |",
        "|---|---:|---:|",
    ]
    alive = Counter(module for module, _, code in tried if code in (SURVIVED, UNTOUCHED))
    for module, count in sorted(Counter(module for module, _, _ in tried).items()):
        lines.append(f"| {module} | {count} | {alive[module]} |")
    lines += ["", "## Survivors, and why", ""]
    by_reason: dict[str, list[Survivor]] = {}
    for survivor, reason in told.items():
        by_reason.setdefault(reason, []).append(survivor)
    for reason, alike in sorted(by_reason.items()):
        lines += [f"{reason}", ""]
        lines += [f"- {each.function}: {each.change}" for each in alike]
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    mutants = list(results())
    tried = [each for each in mutants if each[2] is not NOT_RUN]
    alive = survivors(tried)
    reasons = tomllib.loads(Path(__file__).with_name("reasons.toml").read_text())["survivor"]
    told = {each: reason_for(each, reasons) or "No reason is known." for each in alive}
    PAGE.write_text(page(mutants, told))
    share = 1 - len(alive) / max(1, len(tried))
    unexplained = [each for each, reason in told.items() if reason == "No reason is known."]
    for each in unexplained:
        print(f"survives without a reason: {each.function}: {each.change}")
    print(f"{len(tried)} of {len(mutants)} tried, {share:.1%} noticed, {len(alive)} survived")
    return int(bool(unexplained) or share < LEAST or len(tried) < len(mutants))


if __name__ == "__main__":
    sys.exit(main())

"""`qwirkle verify`: check that records are right."""

import argparse
import json
import sys
from dataclasses import asdict

from service.commands.record_files import StoredRecord, records_in
from service.commands.terminal_board import counted
from service.config import CannotRun
from service.rules.record.verify import Report, verify

_WRONG = 1
_UNREADABLE = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="record.json",
        help="one record, or one per line as simulate writes them; - is standard input",
    )
    parser.add_argument("--json", action="store_true", help="print each report as a line of JSON")


def run(parsed: argparse.Namespace) -> int:
    """Recompute everything in records of games.

    The exit code is 0 if they are correct, 1 if one is not, and 2 if one cannot be read.
    """
    worst = 0
    for name in parsed.files:
        try:
            records = records_in(name)
        except CannotRun as error:
            print(f"qwirkle: {error}", file=sys.stderr)
            worst = _UNREADABLE
            continue
        worst = max(worst, *(_check(record, as_json=parsed.json) for record in records))
    return worst


def _check(record: StoredRecord, *, as_json: bool) -> int:
    name = record.name
    try:
        report = verify(record.read())
    except CannotRun as error:
        print(f"qwirkle: {error}", file=sys.stderr)
        return _UNREADABLE
    print(json.dumps({"file": name, **asdict(report)}) if as_json else _report_text(name, report))
    return 0 if report.ok else _WRONG


def _report_text(name: str, report: Report) -> str:
    checked = counted(report.checked_events, "event")
    problem = report.problem
    if problem is None and report.complete:
        return f"{name}: right. {checked}; commitment, draws, plays and scores are all correct."
    if problem is None:
        return (
            f"{name}: right so far. {checked}; the game is not finished, "
            "so hands and draws cannot be checked yet."
        )
    where = f"wrong at event {problem.n}" if problem.n else "wrong"
    return f"{name}: {where} ({problem.code}): {problem.detail}. {checked} before it were right."

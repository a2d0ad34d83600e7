"""`qwirkle doctor`: what is wrong, and how to mend it."""

import argparse
import json
import os
from dataclasses import asdict

from service.commands.checks import examine
from service.store.server_checks import Finding

MARKS = {"ok": "ok", "warning": "WARNING", "problem": "PROBLEM"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("--data-dir", help="the embedded store's folder (QWIRKLE_DATA_DIR)")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(parsed: argparse.Namespace) -> int:
    """Print all findings; 1 if there is a problem among them."""
    findings = []
    options = {"QWIRKLE_DATA_DIR": parsed.data_dir} if parsed.data_dir else {}
    for finding in examine({**os.environ, **options}):
        findings.append(finding)
        if not parsed.json:
            print(_line(finding))
    sound = not any(finding.status == "problem" for finding in findings)
    if parsed.json:
        print(json.dumps({"ok": sound, "findings": [asdict(each) for each in findings]}))
    return 0 if sound else 1


def _line(finding: Finding) -> str:
    line = f"{MARKS[finding.status]:8} {finding.check}: {finding.detail}"
    return f"{line}\n{'':8} mend it: {finding.remedy}" if finding.remedy else line

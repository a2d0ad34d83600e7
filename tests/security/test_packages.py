"""What the service is installed with: under which licences, and with which known holes."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements.lock"
PATIENCE = 60
"""Seconds for all questions to the database of known holes; a single one has five."""

# Licences under which anybody may run and pass on the service with what it needs.
WELCOME = re.compile(
    r"MIT|MIT-0|MIT License|BSD License|BSD-[23]-Clause|Apache-2\.0|Apache Software License"
    r"|ISC License ISCL|PSF-2\.0|Python Software Foundation License|ZPL-2\.1|MPL-2\.0"
    r"|Mozilla Public License 2\.0 MPL 2\.0"
)
# Packages whose metadata names no licence, and the words of their licence files.
UNNAMED = {"resvg_py": "Permission is hereby granted, free of charge"}


def pinned() -> list[str]:
    """The names of all packages that the service needs."""
    return re.findall(r"^([\w.-]+)==", LOCK.read_text(), re.MULTILINE)


def told(tool: str, *arguments: str) -> Any:
    """What a tool of the virtual environment says, as JSON."""
    command = [str(Path(sys.executable).with_name(tool)), *arguments]
    ended = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False, cwd=ROOT)
    return orjson.loads(ended.stdout or b"null")


def terms(licence: str) -> list[str]:
    """The licences that all apply, or one of which can be chosen: each has to be welcome."""
    return re.split(r" AND | OR |; ", re.sub(r"[()]", "", licence))


def test_everything_that_is_needed_is_under_a_welcome_licence() -> None:
    names = pinned()
    assert len(names) > 20
    found = told(
        "pip-licenses", "--format=json", "--with-license-file", "--no-license-path",
        "--with-system", "--packages", *names,
    )  # fmt: skip
    assert len(found) > 20
    for package in found:
        if package["License"] == "UNKNOWN":
            assert UNNAMED[package["Name"]] in package["LicenseText"], package["Name"]
            continue
        strange = [each for each in terms(package["License"]) if not WELCOME.fullmatch(each)]
        assert not strange, (package["Name"], strange)


def test_nothing_that_is_needed_has_a_known_hole() -> None:
    arguments = ("--no-deps", "--disable-pip", "--timeout", "5", "--progress-spinner", "off")
    try:
        report = told("pip-audit", "--format", "json", *arguments, "--requirement", str(LOCK))
    except subprocess.TimeoutExpired:
        pytest.skip("the database of known holes does not answer in time")
    audited = [each for each in (report or {}).get("dependencies", ()) if "vulns" in each]
    if not audited:
        pytest.skip("the database of known holes cannot be reached")
    assert not {each["name"]: each["vulns"] for each in audited if each["vulns"]}

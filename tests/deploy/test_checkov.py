"""checkov finds nothing in the manifests but what is accepted, with a reason, in its list."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.dockerfile import ROOT
from tests.deploy.test_kubernetes import OVERLAYS, built

CHECKOV = Path(sys.executable).parents[1] / "checkov" / "bin" / "checkov"
CONFIG = ROOT / "k8s" / "checkov.yaml"


def report(file: Path) -> dict[str, Any]:
    if not CHECKOV.exists():
        pytest.skip("checkov is not installed (tests/tools.sh): the manifests are not looked over")
    said = subprocess.run(
        [CHECKOV, "--framework", "kubernetes", "--skip-download", "-o", "json", "-f", file],
        capture_output=True,
        text=True,
        check=False,
        cwd=file.parent,
    )
    return dict(json.loads(said.stdout)["results"])


def failed(results: dict[str, Any]) -> set[str]:
    return {each["check_id"] for each in results["failed_checks"]}


@pytest.mark.timeout(300)
def test_it_finds_only_what_is_accepted(tmp_path: Path) -> None:
    accepted = set(yaml.safe_load(CONFIG.read_text())["skip-check"])
    file = tmp_path / "all.yaml"
    documents = [each for overlay in OVERLAYS for each in built(overlay)]
    file.write_text(yaml.safe_dump_all(documents))
    results = report(file)
    assert len(results["passed_checks"]) > 300
    # And nothing is accepted that it no longer finds.
    assert failed(results) == accepted


def test_everything_accepted_has_a_reason() -> None:
    lines = CONFIG.read_text().partition("skip-check:\n")[2].splitlines()
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith("  - "):
            assert before.startswith("  # "), line

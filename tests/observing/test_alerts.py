"""Prometheus's own tool reads every alert, and sees it fire when it should and not before."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from service.bots import BOTS
from tests.observing.reading import Numbers
from tests.observing.test_monitoring import MONITORING, rules
from tests.servers import QwirkleServer

CASES: dict[str, dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("alert_cases.yaml").read_text()
)
MINUTES = 30
SECONDS = {"s": 1, "m": 60, "h": 3600}


def promtool(*words: str | Path) -> str:
    """What it says; it must find nothing wrong."""
    tool = shutil.which("promtool")
    if tool is None:
        pytest.skip("promtool (Debian: prometheus) is not installed: alerts are not tried")
    said = subprocess.run([tool, *map(str, words)], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout + said.stderr
    return said.stdout


@pytest.fixture
def rule_file(tmp_path: Path) -> Path:
    """The groups of the `PrometheusRule`, as Prometheus itself takes them."""
    spec = yaml.safe_load((MONITORING / "alerts.yaml").read_text())["spec"]
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump(spec))
    return file


def expectation(rule: dict[str, Any], labels: dict[str, str], at: str) -> dict[str, Any]:
    firing = {"exp_labels": rule["labels"] | labels, "exp_annotations": rule["annotations"]}
    return {"alertname": rule["alert"], "eval_time": at, "exp_alerts": [firing]}


def test_prometheus_can_read_every_rule(rule_file: Path) -> None:
    assert f"SUCCESS: {len(rules())} rules found" in promtool("check", "rules", rule_file)


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule["alert"])
def test_an_alert_fires_when_it_should_and_not_before(
    rule: dict[str, Any], rule_file: Path, tmp_path: Path
) -> None:
    name, case = rule["alert"], CASES[rule["alert"]]
    # An alert about one process has its labels; all others are about the sum.
    labels = {} if re.search(r"sum|absent", rule["expr"]) else {"kind": "worker", "instance": "w"}
    silence = [
        {"alertname": name, "eval_time": f"{minute}m", "exp_alerts": []}
        for minute in range(MINUTES + 1)
    ]
    tests = [
        {
            "interval": "30s",
            "input_series": [{"series": one, "values": values} for one, values in series.items()],
            "alert_rule_test": expected,
        }
        for series, expected in (
            (case["fires"], [expectation(rule, labels, case["fires_at"])]),
            (case["quiet"], silence),
        )
    ]
    file = tmp_path / "test.yaml"
    document = {"rule_files": [str(rule_file)], "evaluation_interval": "30s", "tests": tests}
    file.write_text(yaml.safe_dump(document))
    promtool("test", "rules", file)


def test_every_alert_has_its_case_and_no_other_has_one() -> None:
    assert set(CASES) == {rule["alert"] for rule in rules()}


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule["alert"])
def test_a_burst_is_still_in_the_window_when_the_delay_is_over(rule: dict[str, Any]) -> None:
    def seconds(text: str) -> int:
        return int(text[:-1]) * SECONDS[text[-1]]

    for window in re.findall(r"\[(\w+)\]", rule["expr"]):
        assert seconds(window) >= 2 * seconds(rule.get("for", "0m"))


def test_every_counter_that_an_alert_waits_for_exists_from_the_start() -> None:
    """A series that appears with its first failure shows no increase."""
    with QwirkleServer(workers=1) as fresh:
        numbers = Numbers(fresh)
    for rule in rules():
        for name, matchers in re.findall(r"(qwirkle_\w+_total)\{([^}]*)\}", rule["expr"]):
            wanted = set(re.findall(r'(\w+)="([^"]*)"', matchers))
            found = [at for (each, at) in numbers.values if each == name and wanted <= at]
            assert found, f"{rule['alert']} waits for {name}{wanted}"


def test_counters_have_every_label_that_is_known_from_the_start() -> None:
    with QwirkleServer(workers=1) as fresh:
        numbers = Numbers(fresh)
    per_metric: dict[str, int] = {}
    for name, _ in numbers.values:
        per_metric[name] = per_metric.get(name, 0) + 1
    assert per_metric["qwirkle_problems_total"] >= 40
    assert per_metric["qwirkle_rule_refusals_total"] >= 15
    assert per_metric["qwirkle_store_failures_total"] >= 10
    assert per_metric["qwirkle_bot_thoughts_total"] == len(BOTS)
    assert per_metric["qwirkle_webhook_messages_total"] == 4

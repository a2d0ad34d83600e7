"""Alerts and dashboard ask only for numbers that there are, by labels that those have."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import Counter, Gauge, Histogram

from service.telemetry import metrics

ROOT = Path(__file__).parents[2]
MONITORING = ROOT / "k8s" / "monitoring"

GROUPING = re.compile(r"\bby \(([^)]*)\)")


def exported() -> dict[str, set[str]]:
    """The labels of every series that /metrics may have."""
    series: dict[str, set[str]] = {}
    for name, kind, labels in documented():
        if kind == "histogram":
            series |= {f"{name}_bucket": labels | {"le"}}
            series |= {f"{name}_count": labels}
        else:
            series[name] = labels
    return series


def documented() -> list[tuple[str, str, set[str]]]:
    """Name, kind and labels of every metric in the table of the documentation."""
    text = (ROOT / "docs" / "observability.md").read_text()
    rows = re.findall(r"\| `(qwirkle_\w+)` \| (\w+) \| (.*?) \|", text)
    return [(name, kind, set(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows]


def rules() -> list[dict[str, Any]]:
    spec = yaml.safe_load((MONITORING / "alerts.yaml").read_text())["spec"]
    return [rule for group in spec["groups"] for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    return json.loads((MONITORING / "dashboard.json").read_text())["panels"]


def questions() -> list[str]:
    asked = [target["expr"] for panel in panels() for target in panel["targets"]]
    return [rule["expr"] for rule in rules()] + asked


def without_texts(question: str) -> str:
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', question)


@pytest.mark.parametrize("question", questions())
def test_a_question_is_about_numbers_and_labels_that_there_are(question: str) -> None:
    known = exported()
    plain = without_texts(question)
    names = re.findall(r"qwirkle_\w+", plain)
    assert names
    assert set(names) <= set(known), question
    for name, matchers in re.findall(r"(qwirkle_\w+)\{([^}]*)\}", plain):
        assert set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", matchers)) <= known[name], question
    for grouped in GROUPING.findall(plain):
        labels = {label.strip() for label in grouped.split(",")}
        assert all(labels <= known[name] for name in names), question


def test_every_alert_says_what_is_promised_and_what_to_do() -> None:
    assert len(rules()) > 8
    for rule in rules():
        assert set(rule["annotations"]) == {"promise", "summary", "action"}
        assert rule["labels"]["severity"] in {"critical", "warning", "info"}


def test_the_promises_to_operators_name_alerts_that_there_are() -> None:
    promised = (ROOT / "docs" / "operations.md").read_text()
    named = set(re.findall(r"`(Qwirkle[A-Z]\w+)`", promised))
    assert len(named) > 8
    assert named <= {rule["alert"] for rule in rules()}


def test_the_docs_name_every_alert() -> None:
    text = (ROOT / "docs" / "observability.md").read_text()
    for rule in rules():
        assert f"`{rule['alert']}`" in text


def test_the_docs_have_the_name_kind_and_labels_of_every_metric() -> None:
    defined = {}
    for metric in vars(metrics).values():
        if isinstance(metric, Counter | Gauge | Histogram):
            [family] = metric.describe()
            suffix = "_total" if family.type == "counter" else ""
            defined[family.name + suffix] = (family.type, metric)
    names = {name: (kind, labels) for name, kind, labels in documented()}
    assert names.pop("qwirkle_build_info") == ("gauge", {"version", "python"})
    assert set(names) == set(defined)
    for name, (kind, labels) in names.items():
        assert defined[name][0] == kind
        if labels:
            # Refused by the library unless these are exactly its labels.
            defined[name][1].labels(**dict.fromkeys(labels, "documented"))

"""The numbers in the form that Prometheus reads."""

import platform
from collections import defaultdict
from collections.abc import Iterable, Mapping
from importlib.metadata import version

from prometheus_client import CollectorRegistry
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from service.telemetry.metric_definitions import METRICS, PREFIX, Metric
from service.telemetry.metrics import METER

DISTRIBUTION = "qwirkle-service"
CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4

Numbers = Mapping[tuple[str, ...], float]


def exposition() -> bytes:
    """Everything that has been counted on this process's board, as of now."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Board())
    return generate_latest(registry)


class _Board(Collector):
    def collect(self) -> Iterable[Family]:
        """All metrics, those of which nothing has been counted yet included."""
        by_metric: dict[str, dict[tuple[str, ...], float]] = defaultdict(dict)
        for (name, *labels), value in METER.sums().items():
            by_metric[name][tuple(labels)] = value
        for metric in METRICS:
            yield _family(metric, by_metric[metric.name])
        build = {"version": version(DISTRIBUTION), "python": platform.python_version()}
        yield InfoMetricFamily(f"{PREFIX}build", "What is running.", build)


def _family(metric: Metric, numbers: Numbers) -> Family:
    name, meaning, labels = PREFIX + metric.name, metric.meaning, metric.labels
    if metric.kind == "histogram":
        return _histogram(metric, HistogramMetricFamily(name, meaning, labels=labels), numbers)
    kind = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
    family = kind(name, meaning, labels=labels)
    # What has no labels is there from the beginning, so that its first increase shows.
    for values, number in (numbers or ({} if labels else {(): 0.0})).items():
        family.add_metric(values, number)
    return family


def _histogram(metric: Metric, family: HistogramMetricFamily, numbers: Numbers) -> Family:
    """The family with its buckets and counts, and no sums."""
    for values in sorted({values[:-1] for values in numbers}):
        below, buckets = 0.0, []
        for at, bound in enumerate([*map(str, metric.bounds), "+Inf"]):
            below += numbers.get((*values, str(at)), 0.0)
            buckets.append((bound, below))
        family.add_metric(values, buckets, None)
        labels = dict(zip(metric.labels, values, strict=True))
        family.add_sample(f"{family.name}_count", labels, below)
    return family

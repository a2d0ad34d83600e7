"""Every metric that the service exports, and their text for Prometheus.

Where `PROMETHEUS_MULTIPROC_DIR` names a folder, the processes that share it are counted together:
each keeps its values in files of its own there, and whichever is scraped adds them up. Without
that variable a process exports its own values.
"""

import os
import platform
from collections.abc import Iterable
from importlib.metadata import version
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, values
from prometheus_client.core import InfoMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
REGISTRY: Final = CollectorRegistry()

REQUEST_BUCKETS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Upper bounds in seconds.

How long it takes to find the legal plays of a hand depends on the hand, and anybody may read the
metrics before and after another player's request. So everything that a healthy service does
within milliseconds falls into one bucket, and sums of durations are not exported.
"""

STORE_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, *REQUEST_BUCKETS)
"""The same for round trips to the store, whose duration does not depend on a hand."""

_PREFIX: Final = "qwirkle"
_HIDDEN: Final = ("_sum", "_created")

_process: str | None = None


def _process_name() -> str | int:
    return _process or os.getpid()


if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
    values.ValueClass = values.MultiProcessValue(_process_name)


def _counter(name: str, meaning: str, *labels: str) -> Counter:
    return Counter(name, meaning, labels, _PREFIX, registry=REGISTRY)


def _gauge(name: str, meaning: str, *labels: str) -> Gauge:
    """A gauge that adds up the processes that are alive."""
    return Gauge(name, meaning, labels, _PREFIX, registry=REGISTRY, multiprocess_mode="livesum")


def _histogram(name: str, meaning: str, *labels: str, buckets: tuple[float, ...]) -> Histogram:
    return Histogram(name, meaning, labels, _PREFIX, registry=REGISTRY, buckets=buckets)


REQUESTS: Final = _counter("requests_total", "Requests answered.", "route", "method", "status")
REQUEST_SECONDS: Final = _histogram(
    "request_seconds",
    "Time from a request to its response; for a stream, to its start.",
    "route",
    "method",
    buckets=REQUEST_BUCKETS,
)
PROBLEMS: Final = _counter("problems_total", "Error responses.", "code")
RULE_REFUSALS: Final = _counter("rule_refusals_total", "Rules broken by refused actions.", "code")
IDEMPOTENT_REPLAYS: Final = _counter(
    "idempotent_replays_total", "Requests answered with their earlier response."
)
STORE_SECONDS: Final = _histogram(
    "store_seconds", "Time of a round trip to the store.", "operation", buckets=STORE_BUCKETS
)
STORE_FAILURES: Final = _counter("store_failures_total", "Failed calls to the store.", "reason")
GAMES_CREATED: Final = _counter(
    "games_created_total", "Games created, including rematches and forks."
)
GAMES_STARTED: Final = _counter("games_started_total", "Games whose tiles were dealt.")
GAMES_FINISHED: Final = _counter("games_finished_total", "Games finished.", "end")
GAMES_DELETED: Final = _counter("games_deleted_total", "Games deleted by their hosts.")
ACTIONS: Final = _counter("actions_total", "Actions taken in games.", "action", "by")
BOT_THOUGHTS: Final = _counter("bot_thoughts_total", "Moves computed for bots.", "bot")
STREAMS_OPEN: Final = _gauge("streams_open", "Event streams and long polls open now.")
WEBHOOK_MESSAGES: Final = _counter("webhook_messages_total", "Webhook messages.", "outcome")
LIST_ENTRIES_RESTORED: Final = _counter(
    "list_entries_restored_total", "Games added again to tenants' lists that had lost them."
)
PROCESSES: Final = _gauge("processes", "Processes running now.", "kind")
LOG_LINES_DROPPED: Final = _counter(
    "log_lines_dropped_total", "Log lines dropped because their reader was too slow."
)

# A series that exists before its first increase shows that increase in `rate()`.
for _outcome in ("delivered", "failed", "dropped", "void"):
    WEBHOOK_MESSAGES.labels(_outcome)


def name_process(name: str) -> None:
    """Continue the counters of the process that had this name before.

    Without a name a process is known by its id, and each leaves its files in the folder. No two
    processes may use a name at the same time.
    """
    global _process  # noqa: PLW0603  # the library asks for it by a function without arguments
    forget_process(name)
    _process = name


def forget_process(name: str | None = None) -> None:
    """Drop the gauges of a process that has ended, by default of this one; its counters stay."""
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        mark_process_dead(name or _process_name())


def exposition() -> bytes:
    """The metrics of all processes that count together, in Prometheus's text format."""
    return generate_latest(EXPORTED)


class _Exported(Collector):
    def collect(self) -> Iterable[Metric]:
        """Every metric, including those without a value so far."""
        shared: dict[str, Metric] = {}
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            found = MultiProcessCollector(None).collect()
            shared = {metric.name: metric for metric in found}
        for own in REGISTRY.collect():
            metric = shared.get(own.name, own)
            metric.samples = [each for each in metric.samples if not each.name.endswith(_HIDDEN)]
            yield metric
        build = {"version": version("qwirkle-service"), "python": platform.python_version()}
        yield InfoMetricFamily(f"{_PREFIX}_build", "The running release.", build)


EXPORTED: Final = CollectorRegistry(auto_describe=False)
"""The metrics of all processes that count together, as they are exported."""

EXPORTED.register(_Exported())

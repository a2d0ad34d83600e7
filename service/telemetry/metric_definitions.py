"""Every number that the service exports: its name, what it means, and its labels."""

from dataclasses import dataclass
from typing import Final, Literal

PREFIX: Final = "qwirkle_"

REQUEST_BOUNDS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Upper ends, in seconds, of the buckets for requests; one more has no end.

How long the legal plays of a hand take to find depends on the hand, and anybody may read the
numbers before and after somebody else's request. So all that a healthy service does within
milliseconds falls into one bucket, and no sum of durations is kept.
"""

STORE_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, *REQUEST_BOUNDS)
"""The same for round trips to the store, which take no longer for one hand than for another."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One number, or one for each combination of labels; ``bounds`` are a histogram's."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    meaning: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()


METRICS: Final = (
    Metric("requests_total", "counter", "Requests answered.", ("route", "method", "status")),
    Metric(
        "request_seconds",
        "histogram",
        "Time from a request to its answer; for a stream, to its beginning.",
        ("route", "method"),
        REQUEST_BOUNDS,
    ),
    Metric("problems_total", "counter", "Refusals and failures told to clients.", ("code",)),
    Metric("rule_refusals_total", "counter", "Rules that refused actions broke.", ("code",)),
    Metric("idempotent_replays_total", "counter", "Requests answered as they were before."),
    Metric(
        "store_seconds",
        "histogram",
        "Time of a round trip to the store.",
        ("operation",),
        STORE_BOUNDS,
    ),
    Metric("store_failures_total", "counter", "Calls that the store failed.", ("reason",)),
    Metric("games_created_total", "counter", "Games created, rematches and forks included."),
    Metric("games_started_total", "counter", "Games whose seats were taken and tiles dealt."),
    Metric("games_finished_total", "counter", "Games finished.", ("end",)),
    Metric("games_deleted_total", "counter", "Games deleted by their hosts."),
    Metric("actions_total", "counter", "What was done in games, and by whom.", ("action", "by")),
    Metric("bot_thoughts_total", "counter", "Moves that bots worked out, made or not.", ("bot",)),
    Metric("streams_open", "gauge", "Event streams and long polls open now."),
    Metric("webhook_reports_total", "counter", "What became of reports.", ("outcome",)),
    Metric("processes", "gauge", "Processes at work now.", ("kind",)),
    Metric("log_lines_dropped_total", "counter", "Lines that nobody read in time."),
    Metric("metrics_lost_total", "counter", "Counts for which the board had no room."),
)
"""All of them but ``build_info``, which is no number."""

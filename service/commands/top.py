"""`qwirkle top`: what a server is doing, updated in the terminal, from its `/metrics`."""

import argparse
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Final

import httpx
from prometheus_client.parser import text_string_to_metric_families

from service.config import CannotRun

_CLEAR: Final = "\x1b[H\x1b[2J"
_TIMEOUT: Final = 10.0
_ROUTES: Final = 8
"""Routes that are shown, the busiest first."""

_LONG_POLL: Final = "/v1/games/{game_id}/events"
Labels = frozenset[tuple[str, str]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.add_argument(
        "url", metavar="URL", nargs="?", default="http://127.0.0.1:8000", help="the server"
    )
    parser.add_argument("--interval", type=float, default=2.0, help="seconds between two looks")
    parser.add_argument("--once", action="store_true", help="print one picture and end")


def run(parsed: argparse.Namespace) -> int:
    """Show requests, response times, games, streams, bots and the store of one running server.

    It compares two looks at the server's /metrics, so everything is about the seconds between
    them. Without a terminal it prints one picture after another.
    """
    if not 0.1 <= parsed.interval <= 3600:  # said in the message
        raise CannotRun("--interval must be between 0.1 and 3600 seconds.")
    clear = _CLEAR if sys.stdout.isatty() and not parsed.once else ""
    try:
        before = Metrics.of(parsed.url)
        while True:
            time.sleep(parsed.interval)
            now = Metrics.of(parsed.url)
            print(clear + "\n".join(picture(parsed.url, before, now)), flush=True)
            if parsed.once:
                return 0
            before = now
    except KeyboardInterrupt:
        print()
    return 0


class Metrics:
    """All metrics of a server at one moment."""

    def __init__(self, text: str, at: float) -> None:
        self.at = at
        self._values: dict[tuple[str, Labels], float] = {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    @classmethod
    def of(cls, url: str) -> "Metrics":
        """What the server at this address says now; CannotRun if it says nothing."""
        try:
            answer = httpx.get(f"{url.rstrip('/')}/metrics", timeout=_TIMEOUT)
            answer.raise_for_status()
            return cls(answer.text, time.monotonic())
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise CannotRun(f"{url} does not show its metrics: {error}.") from error

    def total(self, name: str, **wanted: str) -> float:
        """The sum of a metric over all series with these labels."""
        return sum(value for _, value in self.series(name, **wanted))

    def series(self, name: str, **wanted: str) -> Iterator[tuple[Mapping[str, str], float]]:
        """The series of a metric with these labels."""
        for (each, labels), value in self._values.items():
            if each == f"qwirkle_{name}" and wanted.items() <= dict(labels).items():
                yield dict(labels), value

    def by(self, name: str, *labels: str) -> dict[tuple[str, ...], float]:
        """The metric, summed by these labels."""
        sums: dict[tuple[str, ...], float] = {}
        for found, value in self.series(name):
            key = tuple(found[label] for label in labels)
            sums[key] = sums.get(key, 0.0) + value
        return sums


def picture(url: str, before: Metrics, now: Metrics) -> Iterator[str]:
    """The lines that are shown for what happened between two looks."""
    seconds = max(0.001, now.at - before.at)

    def rate(name: str, **wanted: str) -> float:
        # Less than before: the server was restarted in between.
        return max(0.0, now.total(name, **wanted) - before.total(name, **wanted)) / seconds

    [build] = [labels for labels, _ in now.series("build_info")] or [{}]
    web, workers = (int(now.total("processes", kind=kind)) for kind in ("web", "worker"))
    yield f"{url}  release {build.get('version', '?')}  {web} web, {workers} background workers"
    yield ""
    statuses = _rates(before.by("requests_total", "status"), now.by("requests_total", "status"))
    failed = sum(each / seconds for (status,), each in statuses.items() if status >= "500")
    yield (
        f"requests  {rate('requests_total'):9.1f}/s   5xx {failed:.1f}/s   "
        f"99% within {_quantile(before, now, 'request_seconds')}"
    )
    yield (
        f"store     {rate('store_seconds_count'):9.1f}/s   "
        f"failures {rate('store_failures_total'):.1f}/s   "
        f"99% within {_quantile(before, now, 'store_seconds')}"
    )
    yield (
        f"games     {rate('games_created_total') * 60:9.1f}/min created, "
        f"{rate('games_finished_total') * 60:.1f}/min finished"
    )
    yield (
        f"moves     {rate('actions_total', by='player'):9.1f}/s by players, "
        f"{rate('actions_total', by='bot'):.1f}/s by bots, "
        f"{rate('actions_total', by='clock'):.1f}/s by the clock"
    )
    yield f"streams   {now.total('streams_open'):9.0f} open"
    yield (
        f"webhooks  {rate('webhook_messages_total', outcome='delivered'):9.1f}/s delivered, "
        f"{rate('webhook_messages_total', outcome='failed'):.1f}/s failed"
    )
    yield ""
    routes = _rates(
        before.by("requests_total", "method", "route"), now.by("requests_total", "method", "route")
    )
    for (method, route), count in sorted(routes.items(), key=lambda each: -each[1])[:_ROUTES]:
        if count:
            yield f"{count / seconds:9.1f}/s  {method} {route}"
    codes = _rates(before.by("problems_total", "code"), now.by("problems_total", "code"))
    told = [f"{code} {count / seconds:.1f}/s" for (code,), count in codes.items() if count]
    yield f"refused: {', '.join(told) if told else 'nothing'}"


def _rates(
    before: Mapping[tuple[str, ...], float], now: Mapping[tuple[str, ...], float]
) -> dict[tuple[str, ...], float]:
    return {key: max(0.0, value - before.get(key, 0.0)) for key, value in now.items()}


def _quantile(before: Metrics, now: Metrics, name: str, share: float = 0.99) -> str:
    """The bound of the first bucket with this share of what happened; long polls left out."""
    grown: dict[float, float] = {}
    for metrics, sign in ((now, 1), (before, -1)):
        for labels, value in metrics.series(f"{name}_bucket"):
            if labels.get("route") != _LONG_POLL:
                bound = float(labels["le"])
                grown[bound] = grown.get(bound, 0.0) + sign * value
    total = grown.get(float("inf"), 0.0)
    if total <= 0:
        return "-"
    bound = min(bound for bound, count in grown.items() if count >= share * total)
    return "more than 10 s" if bound == float("inf") else f"{bound * 1000:g} ms"

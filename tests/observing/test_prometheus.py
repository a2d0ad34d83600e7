"""A real Prometheus scrapes a server, and answers every query of the alerts and the dashboard."""

import json
import shutil
import socket
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.api.client import client_of
from tests.api.positions import in_play
from tests.observing.reading import wait_for
from tests.observing.test_monitoring import panels, rules
from tests.servers import QwirkleServer

INTERVAL = "10s"
"""Stands for the interval that Grafana computes."""


class Prometheus:
    """Prometheus on a free port, with one target that it scrapes twice a second."""

    def __init__(self, folder: Path, target: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._address = f"127.0.0.1:{free.getsockname()[1]}"
        config = folder / "prometheus.yml"
        jobs = [{"job_name": "qwirkle", "static_configs": [{"targets": [target]}]}]
        config.write_text(
            yaml.safe_dump({"global": {"scrape_interval": "500ms"}, "scrape_configs": jobs})
        )
        self._log = (folder / "log").open("w")
        self._process = subprocess.Popen(
            [
                "prometheus",
                f"--config.file={config}",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address={self._address}",
            ],
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )

    def ask(self, path: str, **query: str) -> Any:
        url = f"http://{self._address}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=30) as answer:
            return json.loads(answer.read())["data"]

    def values(self, query: str) -> list[dict[str, Any]]:
        return list(self.ask("query", query=query)["result"])

    def seen(self, query: str) -> list[dict[str, Any]]:
        """The answer once there is one; nothing as long as Prometheus is still starting."""
        try:
            return self.values(query)
        except OSError:
            return []

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._log.close()


@pytest.fixture(scope="module")
def prometheus(
    server: QwirkleServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Prometheus]:
    if shutil.which("prometheus") is None:
        pytest.skip("prometheus is not installed: nothing scrapes the service")
    target = server.base_url.removeprefix("http://")
    started = Prometheus(tmp_path_factory.mktemp("prometheus"), target)
    try:
        # Twice, so that rates have something to compare, with a game in between.
        wait_for(lambda: started.seen("qwirkle_build_info"))
        in_play(client_of(server)).play(0, "rd@2,0").ok(201)
        wait_for(lambda: started.values(f"rate(qwirkle_games_created_total[{INTERVAL}]) > 0"))
        yield started
    finally:
        started.close()


def test_it_takes_everything_that_is_exported(prometheus: Prometheus) -> None:
    [target] = prometheus.ask("targets")["activeTargets"]
    assert (target["health"], target["lastError"]) == ("up", "")
    [scraped] = prometheus.values("scrape_samples_scraped")
    [kept] = prometheus.values("scrape_samples_post_metric_relabeling")
    assert scraped["value"][1] == kept["value"][1]
    kinds = prometheus.ask("metadata", metric="qwirkle_requests_total")
    assert kinds["qwirkle_requests_total"][0]["type"] == "counter"


@pytest.mark.parametrize(
    "query", [target["expr"] for panel in panels() for target in panel["targets"]]
)
def test_every_panel_of_the_dashboard_shows_something(prometheus: Prometheus, query: str) -> None:
    assert prometheus.values(query.replace("$__rate_interval", INTERVAL))


def test_no_alert_is_raised_by_a_service_that_is_well(prometheus: Prometheus) -> None:
    wait_for(lambda: prometheus.values('qwirkle_processes{kind="worker"} == 1'))
    # A busy machine is slow, and other tests send this server what is not HTTP.
    others = {"QwirkleSlow", "QwirkleStoreSlow", "QwirkleUnreadable"}
    quiet = [rule for rule in rules() if rule["alert"] not in others]
    assert {rule["alert"]: prometheus.values(rule["expr"]) for rule in quiet} == {
        rule["alert"]: [] for rule in quiet
    }

"""Stores, games and workers in process, under a clock that a test turns by hand."""

import json
import shutil
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis

from service.games.service import Games
from service.games.webhook_urls import Targets
from service.store.due_queue import DueQueue
from service.store.embedded import EmbeddedStore
from service.store.pubsub import PubSub
from service.store.webhook_queue import WebhookQueue
from service.telemetry import metrics
from service.webhooks.dispatcher import Dispatcher
from service.worker.loop import Worker
from tests.servers import COMMAND, NewDir, environment_for
from tests.worker.local_games import Clock, House
from tests.worker.webhook_receiver import Receiver


@pytest.fixture(scope="session", params=["valkey", "redis"])
def work_store(request: pytest.FixtureRequest, new_dir: NewDir) -> Iterator[EmbeddedStore]:
    """A store of our own: no worker that a test does not know of must look through it."""
    binary = shutil.which("redis-server") if request.param == "redis" else None
    if request.param == "redis" and binary is None:
        pytest.skip("redis-server is not installed: not tested against Redis")
    with EmbeddedStore(new_dir(), binary=Path(binary) if binary else None) as store:
        yield store


@pytest.fixture
def house(work_store: EmbeddedStore, tmp_path: Path) -> Iterator[House]:
    """An empty store with its games, on the clock `house.clock`."""
    with House(work_store.url, tmp_path) as house:
        house.client.flushall()
        yield house


@pytest.fixture
def clock(house: House) -> Clock:
    return house.clock


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


Hire = Callable[..., Worker]


@pytest.fixture
def hire(house: House, receiver: Receiver) -> Iterator[Hire]:
    """Makes workers that look round when told to; what they send is sent when they are let go."""
    dispatchers: list[Dispatcher] = []

    def make(
        client: redis.Redis | None = None,
        *,
        left_ms: int = 30_000,
        games: Games | None = None,
        also: frozenset[str] = frozenset(),
    ) -> Worker:
        client = client or house.client
        dispatcher = Dispatcher(
            house.games.store,
            WebhookQueue(client, uuid.uuid4().hex, abandoned_ms=left_ms),
            house.games.keyring,
            Targets(also | {f"127.0.0.1:{receiver.port}"}, private=True),
            house.clock,
        )
        dispatchers.append(dispatcher)
        return Worker(games or house.games, DueQueue(client), dispatcher, PubSub(client))

    yield make
    for dispatcher in dispatchers:
        dispatcher.close()


Outcomes = Callable[[], dict[str, float]]


@pytest.fixture
def outcomes() -> Outcomes:
    """How many messages of this process have had each outcome since the test began."""

    def counted() -> dict[str, float]:
        (metric,) = metrics.WEBHOOK_MESSAGES.collect()
        samples = [each for each in metric.samples if each.name.endswith("_total")]
        return {each.labels["outcome"]: each.value for each in samples}

    before = counted()
    return lambda: {
        outcome: count - before[outcome]
        for outcome, count in counted().items()
        if count > before[outcome]
    }


def allowing(receiver: Receiver) -> dict[str, str]:
    """Settings that let webhooks reach this receiver."""
    allowed = f"127.0.0.1:{receiver.port}"
    return {"QWIRKLE_WEBHOOK_ALLOW": allowed, "QWIRKLE_WEBHOOK_PRIVATE": "yes"}


Launch = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def launch(receiver: Receiver) -> Iterator[Launch]:
    """Starts workers on a store; all end with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(store: EmbeddedStore, **settings: str) -> "subprocess.Popen[str]":
        worker = subprocess.Popen(
            [str(COMMAND), "worker"],
            env=environment_for(
                QWIRKLE_REDIS_URL=store.url,
                QWIRKLE_SECRET="s" * 32,
                **allowing(receiver),
                **settings,
            ),
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(worker)
        assert worker.stdout is not None
        assert json.loads(worker.stdout.readline())["message"] == "The worker is running."
        return worker

    yield start
    for worker in started:
        worker.kill()
        worker.wait()
        if worker.stdout:
            worker.stdout.close()

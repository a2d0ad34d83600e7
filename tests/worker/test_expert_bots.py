"""Bots that need time to think: every thought becomes a move, and nobody thinks it again."""

import socket
import urllib.request
from dataclasses import replace

import pytest
from prometheus_client.parser import text_string_to_metric_families

from service import core
from service.bots import SHARES
from service.config import Settings
from service.games.advance import load_and_advance
from service.games.bootstrap import open_games
from service.games.codec import unpack_session
from service.games.service import Games
from service.rules.actions import resign
from service.rules.events import Exchanged, Passed, Played
from service.store.due_queue import CLAIM_MS
from service.store.embedded import EmbeddedStore
from service.telemetry.metrics import REGISTRY
from tests.api.concurrent_calls import at_once
from tests.proxy import until
from tests.worker.conftest import Hire, Launch
from tests.worker.local_games import Clock, House


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def thoughts_of(port: int) -> float:
    """How many moves the experts of the worker with this port have worked out."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
        families = text_string_to_metric_families(answer.read().decode())
    samples = [sample for family in families for sample in family.samples]
    wanted = ("qwirkle_bot_thoughts_total", {"bot": "expert"})
    return sum(sample.value for sample in samples if (sample.name, sample.labels) == wanted)


def thoughts() -> float:
    """How many moves the experts of this process have worked out."""
    return REGISTRY.get_sample_value("qwirkle_bot_thoughts_total", {"bot": "expert"}) or 0.0


def moves_in(house: House, id_: str) -> int:
    events = [logged.entry.event for logged in house.log(id_)]
    return sum(isinstance(event, Played | Exchanged | Passed) for event in events)


def phase_of(house: House, id_: str) -> str:
    """As it is stored: nobody who asks does anything for the bots."""
    stored = house.games.store.load(id_)
    assert stored is not None
    return unpack_session(id_, stored.state).game.phase


def test_four_experts_play_to_the_end_unwatched_and_no_thought_is_thought_twice(
    house: House, work_store: EmbeddedStore, launch: Launch
) -> None:
    ports = [free_port() for _ in range(2)]
    for port in ports:
        launch(work_store, QWIRKLE_METRICS_PORT=str(port), QWIRKLE_BOT_BUDGET="2000")

    id_ = house.experts()

    until(lambda: phase_of(house, id_) == "finished", timeout=60)
    assert sum(map(thoughts_of, ports)) == moves_in(house, id_)


def requests(house: House) -> Games:
    """The house's games for somebody who is no worker."""
    settings = Settings(redis_url=house.url, secrets=("s" * 32,))
    return open_games(settings, house.client, clock=house.clock)


def test_an_expert_is_left_to_a_worker_that_is_at_work_however_long_it_thinks(
    house: House, clock: Clock, hire: Hire
) -> None:
    hire().run_due()
    id_ = house.experts()
    clock.advance(3600)
    before = thoughts()

    seen = load_and_advance(requests(house), id_)

    assert seen.session.game.version == 1
    assert thoughts() == before


def test_without_a_worker_one_of_many_requests_thinks_and_a_worker_can_go_on(
    house: House, clock: Clock, hire: Hire
) -> None:
    id_, games = house.experts(), requests(house)
    before = thoughts()
    at_once([lambda: load_and_advance(games, id_)] * 8)
    assert (thoughts() - before, moves_in(house, id_)) == (0, 0), "a worker may be starting"

    clock.advance(3)
    at_once([lambda: load_and_advance(games, id_)] * 8)
    assert (thoughts() - before, moves_in(house, id_)) == (1, 1)

    hire().run_due()
    assert phase_of(house, id_) == "finished"
    assert thoughts() - before == moves_in(house, id_)


@pytest.fixture
def slow_thoughts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots think in Python, with a pause before each position, and not in a few milliseconds."""
    monkeypatch.setattr(core, "native", None)


@pytest.mark.usefixtures("slow_thoughts")
def test_a_request_that_thinks_yields_to_others_before_each_position(
    house: House, clock: Clock
) -> None:
    id_ = house.experts()
    clock.advance(3)
    yields = []
    games = replace(requests(house), pause=lambda: yields.append(1))

    load_and_advance(games, id_)

    assert moves_in(house, id_) == 1
    assert len(yields) > games.bot_policy.budget // SHARES["expert"] // 4


class RunningClock(Clock):
    """A clock on which a second passes with every look at it."""

    def __call__(self) -> int:
        self.advance(1)
        return self.now


def keeps() -> float:
    """How often this process has prolonged a loan."""
    counted = {"operation": "extend_claim"}
    return REGISTRY.get_sample_value("qwirkle_store_seconds_count", counted) or 0.0


@pytest.mark.usefixtures("slow_thoughts")
def test_a_thought_that_takes_longer_than_a_loan_keeps_it(house: House, hire: Hire) -> None:
    clock = RunningClock()
    id_, before, began = house.experts(), keeps(), clock.now

    hire(games=replace(house.games, clock=clock)).run_due()

    assert phase_of(house, id_) == "finished"
    assert clock.now - began > 18 * CLAIM_MS
    assert (keeps() - before) * CLAIM_MS > clock.now - began


def test_tables_of_experts_take_turns_thought_by_thought(house: House, hire: Hire) -> None:
    ids = [house.experts(), house.experts()]

    hire(games=replace(house.games, clock=RunningClock())).run_due()

    made = [(logged.entry.at_ms, id_) for id_ in ids for logged in house.log(id_)[1:]]
    order = [id_ for _, id_ in sorted(made)]
    assert order == ids * (len(made) // 2)


@pytest.mark.usefixtures("slow_thoughts")
def test_a_thought_is_thrown_away_only_for_somebody_elses_move(house: House, hire: Hire) -> None:
    id_, others, before = house.experts(), requests(house), thoughts()

    def clock() -> int:
        """Looked at in the course of a thought: in that of the first one a player leaves."""
        seen = load_and_advance(others, id_)
        if thoughts() > before and seen.session.game.version == 1:
            others.commit_step(seen, resign(seen.session.game, 3))
        return house.clock()

    hire(games=replace(house.games, clock=clock)).run_due()

    assert phase_of(house, id_) == "finished"
    assert thoughts() - before == moves_in(house, id_) + 1

"""Clocks that are set back, or that are ahead on one machine: nobody waits for them to be right."""

from service.games.advance import load_and_advance
from service.live.event_cache import EventCache
from service.rules.events import Exchanged
from service.store import keys
from service.store.due_queue import AT_ONCE, DueQueue, ScheduledWork
from service.store.pubsub import PubSub
from tests.proxy import until
from tests.worker.conftest import Hire
from tests.worker.local_games import Clock, House
from tests.worker.test_expert_bots import moves_in, phase_of, requests

HOUR = 3600


def test_bots_move_on_after_an_event_from_a_clock_that_was_an_hour_ahead(
    house: House, clock: Clock, hire: Hire
) -> None:
    clock.advance(HOUR)
    id_ = house.dealt(bots=True)
    clock.advance(-HOUR)

    hire().run_due()

    assert phase_of(house, id_) == "finished"
    times = [logged.entry.at_ms for logged in house.log(id_)]
    assert times == sorted(times)


def test_a_request_moves_for_bots_after_such_an_event_too(house: House, clock: Clock) -> None:
    clock.advance(HOUR)
    quick, slow = house.dealt(bots=True), house.experts()
    clock.advance(-HOUR)

    for id_ in (quick, slow):
        load_and_advance(requests(house), id_)
        assert moves_in(house, id_) > 0


def test_a_clock_that_was_ahead_takes_nobodys_time_away(
    house: House, clock: Clock, hire: Hire
) -> None:
    worker = hire()
    clock.advance(HOUR)
    id_ = house.dealt(turn_seconds=10)
    clock.advance(-HOUR)

    table = house.play(id_)  # whoever is there can move, and the next one has no less time

    assert table.deadline_ms == clock.now + (HOUR + 10) * 1000
    clock.advance(HOUR + 9.9)
    worker.run_due()
    assert len(house.log(id_)) == 3
    clock.advance(0.1)
    worker.run_due()
    assert isinstance(house.log(id_)[3].entry.event, Exchanged)


def test_a_commit_announced_by_a_clock_ahead_is_awaited_no_longer_than_others(
    house: House, clock: Clock, hire: Hire
) -> None:
    id_ = house.table(turn_seconds=10)
    DueQueue(house.client).schedule(ScheduledWork(id_, 2, clock.now + HOUR * 1000, due_ms=AT_ONCE))
    worker = hire()
    worker.run_due()
    assert house.due()[id_] > clock.now

    clock.advance(61)
    worker.run_due()

    assert house.due() == {}


def test_a_loan_from_before_the_stores_clock_was_set_back_is_over(
    house: House, clock: Clock
) -> None:
    due, id_ = DueQueue(house.client), "a" * 26
    house.client.hset(keys.CLAIMS, id_, f"{clock.now + HOUR * 1000} somebody")

    assert due.claim_next(clock.now)[0] == id_


def test_streams_alone_move_for_bots_after_the_clock_was_set_back(
    house: House, clock: Clock
) -> None:
    id_ = house.experts()
    pubsub = PubSub(house.client)
    event_cache = EventCache(requests(house), pubsub)
    with event_cache.watch(id_) as watch:
        event_cache.refresh(id_, watch)
        clock.advance(-HOUR)
        before = moves_in(house, id_)
        event_cache.refresh(id_, watch)
        assert moves_in(house, id_) > before
        # Once the move was announced, the game is not loaded again and again.
        until(lambda: event_cache.refresh(id_, watch) is event_cache.refresh(id_, watch))
    pubsub.close()

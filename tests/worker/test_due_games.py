"""Deadlines that nobody polls and bots that nobody asks for, on a clock turned by hand."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import redis

from service.games.advance import load_and_advance
from service.rules.events import Exchanged
from service.store import keys
from service.store.base import StoreUnavailable
from service.store.due_queue import AT_ONCE, DueQueue, ScheduledWork
from service.store.embedded import EmbeddedStore
from service.store.redis_store import LOAD
from tests.proxy import Fault, TcpProxy
from tests.store.test_cost import seen_by_server
from tests.worker.conftest import Hire
from tests.worker.local_games import Clock, House
from tests.worker.test_expert_bots import phase_of, requests


def test_a_deadline_passes_though_nobody_asks(house: House, clock: Clock, hire: Hire) -> None:
    id_ = house.dealt(turn_seconds=10)
    house.play(id_)
    worker = hire()
    clock.advance(9.9)
    worker.run_due()
    assert len(house.log(id_)) == 3

    clock.advance(0.2)
    worker.run_due()

    last = house.log(id_)[-1].entry
    assert isinstance(last.event, Exchanged)
    assert last.event.timeout
    assert house.due() == {id_: clock.now + 10_000}


def test_three_workers_and_requests_beside_them_do_it_once(
    house: House, clock: Clock, hire: Hire
) -> None:
    ids = [house.dealt(turn_seconds=10, seed=str(n)) for n in range(12)]
    for id_ in ids:
        house.play(id_)
    clock.advance(10)
    workers = [hire() for _ in range(3)]
    everyone = [threading.Thread(target=worker.run_due) for worker in workers]
    everyone += [threading.Thread(target=house.seen, args=(id_,)) for id_ in ids]

    for each in everyone:
        each.start()
    for each in everyone:
        each.join()

    for id_ in ids:
        assert [logged.entry.event.n for logged in house.log(id_)] == [1, 2, 3, 4]


def test_bots_play_to_the_end_though_nobody_asks(house: House, clock: Clock, hire: Hire) -> None:
    id_ = house.dealt(bots=True)
    worker = hire()

    for _ in range(200):
        worker.run_due()
        clock.advance(0.1)
        if not house.due():
            break

    assert house.seen(id_).session.game.phase == "finished"
    assert not house.client.exists(keys.DUE, keys.EXPECTED_VERSIONS)


def test_three_absences_in_a_row_and_nobody_is_left_to_look_at(
    house: House, clock: Clock, hire: Hire
) -> None:
    id_ = house.dealt(turn_seconds=10)
    worker = hire()
    for _ in range(7):
        clock.advance(10)
        worker.run_due()
        clock.advance(0.1)
        worker.run_due()

    table = house.seen(id_).session
    assert table.game.end == "last_player"
    assert not house.client.exists(keys.DUE, keys.EXPECTED_VERSIONS)


def test_a_game_whose_worker_was_killed_comes_to_another(
    house: House, clock: Clock, hire: Hire
) -> None:
    id_ = house.dealt(turn_seconds=10)
    clock.advance(10)
    DueQueue(house.client).claim_next(clock.now)  # and then killed
    worker = hire()
    worker.run_due()
    assert len(house.log(id_)) == 2

    house.end_claims()
    worker.run_due()

    assert len(house.log(id_)) == 3


def test_games_that_are_due_at_once_take_turns_and_deadlines_wait_for_none_of_them(
    house: House, clock: Clock
) -> None:
    due = DueQueue(house.client)
    late, busy, idle = "a" * 26, "b" * 26, "c" * 26
    due.schedule(ScheduledWork(late, 2, clock.now, due_ms=clock.now + 1000))
    for id_ in (idle, busy):
        due.schedule(ScheduledWork(id_, 2, clock.now, due_ms=AT_ONCE))

    order = []
    for _ in range(4):
        taken, _ = due.claim_next(clock.now)
        assert taken is not None
        order.append(taken)
        due.reschedule(taken, 2, AT_ONCE, clock.now)
    assert order == [idle, busy, idle, busy]

    clock.advance(1)
    assert due.claim_next(clock.now)[0] == late


def test_a_game_is_lent_to_one_at_a_time_whatever_is_noted_meanwhile(
    house: House, clock: Clock
) -> None:
    mine, others, id_ = DueQueue(house.client), DueQueue(house.client), "a" * 26
    mine.schedule(ScheduledWork(id_, 2, clock.now, due_ms=AT_ONCE))
    assert mine.claim_next(clock.now)[0] == id_
    others.schedule(ScheduledWork(id_, 3, clock.now, due_ms=AT_ONCE))
    assert others.claim_next(clock.now)[0] is None

    mine.reschedule(id_, 2, None, clock.now)

    clock.advance(1)
    assert others.claim_next(clock.now)[0] == id_, "what was noted meanwhile is not forgotten"


def test_whoever_comes_back_too_late_takes_a_game_from_nobody(house: House, clock: Clock) -> None:
    mine, others, id_ = DueQueue(house.client), DueQueue(house.client), "a" * 26
    mine.schedule(ScheduledWork(id_, 2, clock.now, due_ms=AT_ONCE))
    mine.claim_next(clock.now)
    house.end_claims()
    assert others.claim_next(clock.now)[0] == id_

    mine.extend_claim(id_)
    mine.reschedule(id_, 2, AT_ONCE, clock.now)

    assert house.lent() == {id_}
    assert mine.claim_next(clock.now)[0] is None


def test_a_look_before_the_commit_does_not_count(house: House, clock: Clock, hire: Hire) -> None:
    id_ = house.table(turn_seconds=10)
    due, worker = DueQueue(house.client), hire()
    due.schedule(ScheduledWork(id_, 2, clock.now, due_ms=clock.now))
    worker.run_due()
    assert house.due()[id_] > clock.now

    clock.advance(61)
    worker.run_due()

    assert house.due() == {}


def test_an_intention_that_comes_to_nothing_delays_no_look(house: House, clock: Clock) -> None:
    id_ = house.dealt(turn_seconds=10)
    before = house.due()

    DueQueue(house.client).schedule(ScheduledWork(id_, 3, clock.now, due_ms=clock.now + 60_000))

    assert house.due() == before


def test_a_game_that_cannot_be_read_stops_no_other(
    house: House, clock: Clock, hire: Hire, caplog: pytest.LogCaptureFixture
) -> None:
    broken, sound = house.dealt(turn_seconds=10), house.dealt(turn_seconds=10, seed="t")
    house.client.set(keys.state_key(broken), b"12345678 of another release")
    clock.advance(10)

    hire().run_due()

    assert len(house.log(sound)) == 3
    assert house.due()[broken] == clock.now + 60_000
    assert broken in caplog.text


def test_a_game_whose_server_is_away_stops_no_other(
    work_store: EmbeddedStore, house: House, clock: Clock, hire: Hire, tmp_path: Path
) -> None:
    lost, sound = house.dealt(turn_seconds=10), house.dealt(turn_seconds=11, seed="t")
    clock.advance(11)
    with (
        TcpProxy(work_store.url.removeprefix("unix://").partition("?")[0]) as proxy,
        House(proxy.url, tmp_path) as far,
    ):
        far.clock.now = clock.now
        proxy.trouble("EVALSHA", Fault.CUT_BEFORE, times=2, where=(LOAD.digest,))

        with pytest.raises(StoreUnavailable):
            hire(games=far.games).run_due()

    assert (len(house.log(lost)), len(house.log(sound))) == (2, 3)
    assert house.lent() == {lost}


@pytest.mark.parametrize("part", [keys.state_key, keys.log_key, keys.idempotency_entries_key])
def test_a_game_that_has_lost_a_part_is_forgotten_without_a_fuss(
    house: House, clock: Clock, hire: Hire, part: Callable[[str], str]
) -> None:
    id_ = house.dealt(turn_seconds=10)
    house.client.delete(part(id_))
    clock.advance(61)
    worker = hire()

    with seen_by_server(house.games.store) as seen:
        worker.run_due()

    assert house.due() == {}
    # It is taken, loaded once and settled; the rest is what every look asks for.
    assert seen.count("EVALSHA") <= 8


@pytest.mark.parametrize("part", [keys.state_key, keys.log_key])
def test_a_damaged_game_is_looked_at_once_a_minute_and_stops_no_other(
    house: House,
    clock: Clock,
    hire: Hire,
    caplog: pytest.LogCaptureFixture,
    part: Callable[[str], str],
) -> None:
    damaged, sound = house.dealt(turn_seconds=10), house.dealt(turn_seconds=10, seed="t")
    if part is keys.state_key:
        house.client.setrange(part(damaged), 100, b"?")
    else:
        house.client.ltrim(part(damaged), 1, -1)
    clock.advance(10)

    hire().run_due()

    assert len(house.log(sound)) == 3
    assert house.due()[damaged] == clock.now + 60_000
    assert f"game {damaged} is damaged" in caplog.text


def test_a_deleted_game_is_forgotten(house: House, clock: Clock, hire: Hire) -> None:
    id_ = house.dealt(turn_seconds=10)
    house.games.delete(house.seen(id_))
    clock.advance(61)

    hire().run_due()

    assert house.due() == {}


def test_who_has_no_clock_no_bot_and_no_webhook_pays_nothing(house: House) -> None:
    plain, timed = house.dealt(), house.dealt(turn_seconds=10)
    for id_, trips in ((plain, 2), (timed, 3)):
        house.play(id_)
        with seen_by_server(house.games.store) as commands:  # type: ignore[arg-type]  # it is one
            house.play(id_)
        # When games will be forgotten is written down later, perhaps of another test's just now.
        waited_for = [command for command in commands if command != "ZADD"]
        assert len(waited_for) == trips, commands
    assert set(house.due()) == {timed}


def test_a_commit_that_is_noted_wakes_the_workers(house: House, clock: Clock) -> None:
    listener = redis.Redis.from_url(house.url)
    with listener, listener.pubsub() as heard:
        heard.execute_command("SSUBSCRIBE", keys.WAKE_CHANNEL)
        heard.parse_response()
        due = DueQueue(house.client)
        due.schedule(ScheduledWork("a" * 26, 2, clock.now, due_ms=clock.now + 1000))
        due.schedule(ScheduledWork("b" * 26, 2, clock.now, due_ms=AT_ONCE))
        message = heard.parse_response()
    assert message[2] == b"b" * 26


def test_an_expert_whose_look_was_lost_is_moved_by_the_worker_once_somebody_asks(
    house: House, hire: Hire
) -> None:
    id_ = house.experts()
    worker = hire()
    DueQueue(house.client).claim_next(0)  # shows that a worker is at work
    house.client.delete(keys.DUE, keys.CLAIMS, keys.EXPECTED_VERSIONS)
    worker.run_due()
    assert len(house.log(id_)) == 1

    house.clock.advance(4)
    load_and_advance(requests(house), id_)
    worker.run_due()

    assert phase_of(house, id_) == "finished"


def test_asking_brings_no_game_before_others_that_wait(house: House, clock: Clock) -> None:
    due, first, second = DueQueue(house.client), "a" * 26, "b" * 26
    for id_ in (first, second):
        due.schedule(ScheduledWork(id_, 2, clock.now, due_ms=AT_ONCE))
    house.client.set(keys.WORKER_ALIVE, "1")

    for _ in range(3):
        assert not due.claim(second)

    assert [due.claim_next(clock.now)[0] for _ in range(3)] == [first, second, None]


def test_a_deleted_game_is_not_looked_at_all_the_time(
    house: House, clock: Clock, hire: Hire
) -> None:
    id_ = house.dealt(turn_seconds=10)
    house.games.delete(house.seen(id_))
    worker = hire()
    clock.advance(10)
    looks = 0
    while house.due():
        looks += house.due()[id_] <= clock.now
        worker.run_due()
        clock.advance(0.1)
    assert looks <= 5
    assert not house.client.exists(keys.DUE, keys.EXPECTED_VERSIONS)


@pytest.mark.parametrize(
    "damage",
    [
        lambda store: store.hset(keys.CLAIMS, "a" * 26, b"\xff\0"),
        lambda store: store.zadd(keys.DUE, {b"\xff\xfe": 1}),
        lambda store: store.zadd(keys.DELAYED_WEBHOOKS, {b"\xff{": 1}),
        lambda store: store.zadd(keys.DELAYED_WEBHOOKS, {b'["game"]': 1}),
        lambda store: store.zadd(keys.DELAYED_WEBHOOKS, {b'["game",{}]': 1}),
        lambda store: store.zadd(keys.DELAYED_WEBHOOKS, {b"7": 1}),
        lambda store: store.zadd(keys.DELAYED_WEBHOOKS, {b'["game","x"]': 1}),
        lambda store: store.xadd(keys.WEBHOOKS, {"game": "x"}),
        lambda store: store.xadd(keys.WEBHOOKS, {"game": b"\xff"}),
    ],
)
def test_damage_in_what_is_left_to_workers_stops_no_game(
    house: House, clock: Clock, hire: Hire, damage: Callable[[redis.Redis], object]
) -> None:
    hire().run_due()
    damage(house.client)
    id_ = house.dealt(bots=True)

    hire().run_due()

    assert phase_of(house, id_) == "finished"
    clock.advance(60)
    hire().run_due()
    assert not house.client.exists(keys.DUE, keys.CLAIMS, keys.DELAYED_WEBHOOKS)
    assert house.client.xlen(keys.WEBHOOKS) == 0

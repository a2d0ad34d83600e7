"""Reports to webhooks: what they say, how they are signed, and what becomes of those that fail."""

import json
import threading

from service.store import keys
from service.store.due_queue import DueQueue, ScheduledWork, WebhookMessage
from service.store.webhook_queue import WebhookQueue
from service.webhooks.dispatcher import BACK_OFF_SECONDS
from tests.contract.checker import check_message
from tests.proxy import until
from tests.worker.conftest import Hire, Outcomes
from tests.worker.local_games import Clock, House
from tests.worker.webhook_receiver import Receiver, status


def told_of(nonce: bytes) -> WebhookMessage:
    """A message about the event with this nonce."""
    return WebhookMessage("http://127.0.0.1:1/", nonce, b"{}")


def test_turns_and_the_end_are_told_and_nothing_else(
    house: House, hire: Hire, receiver: Receiver
) -> None:
    id_ = house.table(webhook_url=receiver.url)
    assert not house.client.exists(keys.WEBHOOKS)
    house.deal(id_)
    mover = house.seen(id_).session.game.mover
    assert mover is not None
    table = house.play(id_)
    table = house.resign(id_, 0)
    worker = hire()

    worker.run_due()

    dealt, played, ended = (receiver.next() for _ in range(3))
    assert receiver.messages.empty()
    assert [each.json["type"] for each in (dealt, played, ended)] == [
        *("game.turn", "game.turn", "game.ended")
    ]
    assert dealt.data | {"turn": None} == {
        "game_id": id_,
        "version": 2,
        "event": "dealt",
        "status": "playing",
        "turn": None,
        "scores": [{"seat": 0, "score": 0}, {"seat": 1, "score": 0}],
        "end": None,
        "winners": None,
    }
    assert dealt.data["turn"] == {"number": 1, "seat": mover, "deadline": None}
    assert played.data["turn"]["seat"] == 1 - mover
    assert ended.data["turn"] is None
    assert (ended.data["end"], ended.data["winners"]) == ("last_player", [1])
    assert ended.data["scores"][mover]["score"] == table.game.player(mover).score
    for each in (dealt, played, ended):
        check_message(each.body, each.headers)
    assert dealt.path == "/hook?of=qwirkle"
    assert dealt.headers["content-type"] == "application/json"


def test_messages_are_signed_and_hold_nothing_secret(
    house: House, clock: Clock, hire: Hire, receiver: Receiver
) -> None:
    choices = {"refs": ("user-17", None), "metadata": {"club": "Tuesday"}, "private": True}
    id_ = house.dealt(webhook_url=receiver.url, **choices)
    house.play(id_)
    hire().run_due()

    secret = house.games.keyring.webhook_secret(id_)
    for came in (receiver.next(), receiver.next()):
        assert came.signed_with(secret)
        assert not came.signed_with(house.games.keyring.webhook_secret("a" * 26))
        assert came.headers["webhook-timestamp"] == str(clock.now // 1000)
        said = came.body.decode() + json.dumps(came.headers)
        seed = house.seen(id_).session.game.secret.hex()
        hidden = (seed, "user-17", "Tuesday", "Ada", "-circle", "-star", "qwp_", "qwh_", "whsec_")
        assert not [word for word in hidden if word in said]


def test_a_report_is_tried_again_with_the_same_id_and_body(
    house: House, clock: Clock, hire: Hire, receiver: Receiver, outcomes: Outcomes
) -> None:
    receiver.answers = [status(500), status(302, Location=receiver.url)]
    house.dealt(webhook_url=receiver.url)
    worker = hire()
    worker.run_due()
    first = receiver.next()
    until(lambda: outcomes() == {"failed": 1})
    worker.run_due()
    assert receiver.messages.empty()

    clock.advance(BACK_OFF_SECONDS[0])
    worker.run_due()
    second = receiver.next()
    until(lambda: outcomes() == {"failed": 2})
    clock.advance(BACK_OFF_SECONDS[1])
    worker.run_due()
    third = receiver.next()

    assert (first.id, first.body) == (second.id, second.body) == (third.id, third.body)
    assert first.headers["webhook-timestamp"] != second.headers["webhook-timestamp"]
    until(lambda: outcomes() == {"failed": 2, "delivered": 1})
    assert house.client.xlen(keys.WEBHOOKS) == house.client.zcard(keys.DELAYED_WEBHOOKS) == 0


def test_a_report_that_keeps_failing_is_dropped_and_counted(
    house: House, clock: Clock, hire: Hire, receiver: Receiver, outcomes: Outcomes
) -> None:
    receiver.answers = [status(503)] * 20
    house.dealt(webhook_url=receiver.url)
    worker = hire()
    for n, seconds in enumerate((*BACK_OFF_SECONDS, 0), 1):
        worker.run_due()
        receiver.next()
        failed = min(n, len(BACK_OFF_SECONDS))
        until(lambda failed=failed: outcomes().get("failed") == failed)
        clock.advance(seconds)

    until(lambda: outcomes().get("dropped") == 1)
    assert house.client.xlen(keys.WEBHOOKS) == house.client.zcard(keys.DELAYED_WEBHOOKS) == 0


def test_a_receiver_that_is_gone_is_not_asked_again(
    house: House, hire: Hire, receiver: Receiver, outcomes: Outcomes
) -> None:
    receiver.answers = [status(410)]
    house.dealt(webhook_url=receiver.url)
    hire().run_due()
    receiver.next()
    until(lambda: outcomes() == {"dropped": 1})


def test_a_host_that_is_no_longer_allowed_gets_nothing(
    house: House, hire: Hire, receiver: Receiver, outcomes: Outcomes
) -> None:
    house.dealt(webhook_url=receiver.url.replace("127.0.0.1", "other.localhost"))
    hire().run_due()
    until(lambda: outcomes() == {"failed": 1})
    assert receiver.messages.empty()


def test_a_slow_host_holds_up_neither_plays_nor_other_hosts(
    house: House, hire: Hire, receiver: Receiver
) -> None:
    with Receiver() as slow:
        slow.answers = [slow.hang] * 100
        tables = [
            house.dealt(webhook_url=slow.url.replace("127.0.0.1", "localhost"), seed=str(n))
            for n in range(20)
        ]
        worker = hire(also=frozenset({f"localhost:{slow.port}"}))
        worker.run_due()
        slow.next()

        quick = house.dealt(webhook_url=receiver.url)
        worker.run_due()

        assert receiver.next(patience=9).data["game_id"] == quick
        assert house.play(tables[0]).game.version == 3
        assert slow.messages.qsize() < 4
        slow.released.set()


def test_the_messages_of_a_game_keep_their_order(
    house: House, hire: Hire, receiver: Receiver
) -> None:
    id_ = house.dealt(webhook_url=receiver.url)
    for _ in range(9):
        house.play(id_)
    workers = [hire(), hire()]

    workers[0].run_due()

    came = [receiver.next() for _ in range(10)]
    assert [each.data["version"] for each in came] == list(range(2, 12))
    assert len({each.id for each in came}) == 10


def test_an_event_that_many_were_about_to_commit_is_told_once(
    house: House, clock: Clock, hire: Hire, receiver: Receiver, outcomes: Outcomes
) -> None:
    id_ = house.dealt(webhook_url=receiver.url, turn_seconds=10)
    clock.advance(10)
    crowd = [threading.Thread(target=house.seen, args=(id_,)) for _ in range(6)]
    for each in crowd:
        each.start()
    for each in crowd:
        each.join()
    hire().run_due()

    assert [receiver.next().data["version"] for _ in range(2)] == [2, 3]
    # A message is counted just after it is removed from the queue.
    until(lambda: house.client.xlen(keys.WEBHOOKS) == 0 and outcomes()["delivered"] >= 2)
    assert outcomes()["delivered"] == 2
    assert receiver.messages.empty()


def test_an_event_that_another_one_forestalled_is_not_told(
    house: House, clock: Clock, hire: Hire, receiver: Receiver, outcomes: Outcomes
) -> None:
    id_ = house.dealt(webhook_url=receiver.url)
    work = ScheduledWork(id_, 2, clock.now, messages=(told_of(b"too late"),))
    DueQueue(house.client).schedule(work)

    hire().run_due()

    assert receiver.next().data["version"] == 2
    until(lambda: outcomes() == {"delivered": 1, "void": 1})
    assert receiver.messages.empty()


def test_what_a_killed_worker_had_taken_is_delivered_by_another(
    house: House, clock: Clock, hire: Hire, receiver: Receiver
) -> None:
    house.dealt(webhook_url=receiver.url)
    taken, _ = WebhookQueue(house.client, "killed").claim(clock.now, 8)
    assert len(taken) == 1
    hire().run_due()
    assert receiver.messages.empty()

    hire(left_ms=0).run_due()

    assert receiver.next().data["version"] == 2


def test_a_report_that_somebody_is_busy_with_is_not_taken_over(house: House, clock: Clock) -> None:
    house.dealt(webhook_url="http://127.0.0.1:1/")
    busy = WebhookQueue(house.client, "busy")
    taken, _ = busy.claim(clock.now, 8)
    house.client.xclaim(keys.WEBHOOKS, "workers", "busy", 0, [taken[0].id], idle=60_000)

    busy.claim(clock.now, 8, [taken[0].id])

    assert WebhookQueue(house.client, "other").claim(clock.now, 8, ())[0] == []


def test_a_commit_that_never_came_is_not_told(
    house: House, clock: Clock, hire: Hire, receiver: Receiver, outcomes: Outcomes
) -> None:
    id_ = house.table(webhook_url=receiver.url)
    work = ScheduledWork(id_, 2, clock.now, messages=(told_of(b"that came"),))
    DueQueue(house.client).schedule(work)
    worker = hire()
    worker.run_due()
    until(lambda: house.client.zcard(keys.DELAYED_WEBHOOKS) == 1)

    clock.advance(61)
    worker.run_due()

    until(lambda: outcomes() == {"void": 1})
    assert receiver.messages.empty()


def test_a_worker_that_stops_leaves_what_it_has_not_begun_to_others(
    house: House, clock: Clock, hire: Hire, receiver: Receiver
) -> None:
    receiver.answers = [receiver.hang]
    id_ = house.dealt(webhook_url=receiver.url)
    house.play(id_)
    worker = hire()
    worker.run_due()
    receiver.next()

    stopping = threading.Thread(target=worker._dispatcher.close)
    stopping.start()
    until(worker._dispatcher._stopping.is_set)
    receiver.released.set()
    stopping.join()
    hire().run_due()

    assert receiver.next().data["version"] == 3


def test_a_store_that_lost_everything_is_no_end(
    house: House, hire: Hire, receiver: Receiver
) -> None:
    worker = hire()
    worker.run_due()
    house.client.flushall()
    house.dealt(webhook_url=receiver.url)
    worker.run_due()
    assert receiver.next().data["version"] == 2


def test_a_message_costs_the_same_however_long_its_game_is(
    house: House, hire: Hire, receiver: Receiver
) -> None:
    id_ = house.dealt(webhook_url=receiver.url)
    for _ in range(39):
        house.play(id_)
    worker = hire()
    read: list[int] = []

    with house.client.monitor() as monitor:
        worker.run_due()
        told = [receiver.next().data["version"] for _ in range(40)]
        house.client.echo("that was all")
        while (heard := monitor.next_command()["command"]) != "ECHO that was all":
            if heard.startswith("LRANGE "):
                first, last = map(int, heard.split()[2:])
                read.append(last - first + 1)

    assert told == list(range(2, 42))
    assert read == [1] * 40, "events read from the log for each message"


def test_a_damaged_game_keeps_no_messages_of_others_back(
    house: House, clock: Clock, hire: Hire, receiver: Receiver
) -> None:
    damaged = house.dealt(webhook_url=receiver.url)
    sound = house.client.get(keys.state_key(damaged))
    house.client.set(keys.state_key(damaged), b"x" + sound)
    worker = hire()
    worker.run_due()
    until(lambda: house.client.zcard(keys.DELAYED_WEBHOOKS) == 1)

    others = [house.dealt(webhook_url=receiver.url) for _ in range(12)]
    worker.run_due()
    told = {receiver.next().data["game_id"] for _ in others}
    assert told == set(others), "whichever lane they share"

    house.client.set(keys.state_key(damaged), sound)
    clock.advance(BACK_OFF_SECONDS[0])
    worker.run_due()
    assert receiver.next().data["game_id"] == damaged

"""A game is followed to its end, each event once, whatever happens to network and service."""

import signal
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

import psutil
import pytest
import redis

from qwirkle_client import (
    GameDeleted,
    NoAnswer,
    NotFound,
    TokenRefused,
    UnexpectedAnswer,
    _connection,
    _follow,
)
from tests.clients.http_proxy import Answer, Fault, HttpProxy
from tests.clients.python.clients import Connect
from tests.clients.python.games import exchanges, in_play, seated
from tests.live.rollbacks import copies, roll_back
from tests.live.streams import meanwhile, workers_of
from tests.proxy import until
from tests.servers import QwirkleServer

STREAMS = "GET .*/events/stream"
POLLS = "GET .*/events"


@pytest.fixture
def store(valkey_server: QwirkleServer) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(valkey_server.redis_url) as client:
        yield client


def numbers(events: Iterator[Any], count: int) -> list[int]:
    """The numbers of the next events."""
    return [next(events)["n"] for _ in range(count)]


def test_every_event_comes_once_until_the_end(qwirkle: Any) -> None:
    host, ada, ben = in_play(qwirkle)
    exchanges([ada, ben], 3)
    events = ben.follow()
    assert numbers(events, 4) == [1, 2, 3, 4]
    ada.resign()
    last = next(events)
    assert (last["type"], last["end"], last["winners"]) == ("resigned", "last_player", [1])
    assert list(events) == []
    assert list(ben.follow()) == ben.events()["events"]
    assert [event["n"] for event in host.follow(after=3)] == [4, 5]


def test_a_finished_game_has_nothing_more_to_tell(shaky: Any, proxy: HttpProxy) -> None:
    _, ada, ben = in_play(shaky)
    ada.resign()
    assert list(ben.follow(after=2)) == []
    proxy.trouble(STREAMS, Answer(502), times=1000)
    assert list(ben.follow(after=2)) == []


def test_a_player_who_waits_for_it_hears_of_a_rematch(qwirkle: Any) -> None:
    host, ada, ben = in_play(qwirkle)
    events, watched = ben.follow(rematch=True), qwirkle.game(host.id).follow(rematch=True)
    assert numbers(events, 1) == numbers(watched, 1) == [1]
    ada.resign()
    assert numbers(events, 1) == [2]
    asked = ada.rematch()
    offer = {"game_id": asked["game"]["id"], "seats": [0]}
    assert next(events) == {"type": "rematch", **offer}
    assert ben.view()["rematch"] == offer
    ben.rematch()
    assert [event["seats"] for event in events] == [[0, 1]]
    assert [event["type"] for event in watched] == ["resigned"]


def test_a_stream_lost_after_the_end_is_not_missed(shaky: Any, proxy: HttpProxy) -> None:
    _, ada, ben = in_play(shaky)
    events = ben.follow(rematch=True)
    assert numbers(events, 1) == [1]
    ada.resign()
    assert numbers(events, 1) == [2]
    proxy.cut_all()
    assert list(events) == []


def test_a_player_sees_their_own_draws_and_nobody_elses(qwirkle: Any) -> None:
    _, ada, ben = in_play(qwirkle)
    exchanges([ada, ben], 1)
    own, others = (next(player.follow(after=1)) for player in (ada, ben))
    assert len(own["drew"]) == 1
    assert others["drew"] is None


def test_a_stream_that_is_cut_is_resumed(shaky: Any, proxy: HttpProxy) -> None:
    _, ada, ben = in_play(shaky)
    events = ben.follow()
    assert numbers(events, 1) == [1]
    for n in range(2, 6):
        proxy.cut_all()
        exchanges([ada, ben], 1)
        assert numbers(events, 1) == [n]
    resumed_after = [each.headers.get("last-event-id", "-") for each in proxy.asked(STREAMS)]
    assert [id_.partition("-")[0] for id_ in resumed_after] == ["", "1", "2", "3", "4"]


def test_a_game_is_polled_where_streams_do_not_get_through_and_streamed_again_later(
    connect: Connect, shaky: Any, proxy: HttpProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_follow, "FIRST_POLLS", 5.0)
    _, ada, ben = in_play(shaky)
    exchanges([ada, ben], 2)
    proxy.trouble(STREAMS, Answer(502), times=2)
    events = ben.follow()
    assert numbers(events, 3) == [1, 2, 3]
    exchanges([ada, ben], 1)
    assert numbers(events, 1) == [4]
    assert len(proxy.asked(STREAMS)) == 2
    others = [connect(proxy.base_url).game(each.id, each.token) for each in (ada, ben)]

    def go_on() -> None:
        until(lambda: len(proxy.asked(STREAMS)) == 3)
        exchanges(others, 1)

    with meanwhile(go_on) as (gone_on,):
        assert numbers(events, 1) == [5]
        gone_on.result()
    assert len(proxy.asked(STREAMS)) == 3


def test_a_proxy_that_holds_streams_back_is_noticed(
    shaky: Any, proxy: HttpProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_connection, "SILENCE", 2.0)
    _, ada, ben = in_play(shaky)
    proxy.trouble(STREAMS, Fault.HOLD)
    exchanges([ada, ben], 1)
    assert numbers(ben.follow(), 2) == [1, 2]
    assert len(proxy.asked(STREAMS)) == len(proxy.asked(POLLS)) == 1


def test_polls_fail_and_go_on_too(shaky: Any, proxy: HttpProxy) -> None:
    _, ada, ben = in_play(shaky)
    proxy.trouble(STREAMS, Answer(503, headers={"Retry-After": "1"}), times=1000)
    proxy.trouble(POLLS, Fault.TRUNCATE)
    proxy.trouble(POLLS, Fault.CUT)
    exchanges([ada, ben], 4)
    events = ben.follow()
    assert numbers(events, 5) == [1, 2, 3, 4, 5]
    ada.resign()
    assert [event["type"] for event in events] == ["resigned"]


def test_lost_events_are_told_on_the_stream(qwirkle: Any, store: redis.Redis) -> None:
    _, ada, ben = in_play(qwirkle)
    before = copies(store, ada.id)
    exchanges([ada, ben], 3)
    events = ben.follow(after=1)
    assert numbers(events, 3) == [2, 3, 4]
    roll_back(store, before)
    exchanges([ada, ben], 1)
    resync = next(events)
    assert (resync["type"], resync["last"] in {1, 2}) == ("resync", True)
    exchanges([ada, ben], 1)
    assert numbers(events, 3 - resync["last"]) == list(range(resync["last"] + 1, 4))


@pytest.mark.parametrize("again", [0, 1, 5])
def test_lost_events_are_told_by_polls(
    shaky: Any, proxy: HttpProxy, store: redis.Redis, again: int
) -> None:
    """Also if others have taken their numbers by then."""
    _, ada, ben = in_play(shaky)
    before = copies(store, ada.id)
    proxy.trouble(STREAMS, Answer(502), times=1000)
    exchanges([ada, ben], 3)
    events = ben.follow(after=1)
    assert numbers(events, 3) == [2, 3, 4]
    roll_back(store, before)
    exchanges([ada, ben], again)
    assert next(events) == {"type": "resync", "last": 1 + again}
    exchanges([ada, ben], 1)
    assert numbers(events, 1) == [2 + again]


def test_a_number_that_the_log_does_not_have_is_a_resync(shaky: Any, proxy: HttpProxy) -> None:
    _, _, ben = in_play(shaky)
    assert next(ben.follow(after=9)) == {"type": "resync", "last": 1}
    proxy.trouble(STREAMS, Answer(502), times=1000)
    assert next(ben.follow(after=9)) == {"type": "resync", "last": 1}


def test_a_deleted_game_is_told(shaky: Any, proxy: HttpProxy) -> None:
    host, _, ben = in_play(shaky)
    streamed, resumed = ben.follow(), ben.follow()
    assert numbers(streamed, 1) == numbers(resumed, 1) == [1]
    host.delete()
    with pytest.raises(GameDeleted):
        next(streamed)
    proxy.cut_all()
    with pytest.raises(GameDeleted):
        next(resumed)
    proxy.trouble(STREAMS, Answer(502), times=1000)
    with pytest.raises(GameDeleted):
        next(ben.follow(after=1))
    with pytest.raises(NotFound):
        next(ben.follow())


def test_a_void_token_ends_it_and_a_renewed_one_does_not(qwirkle: Any) -> None:
    _, ada, ben = in_play(qwirkle)
    old = qwirkle.game(ben.id, ben.token)
    ours, theirs = ben.follow(), old.follow()
    assert numbers(ours, 1) == numbers(theirs, 1) == [1]
    ben.renew_token()
    exchanges([ada, ben], 1)
    assert numbers(ours, 1) == [2]
    with pytest.raises(TokenRefused):
        list(theirs)


def test_workers_are_killed_and_replaced(
    connect: Connect, start_qwirkle: Callable[..., QwirkleServer]
) -> None:
    server = start_qwirkle(workers=2)
    client = connect(server.base_url)
    _, ada, ben = in_play(client)
    events = ben.follow()
    assert numbers(events, 1) == [1]
    for n in range(2, 5):
        for worker in workers_of(server):
            worker.kill()
        exchanges([ada, ben], 1)
        assert numbers(events, 1) == [n]
    before = workers_of(server)
    server.process.send_signal(signal.SIGHUP)
    psutil.wait_procs(before, timeout=40)
    exchanges([ada, ben], 1)
    assert numbers(events, 1) == [5]


def test_the_service_is_restarted(
    connect: Connect, start_qwirkle: Callable[..., QwirkleServer]
) -> None:
    server = start_qwirkle(workers=1)
    with HttpProxy(server.base_url) as proxy:
        _, ada, ben = in_play(connect(proxy.base_url, patience=60))
        events = ben.follow()
        assert numbers(events, 1) == [1]
        server.process.terminate()
        server.process.wait(30)
        server.start()
        proxy.upstream = server.base_url
        exchanges([ada, ben], 1)
        assert numbers(events, 1) == [2]


def test_patience_ends(shaky: Any, proxy: HttpProxy) -> None:
    _, _, ben = in_play(shaky)
    events = ben.follow(patience=3)
    assert numbers(events, 1) == [1]
    proxy.trouble("GET .*", Fault.CUT, times=1000)
    proxy.cut_all()
    began = monotonic()
    with pytest.raises(NoAnswer):
        next(events)
    assert monotonic() - began < 20


def test_something_else_than_the_service_is_an_error(shaky: Any, proxy: HttpProxy) -> None:
    _, _, ben = in_play(shaky)
    proxy.trouble(STREAMS, Answer(200))
    with pytest.raises(UnexpectedAnswer):
        next(ben.follow())
    for message in (b"data: {\n\n", b"data: 7\n\n"):
        proxy.trouble(STREAMS, Answer(200, message, {"Content-Type": "text/event-stream"}))
        with pytest.raises(UnexpectedAnswer):
            next(ben.follow())


def test_a_message_of_a_later_release_is_passed_on(shaky: Any, proxy: HttpProxy) -> None:
    _, _, ben = in_play(shaky)
    body = b'event: rematch\ndata: {"game_id": "x"}\n\n'
    proxy.trouble(STREAMS, Answer(200, body, {"Content-Type": "text/event-stream"}))
    events = ben.follow(after=0)
    assert next(events) == {"type": "rematch", "game_id": "x"}
    assert numbers(events, 1) == [1]


def test_who_stops_following_hangs_up(connect: Connect, kept_qwirkle: Any) -> None:
    server = kept_qwirkle(QWIRKLE_STREAMS_PER_CLIENT="1")
    client = connect(server.base_url)
    _, ada, _ = seated(client, seed="hanging up")
    for _ in range(3):
        events = ada.follow(patience=20)
        assert numbers(events, 1) == [1]
        events.close()
        until(lambda: "qwirkle_streams_open 0.0" in client.metrics())

"""A tenant's feed is followed without a gap, whatever happens to network and service."""

from collections.abc import Iterator
from typing import Any

import pytest

from qwirkle_client import Forbidden, NoAnswer, TokenRefused, _follow
from tests.clients.http_proxy import Answer, HttpProxy
from tests.clients.python.clients import Connect
from tests.live.streams import meanwhile, workers_of
from tests.proxy import until
from tests.servers import QwirkleServer

KEY = "k" * 20
STREAMS = "GET /v1/events/stream"
POLLS = "GET /v1/events"


@pytest.fixture(scope="module")
def keyed() -> Iterator[QwirkleServer]:
    settings = {"QWIRKLE_API_KEYS": f"acme:{KEY}"}
    with QwirkleServer(workers=2, environment=settings) as server:
        yield server


@pytest.fixture
def proxy(keyed: QwirkleServer) -> Iterator[HttpProxy]:
    with HttpProxy(keyed.base_url) as proxy:
        yield proxy


@pytest.fixture
def tenant(connect: Connect, keyed: QwirkleServer) -> Any:
    """The tenant's back end, with a good connection; it makes what is followed."""
    return connect(keyed.base_url, api_key=KEY)


@pytest.fixture
def shaky(connect: Connect, proxy: HttpProxy) -> Any:
    """The same behind the proxy; it follows."""
    return connect(proxy.base_url, api_key=KEY)


def create(tenant: Any) -> str:
    made: str = tenant.create_game(players=[{"name": "Ada", "ref": "ada"}], seats=2)["game"]["id"]
    return made


def games(events: Iterator[Any], count: int) -> set[str]:
    """The games that the next events are about; the order is only fixed within a game."""
    return {next(events)["game_id"] for _ in range(count)}


def test_the_feed_tells_what_happened_and_what_happens(shaky: Any, tenant: Any) -> None:
    start = tenant.feed(after="now")["last"]
    first = create(tenant)
    events = shaky.follow(after=start)
    event = next(events)
    assert (event["type"], event["game_id"]) == ("created", first)
    assert event["players"] == [{"seat": 0, "ref": "ada", "bot": None, "score": 0, "to_act": False}]
    others = [create(tenant) for _ in range(3)]
    assert games(events, 3) == set(others)
    assert games(shaky.follow(after=event["cursor"]), 3) == set(others)


def test_without_a_cursor_the_oldest_event_comes_first(shaky: Any, tenant: Any) -> None:
    create(tenant)
    assert next(shaky.follow())["id"] == tenant.feed(limit=1)["events"][0]["id"]


def test_from_now_on_nothing_is_missed_even_if_the_stream_is_cut_before_its_first_event(
    shaky: Any, tenant: Any, proxy: HttpProxy
) -> None:
    create(tenant)
    events = shaky.follow(after="now")
    made: list[str] = []

    def break_off() -> None:
        until(lambda: len(proxy.asked(STREAMS)) == 1)
        proxy.cut_all()
        made.append(create(tenant))

    with meanwhile(break_off):
        assert games(events, 1) == set(made)
    assert len(proxy.asked(STREAMS)) == 2


def test_a_stream_that_is_cut_is_resumed(shaky: Any, tenant: Any, proxy: HttpProxy) -> None:
    events = shaky.follow(after=tenant.feed(after="now")["last"])
    for _ in range(4):
        made = [create(tenant) for _ in range(2)]
        assert games(events, 2) == set(made)
        proxy.cut_all()
    assert len(proxy.asked(STREAMS)) == 4


def test_the_feed_is_polled_where_streams_do_not_get_through_and_streamed_again_later(
    shaky: Any, tenant: Any, proxy: HttpProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_follow, "FIRST_POLLS", 4.0)
    proxy.trouble(STREAMS, Answer(502), times=2)
    events = shaky.follow(after=tenant.feed(after="now")["last"])
    made = [create(tenant) for _ in range(3)]
    assert games(events, 3) == set(made)
    assert len(proxy.asked(STREAMS)) == 2
    assert proxy.asked(POLLS)

    def go_on() -> None:
        until(lambda: len(proxy.asked(STREAMS)) == 3)
        made.append(create(tenant))

    with meanwhile(go_on):
        assert games(events, 1) == set(made[3:])


def test_a_restart_of_the_workers_leaves_no_gap(
    shaky: Any, tenant: Any, keyed: QwirkleServer
) -> None:
    events = shaky.follow(after=tenant.feed(after="now")["last"])
    made = [create(tenant)]
    assert games(events, 1) == set(made)
    for worker in workers_of(keyed):
        worker.kill()
    made = [create(tenant) for _ in range(3)]
    assert games(events, 3) == set(made)


@pytest.mark.parametrize("streams", [True, False])
def test_who_was_away_for_too_long_is_told(
    shaky: Any, tenant: Any, proxy: HttpProxy, streams: bool
) -> None:
    """A place that the service never had is one that its store has lost."""
    if not streams:
        proxy.trouble(STREAMS, Answer(502), times=1000)
    place = tenant.feed(after="now")["last"]
    beyond = place[:11] + "_" * 85
    events = shaky.follow(after=beyond)
    resync = next(events)
    assert resync["type"] == "resync"
    made = create(tenant)
    assert games(events, 1) == {made}
    assert games(shaky.follow(after=resync["last"]), 1) == {made}


def test_a_refusal_and_a_service_that_stays_away_end_it(
    connect: Connect, keyed: QwirkleServer
) -> None:
    with pytest.raises(TokenRefused):
        next(connect(keyed.base_url, api_key="wrong").follow())
    with pytest.raises(Forbidden):
        next(connect(keyed.base_url).follow())
    with pytest.raises(NoAnswer):
        next(connect("http://127.0.0.1:9").follow(patience=0.5))

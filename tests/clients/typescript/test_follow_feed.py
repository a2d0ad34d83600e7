"""A tenant's feed is followed without a gap, whatever happens to network and service."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.api.client import Client
from tests.clients.http_proxy import Answer, HttpProxy
from tests.clients.typescript.node_client import Call, ClientError, NodeClient
from tests.live.streams import workers_of
from tests.proxy import until
from tests.servers import QwirkleServer

OpenClient = Callable[..., NodeClient]

KEY = "k" * 20
STREAMS = "GET /v1/events/stream"


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
def tenant(open_client: OpenClient, proxy: HttpProxy) -> NodeClient:
    return open_client(proxy.base_url, options={"apiKey": KEY})


def create(keyed: QwirkleServer, count: int = 1) -> list[str]:
    return [Client(keyed.base_url).create(api_key=KEY).id for _ in range(count)]


def games(following: Call, count: int) -> set[str]:
    """The games that the next events are about; the order is only fixed within a game."""
    return {event["game_id"] for event in following.take(count)}


def newest(tenant: NodeClient) -> str:
    last: str = tenant.call("feed", {"after": "now"})["last"]
    return last


def test_the_feed_tells_what_happened_and_what_happens(
    tenant: NodeClient, keyed: QwirkleServer
) -> None:
    start = newest(tenant)
    made = create(keyed, 2)
    following = tenant.start("follow", after=start)
    first, second = following.take(2)
    assert {first["game_id"], second["game_id"]} == set(made)
    assert (first["type"], first["version"]) == ("created", 1)
    made = create(keyed, 2)
    assert games(following, 2) == set(made)
    assert following.connections == ["live"]
    assert games(tenant.start("follow", after=second["cursor"]), 2) == set(made)
    oldest = tenant.call("feed", {"limit": 1})["events"][0]
    assert tenant.start("follow").take(1)[0]["id"] == oldest["id"]


def test_from_now_on_nothing_is_missed_even_if_the_stream_is_cut_before_its_first_event(
    tenant: NodeClient, keyed: QwirkleServer, proxy: HttpProxy
) -> None:
    create(keyed)
    following = tenant.start("follow", after="now")
    until(lambda: following.connections == ["live"])
    proxy.cut_all()
    made = create(keyed)
    assert games(following, 1) == set(made)
    assert len(proxy.asked(STREAMS)) == 2


def test_a_stream_that_is_cut_is_resumed(
    tenant: NodeClient, keyed: QwirkleServer, proxy: HttpProxy
) -> None:
    following = tenant.start("follow", after=newest(tenant))
    for _ in range(3):
        made = create(keyed, 2)
        assert games(following, 2) == set(made)
        proxy.cut_all()


def test_workers_that_are_killed_leave_no_gap(tenant: NodeClient, keyed: QwirkleServer) -> None:
    following = tenant.start("follow", after=newest(tenant))
    made = create(keyed)
    assert games(following, 1) == set(made)
    for worker in workers_of(keyed):
        worker.kill()
    until(lambda: len(workers_of(keyed)) == 2, 60)
    made = create(keyed, 3)
    assert games(following, 3) == set(made)


@pytest.mark.parametrize("how", ["no streams on this platform", "streams do not get through"])
def test_the_feed_is_polled_where_there_are_no_streams(
    open_client: OpenClient, keyed: QwirkleServer, proxy: HttpProxy, how: str
) -> None:
    options: dict[str, Any] = {"apiKey": KEY}
    if how == "no streams on this platform":
        options["streams"] = False
    proxy.trouble(STREAMS, Answer(502), times=1000)
    tenant = open_client(proxy.base_url, options=options)
    following = tenant.start("follow", after=newest(tenant))
    for _ in range(2):
        made = create(keyed, 2)
        assert games(following, 2) == set(made)
    assert following.connections[-1] == "polling"


@pytest.mark.parametrize("streams", [True, False])
def test_who_was_away_for_too_long_is_told(
    open_client: OpenClient, keyed: QwirkleServer, proxy: HttpProxy, streams: bool
) -> None:
    """A place that the service never had is one that its store has lost."""
    tenant = open_client(proxy.base_url, options={"apiKey": KEY, "streams": streams})
    beyond = newest(tenant)[:11] + "_" * 85
    following = tenant.start("follow", after=beyond)
    (resync,) = following.take(1)
    assert resync["type"] == "resync"
    made = create(keyed)
    assert games(following, 1) == set(made)
    assert games(tenant.start("follow", after=resync["last"]), 1) == set(made)


def test_a_refusal_ends_it(open_client: OpenClient, proxy: HttpProxy) -> None:
    following = open_client(proxy.base_url, options={"apiKey": "wrong"}).start("follow")
    with pytest.raises(ClientError) as refused:
        following.next()
    assert refused.value.name == "TokenRefused"

"""How many tables with bots guests may make in an hour: charged if made, and shared fairly."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from secrets import token_hex

import pytest

from service.store.embedded import EmbeddedStore
from service.store.redis_store import COMMIT
from tests.api.client import Answer, Client, Table, client_of
from tests.api.concurrent_calls import at_once
from tests.proxy import Fault, TcpProxy, socket_of
from tests.servers import QwirkleServer

SETTINGS = {
    "QWIRKLE_ANONYMOUS_BOT_TABLES": "5",
    "QWIRKLE_ANONYMOUS_BOT_TABLES_PER_ADDRESS": "3",
    "QWIRKLE_TRUSTED_PROXIES": "1",
}
ROBOTS = [{"name": "Robo", "bot": "greedy"}, {"name": "Ada"}]
IMPOSSIBLE = {"hands": [["red-circle"], ["red-circle"]], "bag": ["red-circle"] * 2}


@pytest.fixture
def open_house() -> Iterator[Client]:
    """A server that nobody has made a table on yet."""
    with QwirkleServer(environment=SETTINGS, workers=2) as server:
        yield client_of(server)


def create(
    client: Client, address: str = "192.0.2.1", key: str | None = None, **more: object
) -> Answer:
    body, headers = {"players": ROBOTS, **more}, {"X-Forwarded-For": address}
    return client.post("/v1/games", body, key=key, headers=headers)


def statuses(answers: list[Answer]) -> Counter[int]:
    return Counter(answer.status for answer in answers)


def test_a_table_that_is_not_made_uses_up_nothing_of_the_quota(open_house: Client) -> None:
    for _ in range(6):
        create(open_house, setup=IMPOSSIBLE).refused(422, "setup_impossible")
    assert statuses([create(open_house) for _ in range(4)]) == {201: 3, 429: 1}


def test_one_address_does_not_use_up_the_quota_of_all(open_house: Client) -> None:
    at_one = at_once([partial(create, open_house, "192.0.2.1")] * 8)
    assert statuses(at_one) == {201: 3, 429: 5}
    refused = create(open_house, "192.0.2.1").refused(429, "rate_limited")
    assert "at most 3 games with bots can be created from your address" in refused.json["detail"]
    # Room comes with the end of the hour that the first table began.
    assert 3000 < int(refused.headers["retry-after"]) <= 3600
    at_another = at_once([partial(create, open_house, "192.0.2.2")] * 8)
    assert statuses(at_another) == {201: 2, 429: 6}
    refused = create(open_house, "192.0.2.3").refused(429, "rate_limited")
    assert "at most 5 games" in refused.json["detail"]


def test_a_table_counts_once_however_often_its_creation_is_sent(open_house: Client) -> None:
    first, second = token_hex(8), token_hex(8)
    assert (
        len({answer.body for answer in at_once([partial(create, open_house, key=first)] * 6)}) == 1
    )
    create(open_house).ok(201)
    # One place is left, and all who ask under one key get it.
    last = at_once([partial(create, open_house, key=second)] * 6)
    assert statuses(last) == {201: 6}
    assert len({answer.body for answer in last}) == 1
    create(open_house).refused(429, "rate_limited")


def test_a_table_that_was_deleted_counts_though_its_key_is_used_again(open_house: Client) -> None:
    key = token_hex(8)
    for address in ("192.0.2.1",) * 3 + ("192.0.2.2",) * 2:
        made = Table.of(open_house, create(open_house, address, key=key).ok(201))
        made.delete().ok(204)
    create(open_house, "192.0.2.2", key=key).refused(429, "rate_limited")
    create(open_house, "192.0.2.1", key=key).refused(429, "rate_limited")


def test_a_rematch_that_was_deleted_counts_though_it_is_asked_for_again(open_house: Client) -> None:
    table = Table.of(open_house, create(open_house, auto_bid=True).ok(201))
    table.deal().ok(200)
    table.resign(1).ok(201)

    def ask() -> Answer:
        headers = {"X-Forwarded-For": "192.0.2.1"}
        return open_house.post(table.path("/rematch"), {}, token=table.host, headers=headers)

    for _ in range(2):
        made = ask().ok(201).json
        open_house.send("DELETE", f"/v1/games/{made['game']['id']}", token=made["token"]).ok(204)
    ask().refused(429, "rate_limited")


def test_a_table_that_the_store_does_not_take_is_given_back(
    kept_store: Callable[[str], EmbeddedStore], start_qwirkle: Callable[..., QwirkleServer]
) -> None:
    with TcpProxy(socket_of(kept_store("valkey").url)) as proxy:
        # Others make tables on this store too, from other addresses.
        settings = SETTINGS | {"QWIRKLE_ANONYMOUS_BOT_TABLES": "1000000"}
        settings |= {"QWIRKLE_STORE_TIMEOUT": "0.5"}
        client = client_of(start_qwirkle(workers=1, redis_url=proxy.url, **settings))
        address = f"2001:db8:{token_hex(2)}:{token_hex(2)}::1"
        create(client, address).ok(201)
        for _ in range(6):
            lost = proxy.trouble("EVALSHA", Fault.SWALLOW, where=[COMMIT.digest])
            create(client, address).refused(503, "store_unavailable")
            assert lost.struck.is_set()
        assert statuses([create(client, address) for _ in range(3)]) == {201: 2, 429: 1}

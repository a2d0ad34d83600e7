"""Rate limits: off unless configured, then counted for each caller over all workers."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from http.client import HTTPConnection
from secrets import token_urlsafe
from urllib.parse import urlsplit

import pytest

from service.store.embedded import EmbeddedStore
from tests.api.client import Answer, Client, Table, client_of
from tests.api.concurrent_calls import at_once
from tests.api.positions import in_play
from tests.proxy import Fault, TcpProxy, socket_of
from tests.servers import QwirkleServer

SETTINGS = {
    "QWIRKLE_RATE_CREATE": "6/hour",
    "QWIRKLE_RATE_WRITE": "4/hour",
    "QWIRKLE_RATE_READ": "5/hour",
    "QWIRKLE_RATE_ADDRESS": "3",
    "QWIRKLE_RATE_GUESS": "7/hour",
    "QWIRKLE_RATE_JOIN_CODES": "3/hour",
    "QWIRKLE_TRUSTED_PROXIES": "1",
}
API_KEY = "the-key-of-a-tenant"
GUARDED = {
    "QWIRKLE_RATE_GUESS": "5/hour",
    "QWIRKLE_RATE_JOIN_CODES": "5/hour",
    "QWIRKLE_API_KEYS": f"acme:{API_KEY}",
    "QWIRKLE_TRUSTED_PROXIES": "1",
}
FOUR = [{"name": name} for name in ("Ada", "Ben", "Cleo", "Dan")]


@pytest.fixture(scope="module")
def limited() -> Iterator[Client]:
    with QwirkleServer(environment=SETTINGS, workers=2) as server:
        yield client_of(server)


@pytest.fixture(scope="module")
def guarded() -> Iterator[Client]:
    with QwirkleServer(environment=GUARDED, workers=2) as server:
        yield client_of(server)


def made_up() -> str:
    """A token of the right form that is nobody's."""
    return f"qwp_0_{token_urlsafe(32)}"


def statuses(answers: list[Answer]) -> Counter[int]:
    return Counter(answer.status for answer in answers)


def test_each_kind_of_request_has_its_limit_for_each_caller(limited: Client) -> None:
    table = in_play(limited)
    for caller in table.tokens:
        reads = at_once([partial(limited.get, table.path(), token=caller)] * 8)
        assert statuses(reads) == {200: 5, 429: 3}
    writes = [table.pass_turn(1) for _ in range(5)]
    assert statuses(writes) == {409: 4, 429: 1}
    creations = at_once([partial(limited.post, "/v1/games", {"seats": 2})] * 8)
    assert statuses(creations) == {201: 5, 429: 3}
    refused = writes[-1].refused(429, "rate_limited")
    assert 0 < int(refused.headers["retry-after"]) <= 3600
    assert "4 requests" in refused.json["detail"]
    assert refused.headers["ratelimit-policy"] == '"write";q=4;w=3600'
    limited.get("/livez").ok(200)
    limited.get("/readyz").ok(200)


def test_what_is_left_is_told_with_every_answer(limited: Client) -> None:
    caller = {"X-Forwarded-For": "192.0.2.3"}
    left = [limited.get("/v1/editions", headers=caller).headers["ratelimit"] for _ in range(3)]
    assert [each.partition(";t=")[0] for each in left] == [f'"read";r={n}' for n in (4, 3, 2)]


def test_tokens_that_are_nobodys_are_charged_to_their_address(limited: Client) -> None:
    address = {"X-Forwarded-For": "192.0.2.77"}
    where = limited.post("/v1/games", {"seats": 2}, headers=address).ok(201).headers["location"]
    guesses = [
        limited.get(where, token=f"qwp_0_{number:043}", headers=address) for number in range(8)
    ]
    assert statuses(guesses) == {401: 5, 429: 3}


def test_made_up_tokens_are_no_way_round_limits_where_no_token_is_looked_at(
    limited: Client,
) -> None:
    address = {"X-Forwarded-For": "192.0.2.76"}
    checks = [
        limited.post("/v1/records/verify", {}, token=made_up(), headers=address) for _ in range(6)
    ]
    assert statuses(checks) == {200: 4, 429: 2}
    lists = [limited.get("/v1/editions", token=made_up(), headers=address) for _ in range(6)]
    assert statuses(lists) == {200: 5, 429: 1}
    # Nothing of that was taken from those at the same address who have a token.
    made = limited.post("/v1/games", {"players": FOUR}, headers=address).ok(201)
    token, where = made.json["players"][0]["token"], made.headers["location"]
    assert limited.get(where, token=token, headers=address).ok(200)


def test_a_token_shares_its_limit_with_nobody_at_the_same_address(limited: Client) -> None:
    address = {"X-Forwarded-For": "192.0.2.78"}
    made = limited.post("/v1/games", {"players": FOUR}, headers=address).ok(201)
    where, players = made.headers["location"], made.json["players"]
    anonymous = [limited.get(where, headers=address) for _ in range(6)]
    nobodys = [limited.get(where, token=made_up(), headers=address) for _ in range(2)]
    greedy = [limited.get(where, token=players[1]["token"], headers=address) for _ in range(20)]
    assert statuses(anonymous) == {200: 5, 429: 1}
    assert statuses(nobodys) == {429: 2}
    assert statuses(greedy) == {200: 5, 429: 15}

    reads = [limited.get(where, token=players[0]["token"], headers=address) for _ in range(6)]

    assert statuses(reads) == {200: 5, 429: 1}
    left = [read.headers["ratelimit"].partition(";t=")[0] for read in reads]
    assert left == [f'"read";r={n}' for n in (4, 3, 2, 1, 0, 0)]


def test_who_sends_a_token_that_is_nobodys_is_told_what_is_left_to_the_address(
    limited: Client,
) -> None:
    address = {"X-Forwarded-For": "192.0.2.79"}
    where = limited.post("/v1/games", {"seats": 2}, headers=address).ok(201).headers["location"]
    limited.get(where, headers=address).ok(200)
    guesses = [limited.get(where, token=made_up(), headers=address) for _ in range(2)]
    left = [guess.headers["ratelimit"].partition(";t=")[0] for guess in guesses]
    assert left == [f'"read";r={n}' for n in (3, 2)]


def test_many_good_tokens_are_no_way_round_the_limits_of_an_address(limited: Client) -> None:
    address = {"X-Forwarded-For": "192.0.2.90"}
    made = [limited.post("/v1/games", {"players": FOUR}, headers=address) for _ in range(2)]
    tokens = [
        (one.headers["location"], player["token"])
        for one in made
        for player in one.ok(201).json["players"]
    ]
    reads = [
        limited.get(where, token=token, headers=address) for where, token in tokens for _ in "ab"
    ]
    assert statuses(reads) == {200: 15, 429: 1}
    assert reads[-1].headers["ratelimit-policy"] == '"read-address";q=15;w=3600'
    # A renewed token is another one, of the same address.
    where, token = tokens[0]
    fresh = limited.post(where + "/tokens", token=token, headers=address).ok(201).json["token"]
    limited.get(where, token=fresh, headers=address).refused(429, "rate_limited")
    elsewhere = {"X-Forwarded-For": "192.0.2.91"}
    limited.get(where, token=fresh, headers=elsewhere).ok(200)


def test_guessing_tokens_and_guessing_join_codes_have_limits_of_their_own(limited: Client) -> None:
    address = {"X-Forwarded-For": "192.0.2.92"}
    private = {"seats": 2, "private": True}
    where = limited.post("/v1/games", private, headers=address).ok(201).headers["location"]

    def guess(code: str) -> Answer:
        body = {"name": "Eve", "join_code": code}
        return limited.post(where + "/players", body, headers=address)

    codes = [guess(f"code-{number}") for number in range(4)]
    assert statuses(codes) == {403: 3, 429: 1}
    assert codes[-1].headers["ratelimit-policy"] == '"join-code";q=3;w=3600'
    address = {"X-Forwarded-For": "192.0.2.93"}
    tokens = [limited.get(where, token=made_up(), headers=address) for _ in range(4)]
    tokens += [limited.post(where + "/deal", token=made_up(), headers=address) for _ in range(4)]
    assert statuses(tokens) == {401: 7, 429: 1}
    assert tokens[-1].headers["ratelimit-policy"] == '"guess";q=7;w=3600'
    # Who does not say who they are guesses nothing.
    limited.get(where, headers=address).ok(200)


# Guesses: the fewest verdicts that the limit allows, in whatever order they are asked for


def private_game(guarded: Client) -> Table:
    """One that is joined from addresses of its own by who knows its code."""
    made = guarded.post("/v1/games", {"seats": 4, "private": True}, token=API_KEY)
    return Table.of(guarded, made.ok(201))


def join(table: Table, code: str | None, address: str) -> Answer:
    return table.join(body={"join_code": code}, headers={"X-Forwarded-For": address})


def test_guesses_sent_all_at_once_get_no_more_verdicts_than_one_by_one(guarded: Client) -> None:
    table = private_game(guarded)
    codes = at_once([partial(join, table, f"{n:08}", "192.0.2.10") for n in range(40)])
    assert statuses(codes) == {403: 5, 429: 35}
    address = {"X-Forwarded-For": "192.0.2.11"}
    look = partial(guarded.get, table.path(), headers=address)
    tokens = at_once([partial(look, token=made_up()) for _ in range(40)])
    assert statuses(tokens) == {401: 5, 429: 35}
    address = {"X-Forwarded-For": "192.0.2.12"}
    create = partial(guarded.post, "/v1/games", {"seats": 2}, headers=address)
    keys = at_once([partial(create, token=made_up()) for _ in range(40)])
    assert statuses(keys) == {401: 5, 429: 35}


def test_a_right_guess_after_too_many_wrong_ones_is_not_told_from_a_wrong_one(
    guarded: Client,
) -> None:
    table, address = private_game(guarded), "192.0.2.13"
    assert statuses([join(table, f"{n:08}", address) for n in range(5)]) == {403: 5}
    right, wrong = join(table, table.join_code, address), join(table, "00000000", address)
    key = partial(guarded.post, "/v1/games", headers={"X-Forwarded-For": address})
    assert statuses([key({"seats": 2}, token="another-key") for _ in range(5)]) == {401: 5}
    right_key, wrong_key = key({"seats": 2}, token=API_KEY), key({"seats": 2}, token="another-key")
    answers = {"join-code": (right, wrong), "guess": (right_key, wrong_key)}
    for limit, (one, other) in answers.items():
        for answer in (one, other):
            answer.refused(429, "rate_limited")
            assert answer.headers["ratelimit-policy"] == f'"{limit}";q=5;w=3600'
            assert answer.headers["ratelimit"].startswith(f'"{limit}";r=0;')
    assert len(table.view()["players"]) == 0
    join(table, table.join_code, "192.0.2.14").ok(201)


def test_who_guesses_nothing_wrong_uses_up_no_guesses(guarded: Client) -> None:
    table, address = private_game(guarded), "192.0.2.15"
    at_address = {"X-Forwarded-For": address}
    games = at_once(
        [partial(guarded.post, "/v1/games", {"seats": 2}, token=API_KEY, headers=at_address)] * 12
    )
    assert statuses(games) == {201: 12}
    joined = at_once([partial(join, table, table.join_code, address)] * 4)
    assert statuses(joined) == {201: 4}
    needless = [join(table, None, address) for _ in range(6)]
    assert {answer.code for answer in needless} == {"join_code_wrong"}
    hand = [guarded.get(table.path("/hand"), headers=at_address) for _ in range(6)]
    assert {answer.code for answer in hand} == {"token_missing"}
    join(table, "00000000", address).refused(403, "join_code_wrong")


def test_a_guesser_locks_out_no_token_holder_at_the_same_address(guarded: Client) -> None:
    """A token of 256 bits is not found by guessing, so a good one is not a guess."""
    table, address = private_game(guarded), {"X-Forwarded-For": "192.0.2.16"}
    guesses = [guarded.get(table.path(), token=made_up(), headers=address) for _ in range(6)]
    guesses[-1].refused(429, "rate_limited")
    guarded.get(table.path(), token=table.host, headers=address).ok(200)


def test_all_addresses_of_one_network_are_one_caller(limited: Client) -> None:
    def read(address: str) -> Answer:
        return limited.get("/v1/editions", headers={"X-Forwarded-For": address})

    network = [f"2001:db8:1:2:{number:x}::1" for number in range(6)]
    assert statuses([read(address) for address in network]) == {200: 5, 429: 1}
    read("2001:db8:1:3::1").ok(200)


@pytest.mark.parametrize("address", ["192.0.2.40", "[2001:db8:1:4::1]"])
def test_the_port_that_a_proxy_tells_makes_no_other_caller(address: str, limited: Client) -> None:
    """It is another one for each connection, so that no limit would ever be reached."""
    told = [{"X-Forwarded-For": f"{address}:{port}"} for port in range(40_000, 40_006)]
    reads = [limited.get("/v1/editions", headers=each) for each in told]
    assert statuses(reads) == {200: 5, 429: 1}
    bare = {"X-Forwarded-For": address.strip("[]")}
    limited.get("/v1/editions", headers=bare).refused(429, "rate_limited")


def test_callers_without_a_token_are_told_apart_by_address(limited: Client) -> None:
    def read(address: str) -> Answer:
        return limited.get("/v1/editions", headers={"X-Forwarded-For": address})

    assert statuses([read("192.0.2.1") for _ in range(6)]) == {200: 5, 429: 1}
    read("192.0.2.2").ok(200)
    # Only what the trusted proxy has added counts: the rest anybody can write.
    read("198.51.100.9, 192.0.2.1").refused(429, "rate_limited")


def test_without_a_setting_nothing_is_counted_but_wrong_join_codes(
    start_qwirkle: Callable[..., QwirkleServer],
) -> None:
    client = client_of(start_qwirkle(workers=2, QWIRKLE_TRUSTED_PROXIES="1"))
    answer = client.get("/v1/editions")
    assert not {name for name in answer.headers if name.startswith("ratelimit")}
    table = Table.of(client, client.post("/v1/games", {"seats": 4}).ok(201))

    def by_code(code: str | None, address: str) -> Answer:
        body = {"name": "Eve", "join_code": code}
        return client.post("/v1/joins", body, headers={"X-Forwarded-For": address})

    # A whole class that joins from one address, and mistypes a lot, is not held up.
    mistyped = [by_code(f"WRNG-22{number:02}", "192.0.2.70") for number in range(22, 47)]
    assert statuses(mistyped) == {404: 25}
    by_code(table.join_code, "192.0.2.70").ok(201)
    guesses = at_once([partial(by_code, f"{n:08}", "192.0.2.71") for n in range(60)])
    assert statuses(guesses) == {404: 30, 429: 30}
    refused = by_code(table.join_code, "192.0.2.71").refused(429, "rate_limited")
    assert 0 < int(refused.headers["retry-after"]) <= 60
    assert refused.headers["ratelimit-policy"] == '"join-code";q=30;w=60'
    # Who has a token plays on, and so does everybody elsewhere.
    client.get(table.path(), token=table.host, headers={"X-Forwarded-For": "192.0.2.71"}).ok(200)
    by_code(table.join_code, "192.0.2.72").ok(201)


def test_what_a_back_ends_users_mistype_counts_against_its_tenant(
    start_qwirkle: Callable[..., QwirkleServer],
) -> None:
    limits = {"QWIRKLE_RATE_JOIN_CODES": "2/hour", "QWIRKLE_RATE_ADDRESS": "4"}
    server = start_qwirkle(workers=2, QWIRKLE_API_KEYS="acme:key-a,zoo:key-z", **limits)
    client = client_of(server)
    table = client.create(api_key="key-a", players=[{"name": "Ada"}], seats=4)

    def by_code(code: str | None, key: str | None) -> Answer:
        return client.post("/v1/joins", {"name": "Eve", "join_code": code}, token=key)

    guesses = at_once([partial(by_code, f"{n:08}", "key-a") for n in range(12)])
    assert statuses(guesses) == {404: 8, 429: 4}
    by_code(table.join_code, "key-a").refused(429, "rate_limited")
    # Others at its address, and other tenants, have limits of their own.
    assert by_code(table.join_code, None).ok(201).json["seat"] == 1
    joined = by_code(table.join_code, "key-z").ok(201).json
    assert (joined["seat"], joined["game"]["host"]) == (2, None)
    assert statuses([by_code("00000000", None) for _ in range(3)]) == {404: 2, 429: 1}


def test_a_back_end_takes_a_seat_for_its_user(
    start_qwirkle: Callable[..., QwirkleServer],
) -> None:
    client = client_of(start_qwirkle(workers=1, QWIRKLE_API_KEYS="acme:key-a"))
    table = client.create(api_key="key-a", players=[{"name": "Ada"}], seats=3, private=True)
    body = {"name": "Ben", "ref": "user-2", "join_code": table.join_code}
    by_code = client.post("/v1/joins", body, token="key-a").ok(201).json
    seat = client.post(table.path("/players"), body, token="key-a").ok(201).json
    assert [by_code["game"]["you"]["seat"], seat["game"]["you"]["seat"]] == [1, 2]
    assert by_code["game"]["host"] is None
    view = client.get(table.path(), token=by_code["token"]).ok(200).json
    assert view["you"]["seat"] == 1
    assert by_code["token"] != seat["token"]


def test_a_store_that_is_away_or_hangs_is_told_though_requests_are_counted(
    kept_store: Callable[[str], EmbeddedStore], start_qwirkle: Callable[..., QwirkleServer]
) -> None:
    with TcpProxy(socket_of(kept_store("valkey").url)) as proxy:
        settings = {"QWIRKLE_RATE_READ": "5/minute", "QWIRKLE_STORE_TIMEOUT": "0.5"}
        server = start_qwirkle(workers=1, redis_url=proxy.url, **settings)
        client = client_of(server)
        path = "/v1/games/" + "a" * 26
        for name in ("EVAL", "EVALSHA", "GET"):
            proxy.trouble(name, Fault.SWALLOW, 10)
        # Without a limit of its own the counting would wait for as long as the connection does.
        client.get(path).refused(503, "store_unavailable")
        proxy.close()
        client.get(path).refused(503, "store_unavailable")
        client.get("/v1/editions").ok(200)
        client.get("/livez").ok(200)


def test_a_worker_with_no_room_for_another_stream_says_so(
    start_qwirkle: Callable[..., QwirkleServer],
) -> None:
    client = client_of(start_qwirkle(workers=1, QWIRKLE_STREAMS="1"))
    table = in_play(client)
    stream = HTTPConnection(urlsplit(client.base_url).netloc, timeout=20)
    try:
        stream.request("GET", table.path("/events/stream"))
        assert stream.getresponse().status == 200
        refused = table.look(rest="/events/stream").refused(503, "streams_full")
        assert int(refused.headers["retry-after"]) > 0
        table.look(0).ok(200)
    finally:
        stream.close()

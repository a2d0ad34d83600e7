"""Joining by code alone: a code leads to one waiting game, and to nothing once it has begun."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from secrets import token_bytes, token_hex

import pytest
import redis

from service.games.join_codes import REST_MS, join_code_of
from service.games.keyring import JOIN_CODE_LETTERS, Keyring, game_id
from service.games.session import GameOptions
from service.rules.actions import create
from service.store import keys
from service.store.embedded import EmbeddedStore
from tests.api.client import Answer, Client, Table, client_of
from tests.api.concurrent_calls import at_once
from tests.api.long_games import games_of_shared_servers
from tests.api.positions import in_play, waiting
from tests.servers import SHARED, QwirkleServer

ACTIVE_MS = 30 * 24 * 60 * 60 * 1000
KEY = "the-same-key-for-all"


def join(client: Client, code: str | None, name: str = "Eve", **rest: object) -> Answer:
    return client.post("/v1/joins", {"join_code": code, "name": name}, **rest)


def unknown(answer: Answer) -> None:
    answer.refused(404, "join_code_unknown")


def key_of(code: str | None) -> str:
    digests = Keyring([SHARED["QWIRKLE_SECRET"]]).join_code_digests(str(code))
    return keys.join_code_key(digests[0])


def test_no_two_letters_of_a_code_look_alike() -> None:
    assert len(set(JOIN_CODE_LETTERS)) == len(JOIN_CODE_LETTERS) == 27
    for alike in ("8B", "5S", "2Z", "VU"):
        assert set(alike) & set(JOIN_CODE_LETTERS) == {alike[0]}
    assert not set("0O1IL") & set(JOIN_CODE_LETTERS)


@pytest.mark.parametrize("private", [False, True])
def test_a_letter_that_looks_like_another_is_read_as_that_one(
    private: bool, client: Client
) -> None:
    def looks_alike(table: Table) -> str:
        return str(table.join_code).translate(str.maketrans("852V", "BSZU"))

    table = waiting(client, private=private)
    while looks_alike(table) == table.join_code:
        table = waiting(client, private=private)
    typed = looks_alike(table)
    body = {"join_code": typed, "name": "Eve"}
    taken = table.act(None, "players", body) if private else join(client, typed.lower())
    assert taken.ok(201).json["game"]["id"] == table.id


@pytest.mark.parametrize("private", [False, True])
def test_who_knows_only_the_code_gets_a_seat(private: bool, client: Client) -> None:
    table = waiting(client, private=private)
    body = {"join_code": table.join_code, "name": "Eve", "age": 9, "ref": "user-5"}
    taken = client.post("/v1/joins", body | {"entropy": "dice"}).ok(201)
    assert taken.headers["location"] == table.path()
    assert (taken.json["seat"], taken.json["game"]["id"]) == (2, table.id)
    assert table.view(token=taken.json["token"])["you"]["seat"] == 2
    assert taken.json["game"]["host"] is None
    refs = table.view(token=table.host)["host"]["players"]
    assert refs[2] == {"seat": 2, "ref": "user-5"}
    join(client, table.join_code).refused(409, "table_full")


@pytest.mark.parametrize(
    "typed",
    [
        lambda code: code.lower(),
        lambda code: code.replace("-", ""),
        lambda code: f"  {code.replace('-', ' ')} ",
        " ".join,
        lambda code: code.replace("-", "\N{EN DASH}"),
    ],
)
def test_case_hyphen_and_spaces_do_not_matter(typed: Callable[[str], str], client: Client) -> None:
    table = waiting(client)
    code = typed(str(table.join_code))
    assert join(client, code).ok(201).json["game"]["id"] == table.id


def test_every_waiting_game_has_a_code_and_its_host_sees_it(client: Client) -> None:
    table = waiting(client)
    assert table.view(token=table.host)["host"]["join_code"] == table.join_code
    assert table.join_code not in table.look().body.decode() + table.look(0).body.decode()
    assert in_play(client).join_code is None


def test_a_code_is_unknown_as_soon_as_the_game_has_begun(client: Client) -> None:
    table = waiting(client, seats=2)
    join(client, table.join_code).refused(409, "table_full")
    table.deal().ok(200)
    unknown(join(client, table.join_code))
    assert table.view(token=table.host)["host"]["join_code"] is None


def test_a_code_of_a_deleted_game_is_unknown(client: Client) -> None:
    table = waiting(client)
    table.delete().ok(204)
    unknown(join(client, table.join_code))


def test_what_never_was_a_code_is_unknown_in_the_same_way(client: Client) -> None:
    begun = waiting(client, seats=2)
    begun.deal().ok(200)
    answers = [join(client, code) for code in (begun.join_code, "AAAA-AAAA", "x", "\u00e9", "----")]
    for answer in answers:
        unknown(answer)
    said = [answer.json | {"request_id": None} for answer in answers]
    assert all(each == said[0] for each in said)


@pytest.mark.parametrize(
    "body", [{}, {"join_code": None}, {"join_code": ""}, {"join_code": "A" * 65}]
)
def test_a_malformed_request_is_told_before_the_code_is_looked_up(
    body: dict[str, object], client: Client
) -> None:
    client.post("/v1/joins", {"name": "Eve"} | body).refused(400, "malformed_request")
    table = waiting(client)
    client.post("/v1/joins", {"join_code": table.join_code}).refused(400, "malformed_request")
    join(client, table.join_code, key="short").refused(400, "malformed_request")


def test_a_token_of_another_game_is_refused(client: Client) -> None:
    table, other = waiting(client), waiting(client)
    join(client, table.join_code, token=other.host).refused(401, "token_invalid")
    join(client, table.join_code, token=table.host).ok(201)


def test_a_condition_is_heeded(client: Client) -> None:
    table = waiting(client)
    seen = table.look().etag
    table.resign(0).ok(201)
    join(client, table.join_code, match=seen).refused(412, "stale_version")
    join(client, table.join_code, match=table.look().etag).ok(201)


def test_a_repeated_join_takes_one_seat_even_after_the_game_began(client: Client) -> None:
    table = waiting(client, seats=3)
    key = token_hex(16)
    first = join(client, table.join_code, key=key).ok(201)
    join(client, table.join_code, "Fay", key=key).refused(422, "idempotency_key_reused")
    table.deal().ok(200)
    again = join(client, table.join_code, key=key).ok(201)
    assert again.replayed
    assert again.body == first.body
    unknown(join(client, table.join_code, key=token_hex(16)))


def test_one_join_sent_many_times_at_once_takes_one_seat(client: Client) -> None:
    table = waiting(client, seats=4, players=1, auto_deal=True)
    answers = at_once([partial(join, client, table.join_code, key=KEY)] * 20)
    assert len({answer.ok(201).body for answer in answers}) == 1
    assert sum(not answer.replayed for answer in answers) == 1
    assert len(table.view()["players"]) == 2


def test_a_crowd_with_one_code_fills_its_table_once(client: Client) -> None:
    table = waiting(client, seats=4, players=1, auto_deal=True)
    calls = [partial(join, client, table.join_code, f"P{n}", key=f"{n:016}") for n in range(12)]
    answers = at_once(calls)
    assert Counter(answer.status for answer in answers)[201] == 3
    assert {answer.code for answer in answers} <= {None, "table_full", "join_code_unknown"}
    assert table.view()["status"] == "bidding"


# What is kept


@pytest.fixture
def store(store_server: EmbeddedStore) -> redis.Redis:
    return redis.Redis.from_url(store_server.url)


def test_a_code_rests_for_a_day_after_its_game_has_begun(
    client: Client, store: redis.Redis
) -> None:
    table = waiting(client, seats=3)
    kept = key_of(table.join_code)
    assert ACTIVE_MS < store.pttl(kept) <= ACTIVE_MS + REST_MS
    store.pexpire(kept, 1000)
    table.join("Cleo").ok(201)  # whatever happens to the waiting game keeps the code alive
    assert store.pttl(kept) > ACTIVE_MS
    table.deal().ok(200)
    assert REST_MS - 60_000 < store.pttl(kept) <= REST_MS
    before = store.pttl(kept)
    table.resign(0).ok(201)
    assert store.pttl(kept) <= before


def test_a_code_that_was_lost_comes_back_with_whatever_happens_next(
    client: Client, store: redis.Redis
) -> None:
    table = waiting(client, seats=4)
    store.delete(key_of(table.join_code))
    unknown(join(client, table.join_code))
    table.update(hints=False).ok(200)
    join(client, table.join_code).ok(201)


def test_an_entry_that_is_wrong_leads_nowhere(client: Client, store: redis.Redis) -> None:
    table, other = waiting(client), waiting(client)
    store.set(key_of(table.join_code), other.id)
    unknown(join(client, table.join_code))
    store.set(key_of(table.join_code), "a" * 26)
    unknown(join(client, table.join_code))
    assert len(other.view()["players"]) == 2


def test_a_game_draws_another_code_if_one_is_taken(
    store_server: EmbeddedStore, client: Client
) -> None:
    games = games_of_shared_servers(store_server.url)
    drawn, id_ = b"first!", game_id(token_bytes(16))
    taken = games.keyring.join_code(id_, int.from_bytes(drawn, "big"))
    digest = games.keyring.join_code_digests(taken)[0]
    assert games.store.hold_join_code(digest, "a" * 26, 60_000)
    draws = iter([drawn])
    unlucky = replace(games, entropy=lambda count: next(draws, token_bytes(count))[:count])
    made = unlucky.create(create(bytes(32), [], seats=2), GameOptions(), None, id_=id_)
    code = join_code_of(games.keyring, made.session)
    assert code not in (taken, None)
    assert join(client, code).ok(201).json["game"]["id"] == id_
    assert games.store.game_with_join_code(digest) == "a" * 26


def test_a_game_made_anew_under_the_same_id_has_another_code(client: Client) -> None:
    body, key = {"seats": 2}, token_hex(16)
    first = Table.of(client, client.post("/v1/games", body, key=key).ok(201))
    first.delete().ok(204)
    second = Table.of(client, client.post("/v1/games", body, key=key).ok(201))
    assert second.join_code != first.join_code
    unknown(join(client, first.join_code))
    join(client, second.join_code).ok(201)


# Guesses and secrets


def test_guesses_have_a_limit_and_then_not_even_a_right_one_is_told(
    kept_qwirkle: Callable[..., QwirkleServer],
) -> None:
    settings = {"QWIRKLE_RATE_JOIN_CODES": "5/hour", "QWIRKLE_TRUSTED_PROXIES": "1"}
    guarded = client_of(kept_qwirkle(**settings))
    table = waiting(guarded)

    def guess(code: str | None, address: str) -> Answer:
        return join(guarded, code, headers={"X-Forwarded-For": address})

    wrong = at_once([partial(guess, f"AAAA-AA{n}", "192.0.2.50") for n in range(22, 52)])
    assert Counter(answer.status for answer in wrong) == {404: 5, 429: 25}
    guess(table.join_code, "192.0.2.50").refused(429, "rate_limited")
    assert len(table.view()["players"]) == 2
    guess(table.join_code, "192.0.2.51").ok(201)


def test_codes_work_while_the_secret_is_replaced(
    store_server: EmbeddedStore, kept_qwirkle: Callable[..., QwirkleServer]
) -> None:
    old, new = SHARED["QWIRKLE_SECRET"], "another secret that is long enough to be one"

    def serve(*secrets: str) -> Client:
        settings = SHARED | {"QWIRKLE_SECRET": ",".join(secrets)}
        return client_of(kept_qwirkle(redis_url=store_server.url, workers=1, **settings))

    before, during, after = serve(old), serve(new, old), serve(new)
    table = waiting(before, seats=4)
    join(during, table.join_code, "Eve").ok(201)
    quiet = waiting(before, seats=4)
    shown = during.get(quiet.path(), token=quiet.host).ok(200).json["host"]["join_code"]
    assert shown != quiet.join_code
    join(during, quiet.join_code, "Eve").ok(201)
    join(after, shown, "Fay").ok(201)
    unknown(join(after, quiet.join_code))

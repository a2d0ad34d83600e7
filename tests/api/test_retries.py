"""A request sent again under its idempotency key acts once and gets its first answer again."""

from collections.abc import Callable
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

from tests.api.client import Answer, Client, Table, client_of
from tests.api.positions import HAND, OTHER, at_the_bids, in_play, waiting
from tests.servers import QwirkleServer

Act = Callable[..., Answer]


def fresh_key() -> str:
    return token_hex(16)


def a_creation(client: Client) -> tuple[Act, Table | None]:
    body = {"players": [{"name": "Ada"}, {"name": "Ben"}], "private": True}
    return lambda **rest: client.post("/v1/games", body, **rest), None


def a_joining(client: Client) -> tuple[Act, Table]:
    table = waiting(client, seats=3, players=2)
    return lambda **rest: table.act(None, "players", {"name": "Eve"}, **rest), table


def a_dealing(client: Client) -> tuple[Act, Table]:
    table = client.create()
    return table.deal, table


def a_bid(client: Client) -> tuple[Act, Table]:
    table = at_the_bids(client)
    return lambda **rest: table.bid(0, 3, **rest), table


def a_play(client: Client) -> tuple[Act, Table]:
    table = in_play(client)
    return lambda **rest: table.play(0, "rd@2,0", **rest), table


def an_exchange(client: Client) -> tuple[Act, Table]:
    table = in_play(client)
    return lambda **rest: table.exchange(0, "rd bo", **rest), table


def a_pass(client: Client) -> tuple[Act, Table]:
    table = client.position("ro", "bs yd g*", OTHER)
    return lambda **rest: table.pass_turn(0, **rest), table


def a_resignation(client: Client) -> tuple[Act, Table]:
    table = client.position("ro rs", HAND, OTHER, "bd b* yc gx ox os", bag="gx gd")
    return lambda **rest: table.resign(0, **rest), table


def a_resignation_while_waiting(client: Client) -> tuple[Act, Table]:
    table = waiting(client)
    token = table.tokens[0]
    return lambda **rest: table.act(None, "resignations", token=token, **rest), table


EVERY_POST = [a_creation, a_joining, a_dealing, a_bid, a_play, an_exchange, a_pass]
EVERY_POST += [a_resignation, a_resignation_while_waiting]
every_post = pytest.mark.parametrize("scene", EVERY_POST, ids=lambda scene: scene.__name__)


def move_on(table: Table | None) -> None:
    """Let something else happen at the table, whatever can."""
    if table is None:
        return
    status = table.view()["status"]
    if status == "waiting":
        table.join("Fay")
    else:
        table.resign(1).ok(201)


@every_post
def test_a_repetition_gets_the_first_answer_again_whatever_happened_since(
    scene: Callable[[Client], tuple[Act, Table | None]], client: Client
) -> None:
    act, table = scene(client)
    key = fresh_key()
    first = act(key=key).ok()
    assert not first.replayed
    second = act(key=key)
    move_on(table)
    version = table.version if table else 0
    third = act(key=key)
    for again in (second, third):
        assert again.replayed
        assert (again.status, again.body, again.etag) == (first.status, first.body, first.etag)
        assert again.headers.get("location") == first.headers.get("location")
    assert (table.version if table else 0) == version


@every_post
def test_without_a_key_a_repetition_is_another_request(
    scene: Callable[[Client], tuple[Act, Table | None]], client: Client
) -> None:
    act, _ = scene(client)
    first, second = act().ok(), act()
    assert not second.replayed
    assert second.status >= 400 or second.body != first.body


@every_post
def test_quotes_around_a_key_do_not_matter(
    scene: Callable[[Client], tuple[Act, Table | None]], client: Client
) -> None:
    act, _ = scene(client)
    key = fresh_key()
    first = act(key=f'"{key}"').ok()
    again = act(key=key)
    assert again.replayed
    assert again.body == first.body


def test_the_same_key_with_another_body_is_refused(client: Client) -> None:
    table = in_play(client)
    table.play(0, "rd@2,0", key="k").ok(201)
    table.play(0, "oo@0,1", key="k").refused(422, "idempotency_key_reused")
    assert table.version == 2


def test_the_same_key_on_another_path_is_refused(client: Client) -> None:
    table = in_play(client)
    table.play(0, "rd@2,0", key="k").ok(201)
    table.pass_turn(0, key="k").refused(422, "idempotency_key_reused")
    table.resign(0, key="k").refused(422, "idempotency_key_reused")
    assert table.version == 2
    act, stuck = a_pass(client)
    act(key="k").ok(201)
    stuck.resign(0, key="k").refused(422, "idempotency_key_reused")


def test_a_plays_key_is_refused_for_a_preview(client: Client) -> None:
    table = in_play(client)
    table.play(0, "rd@2,0", key="k").ok(201)
    table.preview(0, "rd@2,0", key="k").refused(422, "idempotency_key_reused")


def test_a_creation_under_a_used_key_with_another_body_is_refused(client: Client) -> None:
    key = fresh_key()
    client.post("/v1/games", {"seats": 2}, key=key).ok(201)
    client.post("/v1/games", {"seats": 3}, key=key).refused(422, "idempotency_key_reused")


def test_the_same_key_in_another_game_is_another_request(client: Client) -> None:
    one, other = in_play(client), in_play(client)
    one.play(0, "rd@2,0", key="k").ok(201)
    assert not other.play(0, "rd@2,0", key="k").ok(201).replayed


def test_another_players_same_key_gets_an_answer_of_its_own(client: Client) -> None:
    """Else one player's key would show another player's hand."""
    table = in_play(client)
    mine = table.play(0, "rd@2,0", key="k").ok(201)
    table.play(1, "rd@2,0", key="k").refused(422, "tiles_not_in_hand")
    theirs = table.play(1, "rc@3,0", key="k").ok(201)
    assert not theirs.replayed
    assert theirs.json["game"]["you"]["seat"] == 1
    assert table.play(0, "rd@2,0", key="k").body == mine.body
    table.act(None, "plays", token=table.host, key="k").refused(403, "player_only")


def test_joining_with_and_without_a_token_are_different_callers(client: Client) -> None:
    table = waiting(client, seats=4, players=1)
    key, body = fresh_key(), {"name": "Eve"}
    first = table.act(None, "players", body, key=key).ok(201)
    for token in (table.host, table.tokens[0]):
        again = table.act(None, "players", body, key=key, token=token).ok(201)
        assert not again.replayed
        assert again.json["token"] != first.json["token"]


@pytest.mark.parametrize("key", ["k" * 15, '"' + "k" * 15 + '"', "k"])
def test_where_no_token_is_needed_a_key_has_sixteen_characters(key: str, client: Client) -> None:
    answer = client.post("/v1/games", {"seats": 2}, key=key).refused(400, "malformed_request")
    assert answer.json["errors"][0]["pointer"] == "header:Idempotency-Key"
    assert "16 to 255" in answer.json["detail"]
    table = waiting(client)
    table.join(key=key).refused(400, "malformed_request")
    table.join(key=key, token=table.host).refused(400, "malformed_request")
    table.resign(0, key=key).ok(201)


@pytest.mark.parametrize("key", ["", '""', "k" * 256, "k k", "k\tk", "\xe9" * 20, '"' * 2])
def test_a_key_is_of_visible_characters_and_not_too_long(key: str, client: Client) -> None:
    table = in_play(client)
    answer = table.play(0, "rd@2,0", key=key).refused(400, "malformed_request")
    assert answer.json["errors"][0]["pointer"] == "header:Idempotency-Key"
    table.preview(0, "rd@2,0", key=key).refused(400, "malformed_request")
    assert table.version == 1


def test_the_longest_key_is_taken(client: Client) -> None:
    table = in_play(client)
    table.play(0, "rd@2,0", key="k" * 255).ok(201)
    assert table.play(0, "rd@2,0", key="k" * 255).replayed


def test_refusals_are_not_kept(client: Client) -> None:
    table = in_play(client)
    table.play(1, "rc@3,0", key="k").refused(409, "not_your_turn")
    table.play(0, "bo@2,0", key="k").refused(422, "line_mixed")
    table.play(0, "rd@2,0", key="k").ok(201)
    assert not table.play(1, "rc@3,0", key="k").ok(201).replayed


def test_a_repetition_is_answered_though_its_version_is_stale_by_now(client: Client) -> None:
    table = in_play(client)
    match = table.look(0).etag
    first = table.play(0, "rd@2,0", key="k", match=match).ok(201)
    again = table.play(0, "rd@2,0", key="k", match=match).ok(201)
    assert again.replayed
    assert again.body == first.body


def test_leaving_a_waiting_seat_can_be_repeated_though_the_token_is_void(client: Client) -> None:
    table = waiting(client)
    token = table.tokens[1]
    first = table.resign(1, key="k").ok(201)
    assert first.json["game"]["you"] is None
    again = table.resign(1, key="k").ok(201)
    assert again.body == first.body
    table.join("Fay").ok(201)
    assert table.act(None, "resignations", token=token, key="k").body == first.body
    assert table.view(1)["you"]["seat"] == 1


def test_a_void_token_gets_nothing_but_its_repetition(client: Client) -> None:
    table = waiting(client)
    token = table.tokens[1]
    table.resign(1, key="k").ok(201)
    table.act(None, "resignations", token=token).refused(401, "token_invalid")
    table.act(None, "resignations", token=token, key="other").refused(401, "token_invalid")
    table.act(None, "passes", token=token, key="k").refused(401, "token_invalid")
    table.act(None, "resignations", {}, token=token, key="k").refused(401, "token_invalid")
    table.look(token=token).refused(401, "token_invalid")


def test_a_preview_keeps_nothing_under_its_key(client: Client) -> None:
    table = in_play(client)
    tried = table.preview(0, "rd@2,0", key="k").ok(200)
    assert not table.preview(0, "rd@2,0", key="k").ok(200).replayed
    assert table.preview(0, "oo@0,1", key="k").ok(200).json["play"]["points"] == 2
    made = table.play(0, "rd@2,0", key="k").ok(201)
    assert not made.replayed
    assert made.json["play"] | {"drew": None} == tried.json["play"]


def test_a_created_games_tokens_come_again_with_its_repetition(client: Client) -> None:
    key = fresh_key()
    body: dict[str, Any] = {"players": [{"name": "Ada"}, {"name": "Ben"}]}
    table = Table.of(client, client.post("/v1/games", body, key=key).ok(201))
    table.deal().ok(200)
    again = Table.of(client, client.post("/v1/games", body, key=key).ok(201))
    assert (again.host, again.tokens) == (table.host, table.tokens)
    assert again.created["game"]["status"] == "waiting"
    assert again.view(0)["status"] == "bidding"


def test_a_deleted_games_key_makes_a_new_game(client: Client) -> None:
    key = fresh_key()
    first = Table.of(client, client.post("/v1/games", {"seats": 2}, key=key).ok(201))
    first.delete().ok(204)
    assert not client.post("/v1/games", {"seats": 2}, key=key).ok(201).replayed


def test_repetitions_are_known_after_the_server_has_restarted(
    start_qwirkle: Callable[..., QwirkleServer], short_dir: Path
) -> None:
    server = start_qwirkle(data_dir=short_dir, workers=1)
    key = fresh_key()
    body = {"seats": 2, "players": [{"name": "Ada"}]}
    made = client_of(server).post("/v1/games", body, key=key).ok(201)
    table = in_play(client_of(server))
    played = table.play(0, "rd@2,0", key=key).ok(201)
    server.stop()

    table.client = client_of(server.start())
    again = table.play(0, "rd@2,0", key=key)
    assert again.replayed
    assert (again.body, again.etag) == (played.body, played.etag)
    assert table.client.post("/v1/games", body, key=key).body == made.body

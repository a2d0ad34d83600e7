"""Nobody is shown what is another's: hands, draws, the seed, ages, refs, metadata."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.api.client import Answer, Client, Table
from tests.api.positions import in_play, waiting

AGES = (133, 147)
REFS = ("ref-of-the-first", "ref-of-the-second")
PLAYERS = [{"name": f"P{n}", "age": AGES[n], "ref": REFS[n]} for n in (0, 1)]
METADATA = {"room": "secret-room"}
VIEW = """
id edition status version created_at updated_at expires_at seeded setup private listed auto_deal
hints turn_seconds commitment seed players seats reserved turn bag_count removed_count board
last_event winners end rematch you host
"""
PLAYER = {"seat", "name", "bot", "score", "hand_count", "bid", "resigned"}
READS = ("", "/score", "/unseen", "/hand", "/legal-plays")


@pytest.fixture
def table(client: Client) -> Table:
    return client.create(players=PLAYERS, metadata=METADATA, private=True)


def everything_shown_to(table: Table, token: str | None) -> list[Answer]:
    ask = partial(table.client.get, token=token)
    return [ask(table.path(rest)) for rest in READS]


def test_a_view_has_the_allowed_members_and_no_others(table: Table) -> None:
    views = [table.created["game"], table.deal().ok().json]
    views += [table.view(seat) for seat in (None, 0, 1)]
    for view in views:
        assert view.keys() == set(VIEW.split())
        assert all(player.keys() == PLAYER for player in view["players"])
        assert view["you"] is None or view["you"].keys() == {"seat", "hand", "actions"}


def test_only_the_host_sees_refs_metadata_and_the_join_code(table: Table) -> None:
    host = table.view(token=table.host)["host"]
    assert host == {
        "join_code": table.join_code,
        "metadata": METADATA,
        "players": [{"seat": 0, "ref": REFS[0]}, {"seat": 1, "ref": REFS[1]}],
        "webhook_url": None,
        "webhook_secret": None,
    }
    assert table.join_code
    for token in (None, *table.tokens):
        for answer in everything_shown_to(table, token):
            for secret in (*REFS, "secret-room", "metadata", table.join_code):
                assert secret.encode() not in answer.body


def test_nobody_is_ever_shown_an_age_or_a_token(table: Table) -> None:
    answers = []
    for step in (lambda: None, table.deal, partial(table.resign, 0)):
        step()
        for token in (None, table.host, *table.tokens):
            answers += everything_shown_to(table, token)
    for answer in answers:
        assert b'"age' not in answer.body
        assert not any(str(age).encode() in strip_times(answer) for age in AGES)
        assert b"qwp_" not in answer.body
        assert b"qwh_" not in answer.body


def strip_times(answer: Answer) -> bytes:
    """The answer without times, digests and ids, whose digits may happen to look like an age."""
    loaded = answer.json
    for hidden in ("created_at", "updated_at", "expires_at", "commitment", "seed", "id"):
        loaded.pop(hidden, None)
    loaded.pop("request_id", None)
    return str(loaded).encode()


def test_a_hand_is_its_owners_alone(table: Table) -> None:
    table.deal().ok(200)
    hands = [table.hand(0), table.hand(1)]
    assert [table.view(seat)["you"]["hand"] for seat in (0, 1)] == hands
    for token in (None, table.host):
        view = table.view(token=token)
        assert view["you"] is None
        assert view["board"] == []
        assert b"-circle" not in str(view).encode()
    table.look(rest="/hand", token=table.host).refused(403, "player_only")


def test_no_viewer_can_tell_two_hidden_hands_apart(client: Client) -> None:
    """Two games that differ only in what seat 0 holds look the same to everybody else."""
    seen: list[list[Any]] = []
    for hand, bag in (("rd bo y* gc px oo", "gx gd"), ("gx gd y* gc px oo", "rd bo")):
        table = client.position("ro rs", hand, "rc yo b* gs pd ox", bag=bag, seed="s")
        table.exchange(0, "y*").ok(201)
        shown = [
            table.client.get(table.path(rest), token=token).ok(200).json
            for token in (None, table.tokens[1], table.host)
            for rest in ("", "/score", "/unseen")
        ]
        for each in shown:
            for member in ("id", "created_at", "updated_at", "expires_at"):
                each.pop(member, None)
        seen.append(shown)
    assert seen[0] == seen[1]


ACTIONS: list[tuple[str, Callable[[Table], Answer]]] = [
    ("play", lambda table: table.play(0, "rd@2,0")),
    ("exchange", lambda table: table.exchange(0, "rd bo")),
]


@pytest.mark.parametrize(("what", "act"), ACTIONS, ids=[name for name, _ in ACTIONS])
def test_drawn_tiles_are_shown_to_who_drew_them_alone(
    what: str, act: Callable[[Table], Answer], client: Client
) -> None:
    table = in_play(client, bag="gx gx gx")
    answer = act(table).ok(201)
    assert set(answer.json[what]["drew"]) == {"green-cross"}
    assert "green-cross" in answer.json["game"]["you"]["hand"]
    for token in (None, table.host, table.tokens[1]):
        for rest in ("", "/score"):
            shown = table.client.get(table.path(rest), token=token).ok(200)
            assert b"green-cross" not in shown.body


def test_a_preview_draws_nothing_and_changes_nothing(client: Client) -> None:
    table = in_play(client)
    before = table.look(0)
    for seat, text, points in ((0, "rd@2,0", 3), (1, "rc@2,0", 3), (0, "oo@0,1", 2)):
        play = table.preview(seat, text).ok(200).json["play"]
        assert (play["points"], play["bonus"], play["drew"]) == (points, 0, None)
    assert table.look(0).body == before.body
    table.preview(1, "rd@2,0").refused(422, "tiles_not_in_hand")


def test_the_seed_is_shown_when_the_game_is_finished_and_not_before(client: Client) -> None:
    table = client.create(players=3, seed="hidden")
    seeds = [table.view(token=table.host)["seed"], table.deal().json["seed"]]
    seeds.append(table.resign(0).ok(201).json["game"]["seed"])
    assert seeds == [None, None, None]
    assert len(table.resign(1).ok(201).json["game"]["seed"]) == 64


def test_tiles_of_a_bid_are_never_shown(client: Client) -> None:
    table = client.position("", "ro rs rd bo y* gc", "bs bd go ys pc ox", bag="gx")
    answer = table.act(0, "bids", {"tiles": ["red-square", "red-circle", "red-diamond"]}).ok(201)
    assert answer.json["bid"] == {"seat": 0, "length": 3}
    for token in (None, table.host, table.tokens[1]):
        assert b"red-" not in table.client.get(table.path(), token=token).ok().body
    assert table.view()["players"][0]["bid"] == 3


def test_a_leaver_of_a_waiting_seat_leaves_no_ref_behind(client: Client) -> None:
    players = [{"name": "Ada", "ref": "old-ref"}]
    table = waiting(client, seats=2, players=players)
    table.resign(0).ok(201)
    assert table.view(token=table.host)["host"]["players"] == []
    table.join("Eve").ok(201)
    assert table.view(token=table.host)["host"]["players"] == [{"seat": 0, "ref": None}]


def test_hints_can_be_turned_off(client: Client) -> None:
    table = in_play(client, hints=False)
    assert table.view()["hints"] is False
    table.look(0, "/legal-plays").refused(403, "hints_off")
    table.preview(0, "rd@2,0").ok(200)


def test_legal_plays_come_best_first_and_are_counted_beyond_the_limit(client: Client) -> None:
    table = in_play(client)
    best = table.plays(0, "?sort=points")
    points = [play["points"] for play in best["plays"]]
    assert points == sorted(points, reverse=True)
    assert best["count"] == len(best["plays"]) > 3
    assert table.plays(0, "?sort=points&limit=2") == best | {"plays": best["plays"][:2]}
    assert best["may_exchange"] == 6
    assert not best["may_pass"]
    assert table.plays(1)["count"] > 0, "a player may look ahead out of turn"


def test_unseen_is_counted_for_its_viewer(client: Client) -> None:
    table = in_play(client)
    assert table.look(rest="/unseen").json["total"] == 18
    assert table.look(0, "/unseen").json["total"] == 12
    fresh = waiting(client)
    assert fresh.look(0, "/unseen").json["total"] == 108

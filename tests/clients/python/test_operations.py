"""Every operation, once, on a real server; each answer is checked against the contract."""

from typing import Any

import pytest
import yaml

from qwirkle_client import (
    Conflict,
    Forbidden,
    MalformedRequest,
    NotFound,
    Refused,
    StaleVersion,
    TokenRefused,
    split_game_url,
)
from tests.api.client import tiles_of
from tests.clients.python.clients import Connect
from tests.clients.python.games import OPENING, laid, seated
from tests.servers import QwirkleServer


def test_a_game_from_its_creation_to_the_rematch(qwirkle: Any) -> None:
    host, ada, ben = seated(qwirkle, setup=OPENING)
    assert ada.hand()["tiles"] == tiles_of("ro rs rd b*")
    assert ada.bid(3)["bid"] == {"seat": 0, "length": 3}
    assert ben.bid(tiles=tiles_of("bo go"))["game"]["turn"]["seat"] == 0
    opening = laid((0, 0, "red-circle"), (1, 0, "red-square"), (2, 0, "red-diamond"))
    assert ada.preview(opening)["play"]["points"] == 3
    assert ada.play(opening)["play"] == {
        "points": 3,
        "bonus": 0,
        "drew": [],
        "lines": [
            {
                "cells": [{"x": 0, "y": 0}, {"x": 1, "y": 0}, {"x": 2, "y": 0}],
                "points": 3,
                "qwirkle": False,
            }
        ],
    }
    legal = ben.legal_plays(sort="points", limit=1)
    assert (len(legal["plays"]), legal["may_pass"]) == (1, False)
    assert ben.unseen()["total"] == 1
    assert ben.play(legal["plays"][0]["placements"])["game"]["status"] == "finished"
    assert [player["score"] for player in host.score()["players"]] == [3, 10]
    assert [turn["number"] for turn in host.score(after=1, limit=1)["turns"]] == [2]
    page = host.events(after=1, limit=2)
    assert ([event["n"] for event in page["events"]], page["last"]) == ([2, 3], 5)
    record = host.record()
    assert qwirkle.verify(record)["ok"]
    assert qwirkle.verify(record | {"seats": 3})["problem"]["code"]
    assert host.board_svg(size=200, theme="dark").startswith("<svg")
    assert host.board_png(size=64)[:4] == b"\x89PNG"
    again = ada.rematch()
    assert ben.rematch()["game"]["id"] == again["game"]["id"] != ada.id
    host.delete()
    with pytest.raises(NotFound) as refused:
        host.view()
    assert refused.value.code == "game_not_found"


def test_seats_are_taken_and_given_up(qwirkle: Any) -> None:
    created = qwirkle.create_game(seats=2, private=True, edition="travel", turn_seconds=60)
    host = qwirkle.game(created["game"]["id"], created["host_token"])
    with pytest.raises(Forbidden, match="join_code_wrong"):
        qwirkle.game(host.id).join("Eve")
    taken = qwirkle.game(host.id).join("Eve", age=9, join_code=created["join_code"])
    eve = qwirkle.game(host.id, taken["token"])
    assert eve.resign()["game"]["players"] == []
    assert host.view()["host"]["join_code"] == created["join_code"]
    by_code = qwirkle.join(created["join_code"], "Fay", age=12, ref="user-3", entropy="dice")
    assert by_code["game"]["id"] == host.id
    assert host.view()["host"]["players"] == [{"seat": 0, "ref": "user-3"}]
    with pytest.raises(NotFound, match="join_code_unknown"):
        qwirkle.join("AAAA-AAAA", "Gil")


def test_a_turn_is_exchanged_or_passed(qwirkle: Any) -> None:
    host, ada, _ = seated(
        qwirkle,
        setup={
            "board": laid((0, 0, "red-circle")),
            "hands": [tiles_of("bs b* bd bc bx gs"), tiles_of("bs b* bd bc bx gs")],
            "bag": tiles_of("yo"),
        },
    )
    assert ada.exchange(["blue-square"])["exchange"] == {"count": 1, "drew": ["yellow-circle"]}
    fork = host.fork(1)
    assert fork["game"]["version"] == 1
    _, carl, _ = seated(
        qwirkle,
        setup={
            "board": laid((0, 0, "red-circle")),
            "hands": [tiles_of("bs"), tiles_of("rs bd")],
            "bag": [],
        },
    )
    assert carl.pass_()["game"]["turn"]["seat"] == 1


def test_a_renewed_token_is_used_from_then_on(qwirkle: Any) -> None:
    host, ada, _ = seated(qwirkle, seed="renewal")
    before = ada.token
    assert ada.renew_token()["token"] == ada.token != before
    assert ada.view()["you"]["seat"] == 0
    with pytest.raises(TokenRefused):
        qwirkle.game(ada.id, before).view()
    theirs = host.renew_token(seat=0)
    assert host.view()["host"] is not None
    with pytest.raises(TokenRefused, match="token_invalid"):
        ada.hand()
    assert qwirkle.game(ada.id, theirs["token"]).view()["you"]["seat"] == 0


def test_the_service_tells_about_itself(qwirkle: Any) -> None:
    assert next(each["id"] for each in qwirkle.editions()["editions"]) == "schmidt"
    assert qwirkle.check_liveness()["status"] == "ok"
    assert qwirkle.check_readiness()["status"] == "ok"
    assert "qwirkle_games_created_total" in qwirkle.metrics()
    assert yaml.safe_load(qwirkle.contract_yaml()) == qwirkle.contract()


def test_a_write_can_insist_on_the_version_that_was_seen(qwirkle: Any) -> None:
    _, ada, ben = seated(qwirkle, setup=OPENING)
    ada.view()
    seen = ada.etag
    ben.bid(2)
    with pytest.raises(StaleVersion):
        ada.bid(3, if_match=seen)
    ada.view()
    assert ada.bid(3, if_match=ada.etag)["game"]["status"] == "playing"
    with pytest.raises(StaleVersion):
        ada.resign(if_match=seen)


def test_broken_rules_are_told_with_their_cells(qwirkle: Any) -> None:
    _, ada, _ = seated(
        qwirkle,
        setup={
            "board": laid((0, 0, "red-circle"), (1, 0, "red-square")),
            "hands": [tiles_of("bd gs"), tiles_of("bs")],
            "bag": [],
        },
    )
    with pytest.raises(Refused) as refused:
        ada.preview(laid((2, 0, "blue-diamond")))
    error = refused.value
    assert (error.status, error.code) == (422, "line_mixed")
    assert error.violations[0]["cells"] == [{"x": 0, "y": 0}, {"x": 1, "y": 0}, {"x": 2, "y": 0}]
    assert error.request_id == error.problem["request_id"]
    assert error.errors == []
    assert error.title
    assert error.detail in str(error)


def test_every_fault_of_a_malformed_request_is_told(qwirkle: Any) -> None:
    with pytest.raises(MalformedRequest) as refused:
        qwirkle.create_game(seats=9, hints="yes")
    error = refused.value
    assert {each["pointer"] for each in error.errors} == {"/seats", "/hints"}
    assert "/seats" in str(error)
    assert error.violations == []


def test_what_is_not_possible_now_is_a_conflict(qwirkle: Any) -> None:
    _, ada, _ = seated(qwirkle)
    with pytest.raises(Conflict, match="wrong_phase"):
        ada.pass_()
    with pytest.raises(Forbidden, match="host_only"):
        ada.deal()


def test_texts_come_in_the_language_that_the_headers_ask_for(
    connect: Connect, valkey_server: QwirkleServer
) -> None:
    german = connect(valkey_server.base_url, headers={"Accept-Language": "de"})
    with pytest.raises(NotFound, match="Spiel"):
        german.game("a" * 26).view()


def test_an_api_key_is_sent_to_create_games(connect: Connect, kept_qwirkle: Any) -> None:
    server = kept_qwirkle(QWIRKLE_API_KEYS="acme:" + "k" * 20)
    created = connect(server.base_url, api_key="k" * 20).create_game(seats=2)
    nobody = connect(server.base_url)
    assert nobody.game(created["game"]["id"]).view()["seats"] == 2
    with pytest.raises((Forbidden, TokenRefused)):
        nobody.create_game(seats=2)


def test_two_who_want_to_play_meet(qwirkle: Any) -> None:
    turn_seconds = 7723 + len(type(qwirkle).__name__)
    ada = qwirkle.match("Ada", 2, turn_seconds=turn_seconds, age=9, ref="user-1")
    shown = qwirkle.lobby(seats=2, edition="schmidt", limit=100)["games"]
    assert [each["names"] for each in shown if each["id"] == ada["game"]["id"]] == [["Ada"]]
    ben = qwirkle.match("Ben", 2, turn_seconds=turn_seconds, entropy="dice")
    assert (ben["game"]["id"], ada["seat"], ben["seat"]) == (ada["game"]["id"], 0, 1)


def test_a_tenant_lists_its_games(connect: Connect, kept_qwirkle: Any) -> None:
    server = kept_qwirkle(QWIRKLE_API_KEYS="acme:" + "k" * 20)
    tenant = connect(server.base_url, api_key="k" * 20)
    ref = f"listed by {type(tenant).__name__}"
    players = [{"name": "Ada", "ref": ref}, {"name": "Ben"}]
    ids = [tenant.create_game(players=players)["game"]["id"] for _ in range(2)]
    first = tenant.games(ref=ref, status="waiting", limit=1)
    rest = tenant.games(ref=ref, status="waiting", limit=1, cursor=first["next"])
    assert [page["games"][0]["id"] for page in (first, rest)] == ids[::-1]
    assert rest["next"] is None
    with pytest.raises(Forbidden, match="api_key_required"):
        connect(server.base_url).games()


def test_a_tenant_reads_its_feed(connect: Connect, kept_qwirkle: Any) -> None:
    server = kept_qwirkle(QWIRKLE_API_KEYS="acme:" + "k" * 20)
    tenant = connect(server.base_url, api_key="k" * 20)
    start = tenant.feed(after="now")["last"]
    made = tenant.create_game(seats=2)["game"]["id"]
    page = tenant.feed(after=start, wait=10)
    assert [(each["type"], each["game_id"]) for each in page["events"]] == [("created", made)]
    assert tenant.feed(after=page["last"], limit=5)["events"] == []


def test_secrets_stand_in_no_repr_and_no_error(qwirkle: Any) -> None:
    secret = "qwp_0_" + "s" * 43
    game = qwirkle.game("a" * 26, secret)
    assert secret not in repr(game)
    assert game.url in repr(game)
    with pytest.raises(NotFound) as refused:
        game.view()
    assert secret not in str(refused.value) + repr(refused.value)
    with pytest.raises(ValueError, match="visible") as wrong:
        qwirkle.game("a" * 26, secret + "\n")
    assert secret not in str(wrong.value)


def test_a_url_that_is_not_one_is_refused_at_once(connect: Connect) -> None:
    for url in ("", "127.0.0.1:8000", "ftp://example.org", "http://", "http:///path"):
        with pytest.raises(ValueError, match="http"):
            connect(url)
    for url in ("http://127.0.0.1:99999", "http://127.0.0.1:port", "http://[::1", "http://a\x00b"):
        with pytest.raises(ValueError, match="valid"):
            connect(url)


def test_the_url_of_a_game_is_taken_apart() -> None:
    game_id = "abcdefghijklmnopqrstuvwxyz"
    for base in ("http://127.0.0.1:8000", "https://example.org/games/here"):
        for end in ("", "/"):
            assert split_game_url(f"{base}/v1/games/{game_id}{end}") == (base, game_id)
    for wrong in ("", game_id, "http://example.org", f"http://example.org/v1/games/{game_id}?a=b"):
        with pytest.raises(ValueError, match="not the URL of a game"):
            split_game_url(wrong)

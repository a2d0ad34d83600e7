"""Every code of the contract is one that the service really answers with."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.api.client import Answer, Client
from tests.api.positions import BAG, HAND, OTHER, at_the_bids, finished, in_play, waiting
from tests.contract.document import problems, resolved

Scene = Callable[[Client], Answer]
SCENES: dict[str, Scene] = {}
# These need a server of their own; each stands in the file named.
ELSEWHERE = {
    "api_key_required": "test_authorisation.py",
    "game_too_long": "test_long_games.py",
    "rate_limited": "test_rates.py",
    "request_in_flight": "test_concurrency.py",
    "store_unavailable": "test_store_faults.py",
    "store_damaged": "../faults/test_damage.py",
    "streams_full": "test_rates.py",
}
# A failure of the service itself: no request is known that leads to one.
NEVER = {"internal_error"}
NO_GAME = "a" * 26


def produces(code: str) -> Callable[[Scene], Scene]:
    """Registers what leads to a refusal with this code."""

    def register(scene: Scene) -> Scene:
        assert code not in SCENES
        SCENES[code] = scene
        return scene

    return register


def of_a_play(text: str, board: str = "ro rs", hand: str = HAND, bag: str = BAG) -> Scene:
    return lambda client: client.position(board, hand, OTHER, bag=bag).play(0, text)


# What each code needs

SCENES |= {
    "tiles_not_in_hand": of_a_play("rx@2,0"),
    "cell_occupied": of_a_play("rd@1,0"),
    "cell_repeated": of_a_play("rd@2,0 bo@2,0"),
    "not_in_one_line": of_a_play("rd@2,0 bo@0,1"),
    "line_has_gap": of_a_play("rd@2,0 bo@5,0"),
    "not_touching": of_a_play("rd@5,5"),
    "line_too_long": of_a_play("ro@6,0", "ro rs rd r* rc rx", "ro bo y* gc px oo"),
    "line_repeats_tile": of_a_play("ro@2,0", hand="ro bo y* gc px oo"),
    "line_mixed": of_a_play("bo@2,0"),
    "exchange_exceeds_bag": lambda client: in_play(client, bag="gx").exchange(0, "rd bo"),
    "bag_empty": lambda client: in_play(client, bag="").exchange(0, "rd"),
    "must_play": lambda client: in_play(client, bag="").pass_turn(0),
    "must_exchange": lambda client: client.position(
        "ro", "bs yd g* pc ox bd", OTHER, bag=BAG
    ).pass_turn(0),
    "bid_too_high": lambda client: at_the_bids(client).bid(0, 4),
    "bid_too_low": lambda client: at_the_bids(client).bid(0, 2),
    "token_missing": lambda client: in_play(client).act(None, "passes"),
    "token_invalid": lambda client: in_play(client).act(None, "passes", token="qwp_0_wrong"),
    "hints_off": lambda client: in_play(client, hints=False).look(0, "/legal-plays"),
    "join_code_wrong": lambda client: waiting(client, private=True).join(),
    "join_code_unknown": lambda client: client.post(
        "/v1/joins", {"join_code": "AAAA-AAAA", "name": "Eve"}
    ),
    "game_not_found": lambda client: client.get(f"/v1/games/{NO_GAME}"),
    "not_found": lambda client: client.get("/v1/tables"),
    "method_not_allowed": lambda client: client.send("PUT", "/v1/games", {}),
    "wrong_phase": lambda client: finished(client).pass_turn(0),
    "not_your_turn": lambda client: in_play(client).pass_turn(1),
    "table_full": lambda client: in_play(client).join(),
    "seats_open": lambda client: waiting(client).deal(),
    "malformed_request": lambda client: client.post("/v1/games", b"{"),
    "stale_version": lambda client: in_play(client).play(0, "rd@2,0", match='"old"'),
    "body_too_large": lambda client: client.post("/v1/games", b" " * 70_000),
    "unsupported_media_type": lambda client: client.post(
        "/v1/games", b"{}", headers={"Content-Type": "text/plain"}
    ),
}


@produces("host_only")
def a_player_deals(client: Client) -> Answer:
    table = waiting(client)
    return table.deal(token=table.tokens[0])


@produces("not_forkable")
def the_host_forks_a_game_of_a_hidden_seed(client: Client) -> Answer:
    table = waiting(client)
    return table.act(None, "forks", {"after": 1}, token=table.host)


@produces("player_only")
def the_host_looks_at_a_hand(client: Client) -> Answer:
    table = in_play(client)
    return table.look(rest="/hand", token=table.host)


@produces("already_bid")
def one_player_bids_twice(client: Client) -> Answer:
    table = at_the_bids(client)
    table.bid(0, 3).ok(201)
    return table.bid(0, 3)


@produces("opening_not_longest")
def the_opener_lays_fewer_tiles_than_bid(client: Client) -> Answer:
    return at_the_bids(client, auto_bid=True).play(0, "ro@0,0 rs@1,0")


@produces("opening_off_centre")
def the_opener_lays_the_line_aside(client: Client) -> Answer:
    return at_the_bids(client, auto_bid=True).play(0, "ro@1,0 rs@2,0 rd@3,0")


@produces("must_open")
def the_opener_exchanges(client: Client) -> Answer:
    return at_the_bids(client, auto_bid=True).exchange(0, "ro")


@produces("seats_taken")
def the_host_takes_a_taken_seat_away(client: Client) -> Answer:
    return waiting(client, players=3, seats=4).update(seats=2)


@produces("setup_impossible")
def a_board_in_two_pieces(client: Client) -> Answer:
    board = [{"tile": "red-circle", "x": 0, "y": 0}, {"tile": "red-star", "x": 5, "y": 0}]
    return client.post("/v1/games", {"seats": 2, "setup": {"board": board}})


@produces("idempotency_key_reused")
def another_play_under_the_same_key(client: Client) -> Answer:
    table = in_play(client)
    table.play(0, "rd@2,0", key="k").ok(201)
    return table.play(0, "oo@0,1", key="k")


@pytest.mark.parametrize("code", [*SCENES])
def test_the_code_is_produced_with_its_status_and_a_sentence(code: str, client: Client) -> None:
    answer = SCENES[code](client)
    answer.refused(problems()[code]["status"], code)
    detail = answer.json["detail"]
    assert detail[0].isupper() or detail.startswith(("/", "header:", "query:")), detail
    assert detail.endswith("."), detail


def test_every_code_of_the_contract_is_produced() -> None:
    assert SCENES.keys() | ELSEWHERE.keys() | NEVER == set(codes_of_the_contract())
    for code, file in ELSEWHERE.items():
        text = (Path(__file__).parent / file).read_text()
        assert f'refused({problems()[code]["status"]}, "{code}")' in text


def codes_of_the_contract() -> Iterator[str]:
    yield from problems()
    stated = resolved()["components"]["schemas"]["Problem"]["properties"]["code"]
    assert set(stated["enum"]) == set(problems())


@pytest.mark.parametrize("path", ["/v1/games", "/v1/editions", "/livez", f"/v1/games/{NO_GAME}"])
@pytest.mark.parametrize("method", ["PUT", "TRACE", "PURGE"])
def test_a_refused_method_names_those_allowed(method: str, path: str, client: Client) -> None:
    answer = client.send(method, path).refused(405, "method_not_allowed")
    allowed = answer.headers["allow"].split(", ")
    assert method not in allowed
    assert set(allowed) <= {"GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"}
    for each in allowed:
        assert client.send(each, path).status != 405


NOTHING_THERE = """
/v1 /v1/ /v1/games/ /v2/games /favicon.ico /%00 /v1//games /v1/games/%2e%2e/passes/x
/v1/games/{id}/ /v1/games/{id}/throw /v1/games/{id}/Plays /docs/assets/../app.py
"""


@pytest.mark.parametrize("path", NOTHING_THERE.format(id=NO_GAME).split())
def test_an_unknown_route_is_a_problem_too(path: str, client: Client) -> None:
    client.get(path).refused(404, "not_found")


def test_all_broken_rules_are_named_in_a_fixed_order(client: Client) -> None:
    table = in_play(client)
    answers = [table.play(0, text) for text in ("bx@1,0 b*@3,1", "b*@3,1 bx@1,0")]
    for answer in answers:
        answer.refused(422, "tiles_not_in_hand")
        codes = [violation["code"] for violation in answer.json["violations"]]
        assert codes == ["tiles_not_in_hand", "cell_occupied", "not_in_one_line"]
    first, second = (answer.json["violations"] for answer in answers)
    assert first == second
    assert first[1]["cells"] == [{"x": 1, "y": 0}]
    assert first[1]["tiles"] == ["blue-cross"]

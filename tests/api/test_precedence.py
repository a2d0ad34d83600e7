"""Of several reasons to refuse a request, the first in the contract's order is given."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Any

import pytest

from tests.api.client import Answer, Client, Table
from tests.api.positions import in_play, waiting

PLAY = {"placements": [{"tile": "orange-circle", "x": 0, "y": 1}]}
BROKEN_RULE = {"placements": [{"tile": "red-circle", "x": 0, "y": 1}]}
USED = "used"


@dataclass(frozen=True)
class Request:
    """A play that is right in every part until something about it is spoiled."""

    table: str = "in play"
    caller: Callable[[Table], str | None] = lambda table: table.tokens[0]
    body: Any = field(default_factory=lambda: PLAY)
    query: str = ""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Flaw:
    """One reason to refuse; `level` is its place in the order, `part` what it spoils."""

    level: int
    status: int
    code: str
    part: str
    value: Any

    def spoil(self, request: Request) -> Request:
        if self.part in {"table", "caller", "body", "query"}:
            return replace(request, **{self.part: self.value})
        return replace(request, headers=(*request.headers, (self.part, self.value)))

    def __str__(self) -> str:
        return f"{self.code} by {self.part}"


FLAWS = [
    Flaw(0, 404, "game_not_found", "table", "none"),
    Flaw(1, 401, "token_missing", "caller", lambda _: None),
    Flaw(1, 401, "token_invalid", "caller", lambda _: "wrong"),
    Flaw(1, 401, "token_invalid", "caller", lambda _: ""),
    Flaw(2, 403, "player_only", "caller", lambda table: table.host),
    Flaw(3, 413, "body_too_large", "body", b" " * 70_000),
    Flaw(4, 415, "unsupported_media_type", "Content-Type", "text/plain"),
    Flaw(5, 400, "malformed_request", "body", b"{"),
    Flaw(5, 400, "malformed_request", "query", "?stray=1"),
    Flaw(5, 400, "malformed_request", "Idempotency-Key", "k" * 256),
    Flaw(6, 422, "idempotency_key_reused", "Idempotency-Key", USED),
    Flaw(7, 412, "stale_version", "If-Match", '"stale"'),
    Flaw(8, 409, "wrong_phase", "table", "finished"),
    Flaw(9, 409, "not_your_turn", "caller", lambda table: table.tokens[1]),
    Flaw(10, 422, "tiles_not_in_hand", "body", BROKEN_RULE),
]
PAIRS = [
    (first, second)
    for first, second in combinations(FLAWS, 2)
    if first.level < second.level and first.part != second.part
]


def played_twice(client: Client) -> Table:
    """A game in which both players have used the same idempotency key."""
    table = in_play(client)
    table.play(0, "rd@2,0", key=USED).ok(201)
    table.play(1, "rc@3,0", key=USED).ok(201)
    return table


@pytest.fixture(scope="module")
def tables(client: Client) -> dict[str, Table]:
    """Games that no test changes, and one that is none."""
    found = {}
    for name in ("in play", "finished", "none"):
        found[name] = played_twice(client)
    found["finished"].resign(1).ok(201)
    found["none"].delete().ok(204)
    return found


def send(request: Request, tables: dict[str, Table], what: str = "/plays") -> Answer:
    table = tables[request.table]
    path = table.path(what + request.query)
    token = request.caller(table)
    return table.client.post(path, request.body, token=token, headers=dict(request.headers))


@pytest.mark.parametrize("flaw", FLAWS, ids=str)
def test_one_flaw_alone_is_refused_for_itself(flaw: Flaw, tables: dict[str, Table]) -> None:
    send(flaw.spoil(Request()), tables).refused(flaw.status, flaw.code)
    assert tables["in play"].version == 3, "a refusal has changed something"


def test_of_two_flaws_the_earlier_is_told(tables: dict[str, Table]) -> None:
    assert len(PAIRS) > 60
    for first, second in PAIRS:
        for one, other in ((first, second), (second, first)):
            request = other.spoil(one.spoil(Request()))
            answer = send(request, tables)
            assert (answer.status, answer.code) == (first.status, first.code), f"{one}, {other}"
    assert tables["in play"].version == 3, "a refusal has changed something"


def test_without_a_flaw_it_is_carried_out(client: Client) -> None:
    send(Request(), {"in play": played_twice(client)}).ok(201)


# Flaws that other operations have


def test_a_malformed_header_does_not_hide_that_there_is_no_game(tables: dict[str, Table]) -> None:
    gone = tables["none"]
    header = {"Authorization": "Basic x"}
    for method, rest in product(("GET",), ("", "/score", "/hand", "/legal-plays", "/unseen")):
        answer = gone.client.send(method, gone.path(rest), headers=header)
        answer.refused(404, "game_not_found")
    gone.client.send("DELETE", gone.path(), headers=header).refused(404, "game_not_found")
    for what in ("plays/preview", "players", "deal", "passes"):
        gone.act(None, what, b"{", headers=header).refused(404, "game_not_found")


def test_a_wrong_join_code_comes_before_a_stale_version_and_a_full_table(client: Client) -> None:
    table = waiting(client, seats=2, players=2, private=True)
    wrong = {"body": {"join_code": "wrong"}}
    table.join(match='"stale"', **wrong).refused(403, "join_code_wrong")
    table.join(key="short", **wrong).refused(403, "join_code_wrong")
    table.join(**wrong).refused(403, "join_code_wrong")
    right = {"body": {"join_code": table.join_code}}
    table.join(match='"stale"', **right).refused(412, "stale_version")
    table.join(**right).refused(409, "table_full")


def test_a_malformed_body_comes_before_a_wrong_join_code_which_it_would_hold(
    client: Client,
) -> None:
    table = waiting(client, private=True)
    table.act(None, "players", {"name": ""}).refused(400, "malformed_request")


def test_hints_off_comes_before_a_malformed_query(client: Client) -> None:
    table = in_play(client, hints=False)
    table.look(0, "/legal-plays?limit=x").refused(403, "hints_off")
    table.look(rest="/legal-plays?limit=x", token=table.host).refused(403, "player_only")


def test_a_stale_version_comes_before_open_seats(client: Client) -> None:
    table = waiting(client)
    table.deal(match='"stale"').refused(412, "stale_version")
    table.deal(match="*").refused(409, "seats_open")


def test_the_phase_comes_before_what_was_already_bid(client: Client) -> None:
    table = in_play(client)
    table.bid(0, 6).refused(409, "wrong_phase")


def test_a_preview_is_refused_in_the_same_order(tables: dict[str, Table]) -> None:
    for first, second in PAIRS:
        if "not_your_turn" in (first.code, second.code):
            continue  # a preview may be out of turn
        for one, other in ((first, second), (second, first)):
            answer = send(other.spoil(one.spoil(Request())), tables, "/plays/preview")
            assert (answer.status, answer.code) == (first.status, first.code), f"{one}, {other}"


def test_a_missing_api_key_comes_before_whatever_is_wrong_with_the_body(
    keyed: Client,
) -> None:
    for body in (b"{", b" " * 70_000):
        keyed.post("/v1/games", body).refused(403, "api_key_required")
        keyed.post("/v1/games", body, token="x").refused(401, "token_invalid")
        header = {"Content-Type": "text/plain"}
        keyed.post("/v1/games", body, headers=header).refused(403, "api_key_required")

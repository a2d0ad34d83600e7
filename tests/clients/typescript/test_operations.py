"""Every operation of the contract has its method, which asks and answers as the contract says."""

import base64
from collections.abc import Callable
from typing import Any

import pytest

from tests.api.client import Client, Table, tiles_of
from tests.api.positions import at_the_bids, finished, in_play, waiting
from tests.clients.http_proxy import HttpProxy
from tests.clients.typescript.node_client import ClientError, NodeClient, NodeGame
from tests.contract.document import operations

PLAY = [{"tile": "red-diamond", "x": 2, "y": 0}]
FOR_PEOPLE = {"readTablePage", "readReference", "readProblems"}

Seat = int | str | None
Method = tuple[Callable[..., Table], Seat, str, list[Any]]


def stuck(api: Client) -> Table:
    """Seat 0 has nothing to do but to pass."""
    return api.position("ro", "bs", "rs bd")


# Where to start from, who calls, the method, and its arguments before the options.
METHODS: dict[str, Method] = {
    "getGame": (in_play, 0, "view", []),
    "deleteGame": (in_play, "host", "delete", []),
    "updateGame": (waiting, "host", "update", [{"seats": 4, "metadata": {"a": 1}}]),
    "addBot": (waiting, "host", "addBot", [{"bot": "greedy"}]),
    "removePlayer": (waiting, "host", "removePlayer", [1]),
    "takeSeat": (waiting, None, "join", [{"name": "Eve"}]),
    "deal": (lambda api: waiting(api, seats=2), "host", "deal", ["dice"]),
    "bid": (at_the_bids, 0, "bid", [3]),
    "play": (in_play, 0, "play", [PLAY]),
    "previewPlay": (in_play, 0, "preview", [PLAY]),
    "exchange": (in_play, 0, "exchange", [["red-diamond"]]),
    "passTurn": (stuck, 0, "pass", []),
    "resign": (in_play, 0, "resign", []),
    "rematch": (finished, 0, "rematch", ["dice"]),
    "renewToken": (in_play, 0, "renewToken", [None]),
    "forkGame": (in_play, "host", "fork", [1]),
    "getScore": (in_play, None, "score", [{"limit": 5}]),
    "getEvents": (in_play, 0, "events", [{"after": 0, "limit": 7}]),
    "getHand": (in_play, 0, "hand", []),
    "listLegalPlays": (in_play, 0, "legalPlays", [{"limit": 2, "sort": "points"}]),
    "countUnseen": (in_play, 0, "unseen", []),
    "getRecord": (in_play, None, "record", []),
    "getBoardSvg": (in_play, None, "boardSvg", [{"size": 300}]),
    "getBoardPng": (in_play, None, "boardPng", [{"theme": "dark"}]),
}
SERVICE: dict[str, tuple[str, list[Any]]] = {
    "createGame": ("createGame", [{"players": [{"name": "Ada"}, {"name": "Ben"}]}]),
    "listEditions": ("editions", []),
    "checkLiveness": ("checkLiveness", []),
    "checkReadiness": ("checkReadiness", []),
    "getMetrics": ("metrics", []),
    "getContractYaml": ("contractYaml", []),
    "getContractJson": ("contract", []),
}
ELSEWHERE = {
    "streamEvents": "test_follow.py",
    "listGames": "test_a_tenant_lists_its_games",
    "getFeed": "test_a_tenant_reads_its_feed",
    "streamFeed": "test_a_tenant_reads_its_feed",  # by long polls
    "joinByCode": "test_a_seat_is_taken_by_code",
    "listOpenTables": "test_two_who_want_to_play_meet",
    "matchPlayer": "test_two_who_want_to_play_meet",
    "verifyRecord": "test_a_record_is_verified",
}


def test_no_operation_is_missing() -> None:
    offered = METHODS.keys() | SERVICE.keys() | ELSEWHERE.keys()
    assert offered == {each.name for each in operations()} - FOR_PEOPLE


def as_seen_by(client: NodeClient, table: Table, who: Seat) -> NodeGame:
    token = table.host if who == "host" else None if who is None else table.tokens[int(who)]
    return client.game(table.id, token)


def path_of(operation: str) -> tuple[str, str]:
    (found,) = (each for each in operations() if each.name == operation)
    return found.method.upper(), found.path


@pytest.mark.parametrize("operation", METHODS)
def test_an_operation_of_a_game(
    client: NodeClient, proxy: HttpProxy, api: Client, operation: str
) -> None:
    prepare, who, method, args = METHODS[operation]
    table = prepare(api)
    answer = as_seen_by(client, table, who).call(method, *args)
    verb, path = path_of(operation)
    (seen,) = proxy.seen
    assert seen.line.partition("?")[0] == f"{verb} {path.format(game_id=table.id, seat=1)}"
    assert ("authorization" in seen.headers) == (who is not None)
    acts = verb != "GET" and operation not in ("previewPlay", "deleteGame")
    assert (seen.key is not None) == acts
    if seen.key is not None:
        assert len(seen.key) == 32
    if verb == "GET" and isinstance(answer, dict):
        token = seen.headers.get("authorization", "").removeprefix("Bearer ") or None
        line = seen.line.removeprefix("GET ")
        assert answer == api.get(line, token=token).ok(200).json
    elif acts and answer and "game" in answer:
        assert answer["game"]["id"]


@pytest.mark.parametrize("operation", SERVICE)
def test_an_operation_of_the_service(client: NodeClient, proxy: HttpProxy, operation: str) -> None:
    method, args = SERVICE[operation]
    assert client.call(method, *args)
    verb, path = path_of(operation)
    assert [each.line for each in proxy.seen] == [f"{verb} {path}"]


def test_queries_arrive(client: NodeClient, proxy: HttpProxy, table: Table) -> None:
    game = client.game(table.id, table.tokens[0])
    plays = game.call("legalPlays", {"limit": 1, "sort": "points"})
    assert (len(plays["plays"]), plays["count"] > 1) == (1, True)
    assert game.call("events", {"after": 0, "limit": 1, "wait": None})["last"] == 1
    assert proxy.seen[-1].line.endswith("/events?after=0&limit=1")


def test_pictures_come_as_text_and_as_bytes(client: NodeClient, table: Table) -> None:
    game = client.game(table.id)
    assert game.call("boardSvg", {}).startswith("<svg")
    assert base64.b64decode(game.call("boardPng", {})).startswith(b"\x89PNG")


def test_a_record_is_verified(client: NodeClient, api: Client) -> None:
    record = client.game(finished(api).id).call("record")
    assert client.call("verify", record)["ok"]
    assert client.call("verify", record | {"seed": "00" * 32})["problem"]["code"]


def test_a_bid_may_show_its_tiles(client: NodeClient, api: Client) -> None:
    table = at_the_bids(api)
    answer = client.game(table.id, table.tokens[0]).call("bid", tiles_of("ro rs rd"))
    assert answer["bid"] == {"seat": 0, "length": 3}


def test_a_renewed_token_is_used_from_then_on(
    client: NodeClient, proxy: HttpProxy, open_client: Callable[..., NodeClient], table: Table
) -> None:
    player = client.game(table.id, table.tokens[0])
    renewed = player.call("renewToken", None)
    assert renewed["token"] != table.tokens[0]
    assert player.call("hand")["seat"] == 0
    with pytest.raises(ClientError, match="TokenRefused"):
        open_client(proxy.base_url).game(table.id, table.tokens[0]).call("hand")


def test_an_unchanged_game_is_not_sent_again(
    client: NodeClient, proxy: HttpProxy, table: Table
) -> None:
    game = client.game(table.id, table.tokens[0])
    first = game.call("view")
    assert game.call("view") == first
    assert proxy.seen[1].headers["if-none-match"]
    # The answer to an action is a view too.
    after = game.call("play", PLAY)["game"]
    assert game.call("view") == after == table.view(0)
    assert proxy.seen[-1].headers["if-none-match"] != proxy.seen[1].headers["if-none-match"]


def test_an_action_on_a_game_that_has_changed_is_refused_if_wanted(
    client: NodeClient, table: Table
) -> None:
    look = client.game(table.id, table.tokens[0]).start("view")
    look.result()
    table.play(0, "rd@2,0").ok(201)
    game = client.game(table.id, table.tokens[0])
    for method, token in (("resign", table.tokens[0]), ("delete", table.host)):
        with pytest.raises(ClientError) as refused:
            client.game(table.id, token).call(method, ifMatch=look.etag)
        assert (refused.value.name, refused.value.code) == ("StaleVersion", "stale_version")
    assert game.call("view")["status"] == "playing"


def test_a_refusal_says_what_is_wrong(client: NodeClient, table: Table) -> None:
    player = client.game(table.id, table.tokens[0])
    with pytest.raises(ClientError) as refused:
        player.call("play", [{"tile": "blue-circle", "x": 2, "y": 0}])
    error = refused.value
    assert (error.name, error.code, error.status) == ("Refused", "line_mixed", 422)
    (violation,) = error.violations
    assert violation["cells"]
    assert (error.errors, error.transient, error.attempts) == ([], False, 1)
    assert error.requestId
    with pytest.raises(ClientError) as malformed:
        player.call("exchange", ["red-hat"])
    assert (malformed.value.name, malformed.value.code) == ("MalformedRequest", "malformed_request")
    assert malformed.value.errors[0]["pointer"] == "/tiles/0"


def test_a_seat_is_taken_by_code(client: NodeClient, api: Client) -> None:
    table = waiting(api)
    joined = client.call("join", {"join_code": table.join_code, "name": "Eve", "ref": "user-3"})
    assert (joined["seat"], joined["game"]["id"]) == (2, table.id)
    assert client.game(table.id, joined["token"]).call("view")["you"]["seat"] == 2
    with pytest.raises(ClientError) as refused:
        client.call("join", {"join_code": "AAAA-AAAA", "name": "Eve"})
    assert refused.value.code == "join_code_unknown"


def test_two_who_want_to_play_meet(client: NodeClient, proxy: HttpProxy) -> None:
    wish = {"seats": 2, "turn_seconds": 7717}
    ada = client.call("match", {"name": "Ada", **wish})
    shown = client.call("lobby", {"seats": 2, "limit": 100})["games"]
    assert [each["names"] for each in shown if each["id"] == ada["game"]["id"]] == [["Ada"]]
    ben = client.call("match", {"name": "Ben", **wish})
    assert (ben["game"]["id"], ada["seat"], ben["seat"]) == (ada["game"]["id"], 0, 1)
    sent = [each for each in proxy.seen if each.line.startswith("POST")]
    assert all(each.key and len(each.key) == 32 for each in sent)


def test_problems_come_in_the_language_that_was_asked_for(
    open_client: Callable[..., NodeClient], proxy: HttpProxy, table: Table
) -> None:
    client = open_client(proxy.base_url, options={"headers": {"Accept-Language": "de"}})
    with pytest.raises(ClientError, match="nicht"):
        client.game(table.id, table.tokens[1]).call("pass")


def test_a_tenant_lists_its_games(
    open_client: Callable[..., NodeClient], kept_qwirkle: Callable[..., Any]
) -> None:
    server = kept_qwirkle(QWIRKLE_API_KEYS="acme:a-key-of-some-length")
    tenant = open_client(server.base_url, options={"apiKey": "a-key-of-some-length"})
    players = [{"name": "Ada", "ref": "listed-by-node"}, {"name": "Ben"}]
    ids = [tenant.call("createGame", {"players": players})["game"]["id"] for _ in range(2)]
    query = {"ref": "listed-by-node", "status": "waiting", "limit": 1}
    first = tenant.call("games", query)
    rest = tenant.call("games", query | {"cursor": first["next"]})
    assert [page["games"][0]["id"] for page in (first, rest)] == ids[::-1]
    assert rest["next"] is None
    with pytest.raises(ClientError) as refused:
        open_client(server.base_url).call("games")
    assert refused.value.code == "api_key_required"


def test_a_tenant_reads_its_feed(
    open_client: Callable[..., NodeClient], kept_qwirkle: Callable[..., Any]
) -> None:
    server = kept_qwirkle(QWIRKLE_API_KEYS="acme:a-key-of-some-length")
    tenant = open_client(server.base_url, options={"apiKey": "a-key-of-some-length"})
    start = tenant.call("feed", {"after": "now"})["last"]
    made = tenant.call("createGame", {"seats": 2})["game"]["id"]
    page = tenant.call("feed", {"after": start, "wait": 10})
    assert [(each["type"], each["game_id"]) for each in page["events"]] == [("created", made)]
    assert tenant.call("feed", {"after": page["last"], "limit": 5})["events"] == []


def test_an_api_key_opens_a_closed_service(
    open_client: Callable[..., NodeClient], kept_qwirkle: Callable[..., Any]
) -> None:
    server = kept_qwirkle(QWIRKLE_API_KEYS="acme:a-key-of-some-length")
    body = {"players": [{"name": "Ada"}, {"name": "Ben"}]}
    with pytest.raises(ClientError) as refused:
        open_client(server.base_url).call("createGame", body)
    assert (refused.value.name, refused.value.code) == ("Forbidden", "api_key_required")
    holder = open_client(server.base_url, options={"apiKey": "a-key-of-some-length"})
    assert holder.call("createGame", body)["host_token"]

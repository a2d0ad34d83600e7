"""Lost answers, refused connections and busy servers: an action happens once, or is refused."""

import json
import logging
from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest

from qwirkle_client import (
    Conflict,
    NoAnswer,
    NotFound,
    QwirkleError,
    RateLimited,
    ServiceUnavailable,
    UnexpectedAnswer,
)
from qwirkle_client._request import Request, json_of
from tests.api.client import tiles_of
from tests.clients.http_proxy import Answer, Fault, HttpProxy
from tests.clients.python.clients import Connect
from tests.clients.python.games import OPENING, in_play, laid, seated
from tests.servers import QwirkleServer

ACTIONS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "create": ("/v1/games", lambda qwirkle: qwirkle.create_game(seats=2)),
    "join": ("/players", lambda qwirkle: qwirkle.game(open_game(qwirkle)).join("Eve")),
    "deal": ("/deal", lambda qwirkle: seated(qwirkle)[0].deal()),
    "bid": ("/bids", lambda qwirkle: seated(qwirkle, setup=OPENING)[1].bid(3)),
    "play": ("/plays", lambda qwirkle: in_play(qwirkle)[1].play(laid((2, 0, "red-diamond")))),
    "exchange": ("/exchanges", lambda qwirkle: in_play(qwirkle)[1].exchange(tiles_of("rd"))),
    "pass": ("/passes", lambda qwirkle: stuck(qwirkle).pass_()),
    "resign": ("/resignations", lambda qwirkle: in_play(qwirkle)[1].resign()),
    "renew": ("/tokens", lambda qwirkle: in_play(qwirkle)[1].renew_token()),
    "fork": ("/forks", lambda qwirkle: in_play(qwirkle)[0].fork(1)),
    "rematch": ("/rematch", lambda qwirkle: finished(qwirkle).rematch()),
}


def open_game(qwirkle: Any) -> str:
    game_id: str = qwirkle.create_game(seats=2)["game"]["id"]
    return game_id


def stuck(qwirkle: Any) -> Any:
    """A player who has nothing to do but to pass."""
    hands = [tiles_of("bs"), tiles_of("rs bd")]
    setup = {"board": laid((0, 0, "red-circle")), "hands": hands, "bag": []}
    return seated(qwirkle, setup=setup)[1]


def finished(qwirkle: Any) -> Any:
    _, ada, ben = in_play(qwirkle)
    ben.resign()
    return ada


@pytest.mark.parametrize("fault", [Fault.LOSE, Fault.TRUNCATE, Fault.CUT])
@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_whose_answer_is_lost_happens_once(
    shaky: Any, proxy: HttpProxy, action: str, fault: Fault
) -> None:
    path, act = ACTIONS[action]
    line = f"POST (/v1/games/[a-z2-7]{{26}})?{path}"
    trouble = proxy.trouble(line, fault, times=2)
    # What comes before the action is sent through the same proxy, but is another operation.
    answer = act(shaky)
    assert trouble.over
    tries = proxy.asked(line)[-3:]
    assert len({each.key for each in tries}) == 1
    assert len({each.line for each in tries}) == 1
    game = answer.get("game")
    if action in {"deal", "bid", "play", "exchange", "pass", "resign"}:
        assert (game or answer)["version"] == 2
    if action == "join":
        assert [player["name"] for player in game["players"]] == ["Eve"]


def test_each_action_has_a_key_of_its_own(shaky: Any, proxy: HttpProxy) -> None:
    _, ada, ben = in_play(shaky)
    ada.exchange(tiles_of("rd"))
    ben.exchange(tiles_of("rc"))
    ada.exchange(tiles_of("bo"), idempotency_key="of-my-own")
    keys = [each.key for each in proxy.asked("POST .*/exchanges")]
    assert len(set(keys)) == 3
    assert keys[2] == "of-my-own"


def test_a_delete_whose_answer_is_lost_has_succeeded(shaky: Any, proxy: HttpProxy) -> None:
    host, *_ = in_play(shaky)
    proxy.trouble("DELETE .*", Fault.LOSE)
    assert host.delete() is None
    assert len(proxy.asked("DELETE .*")) == 2
    with pytest.raises(NotFound):
        host.delete()


@pytest.mark.parametrize("status", [429, 503])
def test_the_pause_that_the_service_asks_for_is_kept(
    shaky: Any, proxy: HttpProxy, status: int
) -> None:
    proxy.trouble("GET /v1/editions", Answer(status, headers={"Retry-After": "1"}), times=2)
    began = monotonic()
    assert shaky.editions()["colours"]
    assert monotonic() - began >= 2
    assert len(proxy.asked("GET .*")) == 3


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_refusal_that_may_pass_is_tried_again(shaky: Any, proxy: HttpProxy, status: int) -> None:
    proxy.trouble("POST /v1/games", Answer(status))
    assert shaky.create_game(seats=2)["game"]["status"] == "waiting"


def test_an_action_that_is_still_in_progress_elsewhere_is_tried_again(
    shaky: Any, proxy: HttpProxy
) -> None:
    problem = json.dumps({"code": "request_in_flight", "detail": "not yet"}).encode()
    proxy.trouble("POST /v1/games", Answer(409, problem))
    assert shaky.create_game(seats=2)["game"]["status"] == "waiting"
    proxy.trouble("POST /v1/games", Answer(409, problem.replace(b"request_in_flight", b"other")))
    with pytest.raises(Conflict):
        shaky.create_game(seats=2)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 412, 413, 415, 418, 422])
def test_a_refusal_that_stays_is_not_tried_again(shaky: Any, proxy: HttpProxy, status: int) -> None:
    proxy.trouble("GET /v1/editions", Answer(status))
    with pytest.raises(QwirkleError, match=str(status)):
        shaky.editions()
    assert len(proxy.asked("GET .*")) == 1


def test_a_pause_beyond_all_patience_is_not_waited_for(connect: Connect, proxy: HttpProxy) -> None:
    client = connect(proxy.base_url, patience=5)
    proxy.trouble("GET /v1/editions", Answer(429, headers={"Retry-After": "60"}))
    with pytest.raises(RateLimited) as refused:
        client.editions()
    assert (refused.value.retry_after, len(proxy.seen)) == (60, 1)
    late = {"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}
    proxy.trouble("GET /v1/editions", Answer(503, headers=late))
    with pytest.raises(ServiceUnavailable) as away:
        client.editions()
    assert away.value.retry_after == 86_400


def test_a_service_that_stays_away_is_given_up_in_time(
    connect: Connect, proxy: HttpProxy, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "qwirkle_client")
    proxy.trouble("GET .*", Fault.CUT, times=1000)
    began = monotonic()
    with pytest.raises(NoAnswer) as gone:
        connect(proxy.base_url, patience=2).editions()
    assert gone.value.__cause__ is not None
    assert monotonic() - began < 10
    assert 3 <= len(proxy.seen) < 100
    assert len(caplog.records) == len(proxy.seen) - 1


def test_a_server_that_does_not_answer_is_not_waited_for_longer_than_the_timeout(
    connect: Connect, proxy: HttpProxy
) -> None:
    proxy.trouble("GET /v1/editions", Fault.HOLD)
    client = connect(proxy.base_url, timeout=1)
    assert client.editions()["colours"]
    assert len(proxy.seen) == 2


def test_nothing_is_sent_again_that_could_happen_twice(connect: Connect, proxy: HttpProxy) -> None:
    client = connect(proxy.base_url)
    proxy.trouble("POST .*", Fault.LOSE)
    bare: Request[Any] = Request(method="POST", path="/v1/games", read=json_of, body={"seats": 2})
    with pytest.raises(NoAnswer):
        client._perform(bare)
    assert len(proxy.seen) == 1


def test_a_request_that_cannot_be_sent_is_not_tried_again(qwirkle: Any) -> None:
    _, ada, _ = in_play(qwirkle)
    began = monotonic()
    with pytest.raises(NoAnswer, match="header"):
        ada.resign(idempotency_key="two\nlines")
    assert monotonic() - began < 10


def test_an_answer_that_is_not_the_services_is_an_error(shaky: Any, proxy: HttpProxy) -> None:
    for body in (b"<html>Welcome to the hotel</html>", b"[]"):
        proxy.trouble("GET /v1/editions", Answer(200, body))
        with pytest.raises(UnexpectedAnswer):
            shaky.editions()


def test_a_refusal_that_is_not_a_problem_has_no_code(connect: Connect, proxy: HttpProxy) -> None:
    client = connect(proxy.base_url, patience=0)
    for body in (b"<html>Bad gateway</html>", b'["a list"]'):
        proxy.trouble("GET /v1/editions", Answer(502, body))
        with pytest.raises(ServiceUnavailable) as refused:
            client.editions()
        assert (refused.value.status, refused.value.code) == (502, "")


def test_a_restart_is_bridged(
    connect: Connect, start_qwirkle: Callable[..., QwirkleServer]
) -> None:
    server = start_qwirkle(workers=1)
    with HttpProxy(server.base_url) as proxy:
        client = connect(proxy.base_url, patience=60)
        _, ada, ben = in_play(client)
        server.process.terminate()
        server.process.wait(30)
        server.start()
        proxy.upstream = server.base_url
        ada.exchange(tiles_of("rd"))
        assert ben.view()["version"] == 2

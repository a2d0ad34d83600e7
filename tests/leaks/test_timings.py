"""What public metrics tell of a single request: anybody may read them before and after it.

Finding the legal plays of a hand takes longer the more there are, and which rule refuses an
action may depend on the hand.
"""

from tests.leaks.twin_games import Hidden, laid_out
from tests.observing.reading import Numbers
from tests.servers import QwirkleServer

QUICKEST_TOLD = 0.05
"""Seconds: what no request may hold a worker for, so nearly every request is quicker."""


def test_numbers_tell_no_hand_by_the_time_its_legal_plays_take(server: QwirkleServer) -> None:
    with laid_out(server, "ro rs", Hidden(("rd bo", "rc yo"), ""), ()) as table:
        table.plays(0)
    numbers = Numbers(server)

    by_route = {name: dict(labels) for name, labels in numbers.values if "route" in dict(labels)}
    bounds = {
        float(dict(labels)["le"])
        for name, labels in numbers.values
        if name == "qwirkle_request_seconds_bucket"
    }

    asked = {"route": "/v1/games/{game_id}/legal-plays", "method": "GET"}
    assert numbers("request_seconds_count", **asked) >= 1
    assert set(by_route) == {
        "qwirkle_requests_total",
        "qwirkle_request_seconds_bucket",
        "qwirkle_request_seconds_count",
    }
    assert min(bounds) >= QUICKEST_TOLD
    sums = {name for name, _ in numbers.values if name.endswith("_sum")}
    assert not sums, "the rise of a sum is the exact time of one request, or of its round trips"


def test_metrics_do_not_tell_which_refusal_somebodys_hand_led_to(server: QwirkleServer) -> None:
    with laid_out(server, "ro rs", Hidden(("rd bo", "rc yo"), ""), ()) as table:
        table.act(0, "passes").refused(422, "must_play")
        table.act(0, "exchanges", {"tiles": ["green-star"]}).refused(422, "tiles_not_in_hand")
    numbers = Numbers(server)

    told = {dict(labels)["code"] for _, labels in numbers.values if "code" in dict(labels)}
    of_hands = {"must_play", "must_exchange", "tiles_not_in_hand", "bid_too_high", "bid_too_low"}

    assert numbers("rule_refusals_total", code="depends_on_hand") >= 2
    assert not told & of_hands

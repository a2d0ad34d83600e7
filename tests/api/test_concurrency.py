"""Many requests at once, on three workers: the game moves on by one event at a time."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from threading import Event

import pytest

from service.store.embedded import EmbeddedStore
from service.store.redis_store import COMMIT
from tests.api.client import Answer, Client, client_of
from tests.api.concurrent_calls import at_once
from tests.api.positions import HAND, OTHER, ROW, at_the_bids, in_play, waiting
from tests.proxy import Fault, TcpProxy, Trouble, socket_of
from tests.servers import SHARED, QwirkleServer

MANY = 50
KEY = "the-same-key-for-all"
PLAYS = ("rd@2,0", "oo@0,1", "bo@0,-1", "oo@0,-1", "bo@0,1")


def statuses(answers: list[Answer]) -> Counter[int]:
    return Counter(answer.status for answer in answers)


def one_effect(answers: list[Answer]) -> Answer:
    """The one answer that all have in common; all but the first to act are repetitions."""
    assert len({(answer.status, answer.body, answer.etag) for answer in answers}) == 1
    assert sum(not answer.replayed for answer in answers) == 1
    return answers[0]


@pytest.mark.parametrize("conditional", [False, True])
def test_of_fifty_plays_of_one_turn_exactly_one_is_made(client: Client, conditional: bool) -> None:
    table = in_play(client)
    seen = table.look(0)
    match = seen.etag if conditional else None
    calls = [partial(table.play, 0, PLAYS[n % len(PLAYS)], match=match) for n in range(MANY)]
    answers = at_once(calls)
    assert statuses(answers)[201] == 1
    expected = {201, 412} if conditional else {201, 409}
    assert statuses(answers).keys() == expected
    assert {answer.code for answer in answers} <= {None, "not_your_turn", "stale_version"}
    assert table.version == seen.json["version"] + 1
    (made,) = [answer for answer in answers if answer.status == 201]
    assert table.view(0) == made.json["game"]


def test_one_play_sent_fifty_times_under_one_key_is_made_once(client: Client) -> None:
    table = in_play(client)
    answers = at_once([partial(table.play, 0, "rd@2,0", key=KEY)] * MANY)
    answer = one_effect(answers).ok(201)
    assert table.version == answer.json["game"]["version"] == 2


def test_one_creation_sent_fifty_times_under_one_key_makes_one_game(client: Client) -> None:
    body = {"players": [{"name": "Ada"}, {"name": "Ben"}]}
    key = "creation-" + in_play(client).id
    create = partial(client.post, "/v1/games", body, key=key)
    answer = one_effect(at_once([create] * MANY)).ok(201)
    assert answer.json["game"]["version"] == 1
    seen = client.get(answer.headers["location"], token=answer.json["host_token"]).ok()
    players = [{"seat": 0, "ref": None}, {"seat": 1, "ref": None}]
    assert seen.json["host"]["players"] == players


def test_one_joining_sent_fifty_times_under_one_key_takes_one_seat(client: Client) -> None:
    table = waiting(client, seats=4, players=1)
    join = partial(table.act, None, "players", {"name": "Eve"}, key=KEY)
    answer = one_effect(at_once([join] * MANY)).ok(201)
    assert answer.json["seat"] == 1
    assert [player["name"] for player in table.view()["players"]] == ["Ada", "Eve"]


def test_of_many_joiners_for_one_seat_one_wins(client: Client) -> None:
    table = waiting(client, seats=2, players=1)
    names = [f"joiner-number-{n:02}" for n in range(12)]
    answers = at_once(
        [partial(table.act, None, "players", {"name": name}, key=name) for name in names]
    )
    assert statuses(answers) == {201: 1, 409: 11}
    assert {answer.code for answer in answers} == {None, "table_full"}
    (won,) = [name for name, answer in zip(names, answers, strict=True) if answer.status == 201]
    assert [player["name"] for player in table.view()["players"]] == ["Ada", won]


def test_joiners_for_several_seats_get_a_seat_each(client: Client) -> None:
    table = waiting(client, seats=4, players=0)
    answers = at_once([partial(table.act, None, "players", {"name": f"P{n}"}) for n in range(4)])
    assert statuses(answers) == {201: 4}
    assert sorted(answer.json["seat"] for answer in answers) == [0, 1, 2, 3]
    assert len({answer.json["token"] for answer in answers}) == 4
    assert table.version == 5


def test_bids_made_at_once_all_count(client: Client) -> None:
    table = at_the_bids(client)
    answers = at_once([partial(table.bid, 0, 3), partial(table.bid, 1, 2)])
    assert statuses(answers) == {201: 2}
    assert table.view()["status"] == "playing"


def test_of_two_dealings_at_once_one_deals(client: Client) -> None:
    table = client.create()
    answers = at_once([table.deal] * 8)
    assert statuses(answers) == {200: 1, 409: 7}
    assert table.version == 2


def test_of_deletions_at_once_one_deletes(client: Client) -> None:
    table = in_play(client)
    answers = at_once([table.delete] * 8)
    assert statuses(answers) == {204: 1, 404: 7}


def test_reads_during_plays_see_whole_states(client: Client) -> None:
    table = in_play(client)
    over = Event()

    def watch() -> list[int]:
        seen = []
        while not over.is_set():
            view = table.view(0)
            laid = len(view["board"])
            assert laid == 2 + view["version"] - 1
            seen.append(view["version"])
        return seen

    def play() -> list[int]:
        try:
            for seat, text in ((0, "rd@2,0"), (1, "rc@3,0"), (0, "oo@0,1"), (1, "yo@0,2")):
                table.play(seat, text).ok(201)
        finally:
            over.set()
        return []

    for versions in at_once([watch, watch, play]):
        assert versions == sorted(versions)


def test_a_request_that_others_keep_overtaking_is_told_so(
    valkey_server: QwirkleServer, start_qwirkle: Callable[..., QwirkleServer]
) -> None:
    """Each commit of one server waits at a proxy while another changes the game first."""
    near = valkey_server
    with TcpProxy(socket_of(near.redis_url)) as proxy:
        far = start_qwirkle(workers=1, redis_url=proxy.url, **SHARED)
        table = client_of(near).position(ROW, HAND, OTHER, "oc os od b* gx yd", bag="gd b* yx")
        path, token = table.path("/resignations"), table.tokens[2]
        victim = partial(client_of(far).post, path, token=token, key="k" * 16)
        client_of(far).get(table.path()).ok()

        def exchange() -> Answer:
            seat = table.view()["turn"]["seat"]
            return table.act(seat, "exchanges", {"tiles": table.hand(seat)[:1]}).ok(201)

        overtaken(victim, proxy, exchange).refused(409, "request_in_flight")
        assert not table.view()["players"][2]["resigned"]
        victim().ok(201)


def overtaken(
    call: Callable[[], Answer], proxy: TcpProxy, overtake: Callable[[], object]
) -> Answer:
    over = Event()

    def request() -> Answer | None:
        try:
            return call()
        finally:
            over.set()

    def hold() -> Trouble:
        return proxy.trouble("EVALSHA", Fault.HOLD, where=(COMMIT.digest,))

    def others() -> None:
        held = hold()
        while not over.is_set():
            if held.struck.wait(0.05):
                overtake()
                # The next commit is held before this one is let go, so that none slips through.
                held, done = hold(), held
                done.release()
        held.release()

    answer, _ = at_once([request, others])
    assert answer is not None
    return answer


def test_the_store_is_shared_by_servers(
    client: Client, store_server: EmbeddedStore, kept_qwirkle: Callable[..., QwirkleServer]
) -> None:
    other = kept_qwirkle(workers=1, redis_url=store_server.url, **SHARED)
    table = in_play(client)
    there = Client(other.base_url)
    assert there.get(table.path(), token=table.tokens[0]).ok().etag == table.look(0).etag
    play = [partial(table.play, 0, "rd@2,0", key=KEY)] * 5
    body = {"placements": [{"tile": "red-diamond", "x": 2, "y": 0}]}
    path = table.path("/plays")
    play += [partial(there.post, path, body, token=table.tokens[0], key=KEY)] * 5
    one_effect(at_once(play)).ok(201)

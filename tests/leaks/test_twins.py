"""Two games that differ only in what a viewer may not know look the same to that viewer, down to
the last byte: bodies, headers, ETags, sizes, refusals, streams, pictures, and what is logged.
"""

import re
from collections.abc import Iterator
from functools import partial

import pytest

from service.rules.actions import bid, exchange, place
from service.rules.notation import parse_play, parse_tiles
from service.rules.shuffle import commitment, secret_from
from tests.api.client import Table
from tests.contract.document import operations
from tests.leaks.twin_games import Act, Hidden, Shown, laid_out, masked, shown, streamed
from tests.proxy import until
from tests.servers import QwirkleServer

# Seat 1 looks. Seats 0 and 2 hold other tiles in the twin, and the bag is in another order; what
# seat 1 holds and will draw (the second tile of the bag) is the same, and so is the sum of all.
HAND = "rc yo b* gs pd ox"
ONE = Hidden(("rd bo y* gc px oo", HAND, "gx gd ys pc bs b*"), "yx oc ps yd")
OTHER = Hidden(("rd gx y* gc ps pc", HAND, "bo gd b* bs oo px"), "ys oc yd yx")
RESEEDED = Hidden(ONE.hands, ONE.bag, "another seed")
COURSE: tuple[Act, ...] = (
    lambda game: place(game, 0, parse_play("rd@2,0")),
    lambda game: exchange(game, 1, parse_tiles("ox")),
    lambda game: exchange(game, 2, parse_tiles("gd")),
)
BIDDERS = (
    Hidden(("ro rs rd bo y* gc", "bs bd go ys pc ox", "gx yd oc px bc g*"), "gd b* yx"),
    Hidden(("bo gx bc b* y* gc", "bs bd go ys pc ox", "rs yd oc px rd g*"), "yx gd ro"),
)
SCENES: dict[str, tuple[str, tuple[Act, ...], Hidden, Hidden]] = {
    "in play": ("ro rs", COURSE, ONE, OTHER),
    "at the bids": ("", (lambda game: bid(game, 0, 3),), *BIDDERS),
}
VIEWERS = ("anybody", "host", "seat 1")

PLAY = b'{"placements":[{"tile":"%b","x":3,"y":0}]}'
POSTS: tuple[tuple[str, bytes | None], ...] = (
    ("/plays", PLAY % b"red-clover"),
    ("/plays/preview", PLAY % b"red-clover"),
    ("/plays/preview", PLAY % b"blue-circle"),
    ("/plays/preview", PLAY % b"green-star"),
    ("/exchanges", b'{"tiles":["red-clover"]}'),
    ("/exchanges", b'{"tiles":["blue-circle"]}'),
    ("/bids", b'{"length":6}'),
    ("/bids", b'{"tiles":["blue-circle","red-circle"]}'),
    ("/passes", None),
    ("/deal", None),
    ("/players", b'{"name":"Eve"}'),
    ("/rematch", None),
    ("/plays", b'{"placements":[]}'),
)


def token_of(table: Table, viewer: str) -> str | None:
    return {"anybody": None, "host": table.host, "seat 1": table.tokens[1]}[viewer]


def reads() -> list[str]:
    """Every question that can be asked of a game, some of them in several ways."""
    known = [each.path for each in operations() if each.method == "get"]
    about = [path.partition("{game_id}")[2] for path in known if "{game_id}" in path]
    asks = {"", "/events", "/record", "/score", "/unseen", "/hand", "/legal-plays", "/board.svg"}
    assert asks <= set(about)
    return [*about, "/legal-plays?sort=points&limit=1", "/events?after=1&limit=2", "?stray=1"]


def everything(table: Table, viewer: str, name: str = "twin") -> Iterator[tuple[str, Shown]]:
    """All that a viewer can find out without changing the game; a request each."""
    token = token_of(table, viewer)
    asked = partial(shown, table.client.base_url, X_Request_ID=name)
    for rest in reads():
        answer = asked("GET", table.path(rest), token)
        yield f"GET {rest}", answer
        if not rest.endswith(".png"):  # which take their time to be painted
            yield f"HEAD {rest}", asked("HEAD", table.path(rest), token)
        etag = dict(answer[1]).get("ETag", '"none"')
        yield f"again {rest}", asked("GET", table.path(rest), token, If_None_Match=etag)
    for rest, body in POSTS:
        yield f"POST {rest} {body!r}", asked("POST", table.path(rest), token, body)
        stale = asked("POST", table.path(rest), token, body, If_Match='"x"')
        yield f"stale {rest} {body!r}", stale


def all_shown(table: Table) -> dict[str, Shown]:
    """All that anybody finds out who may not see what is hidden."""
    return {
        f"{viewer}: {what}": answer
        for viewer in VIEWERS
        for what, answer in everything(table, viewer)
    }


def differences(one: dict[str, Shown], other: dict[str, Shown]) -> list[str]:
    assert one.keys() == other.keys()
    return [what for what in one if one[what] != other[what]]


@pytest.mark.parametrize("scene", SCENES)
def test_twins_look_the_same_to_whoever_may_not_tell_them_apart(
    server: QwirkleServer, scene: str
) -> None:
    board, acts, *twins = SCENES[scene]
    seen = []
    for hidden in twins:
        with laid_out(server, board, hidden, acts) as table:
            seen.append(all_shown(table))
    assert {answer[0] for answer in seen[0].values()} >= {200, 304, 401, 403, 409, 412}
    assert not differences(*seen)


def test_twins_look_different_to_those_whose_tiles_differ(server: QwirkleServer) -> None:
    """So that the test above cannot pass because nothing is looked at; the ETag is the same."""
    seen = []
    for hidden in (ONE, OTHER):
        with laid_out(server, "ro rs", hidden, COURSE) as table:
            base, token = table.client.base_url, table.tokens[0]
            seen.append({rest: shown(base, "GET", table.path(rest), token) for rest in reads()})
    told = differences(*seen)
    assert {"", "/hand", "/legal-plays", "/events", "/unseen"} <= set(told)
    for what in told:
        assert dict(seen[0][what][1])["ETag"] == dict(seen[1][what][1])["ETag"]


def test_another_seed_shows_in_nothing_but_its_commitment(server: QwirkleServer) -> None:
    seen = []
    for hidden in (ONE, RESEEDED):
        promise = commitment(secret_from(hidden.seed))
        # Nothing has been mixed yet: whoever draws after a mixing draws by the seed.
        with laid_out(server, "ro rs", hidden, []) as table:
            told = all_shown(table)
            mask = {promise: "x" * len(promise)}
            seen.append({what: masked(answer, mask) for what, answer in told.items()})
    # The digest of the record is that of what it says, the commitment included.
    assert {what.partition(": ")[2] for what in differences(*seen)} == {"GET /record"}


def test_twins_stream_the_same(server: QwirkleServer) -> None:
    heard = []
    for hidden in (ONE, OTHER):
        # Under ids of their own: what one stream has been told must not be told to the other.
        with laid_out(server, "ro rs", hidden, COURSE, name=hidden.bag) as table:
            tokens = [token_of(table, viewer) for viewer in VIEWERS]
            heard.append([streamed(table, token, 4) for token in (*tokens, table.tokens[0])])
    assert heard[0][:3] == heard[1][:3]
    assert heard[0][3] != heard[1][3]


def test_twins_answer_a_write_the_same(server: QwirkleServer) -> None:
    """All that differs is the ETag: each event has a mark of its own."""
    seen = []
    for hidden in (ONE, OTHER):
        with laid_out(server, "ro rs", hidden, COURSE) as table:
            base = table.client.base_url
            left = shown(base, "POST", table.path("/resignations"), table.tokens[1])
            etag = dict(left[1])["ETag"]
            seen.append(masked(left, {etag: "x" * len(etag)}))
    assert seen[0] == seen[1]
    assert seen[0][0] == 201


def test_twins_leave_the_same_log_lines_and_names_of_metrics(server: QwirkleServer) -> None:
    logged: list[list[str]] = []
    named: list[set[bytes]] = []
    for number, hidden in enumerate((ONE, ONE, OTHER)):
        name = f"twin-{number}"
        with laid_out(server, "ro rs", hidden, COURSE) as table:
            requests = len(list(everything(table, "seat 1", name)))
            # Each request leaves a line, though a moment later.
            until(lambda name=name, count=requests: len(lines_of(server, name)) == count, 60)  # type: ignore[misc]  # as is
            logged.append(lines_of(server, name))
            status, _, body = shown(table.client.base_url, "GET", "/metrics", None)
            assert status == 200
            named.append({line.rpartition(b" ")[0] for line in body.splitlines()})
    assert logged[0] == logged[2]
    # The first round only warms up: a name may come to be with the first request.
    assert named[1] == named[2]


def lines_of(server: QwirkleServer, name: str) -> list[str]:
    """What was logged of the requests of this name, without their times."""
    lines = (server.errors + server.output).splitlines()
    named = [line.replace(name, "twin") for line in lines if f'"{name}"' in line]
    return [re.sub(r"\d+(\.\d+)?(e-\d+)?", "#", line) for line in named]

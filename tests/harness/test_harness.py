"""Two hundred seeded games over HTTP are the very games that the rules play in process.

Each is played by chance on both sides at once. Some are forked in the middle, and the fork
is played on differently. Every record is verified, over HTTP and here.
"""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest

from service.rules.actions import (
    Step,
    bid,
    create,
    exchange,
    may_exchange,
    pass_turn,
    place,
    plays_of,
)
from service.rules.events import Bid, Entrant, Event, Exchanged, Played
from service.rules.host_actions import deal
from service.rules.legal_plays import legal_plays
from service.rules.lines import longest_line
from service.rules.plays import Play
from service.rules.record.verify import verify
from service.rules.record.write import placement_document, record_of
from service.rules.shuffle import secret_from
from service.rules.state import Game
from service.rules.tiles import NAMES
from tests.servers import QwirkleServer

GAMES = 200
PARTS = 5
"""So that several processes share the work."""
CROWD = 6
PLAYERS = ("Ada", "Ben", "Cleo", "Dan")
EDITIONS = ("schmidt", "travel", "polish", "russian")


class Wire:
    """One connection that stays open."""

    def __init__(self, base_url: str) -> None:
        self._line = HTTPConnection(urlsplit(base_url).netloc, timeout=60)

    def ask(self, path: str, body: object = None, token: str | None = None) -> Any:
        """A GET, or a POST if there is a body; the answer, which must be a success."""
        heads = {"Content-Type": "application/json"}
        heads |= {"Authorization": f"Bearer {token}"} if token else {}
        data = None if body is None else json.dumps(body)
        self._line.request("GET" if body is None else "POST", path, data, heads)
        answer = self._line.getresponse()
        said = json.loads(answer.read())
        assert answer.status in {200, 201}, said
        return said

    def close(self) -> None:
        self._line.close()


@contextmanager
def wired(base_url: str) -> Iterator[Wire]:
    wire = Wire(base_url)
    try:
        yield wire
    finally:
        wire.close()


def begun(seed: str, players: int, edition: str, *, auto_bid: bool) -> list[Step]:
    """The same game in process, up to the deal."""
    entrants = [Entrant(name) for name in PLAYERS[:players]]
    made = create(secret_from(seed), entrants, edition=edition, seeded=True, auto_bid=auto_bid)
    return [made, deal(made.game)]


def chosen(game: Game, chance: Random) -> Step:
    """Something legal by chance: mostly a play, now and then an exchange."""
    if game.phase == "bidding":
        waiting = [seat for seat, player in game.active.items() if player.bid is None]
        seat = chance.choice(waiting)
        return bid(game, seat, longest_line(game.player(seat).hand))
    seat = game.mover
    assert seat is not None
    most = may_exchange(game, seat)
    plays = some_plays(game, seat, chance)
    if most and (not plays or chance.random() < 0.04):
        return exchange(game, seat, chance.sample(game.player(seat).hand, chance.randint(1, most)))
    if not plays:
        return pass_turn(game, seat)
    # The longest of a few, so that games do not last longer than those of people.
    longest = max(chance.choices(plays, k=4), key=lambda play: len(play.placements))
    return place(game, seat, longest.placements)


def some_plays(game: Game, seat: int, chance: Random) -> list[Play]:
    """The plays of a part of the hand, which are far fewer; those of all of it if it has none."""
    hand = game.player(seat).hand
    if game.opening or len(hand) < 5:
        return plays_of(game, seat)
    return legal_plays(game.board, chance.sample(hand, 5)) or plays_of(game, seat)


def sent(wire: Wire, path: str, tokens: list[str], event: Event) -> None:
    """Does the same over HTTP; what came of it must be the same."""
    seat = getattr(event, "seat", 0)
    match event:
        case Bid():
            wire.ask(f"{path}/bids", {"length": event.length}, tokens[seat])
        case Played():
            placements = [placement_document(each) for each in event.placements]
            play = wire.ask(f"{path}/plays", {"placements": placements}, tokens[seat])["play"]
            assert (play["points"], play["bonus"]) == (event.points, event.bonus)
            assert play["drew"] == [NAMES[tile] for tile in event.drew]
        case Exchanged():
            tiles = [NAMES[tile] for tile in event.returned]
            drew = wire.ask(f"{path}/exchanges", {"tiles": tiles}, tokens[seat])["exchange"]["drew"]
            assert drew == [NAMES[tile] for tile in event.drew]
        case _:
            wire.ask(f"{path}/passes", {}, tokens[seat])


def played_out(wire: Wire, made: Any, steps: list[Step], chance: Random) -> None:
    """Plays a game on from these steps to its end, here and there, and compares the two."""
    path = f"/v1/games/{made['game']['id']}"
    tokens = [player["token"] for player in made["players"]]
    while (game := steps[-1].game).phase != "finished":
        if game.mover is not None and chance.random() < 0.02:
            count = len(plays_of(game, game.mover))
            listed = wire.ask(f"{path}/legal-plays?limit=1", token=tokens[game.mover])
            assert listed["count"] == count
        step = chosen(game, chance)
        sent(wire, path, tokens, step.event)
        steps.append(step)
    record = wire.ask(f"{path}/record")
    assert record == json.loads(json.dumps(record_of([event for event, _ in steps])))
    report = wire.ask("/v1/records/verify", record)
    assert report["ok"]
    assert report["complete"]
    assert report["checked_events"] == len(steps)
    assert verify(record).ok


def game_number(base_url: str, number: int) -> tuple[int, int]:
    """Plays one game, and every tenth one on from its middle; events and forks."""
    chance = Random(number)
    players = 2 + number % 3
    seed, edition = f"harness {number}", EDITIONS[number % 4]
    auto_bid = number % 2 == 0
    steps = begun(seed, players, edition, auto_bid=auto_bid)
    with wired(base_url) as wire:
        made = wire.ask(
            "/v1/games",
            {
                "players": [{"name": name} for name in PLAYERS[:players]],
                "seed": seed,
                "edition": edition,
                "auto_bid": auto_bid,
            },
        )
        path = f"/v1/games/{made['game']['id']}"
        wire.ask(f"{path}/deal", {}, made["host_token"])
        played_out(wire, made, steps, chance)
        if number % 10:
            return len(steps), 0
        after = chance.randrange(1, len(steps))
        fork = wire.ask(f"{path}/forks", {"after": after}, made["host_token"])
        again = steps[:after]
        if fork["game"]["status"] == "waiting":
            wire.ask(f"/v1/games/{fork['game']['id']}/deal", {}, fork["host_token"])
            again.append(deal(again[-1].game))
        played_out(wire, fork, again, Random(-number))
        return len(steps) + len(again), 1


@pytest.mark.timeout(300)
@pytest.mark.parametrize("part", range(PARTS))
def test_two_hundred_games_over_http_are_those_in_process(server: QwirkleServer, part: int) -> None:
    numbers = range(part, GAMES, PARTS)
    with ThreadPoolExecutor(CROWD) as crowd:
        done = list(crowd.map(lambda number: game_number(server.base_url, number), numbers))
    events, forks = map(sum, zip(*done, strict=True))
    assert forks == len([number for number in numbers if number % 10 == 0])
    assert events > len(done) * 25

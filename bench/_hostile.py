"""The games that cost a service most: tables with many plays, and the longest there can be."""

import json
import os
from dataclasses import dataclass, replace
from typing import Any, Self

from bench._tables import greedy_step
from bench.http import Line
from service.games.bootstrap import unix_ms
from service.games.keyring import HOST, Viewer, game_id
from service.games.service import Games, LoadedGame
from service.games.session import GameOptions, GameSession
from service.rules import actions, host_actions
from service.rules.events import Entrant
from service.rules.shuffle import secret_from
from service.rules.starting_position import Setup
from service.rules.tiles import tile_named
from tests.rules.hostile_position import BOARD, HAND

MOST_EVENTS = 2500
"""Where to stop if the service does not: it permits 2,000."""

IN_PLAY = Setup(BOARD, (HAND, None), turn=0)
AT_THE_END = Setup(BOARD, (HAND, (tile_named("blue-circle"),)), (), turn=0)

Request = tuple[str, str, dict[str, str], bytes | None]


def request(method: str, path: str, token: str = "", body: object = None) -> Request:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if body is None:
        return method, path, headers, None
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return method, path, headers | {"Content-Type": "application/json"}, raw


def overdue(games: Games, setup: Setup, bot: str | None = None) -> GameSession:
    """A table whose player in turn has been awaited for a minute; no worker knows of it."""
    past = replace(games, clock=lambda: unix_ms() - 60_000)
    players = [Entrant("Ada", bot=bot), Entrant("Ben")]
    step = actions.create(secret_from("stalls"), players, setup=setup)
    options = GameOptions(turn_seconds=None if bot else 10)
    return past.create(step, options, None, id_=game_id(os.urandom(16))).session


@dataclass(frozen=True)
class Players:
    """Both players of a game, and its host, over HTTP."""

    line: Line
    path: str
    host: str
    tokens: tuple[str, ...]

    @classmethod
    def of(cls, line: Line, games: Games, url: str | None, length: int) -> Self:
        """A game of so many exchanges, written straight into the store."""
        players = [Entrant("Ada"), Entrant("Ben")]
        step = actions.create(secret_from("stalls"), players, auto_bid=True, seeded=True)
        id_ = game_id(os.urandom(16))
        done = games.create(step, GameOptions(webhook_url=url), None, id_=id_)
        step = host_actions.deal(done.session.game)
        while done.session.game.version < length:
            done = games.commit_step(LoadedGame(done.session, done.nonce), step)
            step = _idle_step(done.session.game)
        generations = done.session.token_generations
        host, *tokens = (
            games.keyring.token(id_, viewer, generations[viewer.place])
            for viewer in (HOST, Viewer(0), Viewer(1))
        )
        return cls(line, f"/v1/games/{id_}", host, tuple(tokens))

    def exchange(self, most: int) -> int:
        """Exchange a tile in turn, as often as the service permits; the game's version then."""
        game = self._send("GET", self.path, self.host)
        seat, version = game["turn"]["seat"], game["version"]
        for _ in range(most):
            tile = self._send("GET", f"{self.path}/hand", self.tokens[seat])["tiles"][0]
            tiles = {"tiles": [tile]}
            said = self._send("POST", f"{self.path}/exchanges", self.tokens[seat], tiles)
            if "game" not in said:
                break
            seat, version = 1 - seat, said["game"]["version"]
        return int(version)

    def _send(self, method: str, path: str, token: str, body: object = None) -> Any:
        return json.loads(self.line.send(*request(method, path, token, body))[1])


def _idle_step(game: Any) -> actions.Step:
    """The opening, then exchanges."""
    if game.opening:
        return greedy_step(game)
    return actions.exchange(game, game.mover, game.player(game.mover).hand[:1])

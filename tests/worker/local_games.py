"""Games in process on a real store."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from service.config import Settings
from service.games.advance import load_and_advance
from service.games.autoplay import worker_policy
from service.games.bootstrap import open_client, open_games, unix_ms
from service.games.codec import unpack_entry
from service.games.idempotency import new_game_id
from service.games.service import LoadedGame, LoggedEntry
from service.games.session import GameOptions, GameSession
from service.rules import actions, host_actions
from service.rules.events import Entrant
from service.rules.notation import parse_board, parse_tiles
from service.rules.shuffle import secret_from
from service.rules.starting_position import Setup
from service.store import keys

ENDING = ("bo gs yd pc ox r*", "go ys bd oc px b*", "yo ps gd bc gx o*", "po os od yc bx g*")
"""Hands that four experts lay down in some eighteen turns."""


class Clock:
    """A clock that goes on only when it is told to."""

    def __init__(self) -> None:
        self.now = unix_ms()

    def __call__(self) -> int:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += int(seconds * 1000)


class House:
    """The games of a store, and what lies there for workers."""

    def __init__(self, url: str, folder: Path) -> None:
        settings = Settings(redis_url=url, data_dir=folder, secrets=("s" * 32,))
        self.url = url
        self.clock = Clock()
        self.client = open_client(settings)
        self.games = open_games(
            settings, self.client, clock=self.clock, bot_policy=worker_policy(None)
        )

    def table(self, *, bots: bool = False, seed: str = "s", **choices: Any) -> str:
        """A new table of two whose bids the service makes; nothing is dealt yet."""
        kinds = ("greedy", "random") if bots else (None, None)
        players = [Entrant(name, bot=bot) for name, bot in zip(("Ada", "Ben"), kinds, strict=True)]
        step = actions.create(secret_from(seed), players, seats=2, auto_bid=True, seeded=True)
        id_, _ = new_game_id(self.games, None)
        self.games.create(step, GameOptions(**choices), None, id_=id_)
        return id_

    def experts(self, hands: Sequence[str] = ENDING, **choices: Any) -> str:
        """A table of experts alone near its end: the bag is empty, seat 0 is in turn."""
        setup = Setup(
            board=tuple(parse_board("ro rs rd rc rx").tiles.items()),
            hands=tuple(map(parse_tiles, hands)),
            bag=(),
            turn=0,
        )
        players = [Entrant(f"Robo {seat}", bot="expert") for seat in range(len(hands))]
        step = actions.create(secret_from("experts"), players, setup=setup, seeded=True)
        id_, _ = new_game_id(self.games, None)
        self.games.create(step, GameOptions(**choices), None, id_=id_)
        return id_

    def dealt(self, **choices: Any) -> str:
        """A new table of two, ready for the opening."""
        id_ = self.table(**choices)
        self.deal(id_)
        return id_

    def deal(self, id_: str) -> GameSession:
        seen = self.seen(id_)
        return self.games.commit_step(seen, host_actions.deal(seen.session.game)).session

    def play(self, id_: str) -> GameSession:
        """The player in turn lays the first of all plays, or exchanges or passes."""
        seen = self.seen(id_)
        game, seat = seen.session.game, seen.session.game.mover
        assert seat is not None
        plays = actions.plays_of(game, seat)
        if plays:
            step = actions.place(game, seat, plays[0].placements)
        elif actions.may_exchange(game, seat):
            step = actions.exchange(game, seat, game.player(seat).hand[:1])
        else:
            step = actions.pass_turn(game, seat)
        return self.games.commit_step(seen, step).session

    def resign(self, id_: str, seat: int) -> GameSession:
        seen = self.seen(id_)
        return self.games.commit_step(seen, actions.resign(seen.session.game, seat)).session

    def seen(self, id_: str) -> LoadedGame:
        return load_and_advance(self.games, id_)

    def log(self, id_: str) -> list[LoggedEntry]:
        """The log as it is stored; looking at it changes nothing."""
        found = self.games.store.load_log(id_)
        return [LoggedEntry(unpack_entry(each.event, each.n), each.nonce) for each in found]

    def due(self) -> dict[str, int]:
        """When which game is to be looked at."""
        found = self.client.zrange(keys.DUE, 0, -1, withscores=True)
        return {id_.decode(): int(when) for id_, when in found}

    def lent(self) -> set[str]:
        """The games that somebody has to themselves."""
        return {id_.decode() for id_ in self.client.hkeys(keys.CLAIMS)}

    def end_claims(self) -> None:
        """As if whoever has borrowed a game had not been heard of for long."""
        for id_, loan in self.client.hgetall(keys.CLAIMS).items():
            self.client.hset(keys.CLAIMS, id_, b"1 " + loan.split()[1])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

"""Games in process on a real store."""

from pathlib import Path
from typing import Any, Self

from service.config import Settings
from service.opening import open_client, open_games, unix_ms
from service.overdue import a_workers
from service.rules import actions
from service.rules.draw import seed_from
from service.rules.events import Entrant
from service.store import keys
from service.table import Particulars, Table, unpack_entry
from service.usecases import Logged, Seen


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
        self.games = open_games(settings, self.client, clock=self.clock, diligence=a_workers(None))

    def table(self, *, bots: bool = False, seed: str = "s", **choices: Any) -> str:
        """A new table of two whose bids the service makes; nothing is dealt yet."""
        kinds = ("greedy", "random") if bots else (None, None)
        players = [Entrant(name, bot=bot) for name, bot in zip(("Ada", "Ben"), kinds, strict=True)]
        step = actions.create(seed_from(seed), players, seats=2, auto_bid=True, seeded=True)
        id_, _ = self.games.id_for(None)
        self.games.create(step, Particulars(**choices), None, id_=id_)
        return id_

    def dealt(self, **choices: Any) -> str:
        """A new table of two, ready for the opening."""
        id_ = self.table(**choices)
        self.deal(id_)
        return id_

    def deal(self, id_: str) -> Table:
        seen = self.seen(id_)
        return self.games.change(seen, actions.deal(seen.table.game)).table

    def play(self, id_: str) -> Table:
        """The player in turn lays the first of all plays, or exchanges or passes."""
        seen = self.seen(id_)
        game, seat = seen.table.game, seen.table.game.mover
        assert seat is not None
        plays = actions.plays_of(game, seat)
        if plays:
            step = actions.place(game, seat, plays[0].placements)
        elif actions.may_exchange(game, seat):
            step = actions.exchange(game, seat, game.player(seat).hand[:1])
        else:
            step = actions.pass_turn(game, seat)
        return self.games.change(seen, step).table

    def resign(self, id_: str, seat: int) -> Table:
        seen = self.seen(id_)
        return self.games.change(seen, actions.resign(seen.table.game, seat)).table

    def seen(self, id_: str) -> Seen:
        return self.games.find(id_)

    def log(self, id_: str) -> list[Logged]:
        """The log as it is stored; looking at it changes nothing."""
        found = self.games.store.load_log(id_)
        return [Logged(unpack_entry(each.event, each.n), each.nonce) for each in found]

    def due(self) -> dict[str, int]:
        """When which game is to be looked at."""
        found = self.client.zrange(keys.DUE, 0, -1, withscores=True)
        return {id_.decode(): int(when) for id_, when in found}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

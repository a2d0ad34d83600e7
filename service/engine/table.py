"""A game with every state it had, so that it can go back and be copied."""

from secrets import token_bytes
from typing import Any

from service.rules.actions import Step, create
from service.rules.events import Entrant, Event
from service.rules.host_actions import deal
from service.rules.shuffle import SECRET_BYTES, secret_from
from service.rules.state import Game


class Table:
    """The steps of a game, at least one. States are frozen, so copies share them."""

    def __init__(self, steps: list[Step]) -> None:
        self._steps = steps

    @property
    def game(self) -> Game:
        """The state now, including hidden tiles."""
        return self._steps[-1].game

    @property
    def newest(self) -> str:
        """The type of the newest event."""
        return type(self._steps[-1].event).__name__.lower()

    @property
    def events(self) -> list[Event]:
        """All events from the creation on."""
        return [step.event for step in self._steps]

    @property
    def start(self) -> int:
        """The number of the event with which the game started; there is no way back before it."""
        return next(number for number, step in enumerate(self._steps, 1) if _begun(step.game))

    def add(self, step: Step) -> Step:
        """Continue with this step."""
        self._steps.append(step)
        return step

    def up_to(self, number: int) -> "Table":
        """A copy in the state after the event of this number."""
        return Table(self._steps[:number])


def new_table(body: dict[str, Any]) -> Table:
    """A table from the body of a creation, with every seat taken and the tiles dealt."""
    seed = body["seed"]
    entrants = [Entrant(who["name"], who["age"], who["bot"]) for who in body["players"]]
    entrants += [Entrant(f"seat {seat}") for seat in range(len(entrants), body["seats"])]
    created = create(
        token_bytes(SECRET_BYTES) if seed is None else secret_from(seed),
        entrants,
        edition=body["edition"],
        seeded=seed is not None,
        auto_bid=body["auto_bid"],
        setup=body["setup"],
    )
    return Table([created] if _begun(created.game) else [created, deal(created.game)])


def _begun(game: Game) -> bool:
    return game.phase != "waiting"

"""What the numbers of the service say of an event that has just been committed."""

from typing import Final

from service.games.session import GameSession
from service.rules.events import Bid, ByPlayer, Event, Exchanged, Passed, Played, Resigned
from service.rules.state import Game
from service.telemetry.metrics import METER

ACTIONS: Final[dict[type[ByPlayer], str]] = {
    Bid: "bid",
    Played: "played",
    Exchanged: "exchanged",
    Passed: "passed",
    Resigned: "resigned",
}


def count_event(before: GameSession | None, after: GameSession, event: Event) -> None:
    """Count the event, and what it has made of the game."""
    if isinstance(event, ByPlayer):
        METER.count("actions_total", ACTIONS[type(event)], _doer(before, event))
    if before is None:
        METER.count("games_created_total")
    game, was = after.game, "waiting" if before is None else before.game.phase
    if game.phase != was == "waiting":
        METER.count("games_started_total")
    if game.phase == "finished" != was:
        METER.count("games_finished_total", game.end or "")


def _doer(before: GameSession | None, event: ByPlayer) -> str:
    """Who acted: a player, a bot, or the clock in an absent player's place."""
    if event.timeout:
        return "clock"
    return "bot" if before and _is_bot(before.game, event.seat) else "player"


def _is_bot(game: Game, seat: int) -> bool:
    player = game.players[seat]
    return player is not None and player.bot is not None

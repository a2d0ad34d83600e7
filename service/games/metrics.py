"""Count committed events in the metrics."""

from typing import Final, get_args

from service.games.session import GameSession
from service.rules.events import Bid, ByPlayer, Event, Exchanged, Passed, Played, Resigned
from service.rules.state import End, Game
from service.telemetry import metrics

ACTIONS: Final[dict[type[ByPlayer], str]] = {
    Bid: "bid",
    Played: "played",
    Exchanged: "exchanged",
    Passed: "passed",
    Resigned: "resigned",
}

for _action in ACTIONS.values():
    for _by in ("player", "bot", "clock"):
        metrics.ACTIONS.labels(_action, _by)  # from the start, at 0
for _end in get_args(End):
    metrics.GAMES_FINISHED.labels(_end)


def count_event(before: GameSession | None, after: GameSession, event: Event) -> None:
    """Count the event, and the start or end of the game that it caused."""
    if isinstance(event, ByPlayer):
        metrics.ACTIONS.labels(ACTIONS[type(event)], _actor(before, event)).inc()
    if before is None:
        metrics.GAMES_CREATED.inc()
    game, was = after.game, "waiting" if before is None else before.game.phase
    if game.phase != was == "waiting":
        metrics.GAMES_STARTED.inc()
    if game.phase == "finished" != was:
        metrics.GAMES_FINISHED.labels(game.end or "").inc()


def _actor(before: GameSession | None, event: ByPlayer) -> str:
    """Who acted: a player, a bot, or the clock for a player who ran out of time."""
    if event.timeout:
        return "clock"
    return "bot" if before and _is_bot(before.game, event.seat) else "player"


def _is_bot(game: Game, seat: int) -> bool:
    player = game.players[seat]
    return player is not None and player.bot is not None

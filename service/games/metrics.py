"""Count committed events in the metrics."""

from typing import get_args

from service.bots import BOTS
from service.games.session import GameSession
from service.rules.events import ByPlayer, Event
from service.rules.state import End
from service.telemetry import metrics

for _action in get_args(ByPlayer):
    for _by in ("player", "bot", "clock"):
        metrics.ACTIONS.labels(_action.__name__.lower(), _by)  # from the start, at 0
for _end in get_args(End):
    metrics.GAMES_FINISHED.labels(_end)
for _bot in BOTS:
    metrics.BOT_THOUGHTS.labels(_bot)


def count_event(before: GameSession | None, after: GameSession, event: Event) -> None:
    """Count the event, and the start or end of the game that it caused."""
    if before is None:
        metrics.GAMES_CREATED.inc()
    elif isinstance(event, ByPlayer):
        by = "bot" if before.game.player(event.seat).bot else "player"
        metrics.ACTIONS.labels(after.newest, "clock" if event.timeout else by).inc()
    game, was = after.game, "waiting" if before is None else before.game.phase
    if game.phase != was == "waiting":
        metrics.GAMES_STARTED.inc()
    if game.phase == "finished" != was:
        metrics.GAMES_FINISHED.labels(game.end or "").inc()

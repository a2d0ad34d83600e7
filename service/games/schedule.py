"""What an event leaves to the workers: a look at the table later, and a message to a webhook."""

from typing import Any

import orjson

from service.games.autoplay import due_ms
from service.games.session import Table
from service.games.timestamps import moment
from service.games.webhook_urls import host_of
from service.store.due_queue import Duty, Message


def duty_of(before: Table | None, table: Table, now_ms: int, nonce: bytes) -> Duty | None:
    """What the event between these two tables leaves to do; None if it is nothing.

    The event is about to be committed with this nonce.
    """
    due = due_ms(table, now_ms)
    url = table.particulars.webhook_url
    message = None
    if url is not None and is_told(before, table):
        message = Message(host_of(url), url, nonce, orjson.dumps(_shape(table)))
    if due is None and message is None:
        return None
    return Duty(table.id, table.game.version, now_ms, due, message)


def is_told(before: Table | None, table: Table) -> bool:
    """Whether a webhook hears of what happened: the bids or a turn began, or the game ended."""
    game = table.game
    if game.phase == "waiting":
        return False
    if before is None:
        return True
    then = before.game
    return (game.phase, game.turn, game.mover) != (then.phase, then.turn, then.mover)


def _shape(table: Table) -> dict[str, Any]:
    """What a webhook is told: enough to know whose turn it is, and nothing secret."""
    game = table.game
    finished = game.phase == "finished"
    deadline = table.deadline_ms
    turn = {
        "number": game.turn,
        "seat": game.mover,
        "deadline": None if deadline is None else moment(deadline),
    }
    return {
        "type": "game.ended" if finished else "game.turn",
        "timestamp": moment(table.updated_ms),
        "data": {
            "game_id": table.id,
            "version": game.version,
            "event": table.newest,
            "status": game.phase,
            "turn": None if finished else turn,
            "scores": [
                {"seat": seat, "score": player.score} for seat, player in game.seated.items()
            ],
            "end": game.end,
            "winners": list(game.winners) if finished else None,
        },
    }

"""What a webhook is told of an event: enough to know whose turn it is, and nothing secret."""

from dataclasses import dataclass

import orjson

from service.api.shapes import Shape, moment
from service.duties import is_told
from service.store.games import GameStore
from service.table import Table, replayed, unpack_entry


@dataclass(frozen=True, slots=True)
class Message:
    """A message to ``url``; repetitions have the same id and the same body."""

    id: str
    url: str
    body: bytes


class NotYet(Exception):
    """The event is not in the log, or not there yet."""


def message_of(store: GameStore, game_id: str, n: int) -> Message | None:
    """The message about event n; None if nobody is to be told of it. NotYet if there is none.

    It is made of the log up to that event, so it is the same whenever it is made.
    """
    log = store.load_log(game_id, limit=n)
    if len(log) < n:
        raise NotYet
    entries = [unpack_entry(logged.event, logged.n) for logged in log]
    before = replayed(game_id, entries[:-1]) if n > 1 else None
    table = replayed(game_id, entries)
    url = table.particulars.webhook_url
    if url is None or not is_told(before, table):
        return None
    # The mark tells the event from one that had its number before a rollback of the store.
    return Message(f"msg_{game_id}_{n}_{log[-1].nonce.hex()}", url, orjson.dumps(_shape(table)))


def _shape(table: Table) -> Shape:
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

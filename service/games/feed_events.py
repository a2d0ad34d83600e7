"""What a tenant's feed tells of an event: where, what, and who has to act now; no hidden tile."""

from typing import Any

import orjson

from service.games.session import GameSession, LogEntry, timestamp
from service.rules.events import ByPlayer
from service.rules.state import Game
from service.store.game_index import FeedEvent

DELETED = "deleted"


def feed_event(
    session: GameSession, entry: LogEntry, nonce: bytes, event_id: str, *, created: bool
) -> FeedEvent:
    """What the feed tells of a commit, of which this is the last entry."""
    event = entry.event
    body = {
        "id": f"{session.id}-{event_id}",
        "type": "created" if created else session.newest,
        "seat": None if created else getattr(event, "seat", None),
        "timeout": event.timeout if isinstance(event, ByPlayer) else False,
        "at": timestamp(entry.at_ms),
        **_state(session),
    }
    return FeedEvent(session.id, session.game.version, nonce, orjson.dumps(body))


def deletion(session: GameSession, nonce: bytes, event_id: str, now_ms: int) -> FeedEvent:
    """What the feed tells of the deletion of a game whose newest event has this nonce and id."""
    body = {
        "id": f"{session.id}-{event_id}-deleted",
        "type": DELETED,
        "seat": None,
        "timeout": False,
        "at": timestamp(now_ms),
        **_state(session),
    }
    return FeedEvent(session.id, session.game.version, nonce, orjson.dumps(body))


def _state(session: GameSession) -> dict[str, Any]:
    """The game after the event."""
    game, finished = session.game, session.game.phase == "finished"
    return {
        "game_id": session.id,
        "version": game.version,
        "status": game.phase,
        "turn": turn_document(session),
        "players": [
            {
                "seat": seat,
                "ref": session.options.ref(seat),
                "bot": player.bot,
                "score": player.score,
                "to_act": seat in _awaited(game),
            }
            for seat, player in game.seated.items()
        ],
        "end": game.end,
        "winners": list(game.winners) if finished else None,
    }


def turn_document(session: GameSession) -> dict[str, Any] | None:
    """Whose turn it is; None while waiting and when finished."""
    game, deadline = session.game, session.deadline_ms
    if game.phase not in {"bidding", "playing"}:
        return None
    return {
        "number": game.turn,
        "seat": game.mover,
        "opening": game.opening,
        "deadline": None if deadline is None else timestamp(deadline),
    }


def _awaited(game: Game) -> set[int]:
    """The seats that have to act: all that have not bid, or the one whose turn it is."""
    if game.phase == "bidding":
        return {seat for seat, player in game.active.items() if player.bid is None}
    return {game.mover} if game.phase == "playing" and game.mover is not None else set()

"""What a tenant's feed tells of an event: where, what, and who has to act now; no hidden tile."""

from typing import Any

import orjson

from service.games.session import GameSession, LogEntry, RematchOffer, timestamp
from service.rules.events import ByPlayer, Resigned
from service.rules.state import Game
from service.store.due_queue import DELETED
from service.store.game_index import FeedEvent

REMATCH = "rematch"


def feed_event(
    before: GameSession | None, session: GameSession, entry: LogEntry, nonce: bytes, event_id: str
) -> FeedEvent:
    """What the feed tells of the commit between these sessions, of which this is the last entry."""
    event = entry.event
    seat = getattr(event, "seat", None) if before else None
    body = {
        "id": f"{session.id}-{event_id}",
        "type": session.newest if before else "created",
        "seat": seat,
        "ref": _ref(before, session, seat),
        "timeout": event.timeout if isinstance(event, ByPlayer) else False,
        "removed": event.removed if isinstance(event, Resigned) else False,
        "at": timestamp(entry.at_ms),
        **_state(session),
    }
    return FeedEvent(session.id, session.game.version, nonce, orjson.dumps(body))


def _ref(before: GameSession | None, session: GameSession, seat: int | None) -> str | None:
    """The host's own name for the player of the seat, who may have left it with the event."""
    if before is None or seat is None:
        return None
    return (session if seat in session.game.seated else before).options.ref(seat)


def deletion(session: GameSession, nonce: bytes, event_id: str, now_ms: int) -> FeedEvent:
    """What the feed tells of the deletion of a game whose newest event has this nonce and id."""
    return _news(session, nonce, event_id, now_ms, type_=DELETED, news=DELETED)


def rematch_offer(session: GameSession, nonce: bytes, event_id: str, now_ms: int) -> FeedEvent:
    """What the feed tells of a finished game to whose rematch somebody has come."""
    come = "".join(map(str, session.rematch.seats)) if session.rematch else ""
    return _news(session, nonce, event_id, now_ms, type_=REMATCH, news=f"{REMATCH}{come}")


def _news(
    session: GameSession, nonce: bytes, event_id: str, now_ms: int, *, type_: str, news: str
) -> FeedEvent:
    """What the feed tells of something that is no event of the game's log."""
    body = {
        "id": f"{session.id}-{event_id}-{news}",
        "type": type_,
        "seat": None,
        "ref": None,
        "timeout": False,
        "removed": False,
        "at": timestamp(now_ms),
        **_state(session, deleted=type_ == DELETED),
    }
    return FeedEvent(session.id, session.game.version, nonce, orjson.dumps(body), news)


def _state(session: GameSession, *, deleted: bool = False) -> dict[str, Any]:
    """The game after the event; nobody has to act in one that was deleted."""
    game, finished = session.game, session.game.phase == "finished"
    awaited = set() if deleted else _awaited(game)
    return {
        "game_id": session.id,
        "version": game.version,
        "status": game.phase,
        "turn": None if deleted else turn_document(game, session.deadline_ms),
        "players": [
            {
                "seat": seat,
                "ref": session.options.ref(seat),
                "bot": player.bot,
                "score": player.score,
                "to_act": seat in awaited,
            }
            for seat, player in game.seated.items()
        ],
        "end": game.end,
        "winners": list(game.winners) if finished else None,
        "rematch": offer_document(session.rematch),
    }


def offer_document(offer: RematchOffer | None) -> dict[str, Any] | None:
    """A rematch as the players of the finished game are told of it."""
    return None if offer is None else {"game_id": offer.game_id, "seats": list(offer.seats)}


def turn_document(game: Game, deadline_ms: int | None) -> dict[str, Any] | None:
    """Whose turn it is, and until when; None while waiting and when finished."""
    if game.phase not in {"bidding", "playing"}:
        return None
    return {
        "number": game.turn,
        "seat": game.mover,
        "opening": game.opening,
        "deadline": None if deadline_ms is None else timestamp(deadline_ms),
    }


def _awaited(game: Game) -> set[int]:
    """The seats that have to act: all that have not bid, or the one whose turn it is."""
    if game.phase == "bidding":
        return {seat for seat, player in game.active.items() if player.bid is None}
    return {game.mover} if game.phase == "playing" and game.mover is not None else set()

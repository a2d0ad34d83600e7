"""What an event leaves to the workers: advancing the game later, and a webhook message."""

from typing import Any

import orjson

from service.games.autoplay import due_ms
from service.games.session import GameSession, timestamp
from service.store.due_queue import ScheduledWork, WebhookMessage
from service.store.game_index import FeedEvent


def scheduled_work(
    before: GameSession | None,
    session: GameSession,
    now_ms: int,
    nonce: bytes,
    tenants_message: WebhookMessage | None,
) -> ScheduledWork | None:
    """What the event between these two sessions leaves to do, or None.

    The event is about to be committed with this nonce; the tenant of the game may get a message.
    """
    due = due_ms(session, now_ms)
    url = session.options.webhook_url
    messages = (tenants_message,) if tenants_message else ()
    if url is not None and sends_message(before, session):
        message = WebhookMessage(url, nonce, orjson.dumps(_payload(session)))
        messages = (message, *messages)
    if due is None and not messages:
        return None
    return ScheduledWork(session.id, session.game.version, now_ms, due, messages)


def message_to_tenant(event: FeedEvent, tenant: str, url: str) -> WebhookMessage:
    """The message about an event to the webhook of the game's tenant."""
    data = orjson.loads(event.body)
    body = {"type": "game.event", "timestamp": data["at"], "data": {"cursor": None, **data}}
    return WebhookMessage(url, event.nonce, orjson.dumps(body), tenant, event.news)


def sends_message(before: GameSession | None, session: GameSession) -> bool:
    """Whether a webhook gets a message: the bidding or a turn began, or the game ended."""
    game = session.game
    if game.phase == "waiting":
        return False
    if before is None:
        return True
    then = before.game
    return (game.phase, game.turn, game.mover) != (then.phase, then.turn, then.mover)


def _payload(session: GameSession) -> dict[str, Any]:
    """The webhook message: enough to know whose turn it is, and nothing secret."""
    game = session.game
    finished = game.phase == "finished"
    deadline = session.deadline_ms
    turn = {
        "number": game.turn,
        "seat": game.mover,
        "deadline": None if deadline is None else timestamp(deadline),
    }
    return {
        "type": "game.ended" if finished else "game.turn",
        "timestamp": timestamp(session.updated_ms),
        "data": {
            "game_id": session.id,
            "version": game.version,
            "event": session.newest,
            "status": game.phase,
            "turn": None if finished else turn,
            "scores": [
                {"seat": seat, "score": player.score} for seat, player in game.seated.items()
            ],
            "end": game.end,
            "winners": list(game.winners) if finished else None,
        },
    }

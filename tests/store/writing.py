"""Commits as the store's tests write them."""

import base64
import os
import time

from service.store.games import Commit
from service.store.redis_store import RedisGameStore

HOUR_MS = 3_600_000


def fresh_id() -> str:
    return base64.b32encode(os.urandom(16)).decode().rstrip("=").lower()


def now() -> int:
    return time.time_ns() // 1_000_000


def event(
    game_id: str,
    expected: int,
    *,
    state: bytes | None = None,
    body: bytes | None = None,
    ttl_ms: int = HOUR_MS,
    at_ms: int | None = None,
    retry_key: bytes | None = None,
    fingerprint: bytes | None = None,
) -> Commit:
    """Event number `expected` + 1 of a game, with a nonce of its own."""
    return Commit(
        game_id=game_id,
        expected_version=expected,
        state=b"state %d" % (expected + 1) if state is None else state,
        event=b"event %d" % (expected + 1) if body is None else body,
        ttl_ms=ttl_ms,
        nonce=os.urandom(8),
        now_ms=now() if at_ms is None else at_ms,
        retry_key=retry_key,
        fingerprint=fingerprint,
    )


def warm(store: RedisGameStore) -> str:
    """A game at version 1; the server knows the scripts now."""
    game = fresh_id()
    store.commit(event(game, 0))
    store.load(game, b"k" * 16)
    return game

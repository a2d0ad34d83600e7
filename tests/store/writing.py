"""Commits as the store's tests write them."""

import base64
import os
import time
from dataclasses import replace
from hashlib import sha256

from service.store.base import NEVER_UPDATED, NONCE_BYTES, Commit, IdempotencyEntry, LoggedEvent
from service.store.redis_store import RedisGameStore

HOUR_MS = 3_600_000


def fresh_id() -> str:
    return base64.b32encode(os.urandom(16)).decode().rstrip("=").lower()


def now() -> int:
    return time.time_ns() // 1_000_000


def nonce_of(game_id: str, n: int) -> bytes:
    """The nonce of event n, unless the test gives it one of its own."""
    return sha256(f"{game_id} {n}".encode()).digest()[:NONCE_BYTES]


def stamp_of(game_id: str, n: int) -> bytes:
    """The stamp of a game after event n, if no token was renewed."""
    return nonce_of(game_id, n) + NEVER_UPDATED


def event(
    game_id: str,
    expected: int,
    *,
    state: bytes | None = None,
    body: bytes | None = None,
    ttl_ms: int = HOUR_MS,
    at_ms: int | None = None,
    idempotency_key: bytes | None = None,
    fingerprint: bytes | None = None,
    nonce: bytes | None = None,
    stamp: bytes | None = None,
) -> Commit:
    """Event number `expected` + 1 of a game, after those of the same making."""
    seen = stamp_of(game_id, expected) if expected > 0 else b""
    n = expected + 1
    logged = LoggedEvent(
        n,
        nonce_of(game_id, n) if nonce is None else nonce,
        b"event %d" % n if body is None else body,
    )
    entry = None
    if idempotency_key is not None and fingerprint is not None:
        entry = IdempotencyEntry(idempotency_key, fingerprint, n, now() if at_ms is None else at_ms)
    return Commit(
        game_id=game_id,
        expected_stamp=seen if stamp is None else stamp,
        state=b"state %d" % n if state is None else state,
        events=(logged,),
        ttl_ms=ttl_ms,
        idempotency=entry,
    )


def rival(commit: Commit) -> Commit:
    """Another commit to the same version of a game."""
    (event,) = commit.events
    return replace(commit, events=(replace(event, nonce=os.urandom(NONCE_BYTES)),))


def nonce_in(commit: Commit) -> bytes:
    """The nonce of the newest event in a commit."""
    return commit.events[-1].nonce


def delete(store: RedisGameStore, game_id: str) -> bool:
    """Delete a game as it is."""
    found = store.load(game_id)
    return store.delete(game_id, found.stamp if found else b"")


def warm(store: RedisGameStore) -> str:
    """A game at version 1; the server knows the scripts now."""
    game = fresh_id()
    store.commit(event(game, 0))
    store.load(game, b"k" * 16)
    return game

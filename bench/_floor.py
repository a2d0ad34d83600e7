"""The least that any service of this kind could do, under the very server that ours runs on.

A bare Flask route that parses the JSON, makes the same round trips to the store with as many
bytes, and answers with a body of the same size. Run as a process with the listening socket's
file descriptor, the store's address, and the sizes.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from secrets import token_bytes
from typing import Any

from service.config import Settings
from service.server.gunicorn_app import WebServer


@dataclass(frozen=True)
class Sizes:
    """How many bytes a stored state, a stored event and the two answers have."""

    state: int
    event: int
    play: int
    read: int


def create_floor(settings: Settings, sizes: Sizes) -> Any:
    """The bare application."""
    import orjson
    from flask import Flask, Response, request

    from service.store.base import (
        FINGERPRINT_BYTES,
        IDEMPOTENCY_KEY_BYTES,
        NONCE_BYTES,
        Commit,
        IdempotencyEntry,
        LoggedEvent,
    )
    from service.store.client import connect
    from service.store.redis_store import RedisGameStore

    assert settings.redis_url
    store = RedisGameStore(connect(settings.redis_url, timeout=2, connections=64))
    app = Flask("floor", static_folder=None)
    played = orjson.dumps("x" * (sizes.play - 2))
    seen = orjson.dumps("x" * (sizes.read - 2))
    state, event = token_bytes(sizes.state), token_bytes(sizes.event)
    fingerprint = token_bytes(FINGERPRINT_BYTES)

    @app.post("/games/<game_id>/plays/<own_id>")
    def play(game_id: str, own_id: str) -> Response:
        orjson.loads(request.get_data())
        # The game that the service has just read; what is written is a game of the floor's own.
        key = own_id.encode()[-IDEMPOTENCY_KEY_BYTES:]
        store.load(game_id, key)
        ttl_ms, now_ms = 86_400_000, 1
        store.commit(
            Commit(
                own_id,
                b"",
                state,
                (LoggedEvent(1, key[-NONCE_BYTES:], event),),
                ttl_ms,
                IdempotencyEntry(key, fingerprint, 1, now_ms),
            )
        )
        return Response(played, 201, content_type="application/json")

    @app.get("/games/<game_id>")
    def read(game_id: str) -> Response:
        store.load(game_id)
        return Response(seen, content_type="application/json")

    return app


class FloorServer(WebServer):
    """The service's own server with the bare application in it."""

    def __init__(self, settings: Settings, listener: int, sizes: Sizes) -> None:
        self._sizes = sizes
        super().__init__(settings, listener)

    def load(self) -> Callable[..., Any]:
        return create_floor(self._settings, self._sizes)


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    settings = Settings(redis_url=given["redis_url"], workers=given["workers"])
    FloorServer(settings, given["listener"], Sizes(**given["sizes"])).run()

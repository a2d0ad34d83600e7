"""Open the games of the store that the settings name, for every kind of process."""

from collections.abc import Callable
from secrets import token_bytes
from time import time_ns

import redis

from service.config import Settings, SettingsError, signing_secrets
from service.games.autoplay import REQUEST_POLICY, BotPolicy
from service.games.keyring import Keyring
from service.games.service import Games
from service.rules.yielding import Pause, no_pause
from service.store.client import connect
from service.store.due_queue import DueQueue
from service.store.redis_store import RedisGameStore


def unix_ms() -> int:
    """The current time of this machine in Unix milliseconds."""
    return time_ns() // 1_000_000


def open_client(settings: Settings) -> redis.Redis:
    """A client of the store that the settings name; it sends nothing yet."""
    if settings.redis_url is None:
        raise SettingsError(
            "QWIRKLE_REDIS_URL must name a Redis or Valkey; only `qwirkle serve` brings its own."
        )
    try:
        return connect(
            settings.redis_url,
            timeout=settings.store_timeout,
            connections=settings.store_connections,
            replicas=settings.min_replicas,
        )
    except ValueError as error:
        raise SettingsError(f"QWIRKLE_REDIS_URL: {error}") from error


def open_games(
    settings: Settings,
    client: redis.Redis,
    *,
    clock: Callable[[], int] = unix_ms,
    bot_policy: BotPolicy = REQUEST_POLICY,
    pause: Pause = no_pause,
) -> Games:
    """The games of the client's store, with the secrets of the settings."""
    return Games(
        RedisGameStore(client),
        Keyring(signing_secrets(settings)),
        clock,
        token_bytes,
        settings.ttl_active * 1000,
        settings.ttl_finished * 1000,
        bot_policy=bot_policy,
        scheduler=DueQueue(client),
        pause=pause,
        tenant_webhooks=dict(settings.webhooks),
    )

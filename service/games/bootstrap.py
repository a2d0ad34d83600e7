"""From settings to the games of a store, for every kind of process that needs them."""

from collections.abc import Callable
from functools import partial
from secrets import token_bytes
from time import sleep, time_ns

import redis

from service.config import Settings, SettingsError, signing_secrets
from service.games.autoplay import REQUEST_POLICY, BotPolicy
from service.games.service import Games
from service.games.tokens import Keyring
from service.rules.pauses import A_MOMENT
from service.store.client import connect
from service.store.due_queue import DueQueue
from service.store.redis_store import RedisGameStore


def unix_ms() -> int:
    """The time of this machine's clock."""
    return time_ns() // 1_000_000


def store_url(settings: Settings) -> str:
    """The address of the store; SettingsError if there is none."""
    if settings.redis_url is None:
        raise SettingsError(
            "QWIRKLE_REDIS_URL must name a Redis or Valkey; only `qwirkle serve` brings its own."
        )
    return settings.redis_url


def open_client(settings: Settings) -> redis.Redis:
    """A client of the store that the settings name; nothing is sent yet."""
    url = store_url(settings)
    try:
        return connect(
            url,
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
) -> Games:
    """All games of the client's store, under the settings' secret."""
    return Games(
        RedisGameStore(client),
        Keyring(signing_secrets(settings)),
        clock,
        token_bytes,
        settings.ttl_active * 1000,
        settings.ttl_finished * 1000,
        bot_policy=bot_policy,
        scheduler=DueQueue(client),
        # Lets other requests of this process go on, where it serves them by turns.
        pause=partial(sleep, A_MOMENT),
    )

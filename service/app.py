"""The composition root: settings, then the store, then the operations."""

import os
from collections.abc import Callable
from functools import partial
from importlib.metadata import version

import redis
from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from service.api.context import Context, JudgeGuess
from service.api.flask_app import QwirkleFlask
from service.api.instrumentation import observe_requests, trace_requests
from service.api.middleware import admit_browsers, answer_failures, give_request_ids
from service.api.sse import Places
from service.api.views.create import creation
from service.api.views.docs import reference
from service.api.views.events import events
from service.api.views.games import games
from service.api.views.health import health
from service.api.views.images import pictures
from service.api.views.records import records
from service.api.views.rematch import rematches
from service.api.views.rotate_token import tokens
from service.api.views.web_client import page
from service.config import Settings
from service.games.bootstrap import open_client, open_games, unix_ms
from service.live.event_cache import EventCache
from service.store.anonymous_quota import AnonymousQuota
from service.store.join_limits import JoinLimits
from service.store.pubsub import GamePubSub
from service.telemetry import metrics

DISTRIBUTION = "qwirkle-service"


def _limit_rates(app: Flask, settings: Settings, client: redis.Redis) -> JudgeGuess:
    """Count requests against the limits that are set; returns who judges guesses."""
    if settings.rate_create or settings.rate_write or settings.rate_read or settings.rate_guess:
        # Loaded late, with the library that counts: most services set no limits.
        from service.api.rate_limits import limit_rates  # noqa: PLC0415  # as said

        return limit_rates(app, settings, client)
    return lambda *, right: None  # noqa: ARG005  # there is no limit on guesses


def create_app(settings: Settings | None = None, *, clock: Callable[[], int] = unix_ms) -> Flask:
    """The application for any WSGI server; without settings they are read from the environment.

    The store must be named by QWIRKLE_REDIS_URL: only `qwirkle serve` starts one of its own.
    """
    settings = settings or Settings.from_env(os.environ)
    metrics.PROCESSES.labels("web").set(1)
    client = open_client(settings)
    all_games = open_games(settings, client, clock=clock)
    event_cache = EventCache(all_games, GamePubSub(client))
    places = Places(settings.streams, settings.streams_per_client, settings.streams_per_address)
    guests = AnonymousQuota(
        client, settings.anonymous_bot_tables, settings.anonymous_bot_tables_per_address
    )
    # Answers are our own, and no static folder or templates of the application exist.
    app = QwirkleFlask("service", static_folder=None)
    # A path with a slash too many is no path of ours, rather than a redirection to one.
    app.url_map.merge_slashes = False
    keyring = all_games.keyring
    release = keyring.tag("release", version(DISTRIBUTION))
    app.config["MAX_CONTENT_LENGTH"] = settings.max_body + 1  # see service.api.request.raw_body
    if settings.trusted_proxies:
        proxied = partial(ProxyFix, x_for=settings.trusted_proxies)
        app.wsgi_app = proxied(app.wsgi_app)  # type: ignore[method-assign]  # Flask's own advice
    observe_requests(app, settings)
    trace_requests(app, settings, os.environ)
    give_request_ids(app)
    judge_guess = _limit_rates(app, settings, client)
    app.extensions["qwirkle"] = Context(
        all_games,
        keyring,
        settings,
        release,
        event_cache,
        places,
        guests,
        JoinLimits(client),
        judge_guess,
    )
    admit_browsers(app, settings.cors_origins)
    answer_failures(app)
    asked_about_games = (creation, games, rematches, tokens, records, pictures, events)
    for blueprint in (*asked_about_games, health, reference, page):
        app.register_blueprint(blueprint)
    return app


def end_streams(app: Flask) -> None:
    """End all streams and long polls of this process; their clients reconnect to another."""
    context: Context = app.extensions["qwirkle"]
    context.event_cache.news.close()

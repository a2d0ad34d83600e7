"""The composition root: settings, then the store, then the operations."""

import os
from collections.abc import Callable
from functools import partial
from importlib.metadata import version

import redis
from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from service.api.application import TableApplication
from service.api.creation import creation
from service.api.desk import Desk, JudgeGuess
from service.api.edge import admit_browsers, answer_failures, give_request_ids
from service.api.events import events
from service.api.games import games
from service.api.health import health
from service.api.observed import observe_requests, trace_requests
from service.api.page import page
from service.api.pictures import pictures
from service.api.records import records
from service.api.reference import reference
from service.api.rematches import rematches
from service.api.streams import Places
from service.api.tokens import tokens
from service.config import Settings
from service.feeds import Feeds
from service.observing.counting import METER
from service.opening import open_client, open_games, unix_ms
from service.store.guests import GuestTables
from service.store.joins import Joins
from service.store.news import News

DISTRIBUTION = "qwirkle-service"


def _limit_rates(app: Flask, settings: Settings, client: redis.Redis) -> JudgeGuess:
    """Count requests against the limits that are set; returns who judges guesses."""
    if settings.rate_create or settings.rate_write or settings.rate_read or settings.rate_guess:
        # Loaded late, with the library that counts: most services set no limits.
        from service.api.limits import limit_rates  # noqa: PLC0415  # as said

        return limit_rates(app, settings, client)
    return lambda *, right: None  # noqa: ARG005  # there is no limit on guesses


def create_app(settings: Settings | None = None, *, clock: Callable[[], int] = unix_ms) -> Flask:
    """The application for any WSGI server; without settings they are read from the environment.

    The store must be named by QWIRKLE_REDIS_URL: only `qwirkle serve` starts one of its own.
    """
    settings = settings or Settings.from_env(os.environ)
    METER.share(settings.metrics_file, "web")
    client = open_client(settings)
    all_games = open_games(settings, client, clock=clock)
    feeds = Feeds(all_games, News(client))
    places = Places(settings.streams, settings.streams_per_client, settings.streams_per_address)
    guests = GuestTables(
        client, settings.anonymous_bot_tables, settings.anonymous_bot_tables_per_address
    )
    # Answers are our own, and no static folder or templates of the application exist.
    app = TableApplication("service", static_folder=None)
    # A path with a slash too many is no path of ours, rather than a redirection to one.
    app.url_map.merge_slashes = False
    keyring = all_games.keyring
    release = keyring.tag("release", version(DISTRIBUTION))
    app.config["MAX_CONTENT_LENGTH"] = settings.max_body + 1  # see service.api.asked.raw_body
    if settings.trusted_proxies:
        proxied = partial(ProxyFix, x_for=settings.trusted_proxies)
        app.wsgi_app = proxied(app.wsgi_app)  # type: ignore[method-assign]  # Flask's own advice
    observe_requests(app, settings)
    trace_requests(app, settings, os.environ)
    give_request_ids(app)
    judge_guess = _limit_rates(app, settings, client)
    app.extensions["qwirkle"] = Desk(
        all_games, keyring, settings, release, feeds, places, guests, Joins(client), judge_guess
    )
    admit_browsers(app, settings.cors_origins)
    answer_failures(app)
    asked_about_games = (creation, games, rematches, tokens, records, pictures, events)
    for blueprint in (*asked_about_games, health, reference, page):
        app.register_blueprint(blueprint)
    return app

"""The application factory."""

import os
from functools import partial
from importlib.metadata import version

from werkzeug.middleware.proxy_fix import ProxyFix

from service.api.context import Context
from service.api.error_handlers import answer_failures
from service.api.flask_subclasses import QwirkleFlask
from service.api.middleware import allow_origins, observe_requests, trace_requests
from service.api.rate_limits import limit_rates
from service.api.round_robin import pause_in_turn
from service.api.sse import StreamLimits
from service.api.views.create import creation
from service.api.views.docs import reference
from service.api.views.events import events
from service.api.views.feed import feed
from service.api.views.games import games
from service.api.views.health import health
from service.api.views.images import pictures
from service.api.views.join import joins
from service.api.views.lobby import lobby
from service.api.views.records import records
from service.api.views.rematch import rematches
from service.api.views.renew_token import tokens
from service.api.views.table import table
from service.api.views.tenant import tenant_views
from service.api.views.web_app import app_files
from service.api.views.web_client import page
from service.config import Settings
from service.games.bootstrap import open_client, open_games
from service.live.event_cache import EventCache
from service.store.hourly_limits import HourlyLimits
from service.store.pubsub import PubSub
from service.telemetry import metrics

DISTRIBUTION = "qwirkle-service"


def create_app(settings: Settings | None = None) -> QwirkleFlask:
    """The application, for any WSGI server; the settings default to the environment's.

    QWIRKLE_REDIS_URL must name the store: only `qwirkle serve` starts one of its own.
    """
    settings = settings or Settings.from_env(os.environ)
    metrics.PROCESSES.labels("web").set(1)
    client = open_client(settings)
    all_games = open_games(settings, client, pause=pause_in_turn)
    pubsub = PubSub(client)
    app = QwirkleFlask("service", static_folder=None)
    app.close_streams = pubsub.close
    # `//` in a path is an unknown path, not a redirection.
    app.url_map.merge_slashes = False
    if settings.trusted_proxies:
        proxied = partial(ProxyFix, x_for=settings.trusted_proxies)
        app.wsgi_app = proxied(app.wsgi_app)  # type: ignore[method-assign]  # as Flask's docs advise
    trace_requests(app, settings, os.environ)
    observe_requests(app, settings)
    limits = limit_rates(app, settings, client)
    app.extensions["qwirkle"] = Context(
        games=all_games,
        settings=settings,
        release=all_games.keyring.tag("release", version(DISTRIBUTION)),
        event_cache=EventCache(all_games, pubsub),
        pubsub=pubsub,
        stream_limits=StreamLimits(
            settings.streams, settings.streams_per_client, settings.streams_per_address
        ),
        hourly_limits=HourlyLimits(
            client, settings.anonymous_bot_tables, settings.anonymous_bot_tables_per_address
        ),
        judge_guess=limits.judge,
        judge_join_code=limits.judge_join_code,
    )
    allow_origins(app, settings.cors_origins)
    answer_failures(app)
    game_views = (creation, games, joins, table, rematches, tokens, records, pictures, events)
    web_views = (reference, page, app_files)
    for blueprint in (*game_views, tenant_views, feed, lobby, health, *web_views):
        app.register_blueprint(blueprint)
    return app

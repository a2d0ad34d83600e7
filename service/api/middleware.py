"""What applies to every request: its id, its line in the log, compression, CORS and traces."""

import re
from collections.abc import Mapping, Sequence
from secrets import token_hex
from time import perf_counter
from typing import Final

from flask import Flask, Response, g, request

from service.api.compression import compress
from service.config import Settings, SettingsError
from service.telemetry.access_log import AccessLog, could_be_game, route_of

# Ids are logged, so one that contains a token is replaced.
_REQUEST_ID = re.compile(r"(?!.*qw[ph]_)[A-Za-z0-9._~+/=:-]{1,128}")
_EXPOSED = (
    "ETag, Location, Retry-After, Idempotency-Replayed, X-Request-ID, RateLimit, RateLimit-Policy"
)
_ALLOWED_HEADERS = (
    "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, "
    "X-Request-ID"
)
_PREFLIGHT_SECONDS = "7200"
_TRACE_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def observe_requests(app: Flask, settings: Settings) -> None:
    """Name every request, and finish its response: its id, gzip, metrics and the log.

    A request's id is the client's, if it is usable, or a new one. Call this before others that
    add to responses: Flask calls the first `after_request` last.
    """
    access_log = AccessLog(settings.log_level, settings.log_format, access_log=settings.access_log)

    def begin() -> None:
        g.began = perf_counter()
        given = request.headers.get("X-Request-ID", "")
        g.request_id = given if _REQUEST_ID.fullmatch(given) else token_hex(8)

    def finish(response: Response) -> Response:
        request_id = g.request_id
        response.headers["X-Request-ID"] = request_id
        response.headers["X-Content-Type-Options"] = "nosniff"
        compress(response)
        rule, arguments = request.url_rule, request.view_args or {}
        access_log.record(
            rule.rule if rule else None,
            request.method,
            response.status_code,
            perf_counter() - g.began,
            request_id=request_id,
            game_id=arguments.get("game_id"),
            seat=g.get("seat"),
        )
        return response

    app.before_request(begin)
    app.after_request(finish)


def allow_origins(app: Flask, origins: Sequence[str]) -> None:
    """CORS for the origins in the settings, and for no others."""
    if not origins:
        return

    def add_headers(response: Response) -> Response:
        origin = request.headers.get("Origin")
        response.vary.add("Origin")
        if origin is None or not ("*" in origins or origin in origins):
            return response
        response.headers["Access-Control-Allow-Origin"] = "*" if "*" in origins else origin
        response.headers["Access-Control-Expose-Headers"] = _EXPOSED
        if request.method == "OPTIONS":
            response.headers["Access-Control-Allow-Methods"] = response.headers.get("Allow", "")
            response.headers["Access-Control-Allow-Headers"] = _ALLOWED_HEADERS
            response.headers["Access-Control-Max-Age"] = _PREFLIGHT_SECONDS
        return response

    app.after_request(add_headers)


def trace_requests(app: Flask, settings: Settings, environ: Mapping[str, str]) -> None:
    """Trace every request, if the settings or `OTEL_*` variables name an endpoint."""
    wanted = any(environ.get(name) for name in _TRACE_ENDPOINTS) or settings.otel_endpoint
    if not wanted or environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return
    try:
        from service.telemetry.tracing import Tracing  # noqa: PLC0415  # only if it is wanted
    except ModuleNotFoundError as error:
        raise SettingsError(
            "Traces need more packages: pip install 'qwirkle-service[otel]'."
        ) from error
    tracing = Tracing(settings.otel_endpoint)

    def begin() -> None:
        headers = request.headers
        parent, state = headers.get("traceparent"), headers.get("tracestate")
        g.span = tracing.begin(request.method, parent, state)

    def end(response: Response) -> Response:
        route = route_of(request.url_rule.rule if request.url_rule else None)
        game_id = (request.view_args or {}).get("game_id", "")
        attributes = {
            "http.request.method": request.method,
            "http.route": route,
            "qwirkle.request_id": g.request_id,
            "qwirkle.game": game_id if could_be_game(game_id) else None,
            "qwirkle.seat": g.get("seat"),
        }
        g.span.end(f"{request.method} {route}", response.status_code, attributes)
        return response

    app.before_request(begin)
    app.after_request(end)

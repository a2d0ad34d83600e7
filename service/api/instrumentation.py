"""Counts, logs and traces every request when its response is ready."""

from collections.abc import Mapping
from time import perf_counter
from typing import Final

from flask import Flask, Response, g, request

from service.config import Settings, SettingsError
from service.telemetry.access_log import AccessLog, could_be_game, route_of

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def observe_requests(app: Flask, settings: Settings) -> None:
    """Count every request and write its line in the log.

    Call it before other functions are registered: Flask calls the first `after_request` last.
    """
    access_log = AccessLog(settings.log_level, settings.log_format, access_log=settings.access_log)

    def begin() -> None:
        g.began = perf_counter()

    def note(response: Response) -> Response:
        rule, arguments = request.url_rule, request.view_args or {}
        access_log.record(
            rule.rule if rule else None,
            request.method,
            response.status_code,
            perf_counter() - g.began,
            request_id=g.request_id,
            game_id=arguments.get("game_id"),
            seat=g.get("seat"),
        )
        return response

    app.before_request(begin)
    app.after_request(note)


def trace_requests(app: Flask, settings: Settings, environ: Mapping[str, str]) -> None:
    """Trace every request, if the settings or `OTEL_*` variables name an endpoint."""
    wanted = any(environ.get(name) for name in _ENDPOINTS) or settings.otel_endpoint
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
            "qwirkle.request_id": g.get("request_id"),
            "qwirkle.game": game_id if could_be_game(game_id) else None,
            "qwirkle.seat": g.get("seat"),
        }
        g.span.end(f"{request.method} {route}", response.status_code, attributes)
        return response

    app.before_request(begin)
    app.after_request(end)

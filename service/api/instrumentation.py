"""Every request is taken note of once, when its answer is ready, and traced if that is wanted."""

from collections.abc import Mapping
from time import perf_counter
from typing import Final

from flask import Flask, Response, g

from service.api.flask_app import header_of, the_notepad, the_request
from service.config import Settings, SettingsError
from service.telemetry.access_log import AccessLog, could_be_game, route_of

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def observe_requests(app: Flask, settings: Settings) -> None:
    """Count every request and write its line in the log.

    To be called before anything else wants to see answers: Flask calls the first one last.
    """
    access_log = AccessLog(settings.log_level, settings.log_format, access_log=settings.access_log)

    def begin() -> None:
        the_notepad().began = perf_counter()

    def note(response: Response) -> Response:
        asked, kept = the_request(), vars(the_notepad())
        rule, named = asked.url_rule, asked.view_args
        access_log.record(
            rule.rule if rule else None,
            asked.method,
            response.status_code,
            perf_counter() - kept["began"],
            request_id=kept["request_id"],
            game_id=named.get("game_id") if named else None,
            seat=kept.get("seat"),
        )
        return response

    app.before_request(begin)
    app.after_request(note)


def trace_requests(app: Flask, settings: Settings, environ: Mapping[str, str]) -> None:
    """Make a trace of every request, if the settings or `OTEL_*` ask for traces."""
    asked_for = any(environ.get(name) for name in _ENDPOINTS) or settings.otel_endpoint
    if not asked_for or environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return
    try:
        from service.telemetry.tracing import Tracing  # noqa: PLC0415  # only where it is wanted
    except ModuleNotFoundError as error:
        raise SettingsError(
            "Traces need more packages: pip install 'qwirkle-service[otel]'."
        ) from error
    tracing = Tracing(settings.otel_endpoint)

    def begin() -> None:
        method = the_request().method
        g.span = tracing.begin(method, header_of("traceparent"), header_of("tracestate"))

    def end(response: Response) -> Response:
        asked = the_request()
        route = route_of(asked.url_rule.rule if asked.url_rule else None)
        game_id = (asked.view_args or {}).get("game_id", "")
        attributes = {
            "http.request.method": asked.method,
            "http.route": route,
            "qwirkle.request_id": g.get("request_id"),
            "qwirkle.game": game_id if could_be_game(game_id) else None,
            "qwirkle.seat": g.get("seat"),
        }
        g.span.end(f"{asked.method} {route}", response.status_code, attributes)
        return response

    app.before_request(begin)
    app.after_request(end)

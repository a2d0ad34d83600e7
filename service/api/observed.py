"""Every request is taken note of once, when its answer is ready."""

from time import perf_counter

from flask import Flask, Response, g, request

from service.config import Settings
from service.observing.requests import RequestNotes


def observe_requests(app: Flask, settings: Settings) -> None:
    """Count every request and write its line in the log.

    To be called before anything else wants to see answers: Flask calls the first one last.
    """
    notes = RequestNotes(settings.log_level, settings.log_format, access_log=settings.access_log)

    def begin() -> None:
        g.began = perf_counter()

    def note(response: Response) -> Response:
        rule, asked = request.url_rule, request.view_args
        notes.note(
            rule.rule if rule else None,
            request.method,
            response.status_code,
            perf_counter() - g.began,
            request_id=g.request_id,
            game_id=asked.get("game_id") if asked else None,
            seat=g.get("seat"),
        )
        return response

    app.before_request(begin)
    app.after_request(note)

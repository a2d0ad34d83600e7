"""Every request is taken note of once, when its answer is ready."""

from time import perf_counter

from flask import Flask, Response, g

from service.api.application import the_notepad, the_request
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
        asked, kept = the_request(), vars(the_notepad())
        rule, named = asked.url_rule, asked.view_args
        notes.note(
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

"""The Flask application class: no sessions, no asynchronous views, a shortcut to game routes."""

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

from flask import Flask, Request
from flask.sessions import NullSession, SessionInterface
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header
from werkzeug.routing import MapAdapter, Rule

_GAME_ROUTE = re.compile(r"/v1/games/<game_id>(?:/([a-z./-]+))?")
_GAME_PATH = re.compile(r"/v1/games/([a-z2-7]{26})(?:/([a-z./-]+))?")
_NO_SESSION = NullSession()
_LONGEST_ACCEPT_LANGUAGE = 512
"""Characters; those of browsers have about a hundred."""


class QwirkleRequest(Request):
    """A request whose `Accept-Language` is ignored if it is unreasonably long.

    Werkzeug would need seconds to parse a list that fills the whole header block.
    """

    @cached_property
    def accept_languages(self) -> LanguageAccept:
        """The languages that the client prefers."""
        header = self.headers.get("Accept-Language", "")
        usable = header if len(header) <= _LONGEST_ACCEPT_LANGUAGE else None
        return parse_accept_header(usable, LanguageAccept)


class NoSessions(SessionInterface):
    """This service has no sessions: every request gets the same empty one, never saved."""

    def open_session(self, app: Flask, request: Request) -> NullSession:  # noqa: ARG002  # Flask's signature
        """The empty session."""
        return _NO_SESSION

    def save_session(self, *_: Any) -> None:
        """Nothing to save."""


class QwirkleFlask(Flask):
    """The application of this service."""

    request_class = QwirkleRequest
    session_interface = NoSessions()

    close_streams: Callable[[], None]
    """Ends all event streams and long polls of this process, for a server about to stop."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """The function itself: none is asynchronous, so Flask need not examine each of them."""
        return func

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """None for a request about a game, whose route is set here without a search.

        Nearly all requests are, and searching costs 30 µs. The host's name is not looked at,
        since no answer depends on it.
        """
        if request is not None and (found := _GAME_PATH.fullmatch(request.path)):
            game_id, resource = found.groups()
            rule = self._game_routes.get((request.method, resource))
            if rule is not None:
                request.url_rule, request.view_args = rule, {"game_id": game_id}
                return None
        return super().create_url_adapter(request)

    @cached_property
    def _game_routes(self) -> dict[tuple[str, str | None], Rule]:
        """The rule for each method and each resource of a game; None is the game itself."""
        return {
            (method, found[1]): rule
            for rule in self.url_map.iter_rules()
            if (found := _GAME_ROUTE.fullmatch(rule.rule))
            for method in (rule.methods or set()) - {"OPTIONS"}
        }

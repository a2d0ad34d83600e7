"""The Flask application class: a shortcut to game routes, a limit on `Accept-Language`."""

import re
from collections.abc import Callable
from functools import cached_property

from flask import Flask, Request
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header
from werkzeug.routing import MapAdapter, Rule

_GAME_ROUTE = re.compile(r"/v1/games/<game_id>(?:/([a-z./-]+))?")
_GAME_PATH = re.compile(r"/v1/games/([a-z2-7]{26})(?:/([a-z./-]+))?")
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


class QwirkleFlask(Flask):
    """The application of this service."""

    request_class = QwirkleRequest

    close_streams: Callable[[], None]
    """Ends all event streams and long polls of this process, for a server about to stop."""

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

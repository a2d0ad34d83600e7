"""Flask, less what no request of this service needs.

Views, error handlers and the application's own `before_request` and `after_request` functions
work as everywhere. Sessions, signals, teardown functions and hooks of blueprints do not: nothing
here uses them, and every request would pay for them.
"""

import re
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any

from flask import Flask, Request, Response
from flask.ctx import AppContext, RequestContext
from flask.globals import _cv_app, _cv_request
from flask.sessions import NullSession
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import LanguageAccept, MIMEAccept
from werkzeug.http import parse_accept_header
from werkzeug.routing import MapAdapter, Rule

# None of ours is asynchronous, which Flask allows for.
BeforeRequest = Callable[[], ResponseReturnValue | None]
AfterRequest = Callable[[Response], Response]

_GAME_ROUTE = re.compile(r"/v1/games/<game_id>(?:/([a-z.-]+))?")
_GAME_PATH = re.compile(r"/v1/games/([a-z2-7]{26})(?:/([a-z.-]+))?")
_NO_SESSION = NullSession()
_DIGITS_OF_LITTLE = 3
_LONGEST_WISH = 512
"""Characters of a list of languages or forms; those of browsers have some hundred."""


def the_request() -> "QwirkleRequest":
    """The request itself; Flask's stand-in for it looks it up anew at every use."""
    found: Any = _cv_request.get().request
    asked: QwirkleRequest = found
    return asked


def the_notepad() -> Any:
    """Flask's ``g`` itself, for whoever looks at several of its notes."""
    return _cv_app.get().g


def the_application() -> Flask:
    """The application that serves the request, rather than its stand-in."""
    return _cv_app.get().app


def header_of(name: str) -> str | None:
    """A header of the request, without the detour over Flask's collection of them."""
    found: str | None = the_request().environ.get(_environ_name(name))
    return found


@lru_cache(maxsize=256)
def _environ_name(name: str) -> str:
    return "HTTP_" + name.upper().replace("-", "_")


class QwirkleRequest(Request):
    """A request of this service, none of which ever holds a form."""

    whole_body: bytes | None = None
    """The body, once it is known to be neither too long nor cut off."""

    body_fault: Exception | None = None
    """Why the body cannot be used, once it was received."""

    @cached_property
    def body(self) -> bytes:
        """All that was sent; ``RequestEntityTooLarge`` beyond ``max_content_length``."""
        announced: str = self.environ.get("CONTENT_LENGTH") or ""
        if len(announced) <= _DIGITS_OF_LITTLE and announced.isdecimal():
            # So little needs no guard against too much, which costs more than reading it.
            little: bytes = self.environ["wsgi.input"].read(int(announced))
            return little
        return self.get_data(cache=False)

    @cached_property
    def accept_mimetypes(self) -> MIMEAccept:
        """The forms that the caller can take."""
        return parse_accept_header(self._wish("HTTP_ACCEPT") or "*/*", MIMEAccept)

    @cached_property
    def accept_languages(self) -> LanguageAccept:
        """The languages that the caller would like."""
        return parse_accept_header(self._wish("HTTP_ACCEPT_LANGUAGE"), LanguageAccept)

    def _wish(self, name: str) -> str | None:
        """A list of wishes; None if there is none, or more than anybody has.

        A list that fills a whole head would keep the worker busy for seconds.
        """
        listed: str | None = self.environ.get(name)
        return listed if listed and len(listed) <= _LONGEST_WISH else None

    def close(self) -> None:
        """Nothing: there are no files of a form to close."""


class QwirkleFlask(Flask):
    """The application of this service."""

    request_class = QwirkleRequest

    def request_context(self, environ: dict[str, Any]) -> RequestContext:
        """A context with the empty session, so that none is opened."""
        return RequestContext(self, environ, session=_NO_SESSION)

    def wsgi_app(self, environ: dict[str, Any], start_response: Any) -> Any:
        """Flask's own, with contexts that nobody is told of and nothing has to be torn down in."""
        context = self.request_context(environ)
        around = _cv_app.set(AppContext(self)), _cv_request.set(context)
        try:
            if context.url_adapter is not None:
                context.match_request()
            try:
                response = self.full_dispatch_request()
            except Exception as error:  # noqa: BLE001  # the last resort of every failure
                response = self.handle_exception(error)
            return response(environ, start_response)
        finally:
            _cv_request.reset(around[1])
            _cv_app.reset(around[0])
            # The request knows the environment: without this only the collector would free both.
            environ["werkzeug.request"] = None

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """None where there is nothing to search: nearly all requests are about a game.

        No answer depends on the host's name, so it is not looked at.
        """
        if request is None:
            return None
        found = _GAME_PATH.fullmatch(request.path)
        if found is None:
            return super().create_url_adapter(request)
        game_id, resource = found.groups()
        rule = self._game_routes.get((request.method, resource))
        if rule is None:
            return super().create_url_adapter(request)
        request.url_rule, request.view_args = rule, {"game_id": game_id}
        return None

    @cached_property
    def _game_routes(self) -> dict[tuple[str, str | None], Rule]:
        """The rule for each method on a game itself, and on each thing of a game."""
        return {
            (method, found[1]): rule
            for rule in self.url_map.iter_rules()
            if (found := _GAME_ROUTE.fullmatch(rule.rule))
            for method in (rule.methods or set()) - {"OPTIONS"}
        }

    def full_dispatch_request(self) -> Response:
        """What comes before the view, the view or the handler of its failure, what comes after."""
        self._got_first_request = True
        before, after = self._around
        try:
            answer = self._answer(before)
        except Exception as error:  # noqa: BLE001  # every failure has its handler
            answer = self.handle_user_exception(error)
        response = answer if isinstance(answer, Response) else self.make_response(answer)
        for each in after:
            response = each(response)
        return response

    @cached_property
    def _around(self) -> tuple[tuple[BeforeRequest, ...], tuple[AfterRequest, ...]]:
        """What is called before every view and after it; nothing is added once requests come."""
        before: Any = self.before_request_funcs.get(None, ())
        after: Any = self.after_request_funcs.get(None, ())
        return (*before,), (*reversed(after),)

    def _answer(self, before: tuple[BeforeRequest, ...]) -> ResponseReturnValue:
        for each in before:
            early = each()
            if early is not None:
                return early
        asked = the_request()
        rule = asked.url_rule
        if asked.routing_exception is not None or rule is None or asked.method == "OPTIONS":
            return self.dispatch_request()
        view: Any = self.view_functions[rule.endpoint]
        answer: ResponseReturnValue = view(**(asked.view_args or {}))
        return answer

    def do_teardown_request(self, exc: BaseException | None = None) -> None:
        """Nothing: there are no functions to call."""

    def do_teardown_appcontext(self, exc: BaseException | None = None) -> None:
        """Nothing: there are no functions to call."""

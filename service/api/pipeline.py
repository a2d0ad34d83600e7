"""The steps of every request about a game, in the order of precedence that clients rely on.

No such game (404), wrong token (401), not allowed (403), malformed (413, 415, 400), already done
with this idempotency key, stale version (412), wrong moment (409), broken rule (422). A view
declares who may call it, what comes in and what goes out, and does only what is specific to it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from flask import Response
from marshmallow import Schema

from service.api.auth import Who, require, require_api_key, viewer_of
from service.api.compression import known_etag
from service.api.context import Context, context
from service.api.problems import Problem
from service.api.request import SHORT_KEY, Body, PostedRequest, bearer, known_id, query, receive
from service.api.responses import (
    JSON,
    as_replayed,
    etag_of,
    is_etag_of,
    json_response,
    not_modified,
    picture_response,
)
from service.api.schemas import NO_QUERY
from service.games.advance import load_and_advance, load_and_advance_with_log
from service.games.idempotency import KeyReused, earlier_result, session_before_request
from service.games.service import (
    CommitResult,
    Games,
    IdempotencyKey,
    LoadedGame,
    LoggedEntry,
    retry_on_conflict,
)
from service.games.session import GameSession
from service.games.tokens import ANYBODY, HOST, Viewer
from service.i18n import say
from service.rules.actions import Step
from service.rules.events import Joined
from service.rules.state import Game

Document = dict[str, Any]
Result = CommitResult | LoadedGame
"""What a write leaves behind: the game right after it, with the nonce of its newest event."""


@dataclass(slots=True)
class Call:
    """One call of an operation: what was loaded, who calls, and what they sent."""

    context: Context
    found: LoadedGame | None
    """The game that the operation is about; None for a creation."""
    viewer: Viewer = ANYBODY
    anonymous: bool = False
    """Whether the caller has no token at all."""
    query: Body = field(default_factory=dict)
    body: Body = field(default_factory=dict)
    key: IdempotencyKey | None = None
    log: list[LoggedEntry] = field(default_factory=list)
    target: Any = None
    """What one step of an operation has found for the steps after it."""

    @property
    def games(self) -> Games:
        """All games."""
        return self.context.games

    @property
    def loaded(self) -> LoadedGame:
        """The game that the operation is about."""
        if self.found is None:
            raise LookupError("the operation is not about a game")
        return self.found

    @property
    def session(self) -> GameSession:
        """The session as it was loaded."""
        return self.loaded.session

    @property
    def game(self) -> Game:
        """The game as it was loaded."""
        return self.loaded.session.game

    @property
    def seat(self) -> int:
        """The caller's seat, in operations for players."""
        if self.viewer.seat is None:
            raise LookupError("the caller has no seat")
        return self.viewer.seat

    def commit(self, step: Step) -> CommitResult:
        """Commit an action on the game; VersionConflict if it has changed since it was loaded."""
        return self.context.games.commit_step(self.loaded, step, self.key)


View = Callable[[str], Response]


# Reading


def read(
    who: Who,
    *,
    query_schema: Schema = NO_QUERY,
    check: Callable[[Call], None] = lambda _: None,
    with_log: bool = False,
    media_type: str = JSON,
) -> Callable[[Callable[[Call], Any]], View]:
    """Make a view of a function that returns a document, or a picture's bytes.

    The view answers 304 without calling the function if the client has this version already.
    """

    def decorate(show: Callable[[Call], Any]) -> View:
        @wraps(show)
        def view(game_id: str) -> Response:
            ctx, token = context(), bearer()
            if with_log:
                loaded, log = load_and_advance_with_log(ctx.games, known_id(game_id))
            else:
                loaded, log = load_and_advance(ctx.games, known_id(game_id)), []
            viewer = viewer_of(loaded.session, token, ctx.keyring)
            require(viewer, token, who)
            call = Call(ctx, loaded, viewer, log=log)
            check(call)
            call.query = query(query_schema)
            etag = etag_of(ctx, loaded, viewer)
            known = known_etag(etag)
            if known is not None:
                return not_modified(known)
            shown = show(call)
            if isinstance(shown, bytes):
                return picture_response(shown, media_type, etag)
            return json_response(shown, 200, etag)

        return view

    return decorate


# Writing


def identify(call: Call, sent: PostedRequest) -> Viewer:
    """Who calls.

    A token may have become invalid by the very request that is repeated (its player has left
    the seat): for that repetition it is valid as it was then.
    """
    keyring = call.context.keyring
    try:
        return viewer_of(call.session, sent.token, keyring)
    except Problem:
        earlier = call.loaded.retry
        repeated = earlier is not None and earlier.fingerprint == sent.fingerprint
        before = session_before_request(call.games, call.loaded) if repeated else None
        if before is None:
            raise
        return viewer_of(before, sent.token, keyring)


def replay(call: Call) -> Result | None:
    """What the same request came to before, if it changed this game."""
    return earlier_result(call.games, call.loaded, call.key) if call.key else None


@dataclass(frozen=True, kw_only=True)
class Write:
    """An operation that changes something, as its view declares it; see `write`."""

    who: Who
    perform: Callable[[Call], Result]
    returns: Callable[[Call, Result], Document]
    body: Schema | None = None
    body_needed: bool = True
    key_length: int = SHORT_KEY
    status: int = 201
    identify: Callable[[Call, PostedRequest], Viewer] = identify
    check: Callable[[Call], None] = lambda _: None
    fingerprint: Callable[[Call, PostedRequest], bytes] = lambda _, sent: sent.fingerprint
    replay: Callable[[Call], Result | None] = replay

    def respond(self, game_id: str | None) -> Response:
        """Carry the operation out, again if another write came first, and answer."""
        ctx = context()
        sent = receive(ctx.settings.max_body)
        call, result, replayed = retry_on_conflict(lambda: self._attempt(ctx, game_id, sent))
        call.viewer = _viewer_after(result, call.viewer)
        document = self.returns(call, result)
        response = json_response(document, self.status, etag_of(ctx, result, call.viewer))
        if result.session.id != game_id:
            response.headers["Location"] = f"/v1/games/{result.session.id}"
        return as_replayed(response) if replayed else response

    def _attempt(
        self, ctx: Context, game_id: str | None, sent: PostedRequest
    ) -> tuple[Call, Result, bool]:
        key = sent.idempotency_key
        if game_id is None:
            require_api_key(ctx, sent.token)
            call = Call(ctx, None, HOST)
        else:
            call = Call(ctx, load_and_advance(ctx.games, known_id(game_id), key))
            call.viewer = self.identify(call, sent)
            require(call.viewer, sent.token, self.who)
        call.anonymous = sent.token is None
        call.body = sent.read(self.body, needed=self.body_needed)
        self.check(call)
        sent.require_valid_key(self.key_length)
        call.key = IdempotencyKey(key, self.fingerprint(call, sent)) if key else None
        _require_same_request(call)
        earlier = self.replay(call)
        if earlier is not None:
            return call, earlier, True
        if call.found:
            require_fresh(ctx, call.found, call.viewer, sent.if_match)
        return call, self.perform(call), False


def write(
    who: Who, *, returns: Callable[[Call, Any], Document], **options: Any
) -> Callable[[Callable[[Call], Result]], Callable[..., Response]]:
    """Make a view of a function that carries a write out; the options are those of `Write`.

    ``returns`` makes the document that goes out; it may change the viewer whom it is for.
    """

    def decorate(perform: Callable[[Call], Result]) -> Callable[..., Response]:
        operation = Write(who=who, perform=perform, returns=returns, **options)

        @wraps(perform)
        def view(game_id: str | None = None) -> Response:
            return operation.respond(game_id)

        return view

    return decorate


def _require_same_request(call: Call) -> None:
    """Refuse an idempotency key that this game remembers for another request."""
    earlier = call.found.retry if call.found else None
    if call.key and earlier and earlier.fingerprint != call.key.fingerprint:
        raise KeyReused


def _viewer_after(result: Result, caller: Viewer) -> Viewer:
    """The caller after the write: one who has joined has a seat, one who has left has none."""
    if isinstance(result, CommitResult) and isinstance(result.entry.event, Joined):
        return Viewer(result.entry.event.seat)
    left = caller.seat is not None and caller.seat not in result.session.game.seated
    return ANYBODY if left else caller


# Versions


def require_fresh(ctx: Context, loaded: LoadedGame, viewer: Viewer, if_match: str | None) -> None:
    """Refuse a write that was made for another state of the game."""
    if if_match is None:
        return
    listed = [tag.strip() for tag in if_match.split(",")]
    if "*" not in listed and not any(is_etag_of(ctx, tag, loaded, viewer) for tag in listed):
        detail = say("game.stale", version=loaded.session.game.version)
        raise Problem("stale_version", detail)

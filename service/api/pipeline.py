"""The steps of every request about a game, in the order of precedence that clients rely on.

No such game (404), wrong token (401), not allowed (403), malformed (413, 415, 400), already done
with this idempotency key, stale version (412), wrong moment (409), broken rule (422). A view
declares who may call it, what comes in and what goes out, and does only what is specific to it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from flask import Response, request
from marshmallow import Schema

from service.api.auth import Who, bearer, require, require_api_key, viewer_of
from service.api.context import context
from service.api.problems import Problem
from service.api.request import (
    SHORT_KEY,
    Body,
    fingerprint,
    known_id,
    query,
    read_body,
    receive_body,
    require_valid_key,
    retry_key,
)
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

    token: str | None
    found: LoadedGame | None
    """The game that the operation is about; None for a creation."""
    viewer: Viewer
    query: Body = field(default_factory=dict)
    body: Body = field(default_factory=dict)
    key: IdempotencyKey | None = None
    log: list[LoggedEntry] = field(default_factory=list)
    target: Any = None
    """What one step of an operation has found for the steps after it."""

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
        return context().games.commit_step(self.loaded, step, self.key)


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
            call = _load_to_read(known_id(game_id), with_log=with_log)
            require(call.viewer, call.token, who)
            check(call)
            call.query = query(query_schema)
            etag = etag_of(call.session, call.viewer, call.loaded.nonce)
            if _matches(request.headers.get("If-None-Match"), etag):
                return not_modified(etag)
            shown = show(call)
            if isinstance(shown, bytes):
                return picture_response(shown, media_type, etag)
            return json_response(shown, 200, etag)

        return view

    return decorate


def _load_to_read(game_id: str, *, with_log: bool) -> Call:
    token, games = bearer(), context().games
    if with_log:
        loaded, log = load_and_advance_with_log(games, game_id)
    else:
        loaded, log = load_and_advance(games, game_id), []
    return Call(token, loaded, viewer_of(loaded.session, token, context().keyring), log=log)


# Writing


def identify(call: Call) -> Viewer:
    """Who calls.

    A token may have become invalid by the very request that is repeated (its player has left
    the seat): for that repetition it is valid as it was then.
    """
    keyring = context().keyring
    try:
        return viewer_of(call.session, call.token, keyring)
    except Problem:
        earlier = call.loaded.retry
        repeated = earlier is not None and earlier.fingerprint == fingerprint()
        before = session_before_request(context().games, call.loaded) if repeated else None
        if before is None:
            raise
        return viewer_of(before, call.token, keyring)


def replay(call: Call) -> Result | None:
    """What the same request came to before, if it changed this game."""
    return earlier_result(context().games, call.loaded, call.key) if call.key else None


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
    identify: Callable[[Call], Viewer] = identify
    check: Callable[[Call], None] = lambda _: None
    fingerprint: Callable[[Call], bytes] = lambda _: fingerprint()
    replay: Callable[[Call], Result | None] = replay

    def respond(self, game_id: str | None) -> Response:
        """Carry the operation out, again if another write came first, and answer."""
        token = bearer()
        key = retry_key(token)
        id_ = None if game_id is None else known_id(game_id)
        receive_body()
        call, result, replayed = retry_on_conflict(lambda: self._attempt(token, id_, key))
        call.viewer = _viewer_after(result, call.viewer)
        document = self.returns(call, result)
        etag = etag_of(result.session, call.viewer, result.nonce)
        response = json_response(document, self.status, etag)
        if result.session.id != id_:
            response.headers["Location"] = f"/v1/games/{result.session.id}"
        return as_replayed(response) if replayed else response

    def _attempt(
        self, token: str | None, game_id: str | None, key: bytes | None
    ) -> tuple[Call, Result, bool]:
        call = self._authorised(token, game_id, key)
        call.body = read_body(self.body, needed=self.body_needed)
        query(NO_QUERY)
        self.check(call)
        require_valid_key(self.key_length)
        call.key = IdempotencyKey(key, self.fingerprint(call)) if key else None
        _require_same_request(call)
        earlier = self.replay(call)
        if earlier is not None:
            return call, earlier, True
        if call.found:
            require_fresh(call.found, call.viewer)
        return call, self.perform(call), False

    def _authorised(self, token: str | None, game_id: str | None, key: bytes | None) -> Call:
        if game_id is None:
            require_api_key(token, context().settings.api_keys)
            return Call(token, None, HOST)
        call = Call(token, load_and_advance(context().games, game_id, key), ANYBODY)
        call.viewer = self.identify(call)
        require(call.viewer, token, self.who)
        return call


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


def require_fresh(loaded: LoadedGame, viewer: Viewer) -> None:
    """Refuse a write that was made for another state of the game."""
    header = request.headers.get("If-Match")
    if header is None:
        return
    listed = [tag.strip() for tag in header.split(",")]
    if "*" not in listed and not any(
        is_etag_of(tag, loaded.session, viewer, loaded.nonce) for tag in listed
    ):
        detail = say("game.stale", version=loaded.session.game.version)
        raise Problem("stale_version", detail)


def _matches(header: str | None, etag: str) -> bool:
    """Whether an `If-None-Match` header names this ETag, weakly or not."""
    if header is None:
        return False
    listed = [tag.strip().removeprefix("W/") for tag in header.split(",")]
    return etag in listed or "*" in listed

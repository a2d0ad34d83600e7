"""The steps of every request about a game, in the order of precedence that clients rely on.

No such game (404), wrong token (401), not allowed (403), malformed (413, 415, 400), already done
with this idempotency key, stale version (412), wrong moment (409), broken rule (422). A view
declares who may call it, what comes in and what goes out, and does only what is specific to it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar, cast

from flask import Response, request

from service.api import responses
from service.api.auth import Who, require, require_api_key, tenant_of, viewer_of
from service.api.compression import known_etag
from service.api.context import Context, context
from service.api.problems import Problem
from service.api.request import SHORT_KEY, Body, PostedRequest, bearer, known_id, query, receive
from service.api.rules_json import Document
from service.api.schemas import EMPTY, StrictSchema
from service.games.advance import load_and_advance, load_and_advance_with_log
from service.games.idempotency import earlier_result, require_same_request, session_before_request
from service.games.idempotency_key import IdempotencyKey
from service.games.keyring import ANYBODY, HOST, Viewer
from service.games.lobby import keep_in_lobby
from service.games.service import (
    MOST_ATTEMPTS,
    CommitResult,
    Games,
    LoadedGame,
    LoggedEntry,
    TooBusy,
)
from service.games.session import GameSession
from service.i18n import say
from service.rules.actions import Step
from service.rules.events import Joined
from service.rules.state import Game
from service.store.base import VersionConflict

T = TypeVar("T")
Result = CommitResult | LoadedGame
"""What a write leaves behind: the game right after it, with the nonce of its newest event."""


@dataclass(slots=True)
class Call:
    """One call of an operation: what was loaded, who calls, and what they sent.

    A creation is not about a game: it has no ``loaded``, ``session`` and ``game``.
    """

    context: Context
    token: str | None
    tenant: str | None = field(init=False)
    games: Games = field(init=False)
    loaded: LoadedGame = field(init=False)
    session: GameSession = field(init=False)
    game: Game = field(init=False)
    viewer: Viewer = ANYBODY
    path: dict[str, Any] = field(default_factory=dict)
    """What the path names: the game, a seat."""
    query: Body = field(default_factory=dict)
    sent: PostedRequest = field(init=False)
    body: Body = field(default_factory=dict)
    key: IdempotencyKey | None = None
    log: list[LoggedEntry] = field(default_factory=list)
    target: Any = None
    """What one step of an operation has found for the steps after it."""

    def __post_init__(self) -> None:
        self.games = self.context.games
        self.tenant = tenant_of(self.context, self.token)

    @property
    def seat(self) -> int:
        """The caller's seat, in operations for players."""
        return cast("int", self.viewer.seat)

    def viewer_of(self, session: GameSession) -> Viewer:
        """Who the caller is in this game; a wrong token is refused."""
        return viewer_of(session, self.token, self.tenant, self.games.keyring)

    def note_presence(self, session: GameSession) -> None:
        """Keep the table in the lobby if the caller is one of its people, not just a back end."""
        if self.viewer != ANYBODY and self.tenant is None:
            keep_in_lobby(self.games.store.lobby, session, self.games.ttl_active_ms)

    def about(self, loaded: LoadedGame) -> None:
        """Set the game that the operation is about."""
        self.loaded, self.session, self.game = loaded, loaded.session, loaded.session.game


View = Callable[..., Response]


# Reading


def open_call(game_id: str, *, with_log: bool = False) -> Call:
    """The call of somebody who looks at a game."""
    call = Call(context(), bearer())
    if with_log:
        loaded, call.log = load_and_advance_with_log(call.games, known_id(game_id))
    else:
        loaded = load_and_advance(call.games, known_id(game_id))
    call.about(loaded)
    call.viewer = call.viewer_of(call.session)
    call.note_presence(call.session)
    return call


def read(
    who: Who,
    *,
    query_schema: StrictSchema = EMPTY,
    check: Callable[[Call], None] = lambda _: None,
    prepare: Callable[[Call], None] = lambda _: None,
    with_log: bool = False,
) -> Callable[[Callable[[Call], Document | Response]], View]:
    """Make a view of a function that returns a document, or a response without its ETag.

    ``check`` may refuse the caller; ``prepare`` may load more, as the query string asks. The view
    answers 304 without calling the function if the client has this version already.
    """

    def decorate(show: Callable[[Call], Document | Response]) -> View:
        @wraps(show)
        def view(game_id: str) -> Response:
            call = open_call(game_id, with_log=with_log)
            require(call.viewer, call.token, who)
            check(call)
            call.query = query(query_schema)
            prepare(call)
            etag = responses.etag_of(call.context, call.loaded, call.viewer)
            known = known_etag(etag)
            if known is not None:
                return responses.not_modified(known)
            shown = show(call)
            if isinstance(shown, Response):
                shown.headers.update(responses.game_headers(etag))
                return shown
            return responses.json_response(shown, 200, etag)

        return view

    return decorate


# Writing


def identify(call: Call) -> Viewer:
    """Who calls.

    A token may have become invalid by the very request that is repeated (its player has left
    the seat): for that repetition it is valid as it was then.
    """
    try:
        return call.viewer_of(call.session)
    except Problem:
        earlier = call.loaded.retry
        repeated = earlier is not None and earlier.fingerprint == call.sent.fingerprint
        before = session_before_request(call.games, call.loaded) if repeated else None
        if before is None:
            raise
        return call.viewer_of(before)


def replay(call: Call) -> Result | None:
    """What the same request came to before, if it changed this game."""
    return earlier_result(call.games, call.loaded, call.key)


def load_named(call: Call, retry_key: bytes | None) -> LoadedGame:
    """The game that the path names."""
    return load_and_advance(call.games, known_id(call.path["game_id"]), retry_key)


def write(
    who: Who,
    *,
    load: Callable[[Call, bytes | None], LoadedGame] | None = load_named,
    returns: Callable[[Call, Any], Document | None],
    body: StrictSchema = EMPTY,
    key_length: int = SHORT_KEY,
    status: int = 201,
    identify: Callable[[Call], Viewer] = identify,
    check: Callable[[Call], None] = lambda _: None,
    fingerprint: Callable[[Call], bytes] = lambda call: call.sent.fingerprint,
    replay: Callable[[Call], Result | None] = replay,
) -> Callable[[Callable[[Call], Step | Result]], View]:
    """Make a view of a function that carries a write out, again if another write came first.

    ``load`` loads the game that the write is about; a creation is about none, and has no ``load``.
    The function returns a step, which is then committed, or what it has left behind itself.
    ``returns`` makes the document that goes out, if any; it may change the viewer whom it is for.
    """

    def decorate(perform: Callable[[Call], Step | Result]) -> View:
        def attempt(call: Call) -> tuple[Result, bool]:
            sent = call.sent
            key = sent.idempotency_key(call.tenant)
            if load is None:
                require_api_key(call.context, call.token, call.tenant)
                call.viewer = HOST
            else:
                call.about(load(call, key))
                call.viewer = identify(call)
                require(call.viewer, call.token, who)
            call.body = sent.read(body)
            check(call)
            sent.require_valid_key(key_length)
            call.key = IdempotencyKey(key, fingerprint(call)) if key else None
            if load is not None:
                require_same_request(call.loaded, call.key)
            earlier = replay(call)
            if earlier is not None:
                return earlier, True
            if load is not None:
                require_fresh(call)
            done = perform(call)
            if isinstance(done, Step):
                done = call.games.commit_step(call.loaded, done, call.key)
            return done, False

        @wraps(perform)
        def view(**path: Any) -> Response:
            ctx = context()
            sent = receive(ctx.settings.max_body)
            call = Call(ctx, sent.token)
            call.sent, call.path = sent, path
            result, replayed = retry_on_conflict(lambda: attempt(call))
            call.viewer = _viewer_after(result, call.viewer)
            document = returns(call, result)
            etag = responses.etag_of(ctx, result, call.viewer)
            response = responses.answer(document, status, etag)
            if result.session.id != path.get("game_id"):
                response.headers["Location"] = f"/v1/games/{result.session.id}"
            return responses.as_replayed(response) if replayed else response

        return view

    return decorate


def retry_on_conflict(attempt: Callable[[], T]) -> T:
    """Run an operation again whenever another event was committed first; TooBusy in the end."""
    for _ in range(MOST_ATTEMPTS):
        try:
            return attempt()
        except VersionConflict:
            continue
    raise TooBusy


def require_fresh(call: Call) -> None:
    """Refuse a write that was made for another state of the game."""
    if_match = request.headers.get("If-Match")
    if if_match is None:
        return
    listed, state = [tag.strip() for tag in if_match.split(",")], (call.loaded, call.viewer)
    if "*" in listed or any(responses.is_etag_of(call.context, tag, *state) for tag in listed):
        return
    raise Problem("stale_version", say("game.stale", version=call.game.version))


def _viewer_after(result: Result, caller: Viewer) -> Viewer:
    """The caller after the write: one who has joined has a seat, one who has left has none."""
    event = result.entry.event if isinstance(result, CommitResult) else None
    if isinstance(event, Joined) and event.player.bot is None:
        return Viewer(event.seat)
    left = caller.seat is not None and caller.seat not in result.session.game.seated
    return ANYBODY if left else caller

"""The common course of requests about a game, in the order of precedence that clients rely on.

No such game, wrong token, not entitled, malformed, already done under this key, stale,
wrong moment, broken rule. Views say what is theirs alone.
"""

from collections.abc import Callable
from typing import NamedTuple

from flask import Response
from marshmallow import Schema

from service.api.auth import Who, bearer, require, viewer_of
from service.api.context import answer, as_before, context, etag_of, game_headers, is_etag_of
from service.api.flask_app import header_of, the_notepad
from service.api.problems import Problem
from service.api.request import (
    SHORT_KEY,
    Body,
    fingerprint,
    known_id,
    query,
    read_body,
    receive_body,
    require_json_wanted,
    require_key_of,
    require_wanted,
    retry_key,
)
from service.api.responses import JSON, Answer
from service.api.schemas import NO_QUERY
from service.api.serializers import Shape
from service.games.advance import load_and_advance, load_and_advance_with_log
from service.games.idempotency import earlier_result, session_before_request
from service.games.service import (
    CommitResult,
    IdempotencyKey,
    LoadedGame,
    LoggedEntry,
    retry_on_conflict,
)
from service.games.session import GameSession
from service.games.tokens import ANYBODY, Viewer
from service.i18n import say
from service.rules.actions import Step
from service.rules.events import Joined

Act = Callable[[GameSession, int, Body], Step]
Show = Callable[[CommitResult, Viewer], Shape]


class Sight(NamedTuple):
    """A game as it was found, and who looks at it."""

    session: GameSession
    viewer: Viewer
    nonce: bytes


# Reading


def read(
    game_id: str,
    who: Who,
    show: Callable[[Sight], Shape],
    *,
    schema: Schema = NO_QUERY,
    check: Callable[[Sight], None] = lambda _: None,
) -> Response:
    """Answer a question about a game, or 304 if the caller has the answer already."""
    token = bearer()
    seen = load_and_advance(context().games, known_id(game_id))
    return _look(seen, token, who, _told(show), schema=schema, check=check)


def read_picture(
    game_id: str, form: str, paint: Callable[[Sight], bytes], schema: Schema, policy: str
) -> Response:
    """Like ``read``, for anyone, with a picture as the answer."""

    def show(sight: Sight, etag: str) -> Response:
        headers = game_headers(etag)
        headers |= {"Content-Security-Policy": policy}
        return Response(paint(sight), 200, headers, content_type=form)

    token = bearer()
    seen = load_and_advance(context().games, known_id(game_id))
    return _look(seen, token, "anyone", show, schema=schema, form=form)


def read_with_log(
    game_id: str, show: Callable[[Sight, list[LoggedEntry]], Shape], *, schema: Schema = NO_QUERY
) -> Response:
    """Like ``read``, for anyone, with the game's whole log at hand."""
    token = bearer()
    seen, log = load_and_advance_with_log(context().games, known_id(game_id))
    return _look(seen, token, "anyone", _told(lambda sight: show(sight, log)), schema=schema)


def _told(show: Callable[[Sight], Shape]) -> Callable[[Sight, str], Response]:
    return lambda sight, etag: answer(show(sight), 200, etag)


def _look(
    seen: LoadedGame,
    token: str | None,
    who: Who,
    show: Callable[[Sight, str], Response],
    *,
    schema: Schema = NO_QUERY,
    check: Callable[[Sight], None] = lambda _: None,
    form: str = JSON,
) -> Response:
    viewer = viewer_of(seen.session, token, context().keyring)
    require(viewer, token, who)
    sight = Sight(seen.session, viewer, seen.nonce)
    check(sight)
    require_wanted(form)
    the_notepad().query = query(schema)
    etag = etag_of(*sight)
    wanted = header_of("If-None-Match")
    if wanted is not None and _names(wanted, etag):
        return Answer(b"", 304, game_headers(etag).items())
    return show(sight, etag)


# Writing


def act(
    game_id: str,
    who: Who,
    action: Act,
    show: Show,
    *,
    schema: Schema | None = None,
    query_schema: Schema = NO_QUERY,
    status: int = 201,
    key_length: int = SHORT_KEY,
    check: Callable[[GameSession, Body], None] = lambda _table, _body: None,
) -> Response:
    """Carry out an action on a game once, however often it is sent under the same key.

    ``check`` refuses a caller whom only the body shows not to be entitled.
    """
    games = context().games
    id_ = known_id(game_id)
    token = bearer()
    key = retry_key(token)
    receive_body()

    def attempt() -> tuple[CommitResult, Viewer]:
        seen = load_and_advance(games, id_, key)
        viewer = _entitled(seen, token, who)
        require_json_wanted()
        query(query_schema)
        body = read_body(schema)
        check(seen.session, body)
        require_key_of(key_length)
        retry = IdempotencyKey(key, fingerprint()) if key else None
        again = earlier_result(games, seen, retry) if retry else None
        if again:
            return again, viewer
        require_fresh(seen, viewer)
        step = action(seen.session, -1 if viewer.seat is None else viewer.seat, body)
        return games.commit_step(seen, step, retry), viewer

    done, viewer = retry_on_conflict(attempt)
    return answer_done(done, viewer, show, status)


def _entitled(seen: LoadedGame, token: str | None, who: Who) -> Viewer:
    """Who calls, if the operation is for them.

    A token may have been void ever since the same request came before (it left the seat):
    for its own repetition it counts as it did then.
    """
    keyring = context().keyring
    try:
        viewer = viewer_of(seen.session, token, keyring)
    except Problem:
        repeated = seen.retry is not None and seen.retry.fingerprint == fingerprint()
        before = session_before_request(context().games, seen) if repeated else None
        if before is None:
            raise
        viewer = viewer_of(before, token, keyring)
    require(viewer, token, who)
    return viewer


def answer_done(done: CommitResult, caller: Viewer, show: Show, status: int) -> Response:
    """The answer to an action: what came of it, and the game right after it."""
    event = done.entry.event
    viewer = Viewer(event.seat) if isinstance(event, Joined) else caller
    if viewer.seat is not None and viewer.seat not in done.session.game.seated:
        viewer = ANYBODY
    response = answer(show(done, viewer), status, etag_of(done.session, viewer, done.nonce))
    return as_before(response) if done.replayed else response


# Versions


def require_fresh(seen: LoadedGame, viewer: Viewer) -> None:
    """Refuse a write that was made for another state."""
    wanted = header_of("If-Match")
    if wanted is None:
        return
    listed = [tag.strip() for tag in wanted.split(",")]
    if "*" not in listed and not any(
        is_etag_of(tag, seen.session, viewer, seen.nonce) for tag in listed
    ):
        detail = say("game.stale", version=seen.session.game.version)
        raise Problem("stale_version", detail)


def _names(header: str, etag: str) -> bool:
    """Whether a list of ETags, or ``*``, names this one, be it as a weak one."""
    listed = [tag.strip().removeprefix("W/") for tag in header.split(",")]
    return etag in listed or "*" in listed

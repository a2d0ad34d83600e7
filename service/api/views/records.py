"""Games as documents: their records, the verification of records, and forks."""

from flask import Blueprint, Response, request

from service.api import schemas
from service.api.auth import bearer, require, viewer_of
from service.api.context import answer, bot_quota, context
from service.api.json_body import FieldError, MalformedBody, read_json
from service.api.pipeline import Sight, answer_done, read_with_log, require_fresh
from service.api.problems import Problem
from service.api.request import (
    LONG_KEY,
    SHORT_KEY,
    fingerprint,
    known_id,
    query,
    raw_body,
    read_body,
    receive_body,
    require_json_sent,
    require_json_wanted,
    require_key_of,
    retry_key,
)
from service.api.serializers import Shape
from service.api.views.create import created_shape
from service.games.advance import load_and_advance
from service.games.fork import fork, forkable
from service.games.idempotency import KeyReused, earlier_result, new_game_id, save_request
from service.games.service import (
    CommitResult,
    IdempotencyKey,
    LoadedGame,
    LoggedEntry,
    retry_on_conflict,
)
from service.games.tokens import HOST
from service.i18n import say
from service.rules.record.verify import Report, verify
from service.rules.record.write import record_of

records = Blueprint("records", __name__, url_prefix="/v1")

# A game of 60 turns has a record of 12 KB, the longest that there can be one of 300 KB.
LARGEST_RECORD = 1024 * 1024


@records.get("/games/<game_id>/record")
def get_record(game_id: str) -> Response:
    """Get the record."""

    def record(sight: Sight, log: list[LoggedEntry]) -> Shape:
        events = [each.entry.event for each in log]
        return record_of(events, sight.session.game, context().games.pause)

    return read_with_log(game_id, record)


@records.post("/records/verify")
def verify_record() -> Response:
    """Verify a record."""
    most = max(LARGEST_RECORD, context().settings.max_body)
    request.max_content_length = most + 1  # see service.api.request.raw_body
    require_json_wanted()
    query(schemas.NO_QUERY)
    require_json_sent(needed=True)
    document = read_json(raw_body(most), context().games.pause)
    if not isinstance(document, dict):
        raise MalformedBody([FieldError("", say("field.object"))])
    require_key_of(LONG_KEY)
    # A long record takes a while: other requests of this worker go on between its events.
    report = verify(document, pause=context().games.pause)
    return answer(_report_shape(report), 200)


@records.post("/games/<game_id>/forks")
def fork_game(game_id: str) -> Response:
    """Fork a game."""
    token = bearer()
    key = retry_key(token)
    games = context().games
    source = known_id(game_id)
    receive_body()

    def attempt() -> tuple[LoadedGame, IdempotencyKey | None, CommitResult]:
        seen = load_and_advance(games, source, key)
        viewer = viewer_of(seen.session, token, context().keyring)
        require(viewer, token, "host")
        require_json_wanted()
        query(schemas.NO_QUERY)
        after: int = read_body(schemas.FORK)["after"]
        version = seen.session.game.version
        if after > version:
            detail = say("field.event", last=version)
            raise MalformedBody([FieldError("/after", detail)])
        require_key_of(SHORT_KEY)
        retry = IdempotencyKey(key, fingerprint()) if key else None
        if retry and seen.retry and seen.retry.fingerprint != retry.fingerprint:
            raise KeyReused
        id_, earlier = new_game_id(games, retry)
        again = earlier_result(games, earlier, retry) if earlier and retry else None
        if again:
            return seen, retry, again
        require_fresh(seen, viewer)
        entries = games.entries_up_to(seen, after)
        if not forkable(entries, games.pause):
            raise Problem("not_forkable", say("game.not_forkable"))
        kinds = [player.bot for player in seen.session.game.seated.values()]
        with bot_quota(id_, kinds, guest=seen.session.options.guest):
            return seen, retry, fork(games, entries, retry, id_=id_)

    seen, retry, done = retry_on_conflict(attempt)
    if retry:
        save_request(games, seen, retry)
    response = answer_done(done, HOST, created_shape, 201)
    response.headers["Location"] = f"/v1/games/{done.session.id}"
    return response


def _report_shape(report: Report) -> dict[str, object]:
    problem = report.problem
    return {
        "ok": report.ok,
        "complete": report.complete,
        "checked_events": report.checked_events,
        "problem": problem and {"n": problem.n, "code": problem.code, "detail": problem.detail},
    }

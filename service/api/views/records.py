"""Games as documents: their records, the verification of records, and forks."""

from flask import Blueprint, Response

from service.api.context import bot_quota, context
from service.api.pipeline import Call, read, write
from service.api.problems import Problem, malformed
from service.api.request import LONG_KEY, receive
from service.api.responses import json_response
from service.api.rules_json import Document
from service.api.schemas import ForkSchema
from service.api.views.create import new_game, replay_creation
from service.games.fork import fork, forkable
from service.games.idempotency import save_request
from service.games.service import CommitResult
from service.i18n import say
from service.rules.record.verify import verify
from service.rules.record.write import record_of

records = Blueprint("records", __name__, url_prefix="/v1")

# A game of 60 turns has a record of 12 KB, the longest possible game one of 300 KB.
LARGEST_RECORD = 1024 * 1024


@records.get("/games/<game_id>/record")
@read("anyone", with_log=True)
def get_record(call: Call) -> Document:
    """Get the record."""
    events = [logged.entry.event for logged in call.log]
    return record_of(events, call.game, call.games.pause)


@records.post("/records/verify")
def verify_record() -> Response:
    """Verify a record."""
    ctx = context()
    sent = receive(max(LARGEST_RECORD, ctx.settings.max_body))
    document = sent.read_object(ctx.games.pause)
    sent.require_valid_key(LONG_KEY)
    # A long record takes a while: other requests of this worker go on between its events.
    report = verify(document, pause=ctx.games.pause)
    problem = report.problem
    return json_response(
        {
            "ok": report.ok,
            "complete": report.complete,
            "checked_events": report.checked_events,
            "problem": problem and {"n": problem.n, "code": problem.code, "detail": problem.detail},
        },
        200,
    )


def _check_event(call: Call) -> None:
    """Refuse a fork after an event that has not happened yet."""
    if call.body["after"] > call.game.version:
        detail = say("field.event", last=call.game.version)
        raise malformed("/after", detail)


def _replay_fork(call: Call) -> CommitResult | None:
    earlier = replay_creation(call)
    return earlier and _remembered(call, earlier)


def _remembered(call: Call, result: CommitResult) -> CommitResult:
    """The result; its key is kept with the source too, where another request may not reuse it."""
    if call.key:
        save_request(call.games, call.loaded, call.key)
    return result


@records.post("/games/<game_id>/forks")
@write("host", body=ForkSchema(), check=_check_event, replay=_replay_fork, returns=new_game)
def fork_game(call: Call) -> CommitResult:
    """Fork a game."""
    games = call.games
    entries = games.entries_up_to(call.loaded, call.body["after"])
    if not forkable(entries, games.pause):
        raise Problem("not_forkable", say("game.not_forkable"))
    bots = [player.bot for player in call.game.seated.values()]
    options = call.session.options
    with bot_quota(call.context, call.target, bots, anonymous=options.tenant is None):
        copy = fork(games, entries, options.metadata, call.key, id_=call.target)
    return _remembered(call, copy)

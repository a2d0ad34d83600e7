"""Why a request that the contract allows may be refused; any other refusal is a fault."""

import re
from dataclasses import dataclass

import schemathesis
from schemathesis import Case, CheckContext, Response

from service.rules.errors import ORDER_OF_CODES


@dataclass(frozen=True)
class Reason:
    """What a schema cannot say; `why` also stands in docs/clients.md."""

    why: str
    codes: frozenset[str]
    faults: str = ""
    """For malformed requests: the places in the body, and what is told of them."""


def _of_codes(why: str, *codes: str) -> Reason:
    return Reason(why, frozenset(codes))


def _of_body(why: str, faults: str) -> Reason:
    return Reason(why, frozenset({"malformed_request"}), faults)


REASONS = (
    _of_codes(
        "who asks: a token, API key or join code that is wrong, missing or of somebody else",
        *("token_missing", "token_invalid", "api_key_required"),
        *("host_only", "player_only", "join_code_wrong"),
    ),
    _of_codes(
        "which games there are, and which seats are taken",
        *("game_not_found", "join_code_unknown", "not_found"),
    ),
    _of_codes(
        "how the game was created: without hints, or with secrets that a fork would reveal",
        *("hints_off", "not_forkable"),
    ),
    _of_codes(
        "the moment: the game's phase, the turn, and which seats are taken",
        *("wrong_phase", "not_your_turn", "already_bid", "table_full", "seats_open"),
    ),
    _of_codes("what the caller has seen: an `If-Match` of another version", "stale_version"),
    _of_codes("what was sent before: an `Idempotency-Key` again", "idempotency_key_reused"),
    _of_codes(
        "the rules of the game, with the tiles on the table and in the hand", *ORDER_OF_CODES
    ),
    _of_body("`after` of a fork is an event that the game has", r"/after must be the number of .*"),
    _of_body("`seat` of a renewal is a seat taken by a player", r"/seat must be a seat taken .*"),
    _of_body(
        "`webhook_url` is an address that the operator allows",
        r"/webhook_url (must be null:|must begin with|must not contain|names a host) .*",
    ),
    _of_body(
        "`players`, `setup.hands`, `setup.scores` and `setup.turn` fit the number of seats",
        r"/(players|setup/hands|setup/scores) has . entries for . seats|/setup/turn must be a .*",
    ),
    _of_body("`metadata` is limited in bytes", r"/metadata takes .* bytes.*"),
    _of_body(
        "a number anywhere in a record or in `metadata` is at most 64 bits",
        r"/.* is an integer beyond 64 bits",
    ),
    _of_body("a name has a visible character", r"(/players/\d)?/name must be a string of .*"),
)


@schemathesis.check
def only_refused_for_a_reason(_: CheckContext, response: Response, case: Case) -> None:
    """A request made up by the schemas is accepted, or one of the reasons applies."""
    assert case.meta is not None
    if case.meta.generation.mode.is_positive and 400 <= response.status_code < 500:
        problem = response.json()
        unexplained = [
            fault for fault in told_by(problem) if not _explained(problem["code"], fault)
        ]
        assert not unexplained, f"valid, and refused with {problem['code']}: {unexplained}"


def told_by(problem: dict[str, object]) -> list[str]:
    """What a refusal tells, one text for each fault of a malformed request."""
    errors = problem.get("errors")
    if not isinstance(errors, list):
        return [str(problem["detail"])]
    return [f"{each['pointer']} {each['detail']}" for each in errors]


def _explained(code: object, fault: str) -> bool:
    return any(
        code in reason.codes
        and (not reason.faults or re.fullmatch(reason.faults, fault, re.DOTALL))
        for reason in REASONS
    )

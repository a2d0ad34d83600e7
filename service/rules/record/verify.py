"""Verify a record, as far as that is possible from the record alone."""

from dataclasses import dataclass

from service.rules.record.read import RecordBroken
from service.rules.record.replay import replay_steps
from service.rules.yielding import Pause, no_pause


@dataclass(frozen=True, slots=True)
class Fault:
    """The first mistake: in event ``n``, or in the record itself if ``n`` is 0."""

    n: int
    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Report:
    """The result of verifying a record.

    ``complete`` says that it contains the seed, so that commitment, draws, hands and bids could
    be checked too; in a running game only what everybody saw can be. ``checked_events`` is how
    many events were right before the first mistake.
    """

    ok: bool
    complete: bool
    checked_events: int
    problem: Fault | None = None


def verify(document: object, pause: Pause = no_pause) -> Report:
    """Check a record, whatever it contains; raises no exception.

    ``pause`` is called often, for callers that have other work.
    """
    complete = isinstance(document, dict) and document.get("seed") is not None
    checked = 0
    try:
        for _ in replay_steps(document, pause):
            checked += 1
    except RecordBroken as broken:
        problem = Fault(broken.n, broken.code, broken.detail)
        return Report(ok=False, complete=complete, checked_events=checked, problem=problem)
    return Report(ok=True, complete=complete, checked_events=checked)

"""Whether a record tells the truth, as far as it can be told from the record alone."""

from dataclasses import dataclass

from service.rules.pauses import Pause, no_pause
from service.rules.record.read import RecordBroken
from service.rules.record.replay import replayed


@dataclass(frozen=True, slots=True)
class Fault:
    """The first thing that is wrong: with event ``n``, or with the record itself if 0."""

    n: int
    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Report:
    """What came of checking a record.

    ``complete`` says that it reveals the seed, so that commitment, draws, hands and bids
    could be checked too; of a game still going on only what everybody saw can be.
    ``checked_events`` are the events that proved right before anything wrong was found.
    """

    ok: bool
    complete: bool
    checked_events: int
    problem: Fault | None = None


def verify(document: object, pause: Pause = no_pause) -> Report:
    """Check a record, whatever it is: never an exception.

    ``pause`` is called after every little piece of work, for callers with others to attend to.
    """
    complete = isinstance(document, dict) and document.get("seed") is not None
    checked = 0
    try:
        for _ in replayed(document, pause):
            checked += 1
    except RecordBroken as broken:
        problem = Fault(broken.n, broken.code, broken.detail)
        return Report(ok=False, complete=complete, checked_events=checked, problem=problem)
    return Report(ok=True, complete=complete, checked_events=checked)

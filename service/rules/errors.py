"""What the rules raise: different errors for malformed input, illegal plays and wrong moments."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from service.rules.messages import Message

Fact = int | str


class RulesError(Exception):
    """The base class of everything this package raises on purpose."""


class Malformed(RulesError, ValueError):
    """The input is not a tile, board, hand or play at all."""


class Untimely(RulesError):
    """The seat cannot do this now; ``code`` says why, ``detail`` says it in words."""

    def __init__(self, code: str, detail: Message) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule: its stable code, its cells and tiles, and the figures for its text.

    ``cells`` and ``tiles`` run in parallel where both apply.
    """

    code: str
    cells: tuple[int, ...] = ()
    tiles: tuple[int, ...] = ()
    facts: Mapping[str, Fact] = field(default_factory=dict)


class RulesBroken(RulesError):
    """The action breaks rules of the game: all broken rules, in ``ORDER_OF_CODES``."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__(", ".join(violation.code for violation in violations))
        self.violations = violations

    @property
    def code(self) -> str:
        """The code of the first broken rule, which represents them all."""
        return self.violations[0].code


ORDER_OF_CODES = (
    "tiles_not_in_hand",
    "cell_occupied",
    "cell_repeated",
    "not_in_one_line",
    "line_has_gap",
    "not_touching",
    "line_too_long",
    "line_repeats_tile",
    "line_mixed",
    "opening_not_longest",
    "opening_off_centre",
    "must_open",
    "exchange_exceeds_bag",
    "bag_empty",
    "must_play",
    "must_exchange",
    "bid_too_high",
    "bid_too_low",
    "seats_taken",
    "setup_impossible",
)


def refuse(violations: list[Violation]) -> None:
    """Raise RulesBroken if there are any violations, sorted into the fixed order."""
    if violations:
        violations.sort(key=lambda violation: ORDER_OF_CODES.index(violation.code))
        raise RulesBroken(tuple(violations))

"""A game followed from its log alone, with nothing of the service's rules: who holds what, who
has how many points. Tiles are drawn by the published method, plays judged by the plain rules.
"""

from collections import Counter
from dataclasses import dataclass, field

from service.rules.cells import column_of, row_of
from service.rules.events import (
    Bid,
    Created,
    Dealt,
    Event,
    Exchanged,
    Joined,
    Passed,
    Played,
    Resigned,
)
from service.rules.tiles import NAMES
from tests.api.fairness import KINDS, mixed
from tests.rules import reference_rules


def plain_tile(name: str) -> reference_rules.Tile:
    colour, _, shape = name.partition("-")
    return colour, shape


def by_kind(tiles: list[str]) -> list[str]:
    return sorted(tiles, key=KINDS.index)


@dataclass
class Referee:
    """Follows one game event by event; an AssertionError is a broken promise."""

    seed: bytes = b""
    board: reference_rules.Board = field(default_factory=dict)
    hands: dict[int, list[str]] = field(default_factory=dict)
    bids: dict[int, int] = field(default_factory=dict)
    scores: Counter[int] = field(default_factory=Counter)
    bag: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    whole: Counter[str] = field(default_factory=Counter)
    opened: bool = False

    def follow(self, event: Event) -> None:
        """Take the event in; every tile of the game is somewhere afterwards."""
        match event:
            case Created():
                self._created(event)
            case Joined():
                pass
            case Dealt():
                self._dealt(event)
            case Bid():
                longest = reference_rules.longest(
                    [plain_tile(name) for name in self.hands[event.seat]]
                )
                assert event.length == longest, "a bid that is not the longest line"
                self.bids[event.seat] = event.length
            case Played():
                self._played(event)
            case Exchanged():
                self._exchanged(event)
            case Passed():
                assert not self.bag, "a pass beside a bag that is not empty"
            case Resigned():
                self._resigned(event)
        assert self.tiles() == self.whole, "tiles were lost or made"

    def tiles(self) -> Counter[str]:
        """Every tile, wherever it is."""
        found = Counter(self.bag) + Counter(self.removed)
        found.update(f"{colour}-{shape}" for colour, shape in self.board.values())
        for hand in self.hands.values():
            found.update(hand)
        return found

    def _created(self, event: Created) -> None:
        self.seed = event.secret
        if event.setup is None:
            self.bag = KINDS * 3
        else:
            setup = event.setup
            assert setup.hands is not None, "only positions with all hands given are followed"
            assert setup.bag is not None, "only positions with the bag given are followed"
            for cell, tile in setup.board:
                self.board[column_of(cell), row_of(cell)] = plain_tile(NAMES[tile])
            self.opened = bool(setup.board)
            self.bag = [NAMES[tile] for tile in setup.bag]
            for seat, hand in enumerate(setup.hands):
                self.hands[seat] = [NAMES[tile] for tile in hand or ()]
            self.scores.update(dict(enumerate(setup.scores or ())))
        self.whole = self.tiles()

    def _dealt(self, event: Dealt) -> None:
        self.bag = mixed(self.bag, self.seed, event.n)
        for seat, dealt in enumerate(event.hands):
            self.hands[seat] = self._draw(6)
            assert by_kind(self.hands[seat]) == [NAMES[tile] for tile in dealt], "another deal"

    def _draw(self, count: int) -> list[str]:
        drawn, self.bag = self.bag[:count], self.bag[count:]
        return drawn

    def _lay_down(self, seat: int, names: list[str]) -> None:
        for name in names:
            assert name in self.hands[seat], "a tile that the player does not hold"
            self.hands[seat].remove(name)

    def _played(self, event: Played) -> None:
        hand = [plain_tile(name) for name in self.hands[event.seat]]
        laid = [
            ((column_of(cell), row_of(cell)), plain_tile(NAMES[tile]))
            for cell, tile in event.placements
        ]
        opening = None if self.opened else len(laid)
        points = reference_rules.verdict(self.board, hand, laid, opening)
        assert points == event.points, f"{event.points} points where the rules give {points}"
        self.board |= dict(laid)
        self.opened = True
        self._lay_down(event.seat, [NAMES[tile] for _, tile in event.placements])
        ends = not self.bag and not self.hands[event.seat]
        assert event.bonus == (6 if ends else 0), "a bonus that the rules do not give"
        self._refill(event.seat, [NAMES[tile] for tile in event.drew], len(laid))
        self.scores[event.seat] += event.points + event.bonus

    def _exchanged(self, event: Exchanged) -> None:
        returned = [NAMES[tile] for tile in event.returned]
        self._lay_down(event.seat, returned)
        self._refill(event.seat, [NAMES[tile] for tile in event.drew], len(returned))
        self.bag = mixed(self.bag + returned, self.seed, event.n)

    def _refill(self, seat: int, drew: list[str], count: int) -> None:
        drawn = self._draw(count)
        assert drawn == drew, "other tiles than the bag had on top"
        self.hands[seat] += drawn

    def _resigned(self, event: Resigned) -> None:
        hand = self.hands.pop(event.seat, [])
        if self.bag and hand:
            self.bag = mixed(self.bag + hand, self.seed, event.n)
        else:
            self.removed += hand

"""The ending between two, once the bag is empty: both hands are known, so it can be searched.

Alpha-beta search by points: whoever can be sure of more points than the other in the end
can be sure of winning, so the difference is all that counts.
"""

from service.bots.move_search import Laid, MoveSearch
from service.rules.actions import ENDING_BONUS
from service.rules.board import Board
from service.rules.pauses import Pause
from service.rules.tiles import Tile, kinds_of

_ENDLESS = 10_000
_DEEPEST = 12

# With more tiles than this in both hands the order of tiles that touch nothing else, which
# matters only for what may cross them later, would multiply the plays beyond all reach.
_FEW = 6

Hand = tuple[Tile, ...]


class _OutOfLooks(Exception):
    """The search has looked at as many positions as it may."""


def last_plays(board: Board, hand: Hand, other: Hand, looks: int, pause: Pause) -> Laid:
    """The play that leaves the hand's owner with the greatest lead in the end.

    Exact with six tiles or fewer in both hands if so many looks suffice; otherwise as deep
    as they reach, and on from there as if both took the most points in every turn. The
    hand must have a play.
    """
    orders = len(hand) + len(other) <= _FEW
    search = _Search(looks, MoveSearch(board.spots, kinds_of(hand)).laid, pause, orders=orders)
    try:
        for depth in range(1, _DEEPEST + 1):
            search.cut = False
            search.deepen(board, hand, other, depth)
            if not search.cut:
                break
    except _OutOfLooks:
        pass
    return search.chosen


class _Search:
    """One search: ``chosen`` is the best play so far.

    ``cut`` says that some line of play was not followed to its end.
    """

    def __init__(self, looks: int, chosen: Laid, pause: Pause, *, orders: bool) -> None:
        self.orders = orders
        self.pause = pause
        self.looks = looks
        self.chosen = chosen
        self.cut = False

    def deepen(self, board: Board, hand: Hand, other: Hand, depth: int) -> None:
        """Choose anew by looking this deep, at the play chosen so far first.

        So a search that stops half-way still has a choice at least as good as before.
        """
        plays = self._plays(board, hand)
        first = self.chosen
        plays.sort(key=lambda play: play[1] != first)
        most = -_ENDLESS
        for points, laid in plays:
            worth = points - self._rest(board, hand, other, laid, depth, -_ENDLESS, points - most)
            if worth > most:
                self.chosen, most = laid, worth

    def lead(  # noqa: PLR0917  # the state of a position and the two bounds
        self, board: Board, hand: Hand, other: Hand, depth: int, low: int, high: int
    ) -> int:
        """How many points more than the other the one in turn will still make, at best.

        Only whether it is at most ``low`` or at least ``high`` counts beyond these bounds.
        """
        if depth == 0:
            return self._greedy_lead(board, hand, other)
        plays = self._plays(board, hand)
        if not plays:
            if not board.takes_any(kinds_of(other)):
                return 0
            return -self.lead(board, other, hand, depth, -high, -low)
        most = -_ENDLESS
        for points, laid in plays:
            rest = self._rest(board, hand, other, laid, depth, points - high, points - low)
            most = max(most, points - rest)
            low = max(low, most)
            if low >= high:
                break
        return most

    def _rest(  # noqa: PLR0917  # the state of a position, a play and the two bounds
        self, board: Board, hand: Hand, other: Hand, laid: Laid, depth: int, low: int, high: int
    ) -> int:
        """The other's lead after this play."""
        if len(laid) == len(hand):
            return 0
        after = board.with_tiles([(cell, bit.bit_length() - 1) for cell, bit in laid])
        return self.lead(after, other, _without(hand, laid), depth - 1, low, high)

    def _plays(self, board: Board, hand: Hand) -> list[tuple[int, Laid]]:
        """Every play with its points and the bonus of the last one, the most promising first."""
        self._look()
        kinds = kinds_of(hand)
        found = MoveSearch(board.spots, kinds, every=True, orders=self.orders).plays or []
        size = len(hand)
        plays = [(points + ENDING_BONUS * (len(laid) == size), laid) for points, laid in found]
        plays.sort(key=lambda play: (-play[0], -len(play[1])))
        return plays

    def _greedy_lead(self, board: Board, hand: Hand, other: Hand) -> int:
        """The lead if both take the most points in every turn from here on."""
        self.cut = True
        lead, sign, passed = 0, 1, False
        while True:
            self._look()
            play = MoveSearch(board.spots, kinds_of(hand))
            if not play.laid:
                if passed:
                    return lead
                passed = True
            else:
                passed = False
                lead += sign * play.points
                hand = _without(hand, play.laid)
                if not hand:
                    return lead + sign * ENDING_BONUS
                board = board.with_tiles([(cell, bit.bit_length() - 1) for cell, bit in play.laid])
            hand, other, sign = other, hand, -sign

    def _look(self) -> None:
        if self.looks <= 0:
            raise _OutOfLooks
        self.looks -= 1
        self.pause()


def _without(hand: Hand, laid: Laid) -> Hand:
    left = list(hand)
    for _, bit in laid:
        left.remove(bit.bit_length() - 1)
    return tuple(left)

"""The end of a game between two players with an empty bag: both hands are known.

An alpha-beta search by points. Whoever can force a lead can force a win, so only the difference
of the points matters.
"""

from service.bots.move_search import Move, MoveSearch
from service.rules.actions import ENDING_BONUS
from service.rules.board import Board
from service.rules.tiles import Tile, kinds_of
from service.rules.yielding import Pause

_ENDLESS = 10_000
_DEEPEST = 12

# With more tiles than this in both hands, trying every order of tiles that touch nothing else
# (it matters only for what may cross them later) would make the search far too slow.
_FEW = 6

Hand = tuple[Tile, ...]


class _BudgetSpent(Exception):
    """The search has evaluated as many positions as it may."""


def best_endgame_move(board: Board, hand: Hand, other: Hand, budget: int, pause: Pause) -> Move:
    """The move that gives the owner of ``hand`` the greatest lead at the end.

    Exact with six tiles or fewer in both hands if the budget suffices. Otherwise the search
    goes as deep as the budget allows, and assumes from there that both players take the most
    points in every turn. The hand must have a play.
    """
    orders = len(hand) + len(other) <= _FEW
    search = _Search(budget, MoveSearch(board.spots, kinds_of(hand)).move, pause, orders=orders)
    try:
        for depth in range(1, _DEEPEST + 1):
            search.cut = False
            search.deepen(board, hand, other, depth)
            if not search.cut:
                break
    except _BudgetSpent:
        pass
    return search.chosen


class _Search:
    """One search: ``chosen`` is the best move so far.

    ``cut`` says that some variation was not searched to its end.
    """

    def __init__(self, budget: int, chosen: Move, pause: Pause, *, orders: bool) -> None:
        self.orders = orders
        self.pause = pause
        self.budget = budget
        self.chosen = chosen
        self.cut = False

    def deepen(self, board: Board, hand: Hand, other: Hand, depth: int) -> None:
        """Choose again after a search of this depth, trying the move chosen so far first.

        So a search that stops half-way still has a choice at least as good as before.
        """
        plays = self._plays(board, hand)
        first = self.chosen
        plays.sort(key=lambda play: play[1] != first)
        most = -_ENDLESS
        for points, move in plays:
            worth = points - self._rest(board, hand, other, move, depth, -_ENDLESS, points - most)
            if worth > most:
                self.chosen, most = move, worth

    def lead(  # noqa: PLR0917  # the state of a position and the two bounds
        self, board: Board, hand: Hand, other: Hand, depth: int, low: int, high: int
    ) -> int:
        """The lead in points that the player to move can still gain over the other.

        Outside the bounds only "at most ``low``" or "at least ``high``" is known.
        """
        if depth == 0:
            return self._greedy_lead(board, hand, other)
        plays = self._plays(board, hand)
        if not plays:
            if not board.takes_any(kinds_of(other)):
                return 0
            return -self.lead(board, other, hand, depth, -high, -low)
        most = -_ENDLESS
        for points, move in plays:
            rest = self._rest(board, hand, other, move, depth, points - high, points - low)
            most = max(most, points - rest)
            low = max(low, most)
            if low >= high:
                break
        return most

    def _rest(  # noqa: PLR0917  # the state of a position, a play and the two bounds
        self, board: Board, hand: Hand, other: Hand, move: Move, depth: int, low: int, high: int
    ) -> int:
        """The other player's lead after this move."""
        if len(move) == len(hand):
            return 0
        after = board.with_tiles([(cell, bit.bit_length() - 1) for cell, bit in move])
        return self.lead(after, other, _without(hand, move), depth - 1, low, high)

    def _plays(self, board: Board, hand: Hand) -> list[tuple[int, Move]]:
        """Every move with its points, including the ending bonus, the most promising first."""
        self._spend_one()
        kinds = kinds_of(hand)
        found = MoveSearch(board.spots, kinds, every=True, orders=self.orders).plays or []
        size = len(hand)
        plays = [(points + ENDING_BONUS * (len(move) == size), move) for points, move in found]
        plays.sort(key=lambda play: (-play[0], -len(play[1]), play[1]))
        return plays

    def _greedy_lead(self, board: Board, hand: Hand, other: Hand) -> int:
        """The lead if both players take the most points in every turn from here."""
        self.cut = True
        lead, sign, passed = 0, 1, False
        while True:
            self._spend_one()
            play = MoveSearch(board.spots, kinds_of(hand))
            if not play.move:
                if passed:
                    return lead
                passed = True
            else:
                passed = False
                lead += sign * play.points
                hand = _without(hand, play.move)
                if not hand:
                    return lead + sign * ENDING_BONUS
                board = board.with_tiles([(cell, bit.bit_length() - 1) for cell, bit in play.move])
            hand, other, sign = other, hand, -sign

    def _spend_one(self) -> None:
        if self.budget <= 0:
            raise _BudgetSpent
        self.budget -= 1
        self.pause()


def _without(hand: Hand, move: Move) -> Hand:
    left = list(hand)
    for _, bit in move:
        left.remove(bit.bit_length() - 1)
    return tuple(left)

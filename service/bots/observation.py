"""What one seat can see of a game: everything that a bot knows."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from service.rules.actions import may_exchange, opening_length
from service.rules.board import Board, Placement
from service.rules.state import Game
from service.rules.tiles import TILES, Tile

ROUNDS_REMEMBERED = 3

# How many seats further on the player of a turn sits, and what was placed in it.
RecentTurn = tuple[int, tuple[Placement, ...]]


@dataclass(frozen=True, slots=True)
class Observation:
    """A position as ``seat`` sees it.

    ``unseen`` counts, by kind, the tiles that are neither on the table nor in the seat's own
    hand. ``held`` has the number of tiles in each hand, ``scores`` the points of each seat,
    ``active`` the seats still in the game, ``passed`` those that have had to pass since
    the last placement. ``opening`` is the length of the line with which this seat must
    open now, or None; ``may_exchange`` the most tiles that it could exchange in its turn.
    ``recent`` has the last turns, the newest first: see ``recent_turns``.
    """

    seat: int
    mover: int
    turn: int
    hand: tuple[Tile, ...]
    board: Board
    unseen: tuple[int, ...]
    bag: int
    held: tuple[int, ...]
    scores: tuple[int, ...]
    active: tuple[int, ...]
    passed: tuple[int, ...]
    opening: int | None
    may_exchange: int
    recent: tuple[RecentTurn, ...]

    @property
    def after(self) -> tuple[int, ...]:
        """The other active seats in the order in which they move after this one."""
        later = tuple(seat for seat in self.active if seat > self.seat)
        return later + tuple(seat for seat in self.active if seat < self.seat)


def observe(game: Game, seat: int) -> Observation:
    """What this seat sees of a game in the phase ``playing``."""
    most = may_exchange(game, seat)
    mover = game.mover
    if mover is None:
        raise AssertionError("while a game is played it is always somebody's turn")
    hand = tuple(sorted(game.player(seat).hand))
    hidden = Counter(game.bag + game.removed)
    for other, player in game.seated.items():
        hidden.update(player.hand if other != seat else ())
    seated = game.seated.values()
    return Observation(
        seat=seat,
        mover=mover,
        turn=game.turn,
        hand=hand,
        board=game.board,
        unseen=tuple(hidden[tile] for tile in TILES),
        bag=len(game.bag),
        held=tuple(len(player.hand) for player in seated),
        scores=tuple(player.score for player in seated),
        active=tuple(game.active),
        passed=tuple(seat for seat in game.active if seat in game.passed),
        opening=opening_length(game, seat),
        may_exchange=most,
        recent=_recent(game, seat, mover),
    )


def recent_turns(
    placed: Iterable[tuple[Placement, int]], turn: int, mover: int, seats: int
) -> tuple[RecentTurn, ...]:
    """Who moved in the last turns and what was placed, the newest first.

    ``placed`` has each tile of the table with the number of its turn. ``turn`` is the number of
    the current one, and ``mover`` sits so many seats after the bot. In an exchange or a pass
    nothing was placed.
    """
    placements: dict[int, list[Placement]] = {}
    for placement, number in placed:
        placements.setdefault(number, []).append(placement)
    first = max(1, turn - ROUNDS_REMEMBERED * seats)
    return tuple(
        ((mover + number - turn) % seats, tuple(sorted(placements.get(number, ()))))
        for number in range(turn - 1, first - 1, -1)
    )


def _recent(game: Game, seat: int, mover: int) -> tuple[RecentTurn, ...]:
    """The last turns; once somebody has left, the table no longer tells whose turn it was."""
    seats = list(game.seated)
    if len(game.active) < len(seats):
        return ()
    placed = zip(game.board.tiles.items(), game.laid, strict=True)
    return recent_turns(placed, game.turn, seats.index(mover) - seats.index(seat), len(seats))

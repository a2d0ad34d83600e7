"""Positions given at creation: a game that starts in the middle."""

from collections import Counter
from dataclasses import dataclass

from service.rules.board import Board, Placement
from service.rules.cells import SETUP_REACH, Cell, neighbours, xy
from service.rules.errors import Malformed, Violation, refuse
from service.rules.plays import as_placement, faults_of
from service.rules.shuffle import mix
from service.rules.tiles import COPIES, HAND_SIZE, WHOLE_BAG, Tile, as_tiles, kinds_of

CREATION = 1

# No position of a game has more. Without a limit, judging a huge set-up could take for ever.
MOST_TILES = len(WHOLE_BAG)
MOST_HANDS = 4


@dataclass(frozen=True, slots=True)
class Setup:
    """What a creator gives; anything that is None is left to the service.

    ``bag`` is in the order of drawing. A hand that is None is drawn.
    """

    board: tuple[Placement, ...] = ()
    hands: tuple[tuple[Tile, ...] | None, ...] | None = None
    bag: tuple[Tile, ...] | None = None
    scores: tuple[int, ...] | None = None
    turn: int | None = None

    @property
    def complete(self) -> bool:
        """Whether it fixes every tile, so that nothing has to be drawn."""
        return self.bag is not None and self.hands is not None and None not in self.hands


@dataclass(frozen=True, slots=True)
class Position:
    """A complete position, from which the game starts once its seats are taken."""

    board: Board
    hands: tuple[tuple[Tile, ...], ...]
    bag: tuple[Tile, ...]
    scores: tuple[int, ...]
    turn: int


def lay_out(setup: Setup, seats: int, seed: bytes) -> Position:
    """The position that a set-up gives; RulesBroken with ``setup_impossible`` if it is impossible.

    What is left open is drawn after a shuffle at the creation, so that the seed decides it.
    """
    _check_types(setup)
    refuse(_faults_of_form(setup, seats))
    given = setup.hands or (None,) * seats
    on_table = [tile for _, tile in setup.board]
    in_hands = [tile for hand in given for tile in hand or ()]
    rest = tuple((Counter(WHOLE_BAG) - Counter(on_table) - Counter(in_hands)).elements())
    bag = setup.bag if setup.bag is not None else mix(rest, seed, CREATION)
    hands = []
    for hand in given:
        drawn = bag[:HAND_SIZE] if hand is None else ()
        bag = bag[len(drawn) :]
        hands.append(tuple(sorted(hand or drawn)))
    scores = setup.scores or (0,) * seats
    position = Position(Board(setup.board), tuple(hands), bag, scores, setup.turn or 0)
    refuse(_faults_of_play(position))
    return position


def _check_types(setup: Setup) -> None:
    """Malformed unless everything given consists of tiles, cells within reach, and numbers."""
    given: tuple[object, ...] = (setup.board, setup.hands, setup.bag, setup.scores)
    if given[0] is None or not all(part is None or isinstance(part, tuple) for part in given):
        raise Malformed("board, hands, bag and scores of a set-up must be tuples")
    if max(len(setup.board), len(setup.bag or ())) > MOST_TILES:
        raise Malformed(f"the board and the bag of a set-up hold at most {MOST_TILES} tiles each")
    if max(len(setup.hands or ()), len(setup.scores or ())) > MOST_HANDS:
        raise Malformed(f"a set-up has at most {MOST_HANDS} hands and scores")
    for placed in setup.board:
        cell, _ = as_placement(placed)
        if max(map(abs, xy(cell))) > SETUP_REACH:
            raise Malformed(f"a set-up board must stay within {SETUP_REACH} cells of the middle")
    for hand in setup.hands or ():
        if len(as_tiles(hand or ())) > HAND_SIZE:
            raise Malformed(f"a hand holds at most {HAND_SIZE} tiles")
    as_tiles(setup.bag or ())
    turn = 0 if setup.turn is None else setup.turn
    for number in (*(setup.scores or ()), turn):
        if type(number) is not int or number < 0:
            raise Malformed(f"{number!r:.20} is neither a score nor a seat")


def _impossible(
    reason: str, cells: tuple[Cell, ...] = (), tiles: tuple[Tile, ...] = (), **facts: int
) -> Violation:
    return Violation("setup_impossible", cells, tiles, {"reason": reason, **facts})


def _faults_of_form(setup: Setup, seats: int) -> list[Violation]:
    """What is wrong with what was given, before anything is drawn."""
    broken = []
    if setup.hands is not None and len(setup.hands) != seats:
        broken.append(_impossible("hands_unlike_seats", given=len(setup.hands), seats=seats))
    if setup.scores is not None and len(setup.scores) != seats:
        broken.append(_impossible("scores_unlike_seats", given=len(setup.scores), seats=seats))
    if setup.turn is not None and not setup.board:
        broken.append(_impossible("turn_without_board"))
    if setup.turn is not None and setup.turn >= seats:
        broken.append(_impossible("turn_without_seat", given=setup.turn, seats=seats))
    tiles = [tile for _, tile in setup.board] + list(setup.bag or ())
    tiles += [tile for hand in setup.hands or () for tile in hand or ()]
    surplus = tuple(tile for tile, count in sorted(Counter(tiles).items()) if count > COPIES)
    if surplus:
        broken.append(_impossible("too_many_of_a_kind", tiles=surplus))
    return broken + _faults_of_board(setup.board)


def _faults_of_board(placements: tuple[Placement, ...]) -> list[Violation]:
    """The board must be reachable by play: one tile per cell, connected, every line valid."""
    cells = Counter(cell for cell, _ in placements)
    repeated = tuple(cell for cell, count in cells.items() if count > 1)
    if repeated:
        return [_impossible("cell_repeated", repeated)]
    board = Board(placements)
    broken = []
    stranded = tuple(sorted(board.tiles.keys() - _connected(board)))
    if stranded:
        tiles = tuple(board.tiles[cell] for cell in stranded)
        broken.append(_impossible("board_in_pieces", stranded, tiles))
    broken += [_impossible(fault.code, fault.cells, fault.tiles) for fault in faults_of(board)]
    return broken


def _connected(board: Board) -> set[Cell]:
    """The cells connected with the first tile."""
    reached: set[Cell] = set()
    edge = set(list(board.tiles)[:1])
    while edge:
        reached |= edge
        edge = {beside for cell in edge for beside in neighbours(cell)}
        edge = (edge & board.tiles.keys()) - reached
    return reached


def _faults_of_play(position: Position) -> list[Violation]:
    """No hand may be empty, or below six while the bag holds tiles, and some tile must fit."""
    broken = []
    for seat, hand in enumerate(position.hands):
        if not hand:
            broken.append(_impossible("hand_without_tiles", seat=seat))
        elif len(hand) < HAND_SIZE and position.bag:
            broken.append(_impossible("hand_below_six", seat=seat, bag=len(position.bag)))
    if len(position.board) and not broken:
        kinds = kinds_of(tile for hand in position.hands for tile in hand)
        if not position.board.takes_any(kinds | kinds_of(position.bag)):
            broken.append(_impossible("nothing_to_do"))
    return broken

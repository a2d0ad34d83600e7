"""Possible deals: ones that a spectator cannot distinguish from the real one.

While a game is running, the public knows how many tiles each hand and the bag hold, but not
which. Every distribution of the unseen tiles that agrees with what happened is equally good:
an action that none of them allows cannot have happened.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from service.rules.board import Board, Placement
from service.rules.errors import Malformed
from service.rules.starting_position import Setup
from service.rules.state import Game
from service.rules.tiles import BIT, COLOURS, COPIES, HAND_SIZE, SHAPES, WHOLE_BAG, Kinds, Tile


def set_up(
    board: tuple[Placement, ...],
    hand_counts: Sequence[int],
    bag_count: int,
    scores: tuple[int, ...] | None,
    turn: int | None,
) -> tuple[Setup, tuple[Tile, ...]]:
    """A set-up with this many unseen tiles in the hands and the bag, and the tiles left over.

    Tiles that fit somewhere come first, so that somebody can place one if that is possible.
    """
    fitting = _fitting(Board(board))
    unseen = (Counter(WHOLE_BAG) - Counter(tile for _, tile in board)).elements()
    tiles = tuple(sorted(unseen, key=lambda tile: (not fitting & BIT[tile], tile)))
    for count in (*hand_counts, bag_count):
        if type(count) is not int or count < 0:
            raise Malformed(f"{count!r:.20} is not a number of tiles")
    if sum(hand_counts) + bag_count > len(tiles):
        raise Malformed("there are fewer tiles than the hands and the bag are said to hold")
    hands = []
    for count in hand_counts:
        hands.append(tiles[:count])
        tiles = tiles[count:]
    return Setup(board, tuple(hands), tiles[:bag_count], scores, turn), tiles[bag_count:]


def holding(game: Game, seat: int, wanted: Iterable[Tile]) -> Game:
    """The game with its unseen tiles redistributed so that this seat holds the wanted ones.

    If that is impossible the game stays as it is, and the rules will report what is missing.
    """
    player = game.active.get(seat)
    asked = Counter(wanted)
    unseen = Counter((*game.bag, *game.removed))
    for other in game.seated.values():
        unseen.update(other.hand)
    if player is None or asked.total() > len(player.hand) or not asked <= unseen:
        return game
    rest = tuple((unseen - asked).elements())
    more = len(player.hand) - asked.total()
    hands = {seat: tuple(sorted((*asked.elements(), *rest[:more])))}
    rest = rest[more:]
    for at, other in game.seated.items():
        if at != seat:
            hands[at] = rest[: len(other.hand)]
            rest = rest[len(other.hand) :]
    players = tuple(
        player and player._replace(hand=hands[at]) for at, player in enumerate(game.players)
    )
    bag = len(game.bag)
    return game._replace(players=players, bag=rest[:bag], removed=rest[bag:])


def with_longest_line(length: int, size: int) -> tuple[Tile, ...]:
    """A hand of this size whose longest line has this length, if there is one."""
    if length == 1:
        # Copies never lengthen a line, and tiles of different colour and shape do not form one.
        tiles: Sequence[Tile] = (0, len(SHAPES) + 1)
    else:
        tiles = range(min(length, len(COLOURS)))
    return (tuple(tiles) * COPIES)[: min(size, HAND_SIZE)]


def without_play(game: Game, seat: int) -> tuple[Tile, ...]:
    """As many unseen tiles that fit nowhere as this seat holds, if there are enough."""
    fitting = _fitting(game.board)
    unseen = [*game.bag, *game.removed]
    for player in game.seated.values():
        unseen += player.hand
    held = game.active.get(seat)
    idle = [tile for tile in unseen if not fitting & BIT[tile]]
    return tuple(idle[: len(held.hand) if held else 0])


def _fitting(board: Board) -> Kinds:
    """The kinds that fit some open cell."""
    kinds = 0
    for fit, _, _ in board.spots.values():
        kinds |= fit
    return kinds

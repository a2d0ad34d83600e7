"""The state of a game. It is frozen: every event gives a new one."""

from typing import Literal, NamedTuple, get_args

from service.rules.board import Board
from service.rules.starting_position import Setup
from service.rules.tiles import Kinds, Tile, kinds_of

FEWEST_SEATS = 2
MOST_SEATS = 4

# Far more than honest players need (a long game has 150). A log must not grow without limit.
MOST_EVENTS = 2000
# How many of these joining and leaving may use up before the game starts.
MOST_WAITING_EVENTS = 200

EMPTY_TABLE = Board()

Phase = Literal["waiting", "bidding", "playing", "finished"]
PHASES: tuple[Phase, ...] = get_args(Phase)
End = Literal["hand_empty", "all_passed", "blocked", "last_player"]


class Player(NamedTuple):
    """The player on a seat.

    ``hand`` is in kind order. ``timeouts``: how often in a row the player has run out of time.
    ``bot``: the kind of bot, if it is one.
    """

    name: str
    age: int | None = None
    bot: str | None = None
    score: int = 0
    bonus: int = 0
    bid: int | None = None
    resigned: bool = False
    timeouts: int = 0
    hand: tuple[Tile, ...] = ()


class Game(NamedTuple):
    """Everything about a game that the rules need.

    ``secret`` was fixed at the creation; ``seeded`` says that it follows from the creator's seed
    text. ``entropy`` is what was added to it while waiting. ``seed`` decides every draw: it is
    the secret until the game starts, and then made of both. ``setup`` is what a set-up game
    will start from once its seats are taken, then None; ``positioned`` says that it is such a
    game. ``laid`` has the number of the turn in
    which each tile of the board was placed, in the board's order. ``turn`` counts the
    turns from 1; ``mover`` is the seat whose turn it is, or None. ``opening`` is true
    until the opening line has been placed. ``passed`` are the seats that have had to pass
    since the last placement.
    """

    edition: str
    players: tuple[Player | None, ...]
    secret: bytes
    seed: bytes
    seeded: bool = False
    auto_bid: bool = False
    positioned: bool = False
    phase: Phase = "waiting"
    version: int = 1
    turn: int = 0
    mover: int | None = None
    opening: bool = False
    end: End | None = None
    winners: tuple[int, ...] = ()
    passed: tuple[int, ...] = ()
    setup: Setup | None = None
    board: Board = EMPTY_TABLE
    laid: tuple[int, ...] = ()
    bag: tuple[Tile, ...] = ()
    removed: tuple[Tile, ...] = ()
    entropy: bytes = b""

    @property
    def seated(self) -> dict[int, Player]:
        """The players on taken seats, including those who left during the game."""
        return {seat: player for seat, player in enumerate(self.players) if player is not None}

    @property
    def active(self) -> dict[int, Player]:
        """The players who are still in the game."""
        return {seat: player for seat, player in self.seated.items() if not player.resigned}

    @property
    def open_seats(self) -> list[int]:
        """The seats that nobody has taken."""
        return [seat for seat, player in enumerate(self.players) if player is None]

    @property
    def off_the_table(self) -> Kinds:
        """The kinds of all tiles that are not on the table, wherever they are."""
        kinds = kinds_of(self.bag) | kinds_of(self.removed)
        for player in self.seated.values():
            kinds |= kinds_of(player.hand)
        return kinds

    @property
    def too_long(self) -> bool:
        """Whether the game has reached its maximum length, so that players can only leave."""
        return self.version >= MOST_EVENTS

    def is_active(self, seat: int) -> bool:
        """Whether the seat's player is still in the game."""
        player = self.players[seat] if 0 <= seat < len(self.players) else None
        return player is not None and not player.resigned

    def player(self, seat: int) -> Player:
        """The player on a taken seat."""
        player = self.players[seat]
        if player is None:
            raise LookupError(f"seat {seat} is open")
        return player

    def next_active(self, seat: int) -> int:
        """The next seat clockwise whose player is still in the game."""
        seats = len(self.players)
        for after in range(seat + 1, seat + 1 + seats):
            if self.is_active(after % seats):
                return after % seats
        raise LookupError("nobody is in the game")

"""How the bots of a match did, from any number of games in constant memory."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import sqrt

from service.bots.matches import Outcome

_Z95 = 1.96


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95% interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Standing:
    """How one player did over a match.

    A shared victory counts as a share: half a win for each of two. ``wins_by_seat`` is the
    share of wins on each seat. ``milliseconds`` is the time per move. ``scores`` counts the
    games by the player's points, ``forfeits`` those lost for another reason.
    """

    bot: str
    wins: Estimate
    points: Estimate
    qwirkles: Estimate
    wins_by_seat: tuple[float, ...]
    milliseconds: float
    scores: Counter[int]
    forfeits: Counter[str]


@dataclass(frozen=True, slots=True)
class Summary:
    """The result of a match."""

    games: int
    turns: Estimate
    standings: tuple[Standing, ...]


@dataclass(slots=True)
class _Player:
    scores: Counter[int] = field(default_factory=Counter)
    qwirkles: Counter[int] = field(default_factory=Counter)
    forfeits: Counter[str] = field(default_factory=Counter)
    wins_on_seat: dict[int, float] = field(default_factory=dict)
    games_on_seat: Counter[int] = field(default_factory=Counter)
    moves: int = 0
    seconds: float = 0.0


class Tally:
    """Adds up the games of a match, one after another."""

    def __init__(self, bots: tuple[str, ...]) -> None:
        self._bots = bots
        self._turns: Counter[int] = Counter()
        self._players = [_Player() for _ in bots]

    def add(self, game: Outcome) -> None:
        """Count a game."""
        self._turns[game.turns] += 1
        for at, player in enumerate(self._players):
            seat = game.seats[at]
            player.games_on_seat[seat] += 1
            if at in game.winners:
                share = 1 / len(game.winners)
                player.wins_on_seat[seat] = player.wins_on_seat.get(seat, 0.0) + share
            player.scores[game.scores[at]] += 1
            player.qwirkles[game.qwirkles[at]] += 1
            player.moves += game.moves[at]
            player.seconds += game.seconds[at]
            forfeit = game.forfeits[at] if game.forfeits else None
            if forfeit is not None:
                player.forfeits[forfeit.reason] += 1

    def summary(self) -> Summary:
        """The result so far, of at least one game."""
        return Summary(
            games=self._turns.total(),
            turns=mean_of(self._turns),
            standings=tuple(map(self._standing, self._bots, self._players)),
        )

    def _standing(self, bot: str, player: _Player) -> Standing:
        return Standing(
            bot=bot,
            wins=share_of(sum(player.wins_on_seat.values()), self._turns.total()),
            points=mean_of(player.scores),
            qwirkles=mean_of(player.qwirkles),
            wins_by_seat=tuple(
                player.wins_on_seat.get(seat, 0.0) / games
                for seat, games in sorted(player.games_on_seat.items())
            ),
            milliseconds=1000 * player.seconds / player.moves if player.moves else 0.0,
            scores=player.scores,
            forfeits=player.forfeits,
        )


def summary_of(bots: tuple[str, ...], outcomes: Iterable[Outcome]) -> Summary:
    """The summary of at least one game."""
    tally = Tally(bots)
    for outcome in outcomes:
        tally.add(outcome)
    return tally.summary()


def share_of(wins: float, games: int) -> Estimate:
    """A share of wins with its Wilson interval."""
    share = wins / games
    spread = _Z95**2 / games
    middle = (share + spread / 2) / (1 + spread)
    half = _Z95 * sqrt(share * (1 - share) / games + spread / games / 4) / (1 + spread)
    return Estimate(share, max(0.0, middle - half), min(1.0, middle + half))


def mean_of(values: Counter[int]) -> Estimate:
    """A mean, of values that are counted, with its interval from the normal distribution."""
    count = values.total()
    mean = sum(value * times for value, times in values.items()) / count
    if count == 1:
        return Estimate(mean, mean, mean)
    squares = sum(times * (value - mean) ** 2 for value, times in values.items())
    half = _Z95 * sqrt(squares / (count - 1) / count)
    return Estimate(mean, mean - half, mean + half)

"""Games between bots, played in process; a seed text and its number determine each game.

Each deal is played as often as there are seats, and each time everybody moves on by one seat, so
that no bot has better seats or better tiles.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from math import sqrt
from multiprocessing import Pool
from typing import Any

from service.bots import BUDGET
from service.bots.bot_game import BotGame, Clock, play
from service.rules.record.write import record_of
from service.rules.state import End

_Z95 = 1.96

# How many games a process plays before it reports: few of those that take long.
_SLOW_CHUNK = 4
_QUICK_CHUNK = 64


@dataclass(frozen=True, slots=True)
class Match:
    """Which bots play, how many games, and everything that determines the games."""

    bots: tuple[str, ...]
    games: int
    seed: str
    budget: int = BUDGET
    keep_records: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """One game. Tuples by player are in the order of ``Match.bots``.

    ``seats`` has each player's seat, ``winners`` the players who won. ``moves`` and
    ``seconds`` say how often each player moved and how long that took.
    """

    number: int
    seats: tuple[int, ...]
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    qwirkles: tuple[int, ...]
    moves: tuple[int, ...]
    turns: int
    end: End
    seconds: tuple[float, ...] = field(compare=False)
    record: dict[str, Any] | None = None


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
    share of wins on each seat. ``milliseconds`` is the time per move.
    """

    bot: str
    wins: Estimate
    points: Estimate
    qwirkles: Estimate
    wins_by_seat: tuple[float, ...]
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Summary:
    """The result of a match."""

    games: int
    turns: Estimate
    standings: tuple[Standing, ...]


def no_clock() -> float:
    """For callers that do not measure how long the bots think."""
    return 0.0


def play_match(match: Match, jobs: int = 1, clock: Clock = no_clock) -> Iterator[Outcome]:
    """The outcomes of all games in the order of their numbers, each as soon as it is played.

    ``clock`` measures, in seconds, how long the bots think.
    """
    play = partial(play_game, match, clock)
    if jobs == 1:
        yield from map(play, range(match.games))
        return
    with Pool(jobs) as pool:
        chunk = _SLOW_CHUNK if "expert" in match.bots else _QUICK_CHUNK
        yield from pool.imap(play, range(match.games), chunk)


def play_game(match: Match, clock: Clock, number: int) -> Outcome:
    """The game of this number, from the deal to its end."""
    count = len(match.bots)
    round_, shift = divmod(number, count)
    seats = tuple((player + shift) % count for player in range(count))
    plan = BotGame(
        bots=tuple(match.bots[seats.index(seat)] for seat in range(count)),
        seed=f"{match.seed}/{round_}",
        bot_seed=f"{match.seed}/{number}",
        budget=match.budget,
        keep_events=match.keep_records,
    )
    result = play(plan, clock)
    return Outcome(
        number=number,
        seats=seats,
        scores=tuple(result.scores[seat] for seat in seats),
        winners=tuple(player for player in range(count) if seats[player] in result.winners),
        qwirkles=tuple(result.qwirkles[seat] for seat in seats),
        moves=tuple(result.moves[seat] for seat in seats),
        turns=result.turns,
        end=result.end,
        seconds=tuple(result.seconds[seat] for seat in seats),
        record=record_of(result.events) if match.keep_records else None,
    )


def summary_of(bots: tuple[str, ...], outcomes: Iterable[Outcome]) -> Summary:
    """The summary of at least one game."""
    games = list(outcomes)
    return Summary(
        games=len(games),
        turns=mean_of([game.turns for game in games]),
        standings=tuple(_standing(bot, player, games) for player, bot in enumerate(bots)),
    )


def _standing(bot: str, player: int, games: list[Outcome]) -> Standing:
    shares = [_share(game, player) for game in games]
    by_seat: dict[int, list[float]] = {}
    for game, share in zip(games, shares, strict=True):
        by_seat.setdefault(game.seats[player], []).append(share)
    moves = sum(game.moves[player] for game in games)
    seconds = sum(game.seconds[player] for game in games)
    return Standing(
        bot=bot,
        wins=share_of(sum(shares), len(games)),
        points=mean_of([game.scores[player] for game in games]),
        qwirkles=mean_of([game.qwirkles[player] for game in games]),
        wins_by_seat=tuple(sum(won) / len(won) for _, won in sorted(by_seat.items())),
        milliseconds=1000 * seconds / moves if moves else 0.0,
    )


def _share(game: Outcome, player: int) -> float:
    return 1 / len(game.winners) if player in game.winners else 0.0


def share_of(wins: float, games: int) -> Estimate:
    """A share of wins with its Wilson interval."""
    share = wins / games
    spread = _Z95**2 / games
    middle = (share + spread / 2) / (1 + spread)
    half = _Z95 * sqrt(share * (1 - share) / games + spread / games / 4) / (1 + spread)
    return Estimate(share, max(0.0, middle - half), min(1.0, middle + half))


def mean_of(values: list[int]) -> Estimate:
    """A mean with its interval from the normal distribution."""
    mean = sum(values) / len(values)
    if len(values) == 1:
        return Estimate(mean, mean, mean)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    half = _Z95 * sqrt(variance / len(values))
    return Estimate(mean, mean - half, mean + half)

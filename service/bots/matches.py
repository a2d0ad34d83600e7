"""Games between bots, played in process; a seed text and its number determine each game.

Each deal is played as often as there are seats, and each time everybody moves on by one seat, so
that no bot has better seats or better tiles.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from math import sqrt
from multiprocessing import Pool
from typing import Any

from service.bots import BUDGET, choose
from service.bots.actions import perform
from service.bots.observation import observe
from service.rules.actions import create, deal
from service.rules.events import Entrant, Played
from service.rules.record.write import record_of
from service.rules.shuffle import seed_from
from service.rules.state import End

_Z95 = 1.96
_CHUNK = 4

Clock = Callable[[], float]


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
    ``seconds`` say how often each player moved and how much processor time that took.
    """

    number: int
    seats: tuple[int, ...]
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    qwirkles: tuple[int, ...]
    moves: tuple[int, ...]
    turns: int
    end: End | None
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
    share of wins on each seat. ``milliseconds`` is the processor time per move.
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
        yield from pool.imap(play, range(match.games), _CHUNK)


def play_game(match: Match, clock: Clock, number: int) -> Outcome:
    """The game of this number, from the deal to its end."""
    count = len(match.bots)
    round_, shift = divmod(number, count)
    seats = tuple((player + shift) % count for player in range(count))
    bots = [match.bots[seats.index(seat)] for seat in range(count)]
    entrants = [Entrant(f"{name} {seat}") for seat, name in enumerate(bots)]
    seed = seed_from(f"{match.seed}/{round_}")
    steps = [create(seed, entrants, seeded=True, auto_bid=True)]
    steps.append(deal(steps[-1].game))
    qwirkles, moves, seconds = [0] * count, [0] * count, [0.0] * count
    while (seat := steps[-1].game.mover) is not None:
        game = steps[-1].game
        bot_seed = f"{match.seed}/{number}/{game.version}".encode()
        began = clock()
        action = choose(bots[seat], observe(game, seat), bot_seed, match.budget)
        seconds[seat] += clock() - began
        moves[seat] += 1
        steps.append(perform(game, seat, action))
        event = steps[-1].event
        if isinstance(event, Played):
            qwirkles[seat] += sum(line.qwirkle for line in event.lines)
    game = steps[-1].game
    scores = [player.score for player in game.seated.values()]
    return Outcome(
        number=number,
        seats=seats,
        scores=tuple(scores[seat] for seat in seats),
        winners=tuple(player for player in range(count) if seats[player] in game.winners),
        qwirkles=tuple(qwirkles[seat] for seat in seats),
        moves=tuple(moves[seat] for seat in seats),
        turns=game.turn,
        end=game.end,
        seconds=tuple(seconds[seat] for seat in seats),
        record=record_of([step.event for step in steps]) if match.keep_records else None,
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

"""Games between bots, played in process; a seed text and its number determine each game.

Each deal is played as often as there are seats, and each time everybody moves on by one seat, so
that no bot has better seats or better tiles.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import Pool
from multiprocessing.pool import ThreadPool
from typing import Any

from service.bots import BUDGET
from service.bots.actions import Forfeit
from service.bots.bot_game import NO_OUTSIDERS, BotGame, Clock, Outsiders, play
from service.rules.record.write import record_of
from service.rules.state import End

# How many games a process plays before it reports: few of those that take long.
_SLOW_CHUNK = 4
_QUICK_CHUNK = 64


# Of the games that the core plays, the rules play every so many again and compare the results.
CHECKED_EVERY = 1000


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
    ``seconds`` say how often each player moved and how long that took. ``forfeits`` has why a
    player lost without playing to the end; it is empty if only bots of ours played.
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
    forfeits: tuple[Forfeit | None, ...] = field(default=(), compare=False)


def no_clock() -> float:
    """For callers that do not measure how long the bots think."""
    return 0.0


def play_match(
    match: Match, jobs: int = 1, clock: Clock = no_clock, outsiders: Outsiders = NO_OUTSIDERS
) -> Iterator[Outcome]:
    """The outcomes of all games in the order of their numbers, each as soon as it is played.

    ``clock`` measures, in seconds, how long the bots think. ``outsiders`` are the players among
    the bots of the match that are not ours; they do their work elsewhere, so threads suffice.
    """
    play = partial(play_game, match, clock, outsiders=outsiders)
    if jobs == 1:
        yield from map(play, range(match.games))
        return
    with ThreadPool(jobs) if outsiders else Pool(jobs) as pool:
        chunk = _QUICK_CHUNK
        if outsiders:
            chunk = 1
        elif {"hard", "expert"} & {*match.bots}:
            chunk = _SLOW_CHUNK
        yield from pool.imap(play, range(match.games), chunk)


def play_game(
    match: Match, clock: Clock, number: int, outsiders: Outsiders = NO_OUTSIDERS
) -> Outcome:
    """The game of this number, from the deal to its end."""
    count = len(match.bots)
    round_, shift = divmod(number, count)
    seats = tuple((player + shift) % count for player in range(count))
    plan = BotGame(
        bots=tuple(match.bots[seats.index(seat)] for seat in range(count)),
        seed=f"{match.seed}/{round_}",
        bot_seed=f"{match.seed}/{number}",
        budget=match.budget,
        keep_events=match.keep_records or number % CHECKED_EVERY == 0,
    )
    result = play(plan, clock, outsiders)
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
        forfeits=tuple(result.forfeits[seat] for seat in seats) if result.forfeits else (),
    )

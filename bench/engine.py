"""How fast the rules are: each figure beside a bare Python loop measured in the same run.

Prints a table: the best time of several repeats, its ratio to the loop, and the target where
there is one. The loop makes machines comparable; nothing is asserted about time. What the compiled
core does too is measured with it and without it.
"""

import math
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from service import core
from service.bots import choose
from service.bots.observation import observe
from service.core.legal_plays import first_plays_of
from service.rules.actions import best_of, create, exchange, may_exchange, pass_turn, place
from service.rules.board import Board
from service.rules.codec import pack, unpack
from service.rules.events import Entrant, Event
from service.rules.host_actions import deal
from service.rules.legal_plays import any_play, best_play, legal_plays
from service.rules.plays import judge
from service.rules.reducer import replay
from service.rules.shuffle import secret_from
from service.rules.state import Game

REPEATS = 15
SECONDS_EACH = 0.4
GAMES = 12
MID_GAME = range(37, 44)
LOOP = 1000

Position = tuple[Board, tuple[int, ...]]


def greedy_game(name: str) -> Iterator[tuple[Event, Game]]:
    """A whole game of two who always take the most points."""
    players = [Entrant("Ada"), Entrant("Ben")]
    step = create(secret_from(name), players, auto_bid=True)
    yield step
    step = deal(step.game)
    yield step
    while step.game.mover is not None:
        game, seat = step.game, step.game.mover
        best = best_of(game, seat)
        most = may_exchange(game, seat)
        if best is not None:
            step = place(game, seat, best.placements)
        elif most:
            step = exchange(game, seat, game.player(seat).hand[:most])
        else:
            step = pass_turn(game, seat)
        yield step


def mid_games() -> list[Game]:
    """The states of greedy games with about forty tiles on the table and six in hand."""
    return [
        game
        for number in range(GAMES)
        for _, game in greedy_game(f"bench {number}")
        if len(game.board) in MID_GAME and game.phase == "playing"
    ]


def best_time(work: Callable[[], object], units: int, fewest: int = REPEATS) -> tuple[float, float]:
    """Seconds of CPU that a unit of work takes at best, and the loop in the same moments.

    Short work is repeated more often, so that a busy machine leaves some repeats in peace.
    """
    best = floor = math.inf
    end = time.process_time() + SECONDS_EACH
    repeats = 0
    while repeats < fewest or time.process_time() < end:
        best = min(best, _seconds(work))
        floor = min(floor, _seconds(bare_loop))
        repeats += 1
    return best / units, floor


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def bare_loop() -> int:
    """What a thousand turns of the plainest loop cost."""
    total = 0
    for number in range(LOOP):
        total += number & 7
    return total


def cold(board: Board) -> Board:
    """The same table, with nothing worked out about it yet."""
    return Board(board.tiles.items())


def in_turn(game: Game) -> tuple[int, ...]:
    assert game.mover is not None
    return game.player(game.mover).hand


def plays_of_three(games: list[Game]) -> list[tuple[Game, tuple[tuple[int, int], ...]]]:
    """A legal play of three tiles for each state that has one."""
    found = []
    for game in games:
        for play in legal_plays(game.board, in_turn(game)):
            if len(play.placements) == 3:
                found.append((game, play.placements))
                break
    return found


def report(rows: list[tuple[str, tuple[float, float], str]]) -> None:
    floor = min(floor for _, (_, floor), _ in rows)
    print(f"floor: a bare loop of {LOOP} turns takes {floor * 1e6:.1f} µs\n")
    print(f"{'figure':<52}{'best':>12}{'x floor':>10}{'target':>12}")
    for name, (seconds, beside), target in rows:
        shown = f"{seconds * 1e6:.1f} µs" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"
        print(f"{name:<52}{shown:>12}{seconds / beside:>10.2f}{target:>12}")


def in_both_engines(games: list[Game]) -> None:
    """What the service asks of the core, in C and in Python."""
    views = [observe(game, game.mover) for game in games if game.mover is not None]
    few = views[:: len(views) // 4]
    work: tuple[tuple[str, int, Callable[[], object]], ...] = (
        (
            "the hundred best legal plays",
            len(games),
            lambda: [first_plays_of(game, game.mover or 0, 100, "points") for game in games],
        ),
        (
            "a choice of greedy",
            len(views),
            lambda: [choose("greedy", view, 1) for view in views],
        ),
        (
            "a choice of cautious",
            len(views),
            lambda: [choose("cautious", view, 1) for view in views],
        ),
        (
            "a choice of hard, 384 looks",
            len(few),
            lambda: [choose("hard", view, 1) for view in few],
        ),
        (
            "a choice of expert (hard in Python)",
            len(few),
            lambda: [choose("expert", view, 1) for view in few],
        ),
    )
    print(f"\n{'figure':<40}{'in C':>12}{'in Python':>12}{'ratio':>8}")
    native = core.native
    for name, units, what in work:
        compiled = best_time(what, units, 5)[0] if native else math.nan
        core.native = None
        plain = best_time(what, units, 5)[0]
        core.native = native
        ratio = plain / compiled
        print(f"{name:<40}{compiled * 1e6:>9.1f} µs{plain * 1e6:>9.1f} µs{ratio:>8.1f}")


def main() -> None:
    games = mid_games()
    warm = [(game.board, in_turn(game)) for game in games]
    for board, _ in warm:
        assert board.spots, "worked out once, as in a running game"
    threes = plays_of_three(games)
    states = [pack(game) for game in games]
    whole = [event for event, _ in greedy_game("bench 0")]
    count = len(games)
    found = sum(len(legal_plays(board, hand)) for board, hand in warm)
    print(f"{count} mid-game positions, {found / count:.0f} legal plays each on average\n")

    def played(size: int = 3) -> None:
        for number in range(size):
            for _ in greedy_game(f"bench {number}"):
                pass

    rows = [
        (
            "all legal plays, board known",
            best_time(lambda: [legal_plays(board, hand) for board, hand in warm], count),
            "0.30 ms",
        ),
        (
            "all legal plays, board new",
            best_time(lambda: [legal_plays(cold(board), hand) for board, hand in warm], count),
            "0.30 ms",
        ),
        (
            "best play, board known",
            best_time(lambda: [best_play(board, hand) for board, hand in warm], count),
            "",
        ),
        (
            "is there any play, board new",
            best_time(lambda: [any_play(cold(board), hand) for board, hand in warm], count),
            "",
        ),
        (
            "validate and score a play of three tiles",
            best_time(
                lambda: [judge(game.board, laid, in_turn(game)) for game, laid in threes],
                len(threes),
            ),
            "20 µs",
        ),
        ("a whole greedy game of two, events included", best_time(played, 3), "25 ms"),
        ("folding the events of such a game", best_time(lambda: replay(whole), 1), ""),
        (
            "pack a mid-game state",
            best_time(lambda: [pack(game) for game in games], count),
            "",
        ),
        (
            "unpack a mid-game state",
            best_time(lambda: [unpack(state) for state in states], count),
            "",
        ),
    ]
    report(rows)
    sizes = sorted(map(len, states))
    print(
        f"\na packed mid-game state: {sizes[0]} to {sizes[-1]} bytes, "
        f"{sum(sizes) / count:.0f} on average (target: at most 700)"
    )
    in_both_engines(games)


if __name__ == "__main__":
    main()

"""One game between bots, from the deal to its end: in the compiled core, or by the rules."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from types import ModuleType

from service import core
from service.bots import choose
from service.bots.actions import Forfeit, Outsider, perform
from service.bots.compiled import NUMBERS, CoreChoice, as_action, rng_state
from service.bots.observation import observe
from service.rules.actions import Step, create, resign
from service.rules.events import Entrant, Event, Played
from service.rules.host_actions import deal
from service.rules.shuffle import mix, secret_from
from service.rules.state import End, Game

Clock = Callable[[], float]
Outsiders = Mapping[str, Outsider]

NO_OUTSIDERS: Outsiders = {}

# By the numbers of the core; there 0 is a game that goes on.
ENDS: tuple[End, ...] = ("hand_empty", "all_passed", "blocked")


@dataclass(frozen=True, slots=True)
class BotGame:
    """Which bot sits on each seat, and everything that determines the game.

    ``seed`` is the text for the draws, ``bot_seed`` the one for the bots' random choices.
    """

    bots: tuple[str, ...]
    seed: str
    bot_seed: str
    budget: int
    keep_events: bool


@dataclass(frozen=True, slots=True)
class Result:
    """How a game went; tuples are by seat. ``events`` is empty unless they were kept."""

    scores: tuple[int, ...]
    qwirkles: tuple[int, ...]
    moves: tuple[int, ...]
    seconds: tuple[float, ...]
    turns: int
    end: End
    events: tuple[Event, ...] = ()
    forfeits: tuple[Forfeit | None, ...] = ()

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats with the most points of those that did not forfeit."""
        lost = {seat for seat, forfeit in enumerate(self.forfeits) if forfeit is not None}
        scores = {seat: score for seat, score in enumerate(self.scores) if seat not in lost}
        most = max(scores.values())
        return tuple(seat for seat, score in scores.items() if score == most)


def play(plan: BotGame, clock: Clock, outsiders: Outsiders = NO_OUTSIDERS) -> Result:
    """The result; ``clock`` measures, in seconds, how long the bots think.

    ``outsiders`` are the players among ``plan.bots`` that are not our bots.
    """
    if core.native is None or outsiders:
        return _play_by_rules(plan, clock, outsiders)
    return _play_in_core(core.native, plan, clock)


def _play_by_rules(plan: BotGame, clock: Clock, outsiders: Outsiders) -> Result:
    steps = _dealt(plan)
    count = len(plan.bots)
    qwirkles, moves, seconds = [0] * count, [0] * count, [0.0] * count
    forfeits: list[Forfeit | None] = [None] * count
    while (seat := steps[-1].game.mover) is not None:
        game = steps[-1].game
        began = clock()
        try:
            steps.append(_moved(plan, steps[-1], seat, outsiders))
        except Forfeit as forfeit:
            forfeits[seat] = forfeit
            steps.append(resign(game, seat))
        seconds[seat] += clock() - began
        moves[seat] += 1
        event = steps[-1].event
        if isinstance(event, Played):
            qwirkles[seat] += sum(line.qwirkle for line in event.lines)
    game = steps[-1].game
    if game.end is None:
        raise AssertionError("a game that is nobody's turn has ended")
    return Result(
        scores=tuple(player.score for player in game.seated.values()),
        qwirkles=tuple(qwirkles),
        moves=tuple(moves),
        seconds=tuple(seconds),
        turns=game.turn,
        end=game.end,
        events=tuple(step.event for step in steps) if plan.keep_events else (),
        forfeits=tuple(forfeits),
    )


def _moved(plan: BotGame, step: Step, seat: int, outsiders: Outsiders) -> Step:
    game, outsider = step.game, outsiders.get(plan.bots[seat])
    if outsider is None:
        seed = _bot_seed(plan, game.version)
        return perform(game, seat, choose(plan.bots[seat], observe(game, seat), seed, plan.budget))
    return outsider(step, seat, plan.bot_seed)


def _play_in_core(native: ModuleType, plan: BotGame, clock: Clock) -> Result:
    """The same by the core, which needs the rules only for the deal and for shuffles."""
    game = _deal_of(plan.seed, len(plan.bots))
    if game.mover is None:
        raise AssertionError("after the deal it is the opener's turn")
    actions: list[CoreChoice] | None = [] if plan.keep_events else None
    scores, qwirkles, moves, seconds, turns, end = native.play_game(
        tuple(NUMBERS[name] for name in plan.bots),
        tuple(player.hand for player in game.seated.values()),
        game.bag,
        game.mover,
        game.player(game.mover).bid,
        game.version,
        plan.budget,
        partial(_shuffled, game.seed),
        lambda version: rng_state("any", _bot_seed(plan, version)),
        clock,
        actions,
    )
    taken = slice(len(plan.bots))  # the core counts for four seats
    counts = scores[taken], qwirkles[taken], moves[taken], seconds[taken]
    result = Result(*counts, turns, ENDS[end - 1])
    return result if actions is None else _replayed(plan, result, actions)


def _replayed(plan: BotGame, result: Result, actions: list[CoreChoice]) -> Result:
    """The result with the events that the rules make of the actions."""
    steps = _dealt(plan)
    for action in actions:
        game = steps[-1].game
        if game.mover is None:
            raise AssertionError("the core went on after the end of a game")
        steps.append(perform(game, game.mover, as_action(action)))
    game = steps[-1].game
    scores = tuple(player.score for player in game.seated.values())
    if (scores, game.turn, game.end) != (result.scores, result.turns, result.end):
        raise AssertionError(f"the core and the rules differ in game {plan.bot_seed!r:.80}")
    return Result(
        scores, result.qwirkles, result.moves, result.seconds, game.turn, result.end,
        tuple(step.event for step in steps),
    )  # fmt: skip


def _dealt(plan: BotGame) -> list[Step]:
    # Ages settle every tie of bids: the first of those tied opens, and all bots take turns there.
    entrants = [Entrant(f"{name} {seat}", age=seat) for seat, name in enumerate(plan.bots)]
    created = create(secret_from(plan.seed), entrants, seeded=True, auto_bid=True)
    return [created, deal(created.game)]


@lru_cache(maxsize=1)
def _deal_of(seed: str, count: int) -> Game:
    """The game after its deal, which does not depend on the bots: each deal is played often."""
    return _dealt(BotGame(("bot",) * count, seed, "", 0, keep_events=False))[-1].game


def _shuffled(seed: bytes, tiles: tuple[int, ...], event_number: int) -> tuple[int, ...]:
    return mix(tiles, seed, event_number)


def _bot_seed(plan: BotGame, version: int) -> bytes:
    return f"{plan.bot_seed}/{version}".encode()

"""Steps that are due without any player's request: bots' moves, and what timeouts cause.

No particular process has to run for them. Every process that loads a game commits what is due,
through the same commit as every action, so that each step happens once.
"""

import hmac
import logging
from dataclasses import dataclass
from hashlib import sha256

from service.bots import BUDGET, choose
from service.bots.actions import perform
from service.bots.observation import observe
from service.games.session import GameSession
from service.rules.actions import Step, bid, resign
from service.rules.host_actions import deal
from service.rules.lines import longest_line
from service.rules.state import Game
from service.rules.timeouts import seat_to_remove, timeout_step
from service.rules.yielding import Pause, no_pause
from service.store.due_queue import AT_ONCE
from service.telemetry import metrics

log = logging.getLogger("qwirkle")

FALLBACK_BOT = "greedy"
QUICK_BOTS = frozenset({"random", "easy", "greedy", "cautious"})


@dataclass(frozen=True, slots=True)
class BotPolicy:
    """When a process moves for bots that need time to think, and with how much search.

    A request leaves these bots to the workers for ``patience_ms``, and for as long as a worker
    is running. After that it moves with a small ``budget``, because a client is waiting. A
    ``worker`` moves at once.
    """

    patience_ms: int = 3000
    budget: int = BUDGET // 12
    worker: bool = False


REQUEST_POLICY = BotPolicy()


def worker_policy(budget: int | None) -> BotPolicy:
    """The policy of a worker: at once, with the whole search budget of the settings."""
    return BotPolicy(patience_ms=0, budget=budget or BUDGET, worker=True)


def due_ms(session: GameSession, now_ms: int, patience_ms: int = 0) -> int | None:
    """When a step is due for a process with this patience for bots; None if none will be.

    Bots move `AT_ONCE` and not at the time of the last event: the clock that gave it may have
    been ahead. A player's deadline is exactly the one that clients were told.
    """
    game = session.game
    if deals_itself(session) or seat_to_remove(game) is not None:
        return AT_ONCE
    if bot_to_act(game) is None:
        return session.deadline_ms
    if thinks(game) and 0 <= now_ms - session.updated_ms < patience_ms:
        return session.updated_ms + patience_ms
    return AT_ONCE


def due_step(session: GameSession, budget: int, pause: Pause) -> Step | None:
    """The step of a game that is due.

    A full table with ``auto_deal`` is dealt; a player with too many timeouts in a row leaves; a
    bot bids or moves; for a player who ran out of time the weakest legal move is made. ``pause``
    is called from time to time while a bot thinks.
    """
    game = session.game
    if deals_itself(session):
        return deal(game)
    late = seat_to_remove(game)
    if late is not None:
        return resign(game, late, timeout=True)
    seat = bot_to_act(game)
    return timeout_step(game) if seat is None else bot_step(game, seat, budget, pause)


def deals_itself(session: GameSession) -> bool:
    """Whether the game waits for nothing but a deal that nobody has to ask for."""
    game = session.game
    return session.options.auto_deal and game.phase == "waiting" and not game.open_seats


def bot_to_act(game: Game) -> int | None:
    """The seat of a bot that the game waits for: the lowest one yet to bid, or the one to move."""
    if game.phase == "bidding":
        waiting = (seat for seat, player in game.active.items() if player.bid is None)
        return next((seat for seat in waiting if game.player(seat).bot), None)
    if game.mover is not None and game.player(game.mover).bot:
        return game.mover
    return None


def thinks(game: Game) -> bool:
    """Whether the game waits for a bot that needs time to think."""
    if game.phase != "playing" or game.mover is None:
        return False
    return game.player(game.mover).bot not in QUICK_BOTS | {None}


def bot_step(game: Game, seat: int, budget: int, pause: Pause = no_pause) -> Step:
    """The bot's bid or move. It sees only what its seat sees; its randomness comes from the seed.

    In a game that has reached its maximum length it resigns, so that nobody has to wait for it.
    """
    player = game.player(seat)
    if game.too_long:
        return resign(game, seat)
    if game.phase == "bidding":
        return bid(game, seat, longest_line(player.hand))
    metrics.BOT_THOUGHTS.labels(player.bot or "").inc()
    seed = hmac.digest(game.seed, b"qwirkle bot" + game.version.to_bytes(8, "big"), sha256)
    observation = observe(game, seat)
    try:
        return perform(game, seat, choose(player.bot or "", observation, seed, budget, pause))
    except Exception:
        # A game must go on whatever a bot does; the simplest bot is very unlikely to fail.
        log.exception("the bot %s failed to choose a move", player.bot)
        return perform(game, seat, choose(FALLBACK_BOT, observation, seed, budget, pause))

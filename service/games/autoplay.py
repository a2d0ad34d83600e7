"""What has to be done on a table before anything else: for bots, and for the absent.

No process has to be running for it: whoever finds it undone does it, through the same
commit as every action, so that it happens once however many notice.
"""

import hmac
import logging
from dataclasses import dataclass
from hashlib import sha256

from service.bots import BUDGET, choose, observe
from service.bots.actions import perform
from service.games.session import GameSession
from service.rules.actions import Step, bid, resign
from service.rules.lines import longest_line
from service.rules.pauses import Pause, no_pause
from service.rules.state import Game
from service.rules.timeouts import absent_step, leaver
from service.store.due_queue import AT_ONCE
from service.telemetry import metrics

log = logging.getLogger("qwirkle")

STAND_IN = "greedy"
QUICK_BOTS = frozenset({"random", "greedy"})


@dataclass(frozen=True, slots=True)
class BotPolicy:
    """How readily somebody moves for bots that need time to think.

    A request leaves them to the workers for ``patience_ms``, and for as long as one is at
    work. Without any it moves with the little thought that others can wait for.
    ``worker`` is for the worker itself: it moves at once.
    """

    patience_ms: int = 3000
    budget: int = BUDGET // 12
    worker: bool = False


REQUEST_POLICY = BotPolicy()


def worker_policy(budget: int | None) -> BotPolicy:
    """The diligence of the worker: at once, and with all the thought that the settings allow."""
    return BotPolicy(patience_ms=0, budget=budget or BUDGET, worker=True)


def due_ms(session: GameSession, now_ms: int, patience_ms: int = 0) -> int | None:
    """When there is something to do on the table for somebody of this patience with bots.

    That may be `AT_ONCE`. Bots have no deadline, and do not wait for the time of the last event
    to come: it may be that of a clock that was ahead. A deadline is as it was told.
    """
    game = session.game
    if leaver(game) is not None:
        return AT_ONCE
    if bot_to_act(game) is None:
        return session.deadline_ms
    if thinks(game) and 0 <= now_ms - session.updated_ms < patience_ms:
        return session.updated_ms + patience_ms
    return AT_ONCE


def overdue_step(game: Game, budget: int, pause: Pause) -> Step | None:
    """What is to be done on a game that is due.

    A player who let the time run out too often in a row leaves; a bot bids or moves; for a
    player whose time has run out the least that the rules allow is done. ``pause`` is called
    now and then while a bot thinks.
    """
    late = leaver(game)
    if late is not None:
        return resign(game, late, timeout=True)
    seat = bot_to_act(game)
    return absent_step(game) if seat is None else bot_step(game, seat, budget, pause)


def bot_to_act(game: Game) -> int | None:
    """The seat of a bot that the game waits for: the lowest whose bid is missing, or in turn."""
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
    """The bot's bid or move. It sees what its seat sees; its luck follows from the seed.

    In a game that may get no longer it leaves, so that it keeps nobody waiting.
    """
    player = game.player(seat)
    if game.too_long:
        return resign(game, seat)
    if game.phase == "bidding":
        return bid(game, seat, longest_line(player.hand))
    metrics.BOT_THOUGHTS.labels(player.bot or "").inc()
    luck = hmac.digest(game.seed, b"qwirkle bot" + game.version.to_bytes(8, "big"), sha256)
    observation = observe(game, seat)
    try:
        return perform(game, seat, choose(player.bot or "", observation, luck, budget, pause))
    except Exception:
        # A game must go on whatever a bot does; the simplest one can hardly go wrong.
        log.exception("the bot %s failed in its turn", player.bot)
        return perform(game, seat, choose(STAND_IN, observation, luck, budget, pause))

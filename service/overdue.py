"""What has to be done on a table before anything else: for bots, and for the absent.

No process has to be running for it: whoever finds it undone does it, through the same
commit as every action, so that it happens once however many notice.
"""

import hmac
import logging
from dataclasses import dataclass
from hashlib import sha256

from service.bots import BUDGET, Action, Exchange, Pass, Place, choose, sight_of
from service.rules.absence import absent_step, leaver
from service.rules.actions import Step, bid, exchange, pass_turn, place, resign
from service.rules.game import Game
from service.rules.lines import longest_line
from service.table import Table

log = logging.getLogger("qwirkle")

STAND_IN = "greedy"
QUICK_BOTS = frozenset({"random", "greedy"})


@dataclass(frozen=True, slots=True)
class Diligence:
    """How readily somebody moves for bots that need time to think.

    A request leaves them to the worker for ``patience_ms`` and then, in case there is none,
    moves with the little thought that others can wait for; the worker, with no patience at
    all, moves at once.
    """

    patience_ms: int = 3000
    budget: int = BUDGET // 12


A_REQUESTS = Diligence()


def a_workers(budget: int | None) -> Diligence:
    """The diligence of the worker: at once, and with all the thought that the settings allow."""
    return Diligence(patience_ms=0, budget=budget or BUDGET)


def overdue_step(table: Table, now_ms: int, diligence: Diligence) -> Step | None:
    """What is to be done now, if there is anything.

    A player who let the time run out too often in a row leaves; a bot bids or moves; for a
    player whose time has run out the least that the rules allow is done.
    """
    game = table.game
    late = leaver(game)
    if late is not None:
        return resign(game, late, timeout=True)
    seat = bot_to_act(game)
    if seat is not None and now_ms >= bot_due_ms(table, seat, diligence):
        return bot_step(game, seat, diligence.budget)
    deadline = table.deadline_ms
    if deadline is None or now_ms < deadline:
        return None
    return absent_step(game)


def next_due_ms(table: Table) -> int | None:
    """When somebody should look at the table again though nobody asks for it."""
    if leaver(table.game) is not None or bot_to_act(table.game) is not None:
        return table.updated_ms
    return table.deadline_ms


def seen_to_ms(table: Table, diligence: Diligence) -> int | None:
    """When somebody of this diligence has something to do on the table."""
    seat = bot_to_act(table.game)
    bot = None if seat is None else bot_due_ms(table, seat, diligence)
    return min((due for due in (bot, table.deadline_ms) if due is not None), default=None)


def bot_to_act(game: Game) -> int | None:
    """The seat of a bot that the game waits for: the lowest whose bid is missing, or in turn."""
    if game.phase == "bidding":
        waiting = (seat for seat, player in game.active.items() if player.bid is None)
        return next((seat for seat in waiting if game.player(seat).bot), None)
    if game.mover is not None and game.player(game.mover).bot:
        return game.mover
    return None


def bot_due_ms(table: Table, seat: int, diligence: Diligence) -> int:
    """From when on somebody of this diligence moves for the bot."""
    quick = table.game.phase == "bidding" or table.game.player(seat).bot in QUICK_BOTS
    return table.updated_ms + (0 if quick else diligence.patience_ms)


def bot_step(game: Game, seat: int, budget: int) -> Step:
    """The bot's bid or move. It sees what its seat sees; its luck follows from the seed.

    In a game that may get no longer it leaves, so that it keeps nobody waiting.
    """
    player = game.player(seat)
    if game.too_long:
        return resign(game, seat)
    if game.phase == "bidding":
        return bid(game, seat, longest_line(player.hand))
    luck = hmac.digest(game.seed, b"qwirkle bot" + game.version.to_bytes(8, "big"), sha256)
    sight = sight_of(game, seat)
    try:
        return _as_step(game, seat, choose(player.bot or "", sight, luck, budget))
    except Exception:
        # A game must go on whatever a bot does; the simplest one can hardly go wrong.
        log.exception("the bot %s failed in its turn", player.bot)
        return _as_step(game, seat, choose(STAND_IN, sight, luck, budget))


def _as_step(game: Game, seat: int, action: Action) -> Step:
    match action:
        case Place(placements):
            return place(game, seat, placements)
        case Exchange(tiles):
            return exchange(game, seat, tiles)
        case Pass():
            return pass_turn(game, seat)

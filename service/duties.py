"""What an event leaves to the workers: a look at the table later, and a report to a webhook."""

from service.overdue import due_ms
from service.store.due import Duty
from service.table import Table
from service.webhooks import host_of


def duty_of(before: Table | None, table: Table, now_ms: int) -> Duty | None:
    """What the event between these two tables leaves to do; None if it is nothing."""
    due = due_ms(table, now_ms)
    url = table.particulars.webhook_url
    host = host_of(url) if url is not None and is_told(before, table) else None
    if due is None and host is None:
        return None
    return Duty(table.id, table.game.version, now_ms, due, host)


def is_told(before: Table | None, table: Table) -> bool:
    """Whether a webhook hears of what happened: the bids or a turn began, or the game ended."""
    game = table.game
    if game.phase == "waiting":
        return False
    if before is None:
        return True
    then = before.game
    return (game.phase, game.turn, game.mover) != (then.phase, then.turn, then.mover)

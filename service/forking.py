"""A fork: a new game in the state that another one had after one of its events."""

from dataclasses import replace

from service.duties import duty_of
from service.rules.events import Created
from service.store.games import NONCE_BYTES, Fork, LoggedEvent
from service.table import Entry, pack_entry, pack_table, replayed
from service.usecases import Done, Games, RetryId


def forkable(entries: list[Entry]) -> bool:
    """Whether nothing in the game is secret: its creator gave the seed, or every tile."""
    created = entries[0].event
    if not isinstance(created, Created):
        return False
    return created.seeded or (created.setup is not None and created.setup.complete)


def fork(games: Games, entries: list[Entry], retry: RetryId | None, *, id_: str) -> Done:
    """Commit a game of its own that begins with these entries; VersionConflict if ``id_`` is taken.

    They keep their numbers, and all get the time of the fork. Reports go to no webhook.
    """
    now = games.clock()
    first = entries[0]
    particulars = first.particulars and replace(first.particulars, webhook_url=None)
    copied = [Entry(now, entry.event) for entry in entries]
    copied[0] = Entry(now, first.event, particulars)
    table = replayed(id_, copied)
    log = tuple(
        LoggedEvent(n, games.entropy(NONCE_BYTES), pack_entry(entry))
        for n, entry in enumerate(copied, 1)
    )
    duty = duty_of(None, table)
    if games.agenda and duty:
        # Before the commit: a look in vain is harmless, a look forgotten is not.
        games.agenda.note(duty)
    games.store.fork(
        Fork(
            id_,
            pack_table(table),
            log,
            games.expires_ms(table) - table.updated_ms,
            now,
            retry.key if retry else None,
            retry.fingerprint if retry else None,
        )
    )
    return Done(table, log[-1].nonce, copied[-1])

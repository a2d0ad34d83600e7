"""A fork: a new game in the state that another one had after one of its events."""

from dataclasses import replace

from service.duties import duty_of
from service.rules.events import Created, Entrant, Joined
from service.rules.record import sat_down
from service.store.games import NONCE_BYTES, Fork, LoggedEvent
from service.table import Entry, Particulars, pack_entry, pack_table, replayed
from service.tallies import tally
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
    entries = _without_ages(entries)
    first = entries[0]
    particulars = games.unlike_any(replace(first.particulars or Particulars(), webhook_url=None))
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
    tally(None, table, first.event)
    games.note_expiry(table)
    return Done(table, log[-1].nonce, copied[-1])


def _without_ages(entries: list[Entry]) -> list[Entry]:
    """The entries with the order of ages in their place.

    Whoever forks a table that still waits could else sit down beside the same players again
    and again, and find out an age by comparing.
    """
    events = [entry.event for entry in entries]
    ages = {who.age for event in events for who in sat_down(event).values() if who.age is not None}
    ranks = {age: rank for rank, age in enumerate(sorted(ages))}

    def ranked(who: Entrant) -> Entrant:
        return who if who.age is None else replace(who, age=ranks[who.age])

    return [
        replace(entry, event=replace(event, players=tuple(map(ranked, event.players))))
        if isinstance(event, Created)
        else replace(entry, event=replace(event, player=ranked(event.player)))
        if isinstance(event, Joined)
        else entry
        for entry, event in zip(entries, events, strict=True)
    ]

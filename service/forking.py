"""A fork: a new game in the state that another one had after one of its events."""

from dataclasses import replace

from service.duties import duty_of
from service.rules.events import Created, Entrant, Event, Joined
from service.rules.record import age_ranks, sat_down
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
    copied = [replace(entry, at_ms=now) for entry in _without_ages(entries)]
    chosen = copied[0].particulars or Particulars()
    particulars = games.unlike_any(replace(chosen, webhook_url=None))
    copied[0] = replace(copied[0], particulars=particulars)
    return begin(games, copied, retry, id_=id_)


def begin(games: Games, entries: list[Entry], retry: RetryId | None, *, id_: str) -> Done:
    """Commit a new game with all of these entries at once; VersionConflict if ``id_`` is taken."""
    table = replayed(id_, entries)
    log = tuple(
        LoggedEvent(n, games.entropy(NONCE_BYTES), pack_entry(entry))
        for n, entry in enumerate(entries, 1)
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
            table.updated_ms,
            retry.key if retry else None,
            retry.fingerprint if retry else None,
        )
    )
    tally(None, table, entries[0].event)
    games.note_expiry(table)
    return Done(table, log[-1].nonce, entries[-1])


def _without_ages(entries: list[Entry]) -> list[Entry]:
    """The entries with the ranks of the record in place of ages, so none before the start.

    A host could else fork a table that still waits again and again, sit down beside its players
    with one age after another, and find theirs out. They have not asked to sit there.
    """
    ranks = age_ranks(entry.event for entry in entries)

    def ranked(event: Event) -> tuple[Entrant, ...]:
        return tuple(replace(who, age=ranks.get(at)) for at, who in sat_down(event).items())

    return [
        replace(entry, event=replace(event, players=ranked(event)))
        if isinstance(event := entry.event, Created)
        else replace(entry, event=replace(event, player=ranked(event)[0]))
        if isinstance(event, Joined)
        else entry
        for entry in entries
    ]

"""A fork: a new game that starts in the state another game had after one of its events."""

from dataclasses import replace
from typing import Any

from service.games.idempotency_key import IdempotencyKey
from service.games.service import CommitResult, Games
from service.games.session import GameOptions, LogEntry
from service.rules.events import Created, Entrant, Event, Joined, Played
from service.rules.record.write import age_ranks, entrants_of
from service.rules.reducer import reduce, shuffles_bag
from service.rules.shuffle import SECRET_BYTES
from service.rules.state import Game
from service.rules.yielding import Pause, no_pause, paced


def forkable(entries: list[LogEntry], pause: Pause = no_pause) -> bool:
    """Whether the game contains no secrets so far.

    Either its creator gave the seed; or the creator gave the place of every tile, and the secret
    has not shuffled the bag since. After a shuffle nobody knows the order of the bag, or
    which tiles were returned to it.
    """
    created = entries[0].event
    if not isinstance(created, Created):
        return False
    if created.seeded:
        return True
    complete = created.setup is not None and created.setup.complete
    return complete and not _shuffled([entry.event for entry in entries], pause)


def _shuffled(events: list[Event], pause: Pause) -> bool:
    """Whether any of the events shuffled the bag."""
    game: Game | None = None
    for event in paced(events, pause):
        if game is not None and shuffles_bag(game, event):
            return True
        game = reduce(game, event)
    return False


def fork(
    games: Games,
    entries: list[LogEntry],
    metadata: dict[str, Any] | None,
    retry: IdempotencyKey | None,
    *,
    id_: str,
) -> CommitResult:
    """Commit a new game that begins with these entries; VersionConflict if ``id_`` is taken.

    The entries keep their numbers and get the time of the fork. The fork has no webhook
    and is not listed: its host has the tokens of all its players. Unless
    the creator gave the seed the secret is replaced: otherwise the end of the fork would reveal
    that of the original game, which may still be running.
    """
    now = games.clock()
    unaged = _without_ages(entries, games.pause)
    copied = [_unlisted(replace(entry, at_ms=now)) for entry in paced(unaged, games.pause)]
    options = replace(
        copied[0].options or GameOptions(), webhook_url=None, metadata=metadata, listed=False
    )
    copied[0] = replace(_with_own_secret(copied, games), options=options)
    return games.create_with_log(copied, retry, id_=id_)


def _unlisted(entry: LogEntry) -> LogEntry:
    """An update without what it says of the lobby."""
    return replace(entry, changes=entry.changes | {"listed": False}) if entry.changes else entry


def _with_own_secret(entries: list[LogEntry], games: Games) -> LogEntry:
    """The creation with a new secret unless its creator gave the seed.

    The lot may have decided who opens, and must do so again. Nothing else that is copied
    depends on the secret.
    """
    first, *rest = entries
    created = first.event
    if not isinstance(created, Created) or created.seeded:
        return first
    openers = _openers(entries)
    while True:
        renewed = replace(first, event=replace(created, secret=games.entropy(SECRET_BYTES)))
        if _openers([renewed, *rest]) == openers:
            return renewed


def _openers(entries: list[LogEntry]) -> list[int | None]:
    """Who was to open after each event before the first play."""
    game: Game | None = None
    openers = []
    for entry in entries:
        if isinstance(entry.event, Played):
            break
        game = reduce(game, entry.event)
        openers.append(game.mover)
    return openers


def _without_ages(entries: list[LogEntry], pause: Pause) -> list[LogEntry]:
    """The entries with the age ranks of the record in place of ages; before the start, with none.

    Otherwise a host could fork a waiting game repeatedly, join each fork with a different age,
    and so find out the ages of its players, who never agreed to be in the fork.
    """
    ranks = age_ranks(entry.event for entry in paced(entries, pause))

    def ranked(event: Event) -> tuple[Entrant, ...]:
        return tuple(replace(who, age=ranks.get(at)) for at, who in entrants_of(event).items())

    return [
        replace(entry, event=replace(event, players=ranked(event)))
        if isinstance(event := entry.event, Created)
        else replace(entry, event=replace(event, player=ranked(event)[0]))
        if isinstance(event, Joined)
        else entry
        for entry in paced(entries, pause)
    ]

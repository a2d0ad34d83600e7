"""A table: a game together with what the service, not the rules, needs to know of it.

A table is the fold of its log, like the game on it. Both it and the entries of its log
are written as bytes here; the store keeps them unread.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from struct import pack as pack_numbers
from struct import unpack_from as unpack_numbers
from typing import Any

import orjson

from service.rules.codec import UnknownFormat, event_from, event_row, pack, unpack
from service.rules.events import Created, Event, Joined, Resigned
from service.rules.pauses import Pause, no_pause, paced
from service.rules.reducer import fold
from service.rules.state import Game
from service.store.base import NEVER_RENEWED

FORMAT = 2

_HEAD = "<BH"
_HEAD_BYTES = 3


@dataclass(frozen=True, slots=True)
class GameOptions:
    """What the creator chose beside the rules; ``refs`` and ``metadata`` are the host's own.

    ``generation`` is the first one of all its tokens. It is random, so that no token of a
    deleted game counts in another one that has come to have its id. ``guest`` says that it
    was made without an API key. ``reserved`` are the seats of a rematch that belong to players
    of the game before: nobody else takes one of them, until its player has left it.
    """

    private: bool = False
    hints: bool = True
    refs: tuple[str | None, ...] = ()
    metadata: dict[str, Any] | None = None
    turn_seconds: int | None = None
    webhook_url: str | None = None
    generation: int = 0
    guest: bool = False
    reserved: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class GameSession:
    """A game, its creator's choices, its times, and the generations of its tokens.

    ``generations`` are the host's, then one a seat; a token of an older one is void.
    ``renewals`` are in the same order, none until a first token is renewed: of which
    generation, and how often; ``renewal_nonce`` tells the newest one from all others. They
    are kept with the state, not in the log, since nothing in the game changes, so a replayed
    table has none.
    ``newest`` is the type of the newest event, ``began_ms`` when the bids were called for
    or the player in turn came in turn.
    """

    id: str
    game: Game
    options: GameOptions
    created_ms: int
    updated_ms: int
    generations: tuple[int, ...]
    newest: str = "created"
    began_ms: int = 0
    renewals: tuple[tuple[int, int], ...] = ()
    renewal_nonce: bytes = NEVER_RENEWED

    @property
    def token_generations(self) -> tuple[str, ...]:
        """What tells the tokens that count from older ones: the host's, then one a seat."""
        if not self.renewals:
            return tuple(map(str, self.generations))
        return tuple(
            f"{generation}.{count}" if (count := self.renewed(holder)) else str(generation)
            for holder, generation in enumerate(self.generations)
        )

    def renewed(self, holder: int) -> int:
        """How often a token was renewed since its holder got it; 0 is the host, 1 is seat 0."""
        if not self.renewals:
            return 0
        generation, count = self.renewals[holder]
        return count if generation == self.generations[holder] else 0

    @property
    def reserved_seats(self) -> list[int]:
        """The open seats that are kept for players of the game before."""
        return [seat for seat in self.game.open_seats if seat in self.options.reserved]

    @property
    def free_seats(self) -> list[int]:
        """The open seats that anybody may take."""
        return [seat for seat in self.game.open_seats if seat not in self.options.reserved]

    @property
    def deadline_ms(self) -> int | None:
        """When the time of whoever keeps the game waiting has run out."""
        seconds = self.options.turn_seconds
        if seconds is None or self.game.phase not in {"bidding", "playing"}:
            return None
        return self.began_ms + seconds * 1000


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An event with the time at which it came; the creation also has the particulars.

    Whoever joins may have a ``ref``, and be ``returning`` to the seat that is theirs in a rematch.
    """

    at_ms: int
    event: Event
    options: GameOptions | None = None
    ref: str | None = None
    returning: bool = False


def after(
    session: GameSession | None, entry: LogEntry, game_id: str, game: Game | None = None
) -> GameSession:
    """The table after one more entry; ``game`` spares the fold where it is known already."""
    event = entry.event
    if game is None:
        game = fold(session.game if session else None, event)
    if session is None:
        if entry.options is None:
            raise UnknownFormat("the log of a stored game does not begin with its creation")
        return GameSession(
            game_id,
            game,
            entry.options,
            created_ms=entry.at_ms,
            updated_ms=entry.at_ms,
            generations=(entry.options.generation,) * (len(game.players) + 1),
            began_ms=entry.at_ms,
        )
    generations = session.generations
    if isinstance(event, Resigned) and session.game.phase == "waiting":
        # The seat is open again: its next player gets a token of another generation.
        generations = _with(generations, event.seat + 1, generations[event.seat + 1] + 1)
    waited_for = _awaited(session.game) == _awaited(game)
    return GameSession(
        session.id,
        game,
        _particulars_after(session, entry),
        session.created_ms,
        entry.at_ms,
        generations,
        type(event).__name__.lower(),
        session.began_ms if waited_for else entry.at_ms,
        session.renewals,
        session.renewal_nonce,
    )


def _particulars_after(session: GameSession, entry: LogEntry) -> GameOptions:
    """What is known of whoever sits on a seat comes and goes with them."""
    event, before = entry.event, session.options
    if isinstance(event, Joined):
        reserved = {*before.reserved, event.seat} if entry.returning else {*before.reserved}
    elif isinstance(event, Resigned) and session.game.phase == "waiting":
        reserved = {*before.reserved} - {event.seat}
    else:
        return before
    refs = before.refs
    if entry.ref is not None or event.seat < len(refs):
        refs = _with((*refs, *[None] * (event.seat - len(refs))), event.seat, entry.ref)
    return replace(before, refs=refs, reserved=tuple(sorted(reserved)))


def replayed(game_id: str, entries: Iterable[LogEntry], *, pause: Pause = no_pause) -> GameSession:
    """The table after these entries, the first of which is its creation.

    ``pause`` is called now and then, so that a long log does not hold others up.
    """
    session: GameSession | None = None
    for entry in paced(entries, pause):
        session = after(session, entry, game_id)
    if session is None:
        raise UnknownFormat("a stored game has no log")
    return session


def pack_session(session: GameSession) -> bytes:
    """The table as bytes, without its id and its newest renewal's nonce."""
    words = orjson.dumps(
        [
            session.created_ms,
            session.updated_ms,
            session.generations,
            _particulars_row(session.options),
            session.newest,
            session.began_ms,
            session.renewals,
        ]
    )
    return pack_numbers(_HEAD, FORMAT, len(words)) + words + pack(session.game)


def unpack_session(game_id: str, data: bytes, renewal_nonce: bytes = NEVER_RENEWED) -> GameSession:
    """The table that these bytes hold; UnknownFormat if another release wrote them."""
    form, length = unpack_numbers(_HEAD, data) if len(data) > _HEAD_BYTES else (None, 0)
    if form != FORMAT:
        raise UnknownFormat(f"a stored table has format {form}; this release reads {FORMAT}")
    end = _HEAD_BYTES + length
    created_ms, updated_ms, generations, options, newest, began_ms, renewals = orjson.loads(
        data[_HEAD_BYTES:end]
    )
    return GameSession(
        game_id,
        unpack(data[end:]),
        _particulars(options),
        created_ms,
        updated_ms,
        tuple(generations),
        newest,
        began_ms,
        tuple(map(tuple, renewals)),
        renewal_nonce,
    )


def with_renewal(session: GameSession, holder: int, count: int) -> GameSession:
    """The table with a token renewed so often."""
    renewals = tuple(
        (generation, count if each == holder else session.renewed(each))
        for each, generation in enumerate(session.generations)
    )
    return replace(session, renewals=renewals)


def pack_entry(entry: LogEntry) -> bytes:
    """An entry of the log as bytes; ``unpack_entry`` gives it back."""
    row: list[object] = [entry.at_ms, event_row(entry.event)]
    if entry.options is not None:
        row.append(_particulars_row(entry.options))
    if entry.ref is not None or entry.returning:
        row.append([entry.ref, entry.returning])
    return orjson.dumps(row)


def unpack_entry(data: bytes, n: int) -> LogEntry:
    """The n-th entry of a log."""
    at_ms, row, *rest = orjson.loads(data)
    event = event_from(row, n)
    if isinstance(event, Created) and rest:
        return LogEntry(at_ms, event, _particulars(rest[0]))
    if isinstance(event, Joined) and rest:
        ref, returning = rest[0]
        return LogEntry(at_ms, event, ref=ref, returning=returning)
    return LogEntry(at_ms, event)


def _particulars_row(options: GameOptions) -> list[object]:
    return [
        options.private,
        options.hints,
        options.refs,
        options.metadata,
        options.turn_seconds,
        options.webhook_url,
        options.generation,
        options.guest,
        *options.reserved,
    ]


def _particulars(row: list[Any]) -> GameOptions:
    private, hints, refs, metadata, turn_seconds, webhook_url, generation, guest, *reserved = row
    return GameOptions(
        private,
        hints,
        tuple(refs),
        metadata,
        turn_seconds,
        webhook_url,
        generation,
        guest,
        tuple(reserved),
    )


def _awaited(game: Game) -> tuple[object, ...]:
    """What the game waits for: the bids, or one player's turn."""
    return game.phase, game.turn, game.mover


def _with(values: tuple[Any, ...], index: int, value: object) -> tuple[Any, ...]:
    return (*values[:index], value, *values[index + 1 :])

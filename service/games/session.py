"""A session: a game together with what the service, but not the rules, needs to know about it.

Like the game in it, a session is computed from its log, entry by entry.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from service.rules.codec import UnknownFormat
from service.rules.events import Event, Joined, Resigned, Updated
from service.rules.reducer import reduce
from service.rules.state import Game
from service.rules.yielding import Pause, no_pause, paced
from service.store.base import NEVER_UPDATED


@dataclass(frozen=True, slots=True)
class GameOptions:
    """What the creator chose besides the rules; ``refs`` and ``metadata`` are the host's own.

    ``generation`` is the first generation of all tokens. It is random, so that a token of a
    deleted game is not valid in a later game with the same id. ``tenant`` is whose API key
    created the game, None if it was created without one. ``auto_deal`` deals the tiles as soon as
    every seat is taken. ``listed`` shows the table in the lobby while it has an open seat.
    ``reserved`` are the seats of a rematch that belong to players of the previous game: nobody
    else can take such a seat until its player has left it.
    """

    private: bool = False
    hints: bool = True
    refs: tuple[str | None, ...] = ()
    metadata: dict[str, Any] | None = None
    turn_seconds: int | None = None
    webhook_url: str | None = None
    generation: int = 0
    tenant: str | None = None
    auto_deal: bool = False
    listed: bool = False
    reserved: tuple[int, ...] = ()

    def ref(self, seat: int) -> str | None:
        """The host's own name for the player of a seat."""
        return self.refs[seat] if seat < len(self.refs) else None


# The options that the host may change while the game is waiting.
UPDATABLE = ("private", "hints", "turn_seconds", "auto_deal", "listed")


@dataclass(frozen=True, slots=True)
class RematchOffer:
    """The rematch of a finished game, and the seats there whose players have come to it."""

    game_id: str
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameSession:
    """A game, its options, its times, and the generations of its tokens.

    ``generations`` are the host's, then one per seat; a token of an older generation is invalid.
    ``renewals`` are in the same order, and empty until a first token is renewed: the generation
    and how often it was renewed. ``rematch`` is what the players of a finished game are offered.
    Renewals, the offer and new ``metadata`` are stored with the state and not in the log, because
    they do not change the game: a replayed session has no renewals, no offer, and the metadata of
    the creation. ``update_nonce`` identifies the newest of these changes.
    ``newest`` is the type of the newest event, ``began_ms`` when the bidding or the current turn
    started.
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
    update_nonce: bytes = NEVER_UPDATED
    rematch: RematchOffer | None = None

    @property
    def token_generations(self) -> tuple[str, ...]:
        """What distinguishes valid tokens from older ones: the host's, then one per seat."""
        if not self.renewals:
            return tuple(map(str, self.generations))
        return tuple(
            f"{generation}.{count}" if (count := self.renewed(holder)) else str(generation)
            for holder, generation in enumerate(self.generations)
        )

    def renewed(self, holder: int) -> int:
        """How often the holder's token was renewed; holder 0 is the host, 1 is seat 0."""
        if holder >= len(self.renewals):
            return 0
        generation, count = self.renewals[holder]
        return count if generation == self.generations[holder] else 0

    @property
    def reserved_seats(self) -> list[int]:
        """The open seats that are kept for players of the previous game."""
        return [seat for seat in self.game.open_seats if seat in self.options.reserved]

    @property
    def free_seats(self) -> list[int]:
        """The open seats that anybody may take."""
        return [seat for seat in self.game.open_seats if seat not in self.options.reserved]

    @property
    def deadline_ms(self) -> int | None:
        """When the time for the pending bids or the current turn runs out."""
        seconds = self.options.turn_seconds
        if seconds is None or self.game.phase not in {"bidding", "playing"}:
            return None
        return self.began_ms + seconds * 1000


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An event and its time; the creation also has the options.

    A player who joins may have a ``ref``, or be ``returning`` to the seat reserved for them in a
    rematch. An update has all options that it could change, as ``changes``.
    """

    at_ms: int
    event: Event
    options: GameOptions | None = None
    ref: str | None = None
    returning: bool = False
    changes: dict[str, Any] | None = None


def after(
    session: GameSession | None, entry: LogEntry, game_id: str, game: Game | None = None
) -> GameSession:
    """The session after one more entry; pass ``game`` if the state after it is already known."""
    event = entry.event
    if game is None:
        game = reduce(session.game if session else None, event)
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
        # The seat is open again: its next player gets a token of a new generation.
        generations = _with(generations, event.seat + 1, generations[event.seat + 1] + 1)
    # The generation of a seat outlives the seat: it may be added again.
    generations += (session.options.generation,) * (len(game.players) + 1 - len(generations))
    waited_for = _awaited(session.game) == _awaited(game)
    return replace(
        session,
        game=game,
        options=_options_after(session, entry),
        updated_ms=entry.at_ms,
        generations=generations,
        newest=type(event).__name__.lower(),
        began_ms=session.began_ms if waited_for else entry.at_ms,
    )


def _options_after(session: GameSession, entry: LogEntry) -> GameOptions:
    """Options change by updates; a player's ref and reservation come and go with the player."""
    event, before = entry.event, session.options
    if isinstance(event, Updated):
        reserved = {seat for seat in before.reserved if seat < event.seats}
        return replace(before, **entry.changes or {}, reserved=tuple(sorted(reserved)))
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
    """The session after these entries, the first of which is its creation.

    ``pause`` is called from time to time, so that a long log does not block other work.
    """
    session: GameSession | None = None
    for entry in paced(entries, pause):
        session = after(session, entry, game_id)
    if session is None:
        raise UnknownFormat("a stored game has no log")
    return session


@lru_cache(maxsize=4096)
def timestamp(unix_ms: int) -> str:
    """A time in RFC 3339, UTC, always of the same width."""
    return f"{datetime.fromtimestamp(unix_ms // 1000, UTC):%Y-%m-%dT%H:%M:%S}.{unix_ms % 1000:03}Z"


def with_renewal(session: GameSession, holder: int, count: int) -> GameSession:
    """The session with the holder's token renewed ``count`` times."""
    renewals = tuple(
        (generation, count if each == holder else session.renewed(each))
        for each, generation in enumerate(session.generations)
    )
    return replace(session, renewals=renewals)


def with_metadata(session: GameSession, metadata: dict[str, Any] | None) -> GameSession:
    """The session with other metadata."""
    return replace(session, options=replace(session.options, metadata=metadata))


def _awaited(game: Game) -> tuple[object, ...]:
    """What the game waits for: the bids, or one player's turn."""
    return game.phase, game.turn, game.mover


def _with(values: tuple[Any, ...], index: int, value: object) -> tuple[Any, ...]:
    return (*values[:index], value, *values[index + 1 :])

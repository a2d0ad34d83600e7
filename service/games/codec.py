"""Sessions and log entries as bytes; the store keeps them without reading them."""

from struct import pack as pack_numbers
from struct import unpack_from as unpack_numbers
from typing import Any

import orjson

from service.games.session import UPDATABLE, GameOptions, GameSession, LogEntry, RematchOffer
from service.rules.codec import UnknownFormat, event_from, event_row, pack, unpack
from service.rules.events import Created, Joined, Updated
from service.store.base import NEVER_UPDATED

FORMAT = 3

_HEAD = "<BH"
_HEAD_BYTES = 3


def pack_session(session: GameSession) -> bytes:
    """The session as bytes, without its id and the nonce of its newest update."""
    row: list[object] = [
        session.created_ms,
        session.updated_ms,
        session.generations,
        _options_row(session.options),
        session.newest,
        session.began_ms,
        session.renewals,
    ]
    if session.rematch is not None:
        row.append([session.rematch.game_id, session.rematch.seats])
    head = orjson.dumps(row)
    return pack_numbers(_HEAD, FORMAT, len(head)) + head + pack(session.game)


def unpack_session(game_id: str, data: bytes, update_nonce: bytes = NEVER_UPDATED) -> GameSession:
    """The session in these bytes; UnknownFormat if a different release wrote them."""
    form, length = unpack_numbers(_HEAD, data) if len(data) > _HEAD_BYTES else (None, 0)
    if form != FORMAT:
        raise UnknownFormat(f"a stored session has format {form}; this release reads {FORMAT}")
    end = _HEAD_BYTES + length
    row = orjson.loads(data[_HEAD_BYTES:end])
    created_ms, updated_ms, generations, options, newest, began_ms, renewals, *offer = row
    return GameSession(
        game_id,
        unpack(data[end:]),
        _options_from(options),
        created_ms,
        updated_ms,
        tuple(generations),
        newest,
        began_ms,
        tuple(map(tuple, renewals)),
        update_nonce,
        RematchOffer(offer[0][0], tuple(offer[0][1])) if offer else None,
    )


def pack_entry(entry: LogEntry) -> bytes:
    """An entry of the log as bytes; ``unpack_entry`` reads it."""
    row: list[object] = [entry.at_ms, event_row(entry.event)]
    if entry.options is not None:
        row.append(_options_row(entry.options))
    if entry.changes is not None:
        row.append([entry.changes[name] for name in UPDATABLE])
    if entry.ref is not None or entry.returning:
        row.append([entry.ref, entry.returning])
    return orjson.dumps(row)


def unpack_entry(data: bytes, n: int) -> LogEntry:
    """The n-th entry of a log."""
    at_ms, row, *rest = orjson.loads(data)
    event = event_from(row, n)
    if isinstance(event, Created) and rest:
        return LogEntry(at_ms, event, _options_from(rest[0]))
    if isinstance(event, Joined) and rest:
        ref, returning = rest[0]
        return LogEntry(at_ms, event, ref=ref, returning=returning)
    if isinstance(event, Updated) and rest:
        return LogEntry(at_ms, event, changes=dict(zip(UPDATABLE, rest[0], strict=True)))
    return LogEntry(at_ms, event)


def _options_row(options: GameOptions) -> list[object]:
    return [
        options.private,
        options.hints,
        options.refs,
        options.metadata,
        options.turn_seconds,
        options.webhook_url,
        options.generation,
        options.tenant,
        options.auto_deal,
        options.listed,
        options.reserved,
    ]


def _options_from(row: list[Any]) -> GameOptions:
    private, hints, refs, *others, reserved = row
    given: tuple[Any, ...] = (private, hints, tuple(refs), *others, tuple(reserved))
    return GameOptions(*given)

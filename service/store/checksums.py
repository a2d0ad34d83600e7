"""Stored values with a checksum, so that damaged bytes are refused instead of misread."""

from zlib import crc32

from service.store.base import StoreDamaged

CHECKSUM_BYTES = 4


def seal(head: bytes, body: bytes, n: int = 0) -> bytes:
    """Head, checksum and body; ``n`` is the event's number, so that events cannot be swapped.

    Scripts read the head and the end of the body, so both stay in place.
    """
    return head + crc32(head + body, n).to_bytes(CHECKSUM_BYTES, "big") + body


def unseal(game_id: str, value: bytes, head_bytes: int, n: int = 0) -> tuple[bytes, bytes]:
    """The head and the body of a sealed value of this game, or `StoreDamaged`."""
    start = head_bytes + CHECKSUM_BYTES
    head, checksum, body = value[:head_bytes], value[head_bytes:start], value[start:]
    if crc32(head + body, n).to_bytes(CHECKSUM_BYTES, "big") != checksum:
        raise StoreDamaged(game_id)
    return head, body

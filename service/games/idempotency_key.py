"""What identifies a repeated request."""

from dataclasses import dataclass

from service.store.base import IdempotencyEntry


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """The key that a request is saved under, and what it asks for."""

    key: bytes
    fingerprint: bytes

    def entry(self, version: int, now_ms: int) -> IdempotencyEntry:
        """What is stored once the request has succeeded and led to this version."""
        return IdempotencyEntry(self.key, self.fingerprint, version, now_ms)

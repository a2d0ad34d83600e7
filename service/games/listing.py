"""Which of its tenant's lists a game belongs to."""

from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Final

from service.games.session import GameSession
from service.store.game_index import GameIndex, Listing

_REF_BYTES: Final = 9


def add_to_lists(index: GameIndex, session: GameSession, ttl_ms: int) -> None:
    """Add a tenant's game to the lists where the next commit makes it belong."""
    if listing := _listing(session, lists_of(session)):
        index.add(listing, ttl_ms)


def remove_from_left_lists(index: GameIndex, before: GameSession, session: GameSession) -> None:
    """Remove a tenant's game, at some later time, from the lists that it has left."""
    left = lists_of(before) - lists_of(session)
    if left and (listing := _listing(before, left)):
        index.remove_later(listing)


def remove_from_lists(index: GameIndex, session: GameSession) -> None:
    """Remove a tenant's game, which was deleted, from its lists."""
    if listing := _listing(session, lists_of(session)):
        index.remove(listing)


def _listing(session: GameSession, lists: frozenset[str]) -> Listing | None:
    tenant = session.options.tenant
    return Listing(tenant, session.id, session.updated_ms, lists) if tenant else None


def lists_of(session: GameSession) -> frozenset[str]:
    """The names of the lists: all games with its status, and those of each of its players."""
    status = session.game.phase
    return frozenset({list_name(status, ref) for ref in (None, *refs_of(session))})


def refs_of(session: GameSession) -> set[str]:
    """The refs of the players at the table."""
    refs = {session.options.ref(seat) for seat in session.game.seated}
    return {ref for ref in refs if ref is not None}


def list_name(status: str, ref: str | None) -> str:
    """The name of the list of all games with this status, or of those with this player."""
    if ref is None:
        return status
    # A digest, because a ref can be long, and the store has no need to know it.
    digest = sha256(ref.encode()).digest()[:_REF_BYTES]
    return f"{status}:{urlsafe_b64encode(digest).decode()}"

"""What a tenant's lists and feed are told of a game, and which lists it belongs to."""

from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Final

from service.games.session import GameSession
from service.store.game_index import FeedEvent, GameIndex, Listing

COMMIT_WITHIN_MS: Final = 5000
"""A commit that takes longer, after it was announced, is refused."""

_REF_BYTES: Final = 9


def announce(
    index: GameIndex, session: GameSession, ttl_ms: int | None, event: FeedEvent
) -> int | None:
    """Tell a tenant's lists and feed what is about to happen to its game.

    Without ``ttl_ms`` it is deleted, and added to no list. Returns when a commit must have
    happened, in Unix milliseconds by the store's clock; None if the game has no tenant.
    """
    tenant = session.options.tenant
    if tenant is None:
        return None
    lists = lists_of(session) if ttl_ms is not None else frozenset[str]()
    listing = Listing(tenant, session.id, session.updated_ms, lists)
    return index.announce(listing, ttl_ms or 0, event) + COMMIT_WITHIN_MS


def remove_from_left_lists(index: GameIndex, before: GameSession, session: GameSession) -> None:
    """Remove a tenant's game, at some later time, from the lists that it has left."""
    tenant = before.options.tenant
    if tenant is not None:
        left = lists_of(before) - lists_of(session)
        index.remove_later(Listing(tenant, before.id, before.updated_ms, left))


def remove_from_lists(index: GameIndex, session: GameSession) -> None:
    """Remove a tenant's game, which was deleted, from its lists."""
    tenant = session.options.tenant
    if tenant is not None:
        index.remove(Listing(tenant, session.id, session.updated_ms, lists_of(session)))


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

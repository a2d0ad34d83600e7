"""Adds games to the lists of their tenants that have lost them.

Every event of a game does so too. This is for games in which nothing happens: after a restore from
an old backup, for example, or if the store has evicted a list.
"""

from collections.abc import Iterable

from service.games.listing import lists_of
from service.games.service import GameNotFound, Games
from service.rules.codec import UnknownFormat
from service.store.base import StoreDamaged
from service.store.game_index import Listing


def repair_lists(games: Games, game_ids: Iterable[str]) -> int:
    """Add these games to the lists that should have them; returns how many entries were missing."""
    return sum(_repair(games, game_id) for game_id in game_ids)


def _repair(games: Games, game_id: str) -> int:
    try:
        session = games.load(game_id).session
    except (GameNotFound, StoreDamaged, UnknownFormat):
        return 0
    tenant, left_ms = session.options.tenant, games.expires_ms(session) - games.clock()
    if tenant is None or left_ms <= 0:
        return 0
    listing = Listing(tenant, game_id, session.updated_ms, lists_of(session))
    return games.store.index.restore(listing, left_ms)

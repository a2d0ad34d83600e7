"""Join codes: each is one game's, for as long as it was promised."""

from secrets import token_hex

from service.store import keys
from service.store.redis_store import RedisGameStore
from tests.store.writing import fresh_id


def test_a_code_is_held_for_one_game_and_leads_to_it(store: RedisGameStore) -> None:
    code, game = token_hex(16), fresh_id()
    assert store.game_with_join_code(code) is None
    assert store.hold_join_code(code, game, 60_000)
    assert store.game_with_join_code(code) == game
    assert not store.hold_join_code(code, fresh_id(), 600_000)
    assert store.game_with_join_code(code) == game
    assert 0 < store.client.pttl(keys.join_code_key(code)) <= 60_000


def test_its_own_game_may_hold_it_for_longer_or_shorter(store: RedisGameStore) -> None:
    code, game = token_hex(16), fresh_id()
    for ttl in (60_000, 120_000, 30_000):
        assert store.hold_join_code(code, game, ttl)
        assert ttl - 10_000 < store.client.pttl(keys.join_code_key(code)) <= ttl

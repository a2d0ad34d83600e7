"""What comes after its time limit, by the store's clock, does not happen."""

from dataclasses import replace

import pytest

from service.store.base import VersionConflict
from service.store.redis_store import RedisGameStore
from tests.store.writing import event, fresh_id, now, stamp_of

PAST, FUTURE = -1000, 60_000


def test_a_commit_that_comes_too_late_changes_nothing(store: RedisGameStore) -> None:
    game = fresh_id()
    with pytest.raises(VersionConflict):
        store.commit(replace(event(game, 0), not_after_ms=now() + PAST))
    assert store.load(game) is None
    store.commit(replace(event(game, 0), not_after_ms=now() + FUTURE))
    before = store.load(game)
    with pytest.raises(VersionConflict) as refused:
        store.commit(replace(event(game, 1), not_after_ms=now() + PAST))
    assert refused.value.current == 1
    assert store.load(game) == before


def test_a_commit_that_was_in_time_may_be_sent_again_too_late(store: RedisGameStore) -> None:
    game = fresh_id()
    store.commit(replace(event(game, 0), not_after_ms=now() + FUTURE))
    store.commit(replace(event(game, 0), not_after_ms=now() + PAST))
    assert len(store.load_log(game)) == 1


def test_a_deletion_that_comes_too_late_changes_nothing(store: RedisGameStore) -> None:
    game = fresh_id()
    store.commit(event(game, 0))
    before = store.load(game)
    with pytest.raises(VersionConflict) as refused:
        store.delete(game, stamp_of(game, 1), now() + PAST)
    assert refused.value.current == 1
    assert store.load(game) == before
    assert store.delete(game, stamp_of(game, 1), now() + FUTURE)
    assert store.load(game) is None

"""The checker finds what it is there to find: each of these breaks one promise in a real store."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
import redis

from service.games.codec import pack_entry, pack_session, unpack_entry, unpack_session
from service.games.session import GameSession
from service.rules.events import Exchanged, Played
from service.store import keys
from service.store.base import NONCE_BYTES, STAMP_BYTES
from service.store.checksums import seal, unseal
from tests.faults.acknowledged_actions import Ledger
from tests.faults.checker import check
from tests.faults.load import Load
from tests.servers import QwirkleServer

Break = Callable[[redis.Redis, str], None]


@pytest.fixture(scope="module")
def ledger(whole: QwirkleServer) -> Ledger:
    """One game of a few turns, with both plays and exchanges in it."""
    with Load(lambda: whole.base_url, clients=1, seed=7) as load:
        while not {"played", "exchanged"} <= {each.kind for each in load.ledger.entries}:
            load.carry_on(1)
    return load.ledger


@pytest.fixture
def store(whole: QwirkleServer, ledger: Ledger) -> Iterator[redis.Redis]:
    """The store; every game of the ledger is as it was after the test."""
    with redis.Redis.from_url(whole.redis_url) as store:
        named = [name(id_) for id_ in ledger.games() for name in (keys.state_key, keys.log_key)]
        copies = {name: store.dump(name) for name in named}
        yield store
        for name, copy in copies.items():
            store.restore(name, 0, copy, replace=True)  # type: ignore[arg-type]  # bytes they are


def test_a_store_that_kept_its_promises_passes(whole: QwirkleServer, ledger: Ledger) -> None:
    assert check(whole.redis_url, ledger) == len(ledger.entries)


def rewritten(
    store: redis.Redis, game_id: str, change: Callable[[GameSession], GameSession]
) -> None:
    """Change the state that is stored, and nothing else."""
    state: bytes = store.get(keys.state_key(game_id))  # type: ignore[assignment]  # it is there
    stamp, packed = unseal(game_id, state, STAMP_BYTES)
    table = change(unpack_session(game_id, packed))
    store.set(keys.state_key(game_id), seal(stamp, pack_session(table)))


def logged_otherwise(store: redis.Redis, game_id: str, kind: type, **other: object) -> None:
    """Change an event of this kind in the log, and nothing else."""
    log: list[bytes] = store.lrange(keys.log_key(game_id), 0, -1)  # type: ignore[assignment]  # so
    for n, raw in enumerate(log, 1):
        nonce, event = unseal(game_id, raw, NONCE_BYTES, n)
        entry = unpack_entry(event, n)
        if isinstance(entry.event, kind):
            changed = pack_entry(replace(entry, event=replace(entry.event, **other)))
            store.lset(keys.log_key(game_id), n - 1, seal(nonce, changed, n))  # type: ignore[arg-type]  # bytes
            return
    raise AssertionError("no such event")


def lose_a_tile(store: redis.Redis, game_id: str) -> None:
    rewritten(store, game_id, lambda table: replace(table, game=_shorter(table)))


def _shorter(table: GameSession) -> object:
    return table.game._replace(bag=table.game.bag[1:])


def mix_the_bag(store: redis.Redis, game_id: str) -> None:
    rewritten(
        store, game_id, lambda t: replace(t, game=t.game._replace(bag=tuple(reversed(t.game.bag))))
    )


def lose_the_newest_event(store: redis.Redis, game_id: str) -> None:
    store.rpop(keys.log_key(game_id))


def write_an_event_twice(store: redis.Redis, game_id: str) -> None:
    last: bytes = store.lindex(keys.log_key(game_id), -1)  # type: ignore[assignment]  # it is there
    n = store.llen(keys.log_key(game_id))
    again = seal(*unseal(game_id, last, NONCE_BYTES, n), n + 1)  # type: ignore[arg-type]  # a number
    store.rpush(keys.log_key(game_id), again)  # type: ignore[arg-type]  # bytes


def lose_the_game(store: redis.Redis, game_id: str) -> None:
    store.delete(keys.state_key(game_id))


def score_otherwise(store: redis.Redis, game_id: str) -> None:
    logged_otherwise(store, game_id, Played, points=40)


def draw_otherwise(store: redis.Redis, game_id: str) -> None:
    logged_otherwise(store, game_id, Exchanged, drew=(0,))


BROKEN: tuple[Break, ...] = (
    lose_a_tile,
    mix_the_bag,
    lose_the_newest_event,
    write_an_event_twice,
    lose_the_game,
    score_otherwise,
    draw_otherwise,
)


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.__name__)
def test_a_broken_promise_is_found(
    whole: QwirkleServer, ledger: Ledger, store: redis.Redis, broken: Break
) -> None:
    game_id = next(entry.game_id for entry in ledger.entries if entry.kind == "exchanged")
    broken(store, game_id)
    with pytest.raises(AssertionError):
        check(whole.redis_url, ledger)


def test_an_action_told_twice_or_never_sent_is_found(whole: QwirkleServer, ledger: Ledger) -> None:
    twice = Ledger([*ledger.entries, ledger.entries[-1]])
    with pytest.raises(AssertionError, match="two actions"):
        check(whole.redis_url, twice)
    missing = Ledger(ledger.entries[:-1])
    with pytest.raises(AssertionError, match="nobody sent"):
        check(whole.redis_url, missing)
    wrong = Ledger([*ledger.entries[:-1], replace(ledger.entries[-1], seat=3)])
    with pytest.raises(AssertionError, match="another seat's"):
        check(whole.redis_url, wrong)

"""A store that is slow, cut off, full, read-only, failing or empty, under load: 503 and nothing
half done; when it is well again so is the service, without anybody's help.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import pytest
import redis

from tests.api.client import Client
from tests.api.positions import in_play
from tests.faults.checker import check
from tests.faults.conftest import PATIENCE, Far
from tests.faults.load import Load
from tests.proxy import Fault, until

Trouble = Callable[[Far], "contextmanager[None]"]

LONGEST = 30.0
"""Seconds in which a refusal must come on a machine that is busy otherwise: the store's patience,
three calls at most, and a generous rest. What the patience is worth is tested with the store."""

assert 3 * float(PATIENCE) < LONGEST


@contextmanager
def direct(far: Far) -> Iterator[redis.Redis]:
    """A line of our own to the store, past the proxy."""
    with redis.Redis.from_url(far.store.url) as store:
        yield store


@contextmanager
def slow(far: Far) -> Iterator[None]:
    """Every answer takes its time, though less than the patience."""
    held = [
        far.proxy.trouble(name, Fault.HOLD_ANSWER, 10_000, seconds=0.2)
        for name in ("EVALSHA", "EVAL")
    ]
    yield
    for trouble in held:
        trouble.times = 0


@contextmanager
def cut(far: Far) -> Iterator[None]:
    """Every line is cut, again and again."""
    broken = [
        far.proxy.trouble("EVALSHA", fault, 30) for fault in (Fault.CUT_BEFORE, Fault.CUT_AFTER)
    ]
    far.proxy.cut_all()
    yield
    for trouble in broken:
        trouble.times = 0


@contextmanager
def full(far: Far) -> Iterator[None]:
    """The store has reached its memory's limit."""
    with direct(far) as store:
        store.config_set("maxmemory", 1)
        try:
            yield
        finally:
            store.config_set("maxmemory", 0)


@contextmanager
def read_only(far: Far) -> Iterator[None]:
    """The store has become a replica of nobody that can be reached."""
    with direct(far) as store:
        store.replicaof("127.0.0.1", "1")
        try:
            yield
        finally:
            store.replicaof("NO", "ONE")


@contextmanager
def failing(far: Far) -> Iterator[None]:
    """The store answers writes with an error: it misses its replicas."""
    with direct(far) as store:
        store.config_set("min-replicas-to-write", 3)
        try:
            yield
        finally:
            store.config_set("min-replicas-to-write", 0)


@contextmanager
def refusing(far: Far) -> Iterator[None]:
    """The store permits its clients nothing any more."""
    with direct(far) as store:
        store.execute_command("ACL", "SETUSER", "keeper", "on", "nopass", "~*", "&*", "+@all")
        with redis.Redis.from_url(far.store.url, username="keeper", password="any") as keeper:
            keeper.ping()
            store.execute_command("ACL", "SETUSER", "default", "-@all")
            try:
                yield
            finally:
                keeper.execute_command("ACL", "SETUSER", "default", "+@all")


# What the store, in this trouble, cannot do at all; the others are only slow or tried twice.
HOPELESS = (full, read_only, failing, refusing)


@pytest.mark.parametrize("trouble", [slow, cut, *HOPELESS], ids=lambda trouble: trouble.__name__)
def test_a_store_in_trouble_under_load(far: Far, trouble: Trouble) -> None:
    client = Client(far.address(), LONGEST)
    table = in_play(client)
    before = table.look(0)
    with Load(far.address, clients=1, seed=3, timeout=LONGEST) as load:
        load.carry_on(3)
        with trouble(far):
            if trouble in HOPELESS:
                refused_whole(client, table.path("/plays"), table.tokens[0])
            else:
                load.carry_on(2)
        load.carry_on(3)
        ledger = load.stop()
    until(lambda: client.get("/readyz").status == 200, 30)
    assert table.look(0).etag == before.etag
    assert not ledger.unanswered
    assert check(far.store.url, ledger) == len(ledger.entries)
    assert "Traceback" not in far.server.errors


def refused_whole(client: Client, plays: str, token: str) -> None:
    """A play is refused as long as the trouble lasts, in time, and says when to come again."""
    body = {"placements": [{"tile": "red-diamond", "x": 2, "y": 0}]}
    for key in ("first", "second", "first"):
        began = monotonic()
        answer = client.post(plays, body, token=token, key=key)
        answer.refused(503, "store_unavailable")
        assert answer.headers["retry-after"]
        assert monotonic() - began < LONGEST


def test_a_store_that_comes_back_empty(far: Far) -> None:
    """What was kept is gone, which is said plainly; new games begin, and none has an old mark."""
    client = Client(far.address(), LONGEST)
    lost = in_play(client)
    with direct(far) as store:
        store.flushall()
        store.script_flush()
    far.proxy.cut_all()
    for answer in (lost.look(0), lost.play(0, "rd@2,0", key="k"), lost.look(rest="/events")):
        answer.refused(404, "game_not_found")
    with Load(far.address, clients=2, seed=4) as load:
        load.carry_on(8)
    assert check(far.store.url, load.ledger) == len(load.ledger.entries)
    with direct(far) as store:
        assert not store.keys(f"*{lost.id}*")

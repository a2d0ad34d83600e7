"""A worker killed between a list and the game that it lists: the list shows the game as it is."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from secrets import token_hex
from time import sleep

import pytest

from service.games.listing import COMMIT_WITHIN_MS
from service.store.embedded import EmbeddedStore
from service.store.game_index import INDEX_GAME
from service.store.redis_store import COMMIT, DELETE
from service.store.scripts import Script
from tests.api.client import Answer, Client
from tests.api.lists import check_all_lists, listed
from tests.api.positions import in_play
from tests.faults.conftest import PATIENCE, Far
from tests.faults.test_kills import kill_workers
from tests.live.streams import meanwhile, workers_of
from tests.proxy import Fault, TcpProxy, until
from tests.servers import NewDir, QwirkleServer

KEY = "a-key-of-acme"


@pytest.fixture(scope="module")
def keyed(new_dir: NewDir) -> Iterator[Far]:
    """A service with a tenant, whose way to its store leads through a proxy."""
    folder = new_dir()
    settings = {"QWIRKLE_STORE_TIMEOUT": PATIENCE, "QWIRKLE_API_KEYS": f"acme:{KEY}"}
    with (
        EmbeddedStore(folder) as store,
        TcpProxy(str(folder / "store.sock")) as proxy,
        QwirkleServer(redis_url=proxy.url, workers=2, environment=settings) as server,
    ):
        # The store knows the scripts: a worker sends the text of those that it does not know.
        in_play(Client(server.base_url), api_key=KEY).delete().ok(204)
        yield Far(store, proxy, server)


MOMENTS = {
    "before the index is written": (INDEX_GAME, Fault.SWALLOW, "playing"),
    "between index and commit": (INDEX_GAME, Fault.HOLD_ANSWER, "playing"),
    "between commit and removal": (COMMIT, Fault.HOLD_ANSWER, "finished"),
}


def die(far: Far, script: Script, fault: Fault, act: Callable[[], Answer]) -> None:
    """Kill the worker that carries this out, at this moment."""
    trouble = far.proxy.trouble("EVALSHA", fault, where=(script.digest,))
    with meanwhile(lambda: suppressed(act)):
        assert trouble.struck.wait(30)
        kill_workers(far.server)
        trouble.release()
    until(lambda: len(workers_of(far.server)) == 2, 60)


def suppressed(act: Callable[[], Answer]) -> None:
    """The client is told nothing, or that its request was not carried out in time."""
    with suppress(OSError):
        act()


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_game_whose_last_move_dies_is_listed_as_it_is(keyed: Far, moment: str) -> None:
    script, fault, status = MOMENTS[moment]
    client = Client(keyed.address(), 60)
    table = in_play(client, api_key=KEY)
    die(keyed, script, fault, lambda: table.resign(1, key="the-last-word"))
    assert table.view()["status"] == status
    check_all_lists(client, keyed.store.url, "acme", KEY, [])
    assert table.resign(1, key="the-last-word").ok(201).json["game"]["status"] == "finished"
    check_all_lists(client, keyed.store.url, "acme", KEY, [])


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_game_whose_creation_dies_is_listed_once_it_exists(keyed: Far, moment: str) -> None:
    script, fault, _ = MOMENTS[moment]
    client, key = Client(keyed.address(), 60), token_hex(16)
    before = set(listed(client, KEY))

    def create() -> Answer:
        body = {"players": [{"name": "Ada", "ref": "ada"}], "seats": 2}
        return client.post("/v1/games", body, token=KEY, key=key)

    die(keyed, script, fault, create)
    there = set(listed(client, KEY)) - before
    assert len(there) == (script is COMMIT)
    made = create().ok(201)
    assert made.replayed == (script is COMMIT)
    assert set(listed(client, KEY)) - before == {made.json["game"]["id"]}
    check_all_lists(client, keyed.store.url, "acme", KEY, ["ada"])


def test_a_deletion_that_dies_leaves_no_game_in_a_list(keyed: Far) -> None:
    client = Client(keyed.address(), 60)
    table = in_play(client, api_key=KEY)
    die(keyed, DELETE, Fault.HOLD_ANSWER, table.delete)
    table.look().refused(404, "game_not_found")
    assert table.id not in listed(client, KEY)
    check_all_lists(client, keyed.store.url, "acme", KEY, [])


def test_a_deletion_that_is_held_up_for_too_long_does_not_happen(keyed: Far) -> None:
    """The feed no longer waits for it then, so it must not happen unheard of."""
    client = Client(keyed.address(), 60)
    table = in_play(client, api_key=KEY)
    held = keyed.proxy.trouble("EVALSHA", Fault.HOLD, where=(DELETE.digest,))
    table.delete().refused(503, "store_unavailable")
    assert held.struck.is_set()
    sleep(COMMIT_WITHIN_MS / 1000)
    held.release()
    sleep(1)
    assert table.view()["status"] == "playing"
    assert table.id in listed(client, KEY)
    table.delete().ok(204)
    assert table.id not in listed(client, KEY)

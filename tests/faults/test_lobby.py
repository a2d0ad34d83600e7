"""A worker killed while it seats somebody: nobody waits in vain, and nobody sits twice."""

from collections.abc import Iterator
from secrets import token_hex

import pytest

from service.store.embedded import EmbeddedStore
from service.store.lobby_index import LOBBY_ADD, LOBBY_MATCH, NOTE_MATCH
from service.store.redis_store import COMMIT
from tests.api.client import Answer, Client
from tests.api.lobbies import ask, ask_at_once, kind, lobby
from tests.faults.conftest import PATIENCE, Far
from tests.faults.test_lists import die
from tests.proxy import Fault, TcpProxy
from tests.servers import NewDir, QwirkleServer

MOMENTS = {
    "before the table is entered": (LOBBY_MATCH, Fault.SWALLOW),
    "after the table is entered": (LOBBY_MATCH, Fault.HOLD_ANSWER),
    "before the note": (NOTE_MATCH, Fault.SWALLOW),
    "after the note": (NOTE_MATCH, Fault.HOLD_ANSWER),
    "between lobby and commit": (LOBBY_ADD, Fault.HOLD_ANSWER),
    "before the commit": (COMMIT, Fault.SWALLOW),
    "after the commit": (COMMIT, Fault.HOLD_ANSWER),
}


@pytest.fixture(scope="module")
def far(new_dir: NewDir) -> Iterator[Far]:
    """A service whose way to its store leads through a proxy."""
    folder = new_dir()
    settings = {"QWIRKLE_STORE_TIMEOUT": PATIENCE}
    with (
        EmbeddedStore(folder) as store,
        TcpProxy(str(folder / "store.sock")) as proxy,
        QwirkleServer(redis_url=proxy.url, workers=2, environment=settings) as server,
    ):
        # The store knows the scripts: a worker sends the text of those that it does not know.
        wish = kind()
        ask(Client(server.base_url), wish).ok(201)
        ask(Client(server.base_url), wish).ok(201)
        yield Far(store, proxy, server)


@pytest.mark.parametrize("joins", [False, True])
@pytest.mark.parametrize("moment", MOMENTS)
def test_who_asks_again_after_a_crash_has_one_seat(far: Far, moment: str, joins: bool) -> None:
    script, fault = MOMENTS[moment]
    client, wish, key = Client(far.address(), 60), kind(3), token_hex(16)
    if joins:
        ask(client, wish, "Host").ok(201)

    def again() -> Answer:
        return ask(client, wish, key=key)

    die(far, script, fault, again)
    mine = again().ok(201)
    assert mine.replayed == (moment == "after the commit")
    (table,) = tables_of(client, wish)
    assert table["id"] == mine.json["game"]["id"]
    assert table["taken"] == 1 + joins
    assert again().ok(201).json == mine.json


@pytest.mark.parametrize("moment", MOMENTS)
def test_others_meet_although_the_first_of_them_is_gone(far: Far, moment: str) -> None:
    script, fault = MOMENTS[moment]
    client, wish = Client(far.address(), 60), kind(2)
    die(far, script, fault, lambda: ask(client, wish, "Gone"))
    tables = ask_at_once(client, wish, 9)
    left = [table["taken"] for table in tables_of(client, wish)]
    if moment == "after the commit":  # the first was seated, and one of the others with them
        assert (tables, left) == ({2: 4, 1: 1}, [])
    else:
        assert (tables, left) == ({2: 4, 1: 1}, [1])


def tables_of(client: Client, wish: dict[str, int]) -> list[dict[str, object]]:
    """The open tables of this kind."""
    found = lobby(client, seats=wish["seats"])
    return [each for each in found if each["turn_seconds"] == wish["turn_seconds"]]

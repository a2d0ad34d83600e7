"""A tenant's feed has no gap, whoever is killed; what it repeats is recognised by its id."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from secrets import token_hex
from time import sleep

import pytest

from service.server.managed_process import DEATHS_WITHIN, MAX_DEATHS
from tests.api.client import Client, Table
from tests.api.feeds import Feed
from tests.api.lists import check_all_lists
from tests.faults.tenant_traffic import KEY, insist
from tests.faults.test_kills import DEATHS, TIMES_IN_SOAK, Death
from tests.live.streams import workers_of
from tests.proxy import until
from tests.servers import QwirkleServer


@pytest.fixture(scope="module")
def keyed() -> Iterator[QwirkleServer]:
    """A service with a tenant and a store of its own, every write of which reaches the disk."""
    settings = {"QWIRKLE_EMBEDDED_FSYNC": "always", "QWIRKLE_API_KEYS": f"acme:{KEY}"}
    with QwirkleServer(workers=2, environment=settings) as server:
        yield server


class Crowd:
    """Some who create games and join and leave them, until they are told to stop."""

    def __init__(self, address: Callable[[], str], people: int) -> None:
        self._address = address
        self._stop = threading.Event()
        self.ids: list[str] = []
        self._pool = ThreadPoolExecutor(people)
        self._work = [self._pool.submit(self._play) for _ in range(people)]

    def stop(self) -> None:
        self._stop.set()
        for each in self._work:
            each.result(60)
        self._pool.shutdown()

    def carry_on(self, games: int) -> None:
        """Return once so many more games have been played."""
        wanted = len(self.ids) + games
        until(lambda: len(self.ids) >= wanted or any(each.done() for each in self._work), 60)

    def _play(self) -> None:
        while not self._stop.is_set():
            key = token_hex(16)
            players = [{"name": "Ada", "ref": "ada"}]
            body = {"players": players, "seats": 2}
            made = insist(lambda: self._client.post("/v1/games", body, token=KEY, key=key))  # noqa: B023
            table = Table.of(self._client, made.ok(201))
            insist(lambda: self._again(table).join("Ben", key=token_hex(16)))  # noqa: B023
            insist(lambda: self._again(table).deal(key=key))  # noqa: B023
            insist(lambda: self._again(table).resign(0, key=key))  # noqa: B023
            self.ids.append(table.id)

    @property
    def _client(self) -> Client:
        return Client(self._address(), 10)

    def _again(self, table: Table) -> Table:
        table.client = self._client
        return table


class Reader:
    """Reads the feed by long polls, from the beginning, wherever the service is."""

    def __init__(self, address: Callable[[], str]) -> None:
        self._address = address
        self._stop = threading.Event()
        self.ids: list[str] = []
        self._pool = ThreadPoolExecutor(1)
        self._work = self._pool.submit(self._read)

    def stop(self) -> None:
        """Return once everything is read."""
        self._stop.set()
        self._work.result(60)
        self._pool.shutdown()

    def _read(self) -> None:
        after = None
        while True:
            stopping = self._stop.is_set()
            feed = Feed(Client(self._address(), 30), KEY, "acme", "")
            try:
                page = feed.page(after=after, wait=1)
            except (OSError, AssertionError):
                sleep(0.05)
                continue
            assert not page["resync"]
            self.ids += [each["id"] for each in page["events"]]
            after = page["last"]
            if stopping and not page["events"]:
                return


@contextmanager
def busy_tenant(server: QwirkleServer) -> Iterator[Crowd]:
    """A tenant whose games are played; in the end its feed has told of every event."""
    crowd = Crowd(lambda: server.base_url, 2)
    reader = Reader(lambda: server.base_url)
    try:
        crowd.carry_on(6)
        yield crowd
        crowd.carry_on(6)
    finally:
        crowd.stop()
        # What was announced by those who died is waited for.
        sleep(10)
        reader.stop()
    client = Client(server.base_url)
    happened = set()
    for id_ in crowd.ids:
        events = client.get(f"/v1/games/{id_}/events").ok(200).json["events"]
        happened |= {f"{id_}-{event['id']}" for event in events}
    assert happened - set(reader.ids) == set()


def die_by(server: QwirkleServer, deaths: Sequence[Death], pause: float = 0.0) -> None:
    with busy_tenant(server) as crowd:
        for death in deaths:
            until(lambda: len(workers_of(server)) == 2, 60)
            death(server)
            sleep(pause)
            crowd.carry_on(6)
    check_all_lists(Client(server.base_url), server.redis_url, "acme", KEY, ["ada"])


@pytest.mark.timeout(180)
def test_no_event_is_missing_after_deaths_of_every_kind(keyed: QwirkleServer) -> None:
    die_by(keyed, DEATHS)


@pytest.mark.soak
@pytest.mark.parametrize("death", DEATHS, ids=lambda death: death.__name__)
def test_no_event_is_missing_after_many_deaths(keyed: QwirkleServer, death: Death) -> None:
    # The supervisor rightly gives up on what dies five times in ten seconds.
    die_by(keyed, [death] * TIMES_IN_SOAK, DEATHS_WITHIN / (MAX_DEATHS - 1))

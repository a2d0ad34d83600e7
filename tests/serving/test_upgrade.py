"""Two releases on one store, as they are during an upgrade: nobody notices who answers."""

import http.client
import threading
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from urllib.parse import urlsplit

import pytest

from service.store.embedded import EmbeddedStore
from tests.api.client import Client, Table
from tests.live.streams import Stream
from tests.proxy import until
from tests.servers import NewDir, QwirkleServer
from tests.serving import previous_release

SECRET = "the secret that both releases sign with"


@pytest.fixture(scope="module")
def store(new_dir: NewDir) -> Iterator[EmbeddedStore]:
    with EmbeddedStore(new_dir()) as store:
        yield store


@pytest.fixture(scope="module")
def previous(new_dir: NewDir) -> Path:
    """The command of the release before this one."""
    return previous_release.install(new_dir())


@pytest.fixture(scope="module")
def old(store: EmbeddedStore, previous: Path) -> Iterator[QwirkleServer]:
    settings = {"QWIRKLE_SECRET": SECRET}
    with QwirkleServer(
        redis_url=store.url, workers=1, environment=settings, command=previous
    ) as server:
        yield server


@pytest.fixture(scope="module")
def new(store: EmbeddedStore) -> Iterator[QwirkleServer]:
    settings = {"QWIRKLE_SECRET": f"{SECRET},{SECRET} before"}
    with QwirkleServer(redis_url=store.url, workers=1, environment=settings) as server:
        yield server


def client_of(server: QwirkleServer) -> Client:
    """A client of either release: what the old one answers follows its own contract."""
    return Client(server.base_url, checked=False)


def test_the_old_release_runs_its_own_code(old: QwirkleServer, new: QwirkleServer) -> None:
    assert b'qwirkle_build_info{python="' in old.get("/metrics")[1]
    assert b'version="0.0.1"' in old.get("/metrics")[1]
    assert b'version="0.0.1"' not in new.get("/metrics")[1]


def seen_from(client: Client, table: Table) -> Table:
    return Table(client, table.id, table.host, table.tokens)


def test_a_game_goes_to_and_fro_between_two_releases(
    old: QwirkleServer, new: QwirkleServer
) -> None:
    here = client_of(old).position("ro rs", "rd r* rx", "rc bo go")
    there = seen_from(client_of(new), here)
    assert here.view(0) == there.view(0)

    with Stream(there, there.tokens[1], after=1) as stream:
        first = here.play(0, "rd@2,0", match=there.look(0).etag, key="first").ok(201)
        assert [message.n for message in stream.take(1)] == [2]
    again = there.play(0, "rd@2,0", match=there.look(0).etag, key="first").ok(201)
    assert again.replayed
    assert again.body == first.body

    there.play(1, "rc@3,0", match=here.look(1).etag, key="second").ok(201)
    here.play(0, "r*@4,0", match=first.etag).refused(412, "stale_version")
    there.play(0, "r*@4,0", match=first.etag).refused(412, "stale_version")
    here.play(0, "r*@4,0", match=there.look(0).etag).ok(201)
    assert here.look(rest="/events").body == there.look(rest="/events").body
    assert here.look(1, "/record").status == there.look(1, "/record").status


def test_what_one_release_made_is_not_taken_for_the_others(
    old: QwirkleServer, new: QwirkleServer
) -> None:
    here = client_of(old).create()
    there = seen_from(client_of(new), here)
    kept = here.look(0).etag
    assert kept != there.look(0).etag
    here.look(0, headers={"If-None-Match": kept}).ok(304)
    there.look(0, headers={"If-None-Match": kept}).ok(200)


def test_what_one_release_has_answered_the_other_answers_again(
    old: QwirkleServer, new: QwirkleServer
) -> None:
    for first, second in ((old, new), (new, old)):
        here = client_of(first).create(seats=4, players=1)
        there = seen_from(client_of(second), here)
        for name in ("Ben", "Cleo", "Dan"):
            key = token_hex(16)
            made = here.join(name, key=key).ok(201)
            again = there.join(name, key=key)
            assert (again.status, again.replayed, again.body) == (201, True, made.body)


def test_a_creation_repeated_on_the_other_release_makes_no_second_game(
    old: QwirkleServer, new: QwirkleServer
) -> None:
    key, body = token_hex(16), {"players": [{"name": "Ada"}, {"name": "Ben"}]}
    made = client_of(old).post("/v1/games", body, key=key).ok(201)
    again = client_of(new).post("/v1/games", body, key=key).ok(201)
    assert again.replayed
    assert again.body == made.body


def test_the_old_release_stops_without_losing_a_request(
    store: EmbeddedStore, new: QwirkleServer, previous: Path
) -> None:
    """As a rollout does it: new requests go to the new release, then the old one is stopped."""
    leaving = QwirkleServer(
        redis_url=store.url, workers=2, environment={"QWIRKLE_SECRET": SECRET}, command=previous
    ).start()
    serving = [client_of(leaving)]
    wrong: list[object] = []
    played = [0] * 4
    over = threading.Event()
    line = http.client.HTTPConnection(urlsplit(leaving.base_url).netloc, timeout=60)

    def play(player: int) -> None:
        while not over.is_set():
            try:
                mine = serving[-1].create(seats=2, players=1)
                mine.join().ok(201)
                mine.resign(1).ok(201)
            except (AssertionError, OSError) as error:
                wrong.append(error)
                return
            played[player] += 1

    def until_all_played(more: int) -> None:
        before = list(played)
        until(lambda: bool(wrong) or all(played[n] >= before[n] + more for n in range(4)), 60)

    players = [threading.Thread(target=play, args=[each], daemon=True) for each in range(4)]
    try:
        path = client_of(leaving).create().path("/events/stream?after=1")
        line.request("GET", path)
        stream = line.getresponse()
        for thread in players:
            thread.start()
        until_all_played(2)
        serving.append(client_of(new))
        until_all_played(1)
        assert leaving.stop() == 0
        until_all_played(2)
    finally:
        over.set()
        for thread in players:
            thread.join(60)
        leaving.close()
    assert wrong == []
    assert stream.status == 200
    stream.read()  # to its proper end: it would raise IncompleteRead if it had been cut off
    line.close()

"""Two releases on one store, as they are during an upgrade: nobody notices who answers."""

import http.client
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from urllib.parse import urlsplit

import pytest

from service.store.embedded import EmbeddedStore
from tests.api.client import Client, Table, client_of
from tests.live.streams import Stream
from tests.proxy import until
from tests.servers import NewDir, QwirkleServer

ROOT = Path(__file__).parents[2]
SECRET = "the secret that both releases sign with"


def another_release(folder: Path) -> Path:
    """This tree as a release of another number; it comes first on PYTHONPATH."""
    shutil.copytree(ROOT / "service", folder / "service")
    shutil.copy(ROOT / "openapi.yaml", folder / "service")
    about = folder / "qwirkle_service-99.0.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: qwirkle-service\nVersion: 99.0.0")
    return folder


@pytest.fixture(scope="module")
def store(new_dir: NewDir) -> Iterator[EmbeddedStore]:
    with EmbeddedStore(new_dir()) as store:
        yield store


@pytest.fixture(scope="module")
def old(store: EmbeddedStore) -> Iterator[QwirkleServer]:
    settings = {"QWIRKLE_SECRET": SECRET}
    with QwirkleServer(redis_url=store.url, workers=1, environment=settings) as server:
        yield server


@pytest.fixture(scope="module")
def new(store: EmbeddedStore, new_dir: NewDir) -> Iterator[QwirkleServer]:
    release = another_release(new_dir())
    settings = {"QWIRKLE_SECRET": f"{SECRET},{SECRET} before", "PYTHONPATH": str(release)}
    with QwirkleServer(redis_url=store.url, workers=1, environment=settings) as server:
        yield server


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


def test_a_creation_repeated_on_the_other_release_makes_no_second_game(
    old: QwirkleServer, new: QwirkleServer
) -> None:
    key, body = token_hex(16), {"players": [{"name": "Ada"}, {"name": "Ben"}]}
    made = client_of(old).post("/v1/games", body, key=key).ok(201)
    again = client_of(new).post("/v1/games", body, key=key).ok(201)
    assert again.replayed
    assert again.body == made.body


def test_the_old_release_stops_without_losing_a_request(
    store: EmbeddedStore, new: QwirkleServer
) -> None:
    """As a rollout does it: new requests go to the new release, then the old one is stopped."""
    leaving = QwirkleServer(
        redis_url=store.url, workers=2, environment={"QWIRKLE_SECRET": SECRET}
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

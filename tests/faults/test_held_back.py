"""What is held back on its way lands in the very state that it was made for, or nowhere."""

import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from secrets import token_hex
from urllib.parse import urlsplit

import pytest
import redis

from service.store import keys
from service.store.embedded import EmbeddedStore
from service.store.redis_store import COMMIT, DELETE, LOAD, UPDATE_STATE
from service.store.scripts import Script
from tests.api.client import Answer, Client, Table
from tests.api.positions import finished, in_play
from tests.faults.conftest import Far
from tests.proxy import Fault, TcpProxy, Trouble
from tests.servers import NewDir, QwirkleServer

Act = Callable[[], Answer]


@pytest.fixture(scope="module")
def patient(new_dir: NewDir) -> Iterator[Far]:
    """One worker that waits for its store for as long as a test holds something back."""
    folder = new_dir()
    settings = {"QWIRKLE_STORE_TIMEOUT": "60"}
    with (
        EmbeddedStore(folder) as store,
        TcpProxy(str(folder / "store.sock")) as proxy,
        QwirkleServer(redis_url=proxy.url, workers=1, environment=settings) as server,
    ):
        yield Far(store, proxy, server)


@pytest.fixture
def client(patient: Far) -> Client:
    return Client(patient.address(), 60)


def hold(far: Far, script: Script) -> Trouble:
    """Hold the next call of this script back."""
    return far.proxy.trouble("EVALSHA", Fault.HOLD, where=(script.digest,))


def late(trouble: Trouble, act: Act, meanwhile: Callable[[], None]) -> Answer:
    """What an act is answered that was held back while something else happened."""
    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(act)
        assert trouble.struck.wait(60)
        try:
            meanwhile()
        finally:
            trouble.release()
        return answer.result()


class Reborn:
    """A game, and another one that comes to have its id."""

    def __init__(self, client: Client) -> None:
        self.client, self.key = client, token_hex(16)
        self.first = self.second = self.made("one")

    def made(self, seed: str) -> Table:
        body = {"players": [{"name": "Ada"}, {"name": "Ben"}], "seed": seed}
        return Table.of(self.client, self.client.post("/v1/games", body, key=self.key).ok(201))

    def replace(self) -> None:
        self.first.delete().ok(204)
        self.second = self.made("other")
        assert self.second.id == self.first.id

    def is_untouched(self) -> None:
        view = self.second.view(token=self.second.host)
        assert (view["status"], view["version"]) == ("waiting", 1)
        self.second.deal().ok(200)
        assert self.second.view(0)["you"]["seat"] == 0


def test_a_deal_held_back_does_not_land_in_another_game(patient: Far, client: Client) -> None:
    games = Reborn(client)
    answer = late(hold(patient, COMMIT), games.first.deal, games.replace)
    answer.refused(401, "token_invalid")
    games.is_untouched()


def test_a_deletion_held_back_does_not_delete_another_game(patient: Far, client: Client) -> None:
    games = Reborn(client)
    trouble = hold(patient, DELETE)
    answer = late(trouble, games.first.delete, games.replace)
    answer.refused(401, "token_invalid")
    games.is_untouched()


def test_a_renewal_held_back_renews_no_token_of_another_game(patient: Far, client: Client) -> None:
    games = Reborn(client)
    renew: Act = lambda: games.first.act(None, "tokens", token=games.first.host)  # noqa: E731
    late(hold(patient, UPDATE_STATE), renew, games.replace).refused(401, "token_invalid")
    games.is_untouched()


def test_a_fork_held_back_shows_nothing_of_another_game(patient: Far, client: Client) -> None:
    games = Reborn(client)
    # The game is loaded first, then its log.
    patient.proxy.trouble("EVALSHA", Fault.HOLD, seconds=0, where=(LOAD.digest,))
    log = hold(patient, LOAD)
    fork: Act = lambda: games.first.act(None, "forks", {"after": 1}, token=games.first.host)  # noqa: E731
    late(log, fork, games.replace).refused(401, "token_invalid")
    games.is_untouched()


# After a rollback of the store


class Rollback:
    """A game of which the store loses the newest event; then another one takes its number."""

    def __init__(self, far: Far, client: Client) -> None:
        self.far, self.table = far, in_play(client)
        with redis.Redis.from_url(far.store.url) as store:
            self.copies = {name: store.dump(name) for name in keys.game_keys(self.table.id)}
        self.table.play(0, "rd@2,0").ok(201)

    def happens(self) -> None:
        with redis.Redis.from_url(self.far.store.url) as store:
            for name, copy in self.copies.items():
                store.restore(name, 3_600_000, copy, replace=True)  # type: ignore[arg-type]  # bytes
        self.table.play(0, "bo@0,1").ok(201)

    def nothing_contradicts(self) -> None:
        view, score = self.table.view(), self.table.look(rest="/score").ok(200).json
        assert view["version"] == 2
        for player in view["players"]:
            sheet = (turn for turn in score["turns"] if turn["seat"] == player["seat"])
            assert player["score"] == sum(turn["points"] + turn["bonus"] for turn in sheet)
        verdict = self.table.client.post(
            "/v1/records/verify", self.table.look(rest="/record").ok(200).json
        )
        assert verdict.ok(200).json["ok"]


def test_a_move_made_for_a_lost_event_is_refused_after_another_took_its_number(
    patient: Far, client: Client
) -> None:
    story = Rollback(patient, client)
    table = story.table
    etag = table.look(1).etag
    move: Act = lambda: table.exchange(1, "rc", match=etag)  # noqa: E731
    late(hold(patient, COMMIT), move, story.happens).refused(412, "stale_version")
    story.nothing_contradicts()


def test_a_deletion_made_for_a_lost_event_is_refused_after_another_took_its_number(
    patient: Far, client: Client
) -> None:
    story = Rollback(patient, client)
    table = story.table
    etag = table.look(token=table.host).etag
    remove: Act = lambda: table.delete(match=etag)  # noqa: E731
    late(hold(patient, DELETE), remove, story.happens).refused(412, "stale_version")
    story.nothing_contradicts()


# Bodies that take their time

OPERATIONS = {
    "exchanges": (in_play, b'{"tiles":["red-diamond"]}', 201),
    "plays/preview": (
        in_play,
        b'{"placements":[{"tile":"red-diamond","x":2,"y":0}]}',
        200,
    ),
    "resignations": (in_play, b"{ }", 201),
    "tokens": (in_play, b'{"seat":null}', 201),
    "rematch": (finished, b"{ }", 201),
    "forks": (in_play, b'{"after":1}', 201),
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_game_is_loaded_before_the_whole_body_is_there(
    patient: Far, client: Client, operation: str
) -> None:
    begin, body, status = OPERATIONS[operation]
    table, other = begin(client), in_play(client)
    token = table.host if operation == "forks" else table.tokens[0]
    head = (
        f"POST {table.path('/' + operation)} HTTP/1.1\r\nHost: qwirkle\r\nConnection: close\r\n"
        f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    where = urlsplit(client.base_url)
    before = len(patient.proxy.commands)
    with socket.create_connection((where.hostname, where.port), 60) as line:
        line.sendall(head.encode() + body[:2])
        # The only worker has long begun with the slow request when it has answered these.
        for _ in range(20):
            other.look().ok(200)
        assert not loads_of(table, patient, before)
        line.sendall(body[2:])
        with line.makefile("rb") as answer:
            assert answer.readline().split()[1] == str(status).encode()
    assert loads_of(table, patient, before)


def loads_of(table: Table, far: Far, since: int) -> list[tuple[bytes, ...]]:
    name = keys.state_key(table.id).encode()
    return [command for command in far.proxy.commands[since:] if name in command]

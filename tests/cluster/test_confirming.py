"""A move counts once a replica has it: no answer says so before, not even to a repetition.

The replica is frozen while something is asked for, so nothing can be confirmed. What was asked
for is done all the same, and asking again must not be answered as if it were safe.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.app import create_app
from service.config import Settings
from service.store.base import StoreUnavailable, VersionConflict
from service.store.client import connect
from service.store.redis_store import RedisGameStore
from tests.cluster.access import QUOTED, USER
from tests.cluster.deployments import Deployment, Node, until
from tests.proxy import Fault, TcpProxy
from tests.store.writing import event, fresh_id, stamp_of

HASTY, PATIENT = 1.0, 30.0
SECRET = "s" * 32

Ask = Callable[[FlaskClient], TestResponse]


class Pair(Deployment):
    """A primary and its replica."""

    def build(self) -> None:
        primary = self.add()
        self.add("--replicaof", f"127.0.0.1 {primary.port}")
        until(lambda: primary.has_replicas(1), "the replica is filled")

    @property
    def primary(self) -> Node:
        return self.nodes[0]

    @property
    def url(self) -> str:
        return f"redis://{USER}:{QUOTED}@127.0.0.1:{self.primary.port}"

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Nothing is confirmed meanwhile."""
        self.nodes[1].freeze()
        try:
            yield
        finally:
            self.nodes[1].thaw()


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with Pair() as pair:
        yield pair


@pytest.fixture
def open_store(pair: Pair) -> Iterator[Callable[..., RedisGameStore]]:
    clients = []

    def make(timeout: float, url: str = pair.url) -> RedisGameStore:
        clients.append(connect(url, timeout=timeout, connections=2, replicas=1))
        return RedisGameStore(clients[-1])

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def open_app(pair: Pair, tmp_path: Path) -> Callable[[float], FlaskClient]:
    def make(timeout: float) -> FlaskClient:
        settings = Settings(
            redis_url=pair.url,
            data_dir=tmp_path,
            secrets=(SECRET,),
            min_replicas=1,
            store_timeout=timeout,
        )
        return create_app(settings).test_client()

    return make


OpenStore = Callable[..., RedisGameStore]
OpenApp = Callable[[float], FlaskClient]


def test_a_commit_that_no_replica_has_is_refused_each_time_it_is_sent_and_counts_later(
    pair: Pair, open_store: OpenStore
) -> None:
    hasty, patient = open_store(HASTY), open_store(PATIENT)
    game = fresh_id()
    patient.commit(event(game, 0))
    move = event(game, 1)
    with pair.frozen():
        for _ in range(2):
            with pytest.raises(StoreUnavailable):
                hasty.commit(move)
        assert len(patient.load_log(game)) == 2
        with pytest.raises(StoreUnavailable):
            hasty.confirm(game, stamp_of(game, 2))
        with pytest.raises(StoreUnavailable):
            hasty.delete(game, stamp_of(game, 2))
        assert patient.load(game) is None
        with pytest.raises(StoreUnavailable):
            hasty.confirm_deleted(game)
    patient.confirm_deleted(game)


def test_what_is_there_no_more_is_not_confirmed(open_store: OpenStore) -> None:
    store = open_store(PATIENT)
    game = fresh_id()
    store.commit(event(game, 0))
    store.confirm(game, stamp_of(game, 1))
    for lost in (
        lambda: store.confirm(game, stamp_of(game, 2)),
        lambda: store.confirm_deleted(game),
    ):
        with pytest.raises(VersionConflict) as conflict:
            lost()
        assert conflict.value.current == 1
    gone = fresh_id()
    with pytest.raises(VersionConflict) as conflict:
        store.confirm(gone, stamp_of(gone, 1))
    assert conflict.value.current == 0


def test_a_connection_that_is_cut_while_waiting_for_replicas_leaves_nothing_unconfirmed(
    pair: Pair, open_store: OpenStore
) -> None:
    with TcpProxy(("127.0.0.1", pair.primary.port)) as proxy:
        url = pair.url.replace(str(pair.primary.port), str(proxy.port))
        hasty, patient = open_store(1.5, url), open_store(PATIENT, url)
        game = fresh_id()
        patient.commit(event(game, 0))
        cut = proxy.trouble("WAIT", Fault.CUT_BEFORE)
        patient.commit(event(game, 1))
        assert cut.struck.is_set()
        hasty.load(game)
        cut = proxy.trouble("WAIT", Fault.CUT_BEFORE)
        with pair.frozen(), pytest.raises(StoreUnavailable):
            hasty.commit(event(game, 2))
        assert cut.struck.is_set()
        assert len(patient.load_log(game)) == 3


def test_without_replicas_to_wait_for_nothing_more_is_sent(pair: Pair) -> None:
    with TcpProxy(("127.0.0.1", pair.primary.port)) as proxy:
        url = pair.url.replace(str(pair.primary.port), str(proxy.port))
        client = connect(url, timeout=PATIENT, connections=1)
        store = RedisGameStore(client)
        game = fresh_id()
        store.commit(event(game, 0))
        before = len(proxy.commands)
        store.commit(event(game, 1))
        store.confirm(game, stamp_of(game, 2))
        assert [command[0] for command in proxy.commands[before:]] == [b"EVALSHA"]
        client.close()


def sent(method: str, path: str, body: Any = None, token: str | None = None) -> Ask:
    headers = {"Idempotency-Key": uuid4().hex}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}

    def ask(client: FlaskClient) -> TestResponse:
        return client.open(path, method=method, json=body, headers=headers)

    return ask


def made(client: FlaskClient, **choices: Any) -> tuple[str, dict[str, Any]]:
    """A game and the path to it."""
    answer = client.post("/v1/games", json={"seats": 2, "seed": "s", "auto_bid": True, **choices})
    assert answer.status_code == 201
    return f"/v1/games/{answer.json['game']['id']}", answer.json


def creating(_client: FlaskClient) -> Ask:
    return sent("POST", "/v1/games", {"players": [{"name": "Ada"}, {"name": "Ben"}]})


def joining(client: FlaskClient) -> Ask:
    path, _ = made(client)
    return sent("POST", f"{path}/players", {"name": "Eve"})


def dealing(client: FlaskClient) -> Ask:
    path, game = made(client, players=[{"name": "Ada"}, {"name": "Ben"}])
    return sent("POST", f"{path}/deal", token=game["host_token"])


def playing_again(client: FlaskClient) -> Ask:
    path, game = made(client, players=[{"name": "Ada"}, {"name": "Ben"}])
    host, ada = game["host_token"], game["players"][0]["token"]
    assert sent("POST", f"{path}/deal", token=host)(client).status_code == 200
    assert sent("POST", f"{path}/resignations", token=ada)(client).status_code == 201
    return sent("POST", f"{path}/rematch", token=host)


def forking(client: FlaskClient) -> Ask:
    path, game = made(client, players=[{"name": "Ada"}, {"name": "Ben"}])
    return sent("POST", f"{path}/forks", {"after": 1}, token=game["host_token"])


def renewing(client: FlaskClient) -> Ask:
    path, game = made(client)
    return sent("POST", f"{path}/tokens", token=game["host_token"])


def deleting(client: FlaskClient) -> Ask:
    path, game = made(client)
    return sent("DELETE", path, token=game["host_token"])


@pytest.mark.parametrize(
    ("begin", "status"),
    [
        (creating, 201),
        (joining, 201),
        (dealing, 200),
        (playing_again, 201),
        (forking, 201),
        (renewing, 201),
        (deleting, 404),
    ],
)
def test_nothing_is_acknowledged_before_a_replica_has_it_and_then_to_the_same_request(
    pair: Pair, open_app: OpenApp, begin: Callable[[FlaskClient], Ask], status: int
) -> None:
    hasty, patient = open_app(HASTY), open_app(PATIENT)
    ask = begin(patient)
    with pair.frozen():
        for _ in range(2):
            refused = ask(hasty)
            assert (refused.status_code, refused.json["code"]) == (503, "store_unavailable")
    assert ask(patient).status_code == status

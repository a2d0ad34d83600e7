"""Real servers for the store's tests: the embedded Valkey, and Debian's Redis where installed."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.store.client import connect
from service.store.embedded import valkey_binary
from service.store.redis_store import RedisGameStore
from tests.proxy import TcpProxy, until

KINDS = ("valkey", "redis")


class Server:
    """A server of one kind on a unix socket in a folder of its own."""

    def __init__(self, kind: str, *options: str) -> None:
        binary = valkey_binary() if kind == "valkey" else shutil.which("redis-server")
        if binary is None:
            pytest.skip("redis-server is not installed")
        self.binary = str(binary)
        self.options = options
        # Not pytest's folder: a unix socket's path must be short.
        self.folder = Path(tempfile.mkdtemp(prefix="qw-"))
        self.socket = str(self.folder / "s")
        self.url = f"unix://{self.socket}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *more: str, ready: bool = True) -> None:
        fixed = ("--port", "0", "--unixsocket", self.socket, "--dir", str(self.folder))
        log = ("--save", "", "--logfile", str(self.folder / "log"))
        self.process = subprocess.Popen([self.binary, *fixed, *log, *self.options, *more])
        if ready:
            until(self.answers)

    def answers(self) -> bool:
        try:
            once = Retry(NoBackoff(), 0)
            with redis.Redis(unix_socket_path=self.socket, retry=once) as client:
                return bool(client.ping())
        except redis.AuthenticationError:
            return True
        except redis.RedisError:
            return False

    def pause(self) -> None:
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGSTOP)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def remove(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="session", params=KINDS)
def server_kind(request: pytest.FixtureRequest) -> str:
    kind: str = request.param
    return kind


@pytest.fixture(scope="session")
def server(server_kind: str) -> Iterator[Server]:
    """One server for all tests that leave it as it is."""
    server = Server(server_kind)
    server.start()
    yield server
    server.remove()


@pytest.fixture
def own_server(server_kind: str) -> Iterator[Callable[..., Server]]:
    """Servers a test may stop, fill or break."""
    started: list[Server] = []

    def start(*options: str) -> Server:
        server = Server(server_kind, *options)
        started.append(server)
        server.start()
        return server

    yield start
    for each in started:
        each.remove()


@pytest.fixture
def open_store() -> Iterator[Callable[..., RedisGameStore]]:
    """Makes stores and closes them after the test."""
    clients: list[redis.Redis] = []

    def make(url: str, timeout: float = 10.0, connections: int = 8) -> RedisGameStore:
        client = connect(url, timeout=timeout, connections=connections)
        clients.append(client)
        return RedisGameStore(client)

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def store(server: Server, open_store: Callable[..., RedisGameStore]) -> RedisGameStore:
    made: RedisGameStore = open_store(server.url)
    return made


@pytest.fixture
def proxy(server: Server) -> Iterator[TcpProxy]:
    with TcpProxy(server.socket) as proxy:
        yield proxy

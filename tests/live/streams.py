"""An event stream as a plain client reads it, and the courses of games that it is read during."""

import http.client
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

import orjson
import psutil
import redis

from service.store import keys
from tests.api.client import Client, Table
from tests.contract.checker import check_answer
from tests.servers import QwirkleServer, is_web_server, words_of

T = TypeVar("T")


@dataclass(frozen=True)
class Message:
    """One message of a stream."""

    id: str | None
    event: str
    data: Any

    @property
    def n(self) -> int:
        return int(self.data["n"])


class Stream:
    """A stream of a game's events, open as soon as it is made; `raw` is all that came of it."""

    def __init__(
        self,
        table: Table,
        token: str | None = None,
        last_id: str | None = None,
        *,
        after: int | None = None,
        buffer: int | None = None,
        timeout: float = 30,
        address: str | None = None,
    ) -> None:
        where = urlsplit(table.client.base_url)
        self.line = http.client.HTTPConnection(where.hostname or "", where.port, timeout=timeout)
        self.line.connect()
        if buffer is not None:
            self.line.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers |= {"Last-Event-ID": last_id} if last_id is not None else {}
        headers |= {"X-Forwarded-For": address} if address is not None else {}
        path = table.path("/events/stream") + ("" if after is None else f"?after={after}")
        self.line.request("GET", path, headers=headers)
        self.answer = self.line.getresponse()
        self.status = self.answer.status
        self.headers = {name.lower(): value for name, value in self.answer.getheaders()}
        self.raw = b"" if self.status == 200 else self.answer.read()
        check_answer("GET", path, self.status, self.headers, self.raw)
        self.retry: int | None = None
        self.beats = 0
        self.last_id = last_id

    def next(self) -> Message | None:
        """The next message, or None at the end of the stream."""
        fields: dict[str, str] = {}
        while line := self.answer.readline():
            self.raw += line
            text = line.decode().rstrip("\n")
            if text.startswith(":"):
                self.beats += 1
            elif text:
                name, _, value = text.partition(": ")
                fields[name] = value
            elif "data" in fields:
                self.last_id = fields.get("id", self.last_id)
                return Message(fields.get("id"), fields["event"], orjson.loads(fields["data"]))
            elif "retry" in fields:
                self.retry = int(fields.pop("retry"))
        return None

    def take(self, count: int) -> list[Message]:
        """So many messages."""
        taken = [message for _ in range(count) if (message := self.next())]
        assert len(taken) == count, f"the stream ended after {len(taken)}"
        return taken

    def rest(self) -> list[Message]:
        """Everything up to the end of the stream."""
        return list(iter(self.next, None))

    def to_the_end(self) -> list[Message]:
        """Everything up to the last event of the game."""
        heard = self.take(1)
        while heard[-1].data["end"] is None:
            heard += self.take(1)
        return heard

    def ended(self) -> bool:
        """Whether nothing more comes, be it that the connection is lost."""
        try:
            return self.next() is None
        except (ConnectionError, http.client.HTTPException):
            return True

    def cut(self) -> None:
        """Hang up without a word."""
        self.answer.close()
        self.line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()


def resumed(table: Table, token: str | None, until: int) -> list[Message]:
    """All events up to number `until`, connecting anew wherever a connection is lost."""
    heard: list[Message] = []
    last_id = None
    while not heard or heard[-1].n < until:
        try:
            with Stream(table, token, last_id) as stream:
                while (not heard or heard[-1].n < until) and (message := stream.next()):
                    heard.append(message)
                    last_id = message.id
        except (ConnectionError, http.client.HTTPException):
            continue
    return heard


def log_of(table: Table, token: str | None = None) -> list[dict[str, Any]]:
    """The whole log as pages tell it."""
    page = table.look(rest="/events?limit=1000", token=token).ok(200).json
    assert [event["n"] for event in page["events"]] == list(range(1, page["last"] + 1))
    events: list[dict[str, Any]] = page["events"]
    return events


def polled(table: Table, token: str | None, until: int) -> list[dict[str, Any]]:
    """All events up to number `until`, by long polls."""
    heard: list[dict[str, Any]] = []
    while len(heard) < until:
        rest = f"/events?wait=30&limit=7&after={len(heard)}"
        heard += table.look(rest=rest, token=token).ok(200).json["events"]
    return heard


def exchanges(table: Table, count: int) -> None:
    """So many turns in which nothing is laid."""
    for _ in range(count):
        seat = table.view()["turn"]["seat"]
        table.act(seat, "exchanges", {"tiles": table.hand(seat)[:1]}).ok(201)


@contextmanager
def meanwhile(*calls: Callable[[], T]) -> Iterator[list[Future[T]]]:
    """What these calls give, while the test goes on."""
    with ThreadPoolExecutor(len(calls)) as threads:
        yield [threads.submit(call) for call in calls]


def is_watched(store: redis.Redis, table: Table) -> bool:
    """Whether the store would tell anybody of the game's next event."""
    channel = keys.game_channel(table.id)
    return bool(store.execute_command("PUBSUB", "SHARDNUMSUB", channel)[1])


def client_for(server: QwirkleServer) -> Client:
    return Client(server.base_url, timeout=40)


def workers_of(server: QwirkleServer) -> list[psutil.Process]:
    """The processes that answer requests."""
    masters = [child for child in psutil.Process(server.pid).children() if is_web_server(child)]
    with suppress(psutil.NoSuchProcess):  # one that has just ended has no workers any more
        return [worker for master in masters for worker in master.children()]
    return []


def store_of(server: QwirkleServer) -> psutil.Process:
    """The process of the embedded store."""
    return next(
        child for child in psutil.Process(server.pid).children() if "valkey" in words_of(child)
    )


def peers_of(server: QwirkleServer) -> set[int]:
    """The ports of those who are connected to the server's workers."""
    return {
        line.raddr.port
        for worker in workers_of(server)
        for line in worker.net_connections("tcp")
        if line.raddr
    }

"""A TCP proxy in front of a real server that makes the network misbehave where a test wants it."""

import socket
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from time import monotonic
from types import TracebackType
from typing import Self

import hiredis

Command = tuple[bytes, ...]


class Fault(Enum):
    """What happens to a chosen command."""

    CUT_BEFORE = "the connection is cut and the server never sees the command"
    CUT_AFTER = "the server carries it out, and the connection is cut instead of the answer"
    HOLD = "the command waits at the proxy until released"
    HOLD_ANSWER = "the server carries it out, and its answer waits until released"
    SWALLOW = "the command vanishes; the connection stays open and silent"


@dataclass
class Trouble:
    """A fault that waits for its command; `struck` is set when it has met one.

    What is held is let go by `release`, or by itself after `seconds` if given. `where` are
    words that the command must hold, such as a script's digest.
    """

    name: bytes
    fault: Fault
    times: int
    seconds: float | None
    where: frozenset[bytes] = frozenset()
    struck: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def release(self) -> None:
        """Let go of what is held, now and from now on."""
        self.released.set()


def socket_of(url: str) -> str:
    """The path of the Unix socket that a store's address names."""
    return url.removeprefix("unix://").partition("?")[0]


class TcpProxy:
    """Listens on `port` of 127.0.0.1 and speaks for the server at `upstream`.

    `upstream` is a (host, port) pair or the path of a unix socket. `commands` lists what clients
    have sent so far. Troubles are added with `trouble` and met in that order.
    """

    def __init__(self, upstream: tuple[str, int] | str) -> None:
        self.upstream = upstream
        self.commands: list[Command] = []
        self._troubles: list[Trouble] = []
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}"
        self._closed = False
        threading.Thread(target=self._accept, daemon=True).start()

    def trouble(
        self,
        command: str,
        fault: Fault,
        times: int = 1,
        *,
        seconds: float | None = None,
        where: Collection[str] = (),
    ) -> Trouble:
        """Let `fault` strike the next `times` commands of this name; a hold may end by itself."""
        words = frozenset(word.encode() for word in where)
        trouble = Trouble(command.upper().encode(), fault, times, seconds, words)
        with self._lock:
            self._troubles.append(trouble)
        return trouble

    def cut_all(self) -> None:
        """Drop every connection there is; new ones are welcome."""
        with self._lock:
            doomed, self._open = self._open, set()
        for end in doomed:
            _close(end)

    def close(self) -> None:
        """Drop everything and listen no more."""
        self._closed = True
        # Closing alone does not wake a thread that waits in accept.
        _close(self._listener)
        with self._lock:
            for trouble in self._troubles:
                trouble.release()
        self.cut_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None
    ) -> None:
        self.close()

    def _accept(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = self._dial()
            except OSError:
                _close(client)
                continue
            with self._lock:
                self._open |= {client, server}
            answers = _Answers(client, server)
            for job in (lambda a=answers: self._requests(a), answers.pump):
                threading.Thread(target=job, daemon=True).start()

    def _dial(self) -> socket.socket:
        if isinstance(self.upstream, tuple):
            return socket.create_connection(self.upstream)
        server = socket.socket(socket.AF_UNIX)
        server.connect(self.upstream)
        return server

    def _requests(self, line: "_Answers") -> None:
        reader = hiredis.Reader(notEnoughData=NOTHING_YET)
        try:
            while data := line.client.recv(65536):
                reader.feed(data)
                while (request := reader.gets()) is not NOTHING_YET:
                    command: Command = tuple(request)
                    self.commands.append(command)
                    self._forward(command, line)
        except OSError:
            pass
        finally:
            line.cut()

    def _forward(self, command: Command, line: "_Answers") -> None:
        match trouble := self._met(command):
            case Trouble(fault=Fault.CUT_BEFORE):
                # First: the client may come again and be done before this thread goes on.
                trouble.struck.set()
                line.cut()
            case Trouble(fault=Fault.SWALLOW):
                pass
            case Trouble(fault=Fault.HOLD):
                trouble.struck.set()
                trouble.released.wait(trouble.seconds)
                line.send(command)
            case _:
                line.at_answer = trouble
                line.send(command)
        if trouble is not None:
            trouble.struck.set()

    def _met(self, command: Command) -> Trouble | None:
        with self._lock:
            for trouble in self._troubles:
                named = command[0].upper() == trouble.name
                if trouble.times and named and trouble.where <= set(command):
                    trouble.times -= 1
                    return trouble
        return None


NOTHING_YET = object()


class _Answers:
    """One client's connection, and the way back from its server."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self.client = client
        self.server = server
        self.at_answer: Trouble | None = None

    def send(self, command: Command) -> None:
        self.server.sendall(
            hiredis.pack_command(command)  # type: ignore[arg-type]  # takes any length in truth
        )

    def pump(self) -> None:
        try:
            while data := self.server.recv(65536):
                trouble, self.at_answer = self.at_answer, None
                if trouble is not None and trouble.fault is Fault.CUT_AFTER:
                    trouble.struck.set()
                    break
                if trouble is not None:
                    trouble.released.wait(trouble.seconds)
                self.client.sendall(data)
        except OSError:
            pass
        finally:
            self.cut()

    def cut(self) -> None:
        _close(self.client)
        _close(self.server)


def _close(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


def until(condition: Callable[[], bool], timeout: float = 60.0) -> None:
    """Return as soon as `condition` holds; fail if it does not in time."""
    deadline = monotonic() + timeout
    pause = threading.Event()
    while not condition():
        if monotonic() > deadline:
            raise AssertionError("what the test waits for did not happen in time")
        pause.wait(0.01)

"""The TypeScript client, run by Node and driven from Python."""

import itertools
import json
import queue
import subprocess
import threading
from pathlib import Path
from typing import Any, Self

PACKAGE = Path(__file__).parents[3] / "clients" / "typescript"
ENTRY = PACKAGE / "src" / "index.js"
DRIVER = Path(__file__).with_name("driver.mjs")
PATIENCE_SECONDS = 60


class ClientError(Exception):
    """An error of the client, with its members."""

    def __init__(self, members: dict[str, Any]) -> None:
        super().__init__(members["name"], members["message"])
        self.name: str = members["name"]
        self.members = members

    def __getattr__(self, member: str) -> Any:
        try:
            return self.members[member]
        except KeyError:
            raise AttributeError(member) from None


class Call:
    """A call under way, and what comes of it."""

    def __init__(self, client: "NodeClient", number: int) -> None:
        self.number = number
        self.connections: list[str] = []
        self.etag: str | None = None
        self._client = client
        self._came: queue.Queue[dict[str, Any]] = queue.Queue()

    def receive(self, message: dict[str, Any]) -> None:
        if "connection" in message:
            self.connections.append(message["connection"])
        else:
            self._came.put(message)

    def next(self) -> dict[str, Any] | None:
        """The next item of an iteration; None at its end."""
        message = self._came.get(timeout=PATIENCE_SECONDS)
        return message["item"] if "item" in message else self._outcome(message)

    def take(self, count: int) -> list[dict[str, Any]]:
        """So many items."""
        taken = [self.next() for _ in range(count)]
        return [item for item in taken if item is not None]

    def numbers(self, count: int) -> list[int]:
        """The numbers of the next events."""
        return [event["n"] for event in self.take(count)]

    def rest(self) -> list[dict[str, Any]]:
        """All further items."""
        return list(iter(self.next, None))

    def result(self) -> Any:
        """What the call returns."""
        return self._outcome(self._came.get(timeout=PATIENCE_SECONDS))

    def abort(self) -> None:
        self._client.tell({"abort": self.number})

    def _outcome(self, message: dict[str, Any]) -> Any:
        if "error" in message:
            raise ClientError(message["error"])
        self.etag = message.get("etag")
        return message["result"]


class NodeClient:
    """A process of Node with one `Qwirkle`."""

    def __init__(self, node: str | list[str], base_url: str, **setup: Any) -> None:
        self.retries: list[tuple[str, dict[str, Any]]] = []
        self._numbers = itertools.count()
        self._calls: dict[int, Call] = {}
        words = {"baseUrl": base_url, "package": str(ENTRY), **setup}
        command = [node] if isinstance(node, str) else node
        self._process = subprocess.Popen(
            [*command, str(DRIVER), json.dumps(words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self._process.stdout or ():
            message = json.loads(line)
            if "retry" in message:
                self.retries.append((message["retry"], message["error"]))
            else:
                self._calls[message["id"]].receive(message)
        for call in list(self._calls.values()):
            call.receive({"error": {"name": "Ended", "message": "the process has ended"}})

    def start(
        self, method: str, *args: Any, game: list[str | None] | str | None = None, **options: Any
    ) -> Call:
        """Begin a call without waiting for it."""
        number = next(self._numbers)
        self._calls[number] = Call(self, number)
        words = {"id": number, "game": game, "method": method, "args": args, "options": options}
        self.tell(words)
        return self._calls[number]

    def call(self, method: str, *args: Any, **more: Any) -> Any:
        return self.start(method, *args, **more).result()

    def game(self, game_id: str, token: str | None = None) -> "NodeGame":
        return NodeGame(self, [game_id, token])

    def skip(self, seconds: float) -> None:
        """Let this time pass on the client's clock."""
        self.tell({"skip": 1000 * seconds})

    def tell(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the process, which must not have complained."""
        if self._process.poll() is None and self._process.stdin is not None:
            self._process.stdin.close()
            assert self._process.wait(PATIENCE_SECONDS) == 0
        assert self._process.stderr is not None
        complaints = self._process.stderr.read()
        assert complaints == "", complaints

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.kill()


class NodeGame:
    """A `GameClient` in that process."""

    def __init__(self, client: NodeClient, game: list[str | None]) -> None:
        self.client = client
        self.game = game

    def start(self, method: str, *args: Any, **options: Any) -> Call:
        return self.client.start(method, *args, game=self.game, **options)

    def call(self, method: str, *args: Any, **options: Any) -> Any:
        return self.start(method, *args, **options).result()

    def follow(self, **options: Any) -> Call:
        return self.start("follow", **options)

"""Which files a play and a read pass through, in order, and how often they switch between files.

The application runs in this process on a store of its own, without a server or a socket. Only
files of `service/` count. A switch is a call that leads from one of them to another; calls
within a file do not count, and a library in between is skipped.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from flask.testing import FlaskClient

from bench._tables import SECRET, Turn, begin, copies, games_in, play_on, turn_of
from bench.http import as_play, as_read
from service.app import create_app
from service.config import Settings
from service.store.embedded import EmbeddedStore

ROOT = f"{Path(__file__).parents[1]}/"
SERVICE = f"{ROOT}service/"
TILES = 30
WARM_UP = 3


class Trace:
    """The files of the service that one request enters."""

    def __init__(self) -> None:
        self.path: list[str] = []

    @property
    def files(self) -> list[str]:
        """Each file once, in the order in which the request reaches it."""
        return list(dict.fromkeys(self.path))

    @contextmanager
    def recording(self) -> Iterator[None]:
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and (entered := _file(frame)):
            caller = frame.f_back
            while caller and not _file(caller):
                caller = caller.f_back
            if not caller or _file(caller) != entered:
                self.path.append(entered)


def _file(frame: FrameType) -> str | None:
    name = frame.f_code.co_filename
    return name.removeprefix(ROOT) if name.startswith(SERVICE) else None


def a_play(turn: Turn) -> dict[str, Any]:
    path, headers, body = as_play(turn)
    return {"method": "POST", "path": path, "headers": headers, "data": body}


def a_read(turn: Turn) -> dict[str, Any]:
    path, headers = as_read(turn)
    return {"method": "GET", "path": path, "headers": headers}


def traced(client: FlaskClient, requests: list[dict[str, Any]]) -> Trace:
    """The trace of the last of these requests; the others fill the caches first."""
    trace = Trace()
    *earlier, last = requests
    for request in earlier:
        client.open(**request)
    with trace.recording():
        answer = client.open(**last)
    assert answer.status_code < 300, answer.text
    return trace


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--path", action="store_true", help="every switch, not each file once")
    wanted = parser.parse_args()
    # The service writes its access log to standard output: keep ours apart from it.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with tempfile.TemporaryDirectory() as folder, EmbeddedStore(Path(folder)) as store:
        games = games_in(store.url)
        turn = turn_of(games, play_on(games, begin(games, "trace"), TILES))
        assert turn
        client = create_app(Settings(redis_url=store.url, secrets=(SECRET,))).test_client()
        for request in (a_play, a_read):
            turns = copies(games, turn, WARM_UP + 1)
            trace = traced(client, [request(each) for each in turns])
            name = request.__name__.replace("_", " ")
            print(f"{name}: {len(trace.files)} files, {len(trace.path)} switches", file=out)
            for file in trace.path if wanted.path else trace.files:
                print(f"  {file}", file=out)


if __name__ == "__main__":
    main()

"""gunicorn as we run it: its manners at the stop, and its answers to what is no HTTP."""

import http.client
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.server.sockets import listen
from tests.servers import NewDir, environment_for


class Room:
    """A running web server and the door its waiting requests stand at."""

    def __init__(self, folder: Path, workers: int = 1) -> None:
        self.listener = listen("127.0.0.1", 0)
        self.door = socket.socket(socket.AF_UNIX)
        self.door.bind(str(folder / "door"))
        self.door.listen(4096)
        self.door.settimeout(20)
        script = Path(__file__).with_name("blocking_server.py")
        self.process = subprocess.Popen(
            [sys.executable, str(script), str(self.listener.fileno()), str(folder / "door")],
            env=environment_for(QWIRKLE_WORKERS=str(workers), QWIRKLE_DATA_DIR=str(folder)),
            pass_fds=[self.listener.fileno()],
            stderr=subprocess.PIPE,
            text=True,
        )

    def connect(self) -> http.client.HTTPConnection:
        host, port = self.listener.getsockname()
        return http.client.HTTPConnection(host, port, timeout=20)

    def speak(self, words: bytes) -> tuple[int, str, dict[str, object]]:
        """Sends raw bytes; returns status, content type and document of the answer."""
        with socket.create_connection(self.listener.getsockname(), timeout=20) as line:
            line.sendall(words)
            answer = http.client.HTTPResponse(line)
            answer.begin()
            return answer.status, answer.headers["Content-Type"], json.loads(answer.read())

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.listener.close()
        self.door.close()


@pytest.fixture
def room(short_dir: Path) -> Iterator[Room]:
    """A web server of the test's own, to be stopped at will."""
    yield from open_room(short_dir)


@pytest.fixture(scope="module")
def shared_room(new_dir: NewDir) -> Iterator[Room]:
    """A web server that outlives the test."""
    yield from open_room(new_dir())


def open_room(folder: Path) -> Iterator[Room]:
    room = Room(folder)
    yield room
    room.close()


def test_a_running_request_is_finished_before_the_stop(room: Room) -> None:
    connection = room.connect()
    connection.request("GET", "/wait")
    waiting, _ = room.door.accept()

    room.process.send_signal(signal.SIGTERM)
    with pytest.raises(subprocess.TimeoutExpired):
        room.process.wait(1)
    waiting.send(b".")
    answer = connection.getresponse()

    assert answer.status == 200
    assert answer.read()
    assert room.process.wait(60) == 0


def test_a_line_kept_open_does_not_delay_the_stop(room: Room) -> None:
    connection = room.connect()
    connection.request("GET", "/")
    answer = connection.getresponse()
    answer.read()
    assert not answer.will_close

    room.process.send_signal(signal.SIGTERM)

    # Running requests would have thirty seconds, and the line is kept for 75.
    assert room.process.wait(25) == 0


def test_a_second_signal_does_not_wait_for_running_requests(room: Room) -> None:
    connection = room.connect()
    connection.request("GET", "/wait")
    room.door.accept()

    room.process.send_signal(signal.SIGTERM)
    room.process.send_signal(signal.SIGQUIT)

    assert room.process.wait(25) == 0


def test_many_waiting_requests_cost_no_worker(shared_room: Room) -> None:
    waiting = []
    for _ in range(300):
        connection = shared_room.connect()
        connection.request("GET", "/wait")
        waiting.append((connection, shared_room.door.accept()[0]))

    quick = shared_room.connect()
    quick.request("GET", "/")
    worker = quick.getresponse().read()

    assert worker
    for connection, door in waiting:
        door.send(b".")
        assert connection.getresponse().read() == worker


def test_requests_follow_each_other_on_one_line(shared_room: Room) -> None:
    connection = shared_room.connect()
    connection.request("GET", "/")
    connection.getresponse().read()
    line = connection.sock

    connection.request("GET", "/")

    assert connection.getresponse().status == 200
    assert connection.sock is line


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (b"what is this\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nBad Header: 1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: rot13\r\n\r\n", 501),
        (b"GET /" + b"x" * 5000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 9000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\n" + b"X: 1\r\n" * 100 + b"\r\n", 431),
    ],
)
def test_what_is_no_http_gets_a_problem_document(
    shared_room: Room, words: bytes, status: int
) -> None:
    answered, kind, problem = shared_room.speak(words)

    assert (answered, kind) == (status, "application/problem+json")
    assert problem["status"] == status
    assert problem["code"] == "malformed_request"
    members = {"type", "title", "status", "detail", "code", "request_id", "errors", "violations"}
    assert set(problem) == members
    assert problem["errors"][0]["pointer"] == ""


def test_a_failure_outside_the_application_tells_nothing_of_itself(shared_room: Room) -> None:
    status, kind, problem = shared_room.speak(b"GET /broken HTTP/1.1\r\nHost: a\r\n\r\n")

    assert (status, kind) == (500, "application/problem+json")
    assert problem["code"] == "internal_error"
    assert "ZeroDivisionError" not in json.dumps(problem)


def test_the_master_loads_nothing_that_gevent_must_patch_first() -> None:
    program = (
        "import sys, service.server.gunicorn_app, service.server.gevent_worker\n"
        "print([name for name in ('redis', 'flask', 'service.app') if name in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert ended.stdout == "[]\n"

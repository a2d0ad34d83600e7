"""Lines go out whole and in order, and a reader that is stuck holds nobody up."""

import json
import logging
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from service.telemetry.log_writer import MAX_LINE, MAX_QUEUED, PIPE_WRITE, LineWriter
from service.telemetry.logging import JsonFormatter, TextFormatter

STUCK = """
import os
from service.telemetry.metrics import REGISTRY
from service.telemetry.log_writer import MAX_QUEUED, LineWriter
ear, mouth = os.pipe()
writer = LineWriter(mouth)
for _ in range(3 * MAX_QUEUED):
    writer.write(b"x" * 99 + b"\\n")
writer.write_now(b"at once\\n")
print(REGISTRY.get_sample_value("qwirkle_log_lines_dropped_total"))
os._exit(0)
"""


STEADY = """
import json, os, sys, threading
from service.telemetry.log_writer import LineWriter
to, path = sys.argv[1:]
heard = []
if to == "pipe":
    ear, mouth = os.pipe()
    def hear():
        while part := os.read(ear, 1 << 16):
            heard.append(part)
    reader = threading.Thread(target=hear)
    reader.start()
else:
    mouth = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def calls():
    return int(open("/proc/self/io").read().split("syscw: ")[1].split()[0])
writer = LineWriter(mouth)
before = calls()
sent = []
for number in range(20_000):
    line = b"%d " % number + b"y" * 100 + b"\\n"
    sent.append(line)
    writer.write(line)
    sum(range(2000))  # busy, as with requests,
    os.urandom(8)  # and now and then in a call during which others have their turn
writer.flush()
made = calls() - before
if to == "pipe":
    os.close(mouth)
    reader.join()
else:
    heard = [open(path, "rb").read()]
print(json.dumps({"calls": made, "lines": len(sent), "whole": b"".join(heard) == b"".join(sent)}))
os._exit(0)
"""


def lines(count: int) -> list[bytes]:
    return [b"%d " % number + b"y" * 150 + b"\n" for number in range(count)]


def record(message: str, error: BaseException | None = None) -> logging.LogRecord:
    raised = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord("qwirkle", logging.ERROR, "", 0, message, (), raised)


def failure(text: str, depth: int = 0) -> Exception:
    """An error that was really raised, so many calls deep."""

    def raise_it(left: int) -> None:
        if left:
            raise_it(left - 1)
        raise ValueError(text)

    try:
        raise_it(depth)
    except ValueError as error:
        return error
    raise AssertionError


def test_lines_come_out_whole_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "log"
    writer = LineWriter(os.open(path, os.O_WRONLY | os.O_CREAT))
    sent = lines(2000)
    for line in sent:
        writer.write(line)
    writer.flush()
    assert path.read_bytes() == b"".join(sent)


def test_a_pipe_gets_pieces_that_it_takes_at_once_and_a_file_gets_all(tmp_path: Path) -> None:
    ear, mouth = os.pipe()
    os.set_blocking(mouth, False)
    with suppress(BlockingIOError):
        while True:
            os.write(mouth, b"x" * PIPE_WRITE)
    file = os.open(tmp_path / "log", os.O_WRONLY | os.O_CREAT)
    pieces = {}
    for fd in (mouth, file):
        writer = LineWriter(fd)
        for line in lines(50):
            writer.write(line)
        pieces[fd] = list(iter(writer._next_lines, b""))
        assert b"".join(pieces[fd]) == b"".join(lines(50))
    assert len(pieces[file]) == 1
    assert len(pieces[mouth]) > 1
    assert all(len(piece) <= PIPE_WRITE and piece.endswith(b"\n") for piece in pieces[mouth])
    for fd in (ear, mouth, file):
        os.close(fd)


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="only Linux counts system calls")
@pytest.mark.parametrize("to", ["pipe", "file"])
def test_many_lines_share_few_system_calls(to: str, tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", STEADY, to, str(tmp_path / "log")],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    said = json.loads(ended.stdout)
    assert said["whole"]
    assert said["calls"] <= said["lines"] / 6


def test_nobody_waits_for_a_reader_that_is_stuck() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", STUCK], capture_output=True, text=True, timeout=100, check=True
    )
    # A pipe takes some, the queue its share; the rest is dropped, and counted.
    assert MAX_QUEUED < float(ended.stdout) <= 3 * MAX_QUEUED


def test_a_failure_is_told_by_its_place_and_kind_without_its_text() -> None:
    secret = "qwp_0_secret-in-an-error"
    said = json.loads(JsonFormatter().format(record("it broke", failure(secret))))
    assert (said["level"], said["message"]) == ("error", "it broke")
    assert said["traceback"].endswith("ValueError")
    assert "raise_it" in said["traceback"]
    assert secret not in str(said)
    text = TextFormatter().format(record("it broke", failure(secret)))
    assert "ERROR it broke\nTraceback" in text
    assert secret not in text


@pytest.mark.parametrize("message", ["short", "long " * 1000, '"\\\n\x00' * 1000])
@pytest.mark.parametrize("depth", [0, 300])
def test_every_line_fits_in_one_piece_whatever_it_says(message: str, depth: int) -> None:
    line = JsonFormatter().format(record(message, failure(message, depth)))
    assert "\n" not in line
    assert len(line.encode()) < MAX_LINE
    assert json.loads(line)["traceback"].endswith("ValueError")

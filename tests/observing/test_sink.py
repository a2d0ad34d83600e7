"""Lines go out whole and in order, and a reader that is stuck holds nobody up."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from service.observing.logs import LineFormatter, TextFormatter
from service.observing.sink import LONGEST, MOST_LINES, PIECE, Sink

STUCK = """
import os
from service.observing.counting import METER
from service.observing.sink import MOST_LINES, Sink
ear, mouth = os.pipe()
sink = Sink(mouth)
for _ in range(3 * MOST_LINES):
    sink.write(b"x" * 99 + b"\\n")
sink.write_now(b"at once\\n")
print(METER.sums()["log_lines_dropped_total",])
os._exit(0)
"""


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


def test_lines_come_out_whole_in_order_and_in_pieces_that_a_pipe_takes_at_once(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log"
    sink = Sink(os.open(path, os.O_WRONLY | os.O_CREAT))
    sent = [b"%d " % number + b"y" * (number % 300) + b"\n" for number in range(2000)]
    for line in sent:
        sink.write(line)
    sink.finish()
    assert path.read_bytes() == b"".join(sent)
    for line in sent:
        sink.write(line)
    while piece := sink._piece():
        assert len(piece) <= PIECE
        assert piece.endswith(b"\n")


def test_nobody_waits_for_a_reader_that_is_stuck() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", STUCK], capture_output=True, text=True, timeout=100, check=True
    )
    # A pipe takes some, the queue its share; the rest is dropped, and counted.
    assert MOST_LINES < float(ended.stdout) <= 3 * MOST_LINES


def test_a_failure_is_told_by_its_place_and_kind_without_its_text() -> None:
    secret = "qwp_0_secret-in-an-error"
    said = json.loads(LineFormatter().format(record("it broke", failure(secret))))
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
    line = LineFormatter().format(record(message, failure(message, depth)))
    assert "\n" not in line
    assert len(line.encode()) < LONGEST
    assert json.loads(line)["traceback"].endswith("ValueError")

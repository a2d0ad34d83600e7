"""The format of event streams is read as the HTML standard says, however the network cuts it."""

import json
import subprocess
from typing import Any

import pytest

from tests.clients.typescript.node_client import PACKAGE

# Reads a stream in two pieces, cut at every byte, and prints the messages of each reading.
PROGRAM = """
const { EventParser } = await import(process.argv[1]);
const bytes = new TextEncoder().encode(process.argv[2]);
const readings = [];
for (let cut = 0; cut <= bytes.length; cut += 1) {
  const [parser, decoder] = [new EventParser(), new TextDecoder()];
  const pieces = [bytes.slice(0, cut), bytes.slice(cut)];
  const read = (piece) => parser.push(decoder.decode(piece, { stream: true }));
  readings.push({ messages: pieces.flatMap(read), retry: parser.retry });
}
console.log(JSON.stringify(readings));
"""


def message(data: str, event: str = "message", id_: str | None = None) -> dict[str, Any]:
    return {"id": id_, "event": event, "data": data}


@pytest.mark.parametrize(
    ("stream", "messages", "retry"),
    [
        ("data: one\n\ndata: two\n\n", [message("one"), message("two")], None),
        ("data: one\r\n\r\ndata: two\r\n\r\n", [message("one"), message("two")], None),
        ("data: one\r\rdata: two\r\r\n", [message("one"), message("two")], None),
        ("id: 3-x\nevent: bid\ndata: Zoë 🦊\n\n", [message("Zoë 🦊", "bid", "3-x")], None),
        ("data:one\ndata\ndata:  two\n\n", [message("one\n\n two")], None),
        (": beat\n\nevent: lost\n\ndata: x\n\n", [message("x")], None),
        ("retry: 900\n\nretry: soon\nunknown: x\n\n", [], 900),
        ("id: 1\ndata: x\n\ndata: y\n\n", [message("x", id_="1"), message("y", id_="1")], None),
        ("id: 1\n\ndata: x\n\n", [message("x", id_="1")], None),
        ("data: unfinished\n", [], None),
    ],
)
def test_a_stream_is_read_wherever_it_is_cut(
    node: str, stream: str, messages: list[dict[str, Any]], retry: int | None
) -> None:
    parser = (PACKAGE / "src" / "event_parser.js").as_uri()
    read = subprocess.run(
        [node, "--input-type=module", "--eval", PROGRAM, parser, stream],
        capture_output=True,
        text=True,
        check=True,
    )
    readings = json.loads(read.stdout)
    assert len(readings) == len(stream.encode()) + 1
    for reading in readings:
        assert reading == {"messages": messages, "retry": retry}

"""The bytes of an event stream become messages, however they are cut into pieces."""

import pytest

from qwirkle_client._sse import Decoder, Message

STREAM = (
    'retry: 2500\r\n\r\n: a comment\n\nid: 7-a\nevent: played\ndata: {"name": "\u2028ö"}\n\n'
    "data:one\rdata: two\r\revent: nothing\n\nid: 8-b\n\nfield without colon\ndata:  spaced\r\n\r\n"
).encode()
MESSAGES = [
    Message("played", '{"name": "\u2028ö"}', "7-a"),
    Message("message", "one\ntwo", "7-a"),
    Message("message", " spaced", "8-b"),
]


@pytest.mark.parametrize("size", [1, 2, 3, 7, len(STREAM)])
def test_messages_are_read_from_pieces_of_any_size(size: int) -> None:
    decoder = Decoder()
    read = []
    for at in range(0, len(STREAM), size):
        read += decoder.feed(STREAM[at : at + size])
    assert read == MESSAGES
    assert (decoder.retry, decoder.heartbeats) == (2.5, 1)


def test_a_message_that_is_cut_off_is_none() -> None:
    assert Decoder().feed(b"id: 1-a\ndata: {}\n") == []

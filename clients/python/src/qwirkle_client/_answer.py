"""What the service answers, read within limits: the other side may be anything."""

import json
import zlib
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx

from qwirkle_client.errors import UnexpectedAnswer

MOST_BYTES = 16 << 20
"""The longest answer that is read, unpacked; the service's longest have 3 MB."""
_PIECE = 65_536


@dataclass(frozen=True)
class Answer:
    """An answer with its whole body."""

    status: int
    headers: httpx.Headers
    content: bytes

    @property
    def is_success(self) -> bool:
        """Whether the service did what it was asked."""
        return httpx.codes.is_success(self.status)

    @property
    def text(self) -> str:
        """The body as text; the service writes UTF-8."""
        return self.content.decode("utf-8", "replace")


def parsed(text: str | bytes) -> Any:
    """What JSON says; None if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def json_of(answer: Answer) -> Any:
    """The JSON object that an answer holds."""
    value = parsed(answer.content)
    if not isinstance(value, dict):
        raise UnexpectedAnswer(f"the answer ({answer.status}) is not a JSON object")
    return value


async def whole(response: httpx.Response, raw: AsyncIterator[bytes]) -> Answer:
    """The answer, once its body is complete."""
    content = bytearray()
    async for piece in unpacked(response, raw):
        content += piece
        if len(content) > MOST_BYTES:
            raise UnexpectedAnswer(f"the answer has more than {MOST_BYTES} bytes")
    return Answer(response.status_code, response.headers, bytes(content))


async def unpacked(
    response: httpx.Response, raw: AsyncIterator[bytes]
) -> AsyncGenerator[bytes, None]:
    """The body in pieces, none of which is large, however well it was compressed."""
    encoding = response.headers.get("Content-Encoding", "identity").lower()
    if response.is_closed:  # an event hook of the caller's http_client has read it
        yield response.content
    elif encoding == "identity":
        async for piece in raw:
            yield piece
    elif encoding == "gzip":
        async for piece in _gunzipped(raw):
            yield piece
    else:
        raise UnexpectedAnswer("the answer has an encoding that was not asked for")


async def _gunzipped(raw: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    gzip = zlib.decompressobj(wbits=31)
    try:
        async for packed in raw:
            yield gzip.decompress(packed, _PIECE)
            while gzip.unconsumed_tail:
                yield gzip.decompress(gzip.unconsumed_tail, _PIECE)
        yield gzip.flush()
    except zlib.error as error:
        raise UnexpectedAnswer("the answer is not gzip, as it claims") from error

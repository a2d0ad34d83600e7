"""Follow events: by a stream, or by long polls where streams do not get through."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from math import ceil
from time import monotonic
from typing import Any, Generic, TypeVar

import httpx

from qwirkle_client import _connection
from qwirkle_client._answer import parsed
from qwirkle_client._connection import Connection, log, may_pass, pause_after
from qwirkle_client._request import Request
from qwirkle_client._sse import Decoder, Message
from qwirkle_client.errors import NoAnswer, QwirkleError, UnexpectedAnswer

PAGE = 1000
LONGEST_WAIT = 25
LONGEST_PAUSE = 30.0
SHORTEST_RETRY = 0.2
SHORTEST_ROUND = 1.0
FIRST_POLLS = 60.0
MOST_POLLS = 900.0
"""For how many seconds to poll where streams fail, the first time and at most."""

Event = TypeVar("Event")


class Follower(ABC, Generic[Event]):
    """Follows the events at `path`, from a place that it keeps.

    `patience` is for how many seconds to go on while the service cannot be reached; None means for
    ever.
    """

    def __init__(self, connection: Connection, path: str, patience: float | None) -> None:
        self._connection = connection
        self._path = path
        self._patience = patience
        self._over = False
        self._retry = 1.0
        self._failures = 0
        self._stream_at = 0.0
        self._poll_for = FIRST_POLLS
        self._failing_since = 0.0
        self._idle = False

    @abstractmethod
    async def _stream_request(self) -> Request[None]:
        """How to open a stream that continues from the place."""

    @abstractmethod
    def _received(self, message: Message, data: dict[str, Any]) -> Event:
        """What a message of the stream says; the place is after it."""

    @abstractmethod
    def _polled(self) -> AsyncGenerator[Event]:
        """What has happened since; if nothing has, wait until something does."""

    async def events(self) -> AsyncGenerator[Event]:
        """Each event, in order, until the last one."""
        while True:
            streaming = monotonic() >= self._stream_at
            source = self._streamed() if streaming else self._polled_in_rounds()
            try:
                async with aclosing(source):
                    async for event in source:
                        yield event
                if self._over:
                    return
            except QwirkleError as error:
                if self._over:
                    return  # nothing is missing that belongs to the log
                pause = pause_after(error, self._failures, self._retry, LONGEST_PAUSE)
                self._failing_since = self._failing_since or monotonic()
                if not may_pass(error) or self._out_of_patience(pause):
                    raise
                log.info("following %s: %s; again in %.1f s", self._path, error, pause)
                self._failures += 1
                if streaming and self._streams_fail(error):
                    self._stream_at = monotonic() + self._poll_for
                    self._poll_for = min(self._poll_for * 2, MOST_POLLS)
                await self._connection.transport.sleep(pause)

    def _out_of_patience(self, pause: float) -> bool:
        if self._patience is None:
            return False
        return monotonic() + pause > self._failing_since + self._patience

    def _streams_fail(self, error: QwirkleError) -> bool:
        """Whether something, such as a proxy, may hold back or cut streams on their way."""
        return self._failures > 1 or isinstance(error.__cause__, httpx.ReadTimeout)

    def _reached(self) -> None:
        self._failures = 0
        self._failing_since = 0.0

    # The stream

    def _stream_works(self) -> None:
        self._reached()
        self._poll_for = FIRST_POLLS

    async def _streamed(self) -> AsyncGenerator[Event]:
        async with self._connection.open(await self._stream_request()) as opened:
            if opened.status == 204:
                self._over = True
                return
            if not opened.headers.get("Content-Type", "").startswith("text/event-stream"):
                raise UnexpectedAnswer("the answer is not a stream of events")
            async with aclosing(self._messages(opened.pieces)) as messages:
                async for message in messages:
                    event = self._received(message, _object(message))
                    self._stream_works()
                    yield event
                    if self._is_done():
                        return
        # Its worker is stopping; another one takes over.
        raise NoAnswer("the stream has ended")

    async def _messages(self, pieces: AsyncIterator[bytes]) -> AsyncGenerator[Message]:
        decoder, heartbeats = Decoder(), 0
        transport, silence = self._connection.transport, _connection.SILENCE
        until = monotonic() + silence
        while True:
            async with transport.within(until - monotonic()):
                piece = await anext(pieces, None)
            if piece is None:
                return
            messages = decoder.feed(piece)
            if decoder.retry is not None:
                self._retry = min(max(decoder.retry, SHORTEST_RETRY), LONGEST_PAUSE)
            for message in messages:
                yield message
            if decoder.heartbeats > heartbeats:
                heartbeats = decoder.heartbeats
                self._stream_works()
            elif not messages:
                continue
            until = monotonic() + silence

    def _is_done(self) -> bool:
        """Whether nothing more is wanted of the stream."""
        return self._over

    # Polls

    async def _polled_in_rounds(self) -> AsyncGenerator[Event]:
        began, idle = monotonic(), True
        async with aclosing(self._polled()) as events:
            async for event in events:
                idle = False
                yield event
        # A worker that stops answers early. Nothing else should, but it must not become a storm.
        if self._idle and idle and monotonic() - began < SHORTEST_ROUND:
            await self._connection.transport.sleep(SHORTEST_ROUND)
        self._idle = idle

    def _longest_wait(self) -> int:
        """For how many seconds a poll may wait: at most until the stream gets another chance."""
        return max(min(ceil(self._stream_at - monotonic()), LONGEST_WAIT), 0)


def _object(message: Message) -> dict[str, Any]:
    data = parsed(message.data)
    if not isinstance(data, dict):
        raise UnexpectedAnswer("a message of the stream is not a JSON object")
    return data

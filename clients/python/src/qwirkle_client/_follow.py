"""Follow a game: its stream, or long polls where streams do not get through."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from math import ceil
from time import monotonic
from typing import Any, Literal, TypeAlias, TypedDict

import httpx

from qwirkle_client import _connection, types
from qwirkle_client._answer import parsed
from qwirkle_client._connection import Connection, log, may_pass, pause_after
from qwirkle_client._events import check_event, checked_page, is_id, is_number
from qwirkle_client._request import Request, get
from qwirkle_client._sse import Decoder, Message
from qwirkle_client.errors import GameDeleted, NoAnswer, NotFound, QwirkleError, UnexpectedAnswer

PAGE = 1000
LONGEST_WAIT = 25
LONGEST_PAUSE = 30.0
SHORTEST_RETRY = 0.2
SHORTEST_ROUND = 1.0
FIRST_POLLS = 60.0
MOST_POLLS = 900.0
"""For how many seconds to poll where streams fail, the first time and at most."""


class Resync(TypedDict):
    """The service has lost events that it had already sent: read the game again.

    The events that follow are those after number `last`.
    """

    type: Literal["resync"]
    last: int


class Rematch(types.RematchOffer):
    """Somebody has asked for a rematch of the game that is over."""

    type: Literal["rematch"]


Followed: TypeAlias = types.GameEvent | Resync | Rematch


class Follower:
    """Follows one game after event `after`.

    `token` is called for each request, since the token may be renewed in between. `patience` is
    for how many seconds to go on while the service cannot be reached; None means for ever. With
    `rematch`, a stream that is open at the end is read on, for as long as the service has it.
    """

    def __init__(
        self,
        connection: Connection,
        path: str,
        token: Callable[[], str | None],
        after: int,
        patience: float | None,
        *,
        rematch: bool,
    ) -> None:
        self._connection = connection
        self._path = path
        self._token = token
        self._patience = patience
        self._rematch = rematch
        self._n = after
        self._id: str | None = None
        self._over = False
        self._retry = 1.0
        self._failures = 0
        self._stream_at = 0.0
        self._poll_for = FIRST_POLLS
        self._failing_since = 0.0
        self._idle = False

    async def events(self) -> AsyncGenerator[Followed]:
        """Each event once, in order, until the game ends; then, if wanted, `rematch`."""
        while True:
            streaming = monotonic() >= self._stream_at
            source = self._streamed() if streaming else self._polled()
            try:
                async with aclosing(source):
                    async for event in source:
                        yield event
                if self._over:
                    return
            except NotFound as error:
                if not self._n:
                    raise
                raise GameDeleted("the game was deleted") from error
            except QwirkleError as error:
                if self._over:
                    return  # nothing is missing but news of a rematch
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

    async def _streamed(self) -> AsyncGenerator[Followed]:
        async with self._connection.open(self._stream_request()) as opened:
            if opened.status == 204:
                self._over = True
                return
            if not opened.headers.get("Content-Type", "").startswith("text/event-stream"):
                raise UnexpectedAnswer("the answer is not a stream of events")
            async with aclosing(self._messages(opened.pieces)) as messages:
                async for message in messages:
                    yield self._received(message)
                    if self._over and not self._rematch:
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

    def _stream_request(self) -> Request[None]:
        return Request(
            method="GET",
            path=f"{self._path}/events/stream",
            read=lambda _: None,
            token=self._token(),
            query={"after": None if self._id else self._n},
            headers={"Last-Event-ID": self._id},
        )

    def _received(self, message: Message) -> Any:
        if message.event == "deleted":
            raise GameDeleted("the game was deleted")
        data = parsed(message.data)
        if not isinstance(data, dict):
            raise UnexpectedAnswer("a message of the stream is not a JSON object")
        event = {"type": message.event, **data}
        if message.event == "resync":
            if not is_number(event.get("last")) or not (message.id is None or is_id(message.id)):
                raise UnexpectedAnswer("a resync does not say where to go on")
            self._n, self._id = event["last"], message.id
        elif "n" in event:  # other messages are not part of the log
            check_event(event, self._n)
            self._seen(event)
        self._stream_works()
        return event

    # Polls

    async def _polled(self) -> AsyncGenerator[Followed]:
        """What has happened; if nothing has, wait until something does."""
        began = monotonic()
        # The last delivered event is read again: if it is another one now, events were lost.
        page = await self._page(after=max(self._n - 1, 0), limit=PAGE)
        known = page["events"][:1] if self._n else []
        new: list[Any] = page["events"][len(known) :]
        if self._n and (not known or self._id not in {None, known[0]["id"]}):
            self._n, self._id, new = page["last"], None, []
            yield {"type": "resync", "last": self._n}
        else:
            for event in known:
                self._seen(event)
            for event in new:
                yield self._seen(event)
            if not self._over and self._n >= page["last"]:
                wait = min(ceil(self._stream_at - monotonic()), LONGEST_WAIT)
                await self._page(after=self._n, limit=1, wait=max(wait, 0))
        # A worker that stops answers early. Nothing else should, but it must not become a storm.
        if self._idle and not new and monotonic() - began < SHORTEST_ROUND:
            await self._connection.transport.sleep(SHORTEST_ROUND)
        self._idle = not new

    async def _page(self, after: int, limit: int, wait: int = 0) -> types.EventsPage:
        request = get(f"{self._path}/events", self._token(), after=after, limit=limit, wait=wait)
        answer = await self._connection.send(replace(request, wait=wait), patience=0)
        page = checked_page(request.read(answer), after)
        self._reached()
        return page

    def _seen(self, event: Any) -> Any:
        self._n, self._id = event["n"], event["id"]
        self._over = event.get("end") is not None
        return event

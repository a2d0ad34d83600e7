"""Follow a game."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Literal, TypeAlias, TypedDict

from qwirkle_client import types
from qwirkle_client._connection import Connection
from qwirkle_client._events import check_event, checked_page, is_id, is_number
from qwirkle_client._follow import PAGE, Follower
from qwirkle_client._request import Request, get
from qwirkle_client._sse import Message
from qwirkle_client.errors import GameDeleted, NotFound, UnexpectedAnswer


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


class GameFollower(Follower[Followed]):
    """Follows one game after event `after`.

    `token` is called for each request, since the token may be renewed in between. With `rematch`, a
    stream that is open at the end is read on, for as long as the service has it.
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
        super().__init__(connection, f"{path}/events", patience)
        self._token = token
        self._rematch = rematch
        self._n = after
        self._id: str | None = None

    async def events(self) -> AsyncGenerator[Followed]:
        """Each event once, in order, until the game ends; then, if wanted, `rematch`."""
        try:
            async with aclosing(super().events()) as events:
                async for event in events:
                    yield event
        except NotFound as error:
            if not self._n:
                raise
            raise GameDeleted("the game was deleted") from error

    async def _stream_request(self) -> Request[None]:
        return Request(
            method="GET",
            path=f"{self._path}/stream",
            read=lambda _: None,
            token=self._token(),
            query={"after": None if self._id else self._n},
            headers={"Last-Event-ID": self._id},
        )

    def _received(self, message: Message, data: dict[str, Any]) -> Any:
        if message.event == "deleted":
            raise GameDeleted("the game was deleted")
        event = {"type": message.event, **data}
        if message.event == "resync":
            if not is_number(event.get("last")) or not (message.id is None or is_id(message.id)):
                raise UnexpectedAnswer("a resync does not say where to go on")
            self._n, self._id = event["last"], message.id
        elif "n" in event:  # other messages are not part of the log
            check_event(event, self._n)
            self._seen(event)
        return event

    def _is_done(self) -> bool:
        return self._over and not self._rematch

    async def _polled(self) -> AsyncGenerator[Followed]:
        # The last delivered event is read again: if it is another one now, events were lost.
        page = await self._page(after=max(self._n - 1, 0), limit=PAGE)
        known = page["events"][:1] if self._n else []
        new: list[Any] = page["events"][len(known) :]
        if self._n and (not known or self._id not in {None, known[0]["id"]}):
            self._n, self._id = page["last"], None
            yield {"type": "resync", "last": self._n}
            return
        for event in known:
            self._seen(event)
        for event in new:
            yield self._seen(event)
        if not self._over and self._n >= page["last"]:
            await self._page(after=self._n, limit=1, wait=self._longest_wait())

    async def _page(self, after: int, limit: int, wait: int = 0) -> types.EventsPage:
        request = get(self._path, self._token(), after=after, limit=limit, wait=wait)
        answer = await self._connection.send(replace(request, wait=wait), patience=0)
        page = checked_page(request.read(answer), after)
        self._reached()
        return page

    def _seen(self, event: Any) -> Any:
        self._n, self._id = event["n"], event["id"]
        self._over = event.get("end") is not None
        return event

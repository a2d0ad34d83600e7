"""Follow all games of a tenant."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any, Literal, TypeAlias, TypedDict

from qwirkle_client import types
from qwirkle_client._connection import Connection
from qwirkle_client._events import is_id
from qwirkle_client._follow import PAGE, Follower
from qwirkle_client._request import Request, get
from qwirkle_client._sse import Message
from qwirkle_client.errors import UnexpectedAnswer

PATH = "/v1/events"
NOW = "now"


class FeedResync(TypedDict):
    """The events after the last one are no longer kept: list the games again.

    What follows comes after the cursor `last`.
    """

    type: Literal["resync"]
    last: str


FollowedFeed: TypeAlias = types.FeedEvent | FeedResync


class FeedFollower(Follower[FollowedFeed]):
    """Follows the feed of an API key's tenant after a cursor, or from its oldest event on."""

    def __init__(
        self,
        connection: Connection,
        api_key: str | None,
        after: str | None,
        patience: float | None,
    ) -> None:
        super().__init__(connection, PATH, patience)
        self._api_key = api_key
        self._cursor = after

    async def _stream_request(self) -> Request[None]:
        if self._cursor == NOW:
            # A stream that breaks off before its first event must be resumed from here.
            self._cursor = (await self._page(limit=1))["last"]
        return Request(
            method="GET",
            path=f"{PATH}/stream",
            read=lambda _: None,
            token=self._api_key,
            query={"after": self._cursor},
        )

    def _received(self, message: Message, data: dict[str, Any]) -> Any:
        if message.event == "resync":
            self._cursor = _checked_cursor(data.get("last"))
            return {"type": "resync", "last": self._cursor}
        return self._seen(data)

    async def _polled(self) -> AsyncGenerator[FollowedFeed]:
        page = await self._page(limit=PAGE, wait=self._longest_wait())
        if page["resync"]:
            self._cursor = page["last"]
            yield {"type": "resync", "last": page["last"]}
            return
        for event in page["events"]:
            yield self._seen(event)
        self._cursor = page["last"]

    async def _page(self, limit: int, wait: int = 0) -> types.FeedPage:
        request = get(PATH, self._api_key, after=self._cursor, limit=limit, wait=wait)
        answer = await self._connection.send(replace(request, wait=wait), patience=0)
        page: types.FeedPage = request.read(answer)
        if not isinstance(page.get("events"), list) or type(page.get("resync")) is not bool:
            raise UnexpectedAnswer("the answer is not a page of the feed")
        _checked_cursor(page.get("last"))
        self._reached()
        return page

    def _seen(self, event: Any) -> Any:
        if not isinstance(event, dict) or not isinstance(event.get("type"), str):
            raise UnexpectedAnswer("the feed has something else than an event")
        self._cursor = _checked_cursor(event.get("cursor"))
        return event


def _checked_cursor(value: Any) -> str:
    if not is_id(value):
        raise UnexpectedAnswer("the feed does not say where to go on")
    cursor: str = value
    return cursor

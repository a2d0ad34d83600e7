"""The clients: `Qwirkle` blocks, `AsyncQwirkle` is for asyncio; otherwise they are the same."""

import re
from collections.abc import AsyncGenerator, Generator, Mapping
from typing import Self

import httpx

from qwirkle_client._connection import Connection
from qwirkle_client._follow_feed import FollowedFeed
from qwirkle_client._follow_game import Followed
from qwirkle_client._game_operations import GameOperations
from qwirkle_client._http import blocking_client
from qwirkle_client._operation import Asynchronous, Blocking
from qwirkle_client._service_operations import ServiceOperations
from qwirkle_client._transport import AsyncTransport, BlockingTransport, iterate

TIMEOUT = 30.0
PATIENCE = 30.0

_GAME_URL = re.compile(r"(https?://[^?#]+)/v1/games/([a-z2-7]{26})/?")


def split_game_url(url: str) -> tuple[str, str]:
    """The base URL of the service and the id of the game; ValueError if it is not a game's URL."""
    found = _GAME_URL.fullmatch(url)
    if not found:
        raise ValueError(
            f"{url!r:.200} is not the URL of a game, like https://example.org/v1/games/ and an id "
            "of 26 characters"
        )
    return found[1], found[2]


class GameClient(GameOperations, Blocking):
    """One game, for the holder of one token or for somebody who watches."""

    def follow(
        self, *, after: int = 0, patience: float | None = None, rematch: bool = False
    ) -> Generator[Followed, None, None]:
        """Each event after number `after`, as it happens, until the game ends.

        Lost connections and restarts of the service are bridged: each event comes once, in order.
        A `resync` says that the service itself has lost events: read the game again. Raises
        `GameDeleted` if the game is deleted, a `ProblemError` if the service refuses, and
        `NoAnswer` if it cannot be reached for `patience` seconds; without `patience`, never.

        With `rematch`, players and hosts wait up to five minutes longer for others to ask for a
        rematch, and get a `rematch` each time. `view()` shows it at any time.
        """
        return iterate(self._follower(after, patience, rematch=rematch).events())


class AsyncGameClient(GameOperations, Asynchronous):
    """One game, for the holder of one token or for somebody who watches."""

    def follow(
        self, *, after: int = 0, patience: float | None = None, rematch: bool = False
    ) -> AsyncGenerator[Followed, None]:
        """Each event after number `after`, as it happens; see `GameClient.follow`."""
        return self._follower(after, patience, rematch=rematch).events()


class Qwirkle(ServiceOperations, Blocking):
    """A service.

    `api_key` is needed to create games on services that require one. A request is repeated for
    `patience` seconds if it can be repeated safely; a single try takes at most `timeout` seconds.
    `headers` are sent with every request, such as an `Accept-Language` for the texts of problems.
    `http_client` is for proxies, certificates and the like; closing it is left to the caller.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        timeout: float = TIMEOUT,
        patience: float = PATIENCE,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        self._http = http_client or blocking_client()
        transport = BlockingTransport(self._http)
        super().__init__(Connection(transport, base_url, timeout, patience, headers), api_key)

    def game(self, game_id: str, token: str | None = None) -> GameClient:
        """A game of this service; nothing is sent yet."""
        return GameClient(self._connection, game_id, token)

    def follow(
        self, *, after: str | None = None, patience: float | None = None
    ) -> Generator[FollowedFeed, None, None]:
        """Each event of all games of the API key's tenant, as it happens; it does not end.

        It starts after the cursor `after`, with the oldest event that is kept, or with what happens
        from now on (`"now"`). Keep the `cursor` of the last event to resume after a restart. Lost
        connections and restarts of the service are bridged without a gap; an event that is
        repeated has the same `id`. A `resync` says that events before it are no longer kept: list
        the games again. Raises what `GameClient.follow` raises, except `GameDeleted`.
        """
        return iterate(self._follower(after, patience).events())

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncQwirkle(ServiceOperations, Asynchronous):
    """A service, for asyncio; see `Qwirkle`."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        timeout: float = TIMEOUT,
        patience: float = PATIENCE,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._http = http_client or httpx.AsyncClient()
        transport = AsyncTransport(self._http)
        super().__init__(Connection(transport, base_url, timeout, patience, headers), api_key)

    def game(self, game_id: str, token: str | None = None) -> AsyncGameClient:
        """A game of this service; nothing is sent yet."""
        return AsyncGameClient(self._connection, game_id, token)

    def follow(
        self, *, after: str | None = None, patience: float | None = None
    ) -> AsyncGenerator[FollowedFeed, None]:
        """Each event of all games of the API key's tenant; see `Qwirkle.follow`."""
        return self._follower(after, patience).events()

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

"""The operations of a service beside those of its games."""

from collections.abc import Mapping
from typing import Any, Unpack

from qwirkle_client import types
from qwirkle_client._connection import Connection
from qwirkle_client._entropy import Entropy, entropy_text
from qwirkle_client._follow_feed import FeedFollower
from qwirkle_client._operation import Client, operation
from qwirkle_client._request import Request, WriteOptions, checked_token, get, post


class ServiceOperations(Client):
    """What a service offers beside its games."""

    def __init__(self, connection: Connection, api_key: str | None) -> None:
        self._connection = connection
        self._api_key = checked_token(api_key)

    def _follower(self, after: str | None, patience: float | None) -> FeedFollower:
        return FeedFollower(self._connection, self._api_key, after, patience)

    @operation("createGame")
    def create_game(
        self, *, idempotency_key: str | None = None, **new_game: Unpack[types.CreateGameRequest]
    ) -> Request[types.CreatedGame]:
        """Create a game. The answer has the tokens of the host and of the given players."""
        return post("/v1/games", self._api_key, new_game, {"idempotency_key": idempotency_key})

    @operation("listGames")
    def games(
        self,
        *,
        status: types.GameStatus | None = None,
        ref: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Request[types.GamesPage]:
        """List the games of the API key's tenant, newest action first; `next` is a cursor."""
        query = {"status": status, "ref": ref, "limit": limit, "cursor": cursor}
        return get("/v1/games", self._api_key, **query)

    @operation("getFeed")
    def feed(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        wait: int | None = None,
    ) -> Request[types.FeedPage]:
        """What happened in all games of the API key's tenant after a cursor, or from now on.

        With `wait`, the answer comes as soon as something happens, or empty after so many seconds.
        """
        return get("/v1/events", self._api_key, after=after, limit=limit, wait=wait)

    @operation("joinByCode")
    def join(
        self,
        join_code: str,
        name: str,
        *,
        age: int | None = None,
        ref: str | None = None,
        entropy: str | Entropy | None = Entropy.RANDOM,
        **options: Unpack[WriteOptions],
    ) -> Request[types.SeatTaken]:
        """Take a seat of the game with this join code. `entropy` enters every draw.

        With an API key, wrong codes count against its tenant instead of the address.
        """
        added = entropy_text(entropy, options)
        body = {"join_code": join_code, "name": name, "age": age, "ref": ref, "entropy": added}
        return post("/v1/joins", self._api_key, body, options)

    @operation("listOpenTables")
    def lobby(
        self,
        *,
        seats: int | None = None,
        edition: types.EditionId | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Request[types.LobbyPage]:
        """List open tables, newest first; `next` is a cursor.

        With an API key these are the tables of its tenant, without one those of guests.
        """
        query = {"seats": seats, "edition": edition, "limit": limit, "cursor": cursor}
        return get("/v1/lobby", self._api_key, **query)

    @operation("matchPlayer")
    def match(
        self,
        name: str,
        seats: int,
        *,
        edition: types.EditionId = "schmidt",
        turn_seconds: int | None = None,
        age: int | None = None,
        ref: str | None = None,
        entropy: str | Entropy | None = Entropy.RANDOM,
        idempotency_key: str | None = None,
    ) -> Request[types.SeatTaken]:
        """Take a seat at an open table of this kind, or open one. `entropy` enters every draw."""
        options: WriteOptions = {"idempotency_key": idempotency_key}
        body = {
            "name": name,
            "seats": seats,
            "edition": edition,
            "turn_seconds": turn_seconds,
            "age": age,
            "ref": ref,
            "entropy": entropy_text(entropy, options),
        }
        return post("/v1/lobby/match", self._api_key, body, options)

    @operation("verifyRecord")
    def verify(
        self, record: Mapping[str, Any] | types.GameRecord
    ) -> Request[types.VerificationReport]:
        """Replay a record and report the first thing that is wrong with it."""
        return post("/v1/records/verify", None, record, {})

    @operation("listEditions")
    def editions(self) -> Request[types.EditionList]:
        """List the editions of the rules, the colours, the shapes and the limits."""
        return get("/v1/editions")

    @operation("checkLiveness")
    def check_liveness(self) -> Request[types.Liveness]:
        """Whether the service's process is alive."""
        return get("/livez")

    @operation("checkReadiness")
    def check_readiness(self) -> Request[types.Readiness]:
        """Whether the service can work; `ServiceUnavailable` if its store is away."""
        return get("/readyz")

    @operation("getMetrics")
    def metrics(self) -> Request[str]:
        """The service's metrics in the Prometheus text format."""
        return _text("/metrics")

    @operation("getContractJson")
    def contract(self) -> Request[types.OpenApiDocument]:
        """The service's OpenAPI document."""
        return get("/openapi.json")

    @operation("getContractYaml")
    def contract_yaml(self) -> Request[str]:
        """The service's OpenAPI document as YAML."""
        return _text("/openapi.yaml")


def _text(path: str) -> Request[str]:
    return Request(method="GET", path=path, read=lambda answer: answer.text)

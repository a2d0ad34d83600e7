"""A client of the service for tests: it speaks plain HTTP and checks every answer it gets.

Each request has a connection of its own, so that requests spread over all workers.
"""

import http.client
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlsplit

import orjson

from service.rules.cells import column_of, row_of
from service.rules.notation import parse_board, parse_play, parse_tiles
from service.rules.tiles import NAMES
from tests import secrecy
from tests.contract.checker import body_of, check_answer
from tests.servers import QwirkleServer

JSON = "application/json"
PROBLEM = "application/problem+json"
NAMES_OF_PLAYERS = ("Ada", "Ben", "Cleo", "Dan")


@dataclass(frozen=True)
class Answer:
    """What the service said; it kept to the contract."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    @property
    def code(self) -> str | None:
        """The code of a refusal; None for anything else."""
        return self.json["code"] if self.headers.get("content-type") == PROBLEM else None

    @property
    def etag(self) -> str:
        return self.headers["etag"]

    @property
    def replayed(self) -> bool:
        return self.headers.get("idempotency-replayed") == "true"

    def ok(self, status: int | None = None) -> Self:
        """Itself, if it is a success (of this status)."""
        wanted = {status} if status else {200, 201, 204}
        assert self.status in wanted, (self.status, self.body.decode(errors="replace"))
        return self

    def refused(self, status: int, code: str) -> Self:
        """Itself, if it is this refusal."""
        said = self.body.decode(errors="replace")
        assert (self.status, self.code) == (status, code), (self.status, said)
        return self


@dataclass(frozen=True)
class Client:
    """Sends requests to one server."""

    base_url: str
    timeout: float = 20
    checked: bool = True
    """Whether answers must follow this contract; those of another release follow its own."""

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        token: str | None = None,
        key: str | None = None,
        match: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request; bytes are sent as they are, an iterator in chunks, the rest as JSON."""
        sent = {"Authorization": f"Bearer {token}"} if token is not None else {}
        sent |= {"Idempotency-Key": key} if key is not None else {}
        sent |= {"If-Match": match} if match is not None else {}
        if body is not None:
            sent["Content-Type"] = JSON
        sent |= headers or {}
        if body is not None and not isinstance(body, bytes | Iterator):
            body = json.dumps(body).encode()
        return self._exchange(method, path, body, sent)

    def _exchange(self, method: str, path: str, body: Any, headers: Mapping[str, str]) -> Answer:
        where = urlsplit(self.base_url)
        line = http.client.HTTPConnection(where.hostname or "", where.port, timeout=self.timeout)
        try:
            line.request(method, path, body, dict(headers))
            came = line.getresponse()
            heads = {name.lower(): value for name, value in came.getheaders()}
            answer = Answer(came.status, heads, body_of(came))
        finally:
            line.close()
        secrecy.note_request(headers)
        secrecy.note_answer(answer.body)
        if self.checked:
            check_answer(method, path, answer.status, answer.headers, answer.body)
        return answer

    def get(self, path: str, **rest: Any) -> Answer:
        return self.send("GET", path, **rest)

    def post(self, path: str, body: object = None, **rest: Any) -> Answer:
        return self.send("POST", path, body, **rest)

    def create(
        self, *, api_key: str | None = None, players: int | list[Any] = 2, **choices: Any
    ) -> "Table":
        """A new game; these players sit at it, or as many as said, the youngest on seat 0."""
        if isinstance(players, int):
            names = NAMES_OF_PLAYERS[:players]
            players = [{"name": name, "age": 60 + seat} for seat, name in enumerate(names)]
        answer = self.post("/v1/games", {"players": players, **choices}, token=api_key).ok(201)
        return Table.of(self, answer)

    def position(
        self, board: str, *hands: str, bag: str = "", turn: int = 0, **choices: Any
    ) -> "Table":
        """A game that stands as drawn, seat `turn` to move; without a board at the bids."""
        setup = {
            "board": placements_of(parse_board(board).tiles.items()),
            "hands": [tiles_of(hand) for hand in hands],
            "bag": tiles_of(bag),
            "turn": turn if board.strip() else None,
        }
        return self.create(**{"players": len(hands), "setup": setup, **choices})


@dataclass
class Table:
    """A game on a server, with all its tokens."""

    client: Client
    id: str
    host: str
    tokens: list[str]
    join_code: str | None = None
    created: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, client: Client, answer: Answer) -> Self:
        made = answer.json
        tokens = [player["token"] for player in made["players"]]
        return cls(client, made["game"]["id"], made["host_token"], tokens, made["join_code"], made)

    def path(self, rest: str = "") -> str:
        return f"/v1/games/{self.id}{rest}"

    def view(self, seat: int | None = None, **rest: Any) -> dict[str, Any]:
        return self.look(seat, **rest).ok(200).json

    def look(self, seat: int | None = None, rest: str = "", **more: Any) -> Answer:
        """What the player at the seat, or anybody, is shown."""
        token = more.pop("token", None) if seat is None else self.tokens[seat]
        return self.client.get(self.path(rest), token=token, **more)

    @property
    def version(self) -> int:
        return self.view()["version"]

    def act(self, seat: int | None, what: str, body: object = None, **rest: Any) -> Answer:
        token = rest.pop("token", None) if seat is None else self.tokens[seat]
        return self.client.post(self.path(f"/{what}"), body, token=token, **rest)

    def join(self, name: str = "Eve", **rest: Any) -> Answer:
        """Takes a seat; its token is remembered at its place."""
        answer = self.act(None, "players", {"name": name} | rest.pop("body", {}), **rest)
        if answer.status == 201:
            self._remember(answer.json["seat"], answer.json["token"])
        return answer

    def _remember(self, seat: int, token: str) -> None:
        self.tokens += [""] * (seat + 1 - len(self.tokens))
        self.tokens[seat] = token

    def update(self, *, key: str | None = None, match: str | None = None, **changes: Any) -> Answer:
        """Changes the table, as its host."""
        return self.client.send(
            "PATCH", self.path(), changes, token=self.host, key=key, match=match
        )

    def add_bot(self, bot: str = "greedy", **rest: Any) -> Answer:
        return self.act(None, "bots", {"bot": bot}, **{"token": self.host, **rest})

    def remove(self, seat: int, **rest: Any) -> Answer:
        path = self.path(f"/players/{seat}")
        return self.client.send("DELETE", path, **{"token": self.host, **rest})

    def deal(self, **rest: Any) -> Answer:
        return self.act(None, "deal", **{"token": self.host, **rest})

    def bid(self, seat: int, length: int, **rest: Any) -> Answer:
        return self.act(seat, "bids", {"length": length}, **rest)

    def play(self, seat: int, text: str, **rest: Any) -> Answer:
        """Places tiles, written `ro@0,0 rs@1,0`."""
        return self.act(seat, "plays", {"placements": placements_of(parse_play(text))}, **rest)

    def preview(self, seat: int, text: str, **rest: Any) -> Answer:
        """Checks and scores a play without making it."""
        body = {"placements": placements_of(parse_play(text))}
        return self.act(seat, "plays/preview", body, **rest)

    def exchange(self, seat: int, text: str, **rest: Any) -> Answer:
        return self.act(seat, "exchanges", {"tiles": tiles_of(text)}, **rest)

    def pass_turn(self, seat: int, **rest: Any) -> Answer:
        return self.act(seat, "passes", **rest)

    def resign(self, seat: int, **rest: Any) -> Answer:
        return self.act(seat, "resignations", **rest)

    def delete(self, **rest: Any) -> Answer:
        return self.client.send("DELETE", self.path(), **{"token": self.host, **rest})

    def hand(self, seat: int) -> list[str]:
        return self.look(seat, "/hand").ok(200).json["tiles"]

    def plays(self, seat: int, query: str = "") -> dict[str, Any]:
        return self.look(seat, f"/legal-plays{query}").ok(200).json


def tiles_of(text: str) -> list[str]:
    """Tiles written `ro b*`, by their public names."""
    return [NAMES[tile] for tile in parse_tiles(text)]


def placements_of(placed: Iterable[tuple[int, int]]) -> list[dict[str, Any]]:
    return [{"tile": NAMES[tile], "x": column_of(cell), "y": row_of(cell)} for cell, tile in placed]


def client_of(server: QwirkleServer) -> Client:
    return Client(server.base_url)

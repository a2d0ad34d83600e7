"""A tenant's feed as tests read it."""

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any
from urllib.parse import urlencode, urlsplit

import orjson

from tests.api.client import Client, Table, tiles_of

_numbers = count(1)

FEED_KEYS = ",".join(f"f{number}:key-of-feed-{number}" for number in range(1, 60))
"""API keys of tenants, a new one for each test."""

HANDS = [tiles_of("ro rs rd b*"), tiles_of("bo go")]
LAST_PLAY = {
    "board": [{"tile": "red-circle", "x": 0, "y": 0}],
    "hands": [tiles_of("rs"), tiles_of("b*")],
    "bag": [],
    "turn": 0,
}


@dataclass(frozen=True)
class Feed:
    """The feed of a tenant whom no other test uses."""

    client: Client
    key: str
    tenant: str
    url: str

    def page(self, **query: object) -> dict[str, Any]:
        given = {name: value for name, value in query.items() if value is not None}
        where = "/v1/events" + (f"?{urlencode(given)}" if given else "")
        return self.client.get(where, token=self.key).ok(200).json

    def all(self, after: str | None = None, limit: int | None = None) -> list[dict[str, Any]]:
        """Page after page, until one is empty."""
        events: list[dict[str, Any]] = []
        while True:
            page = self.page(after=after, limit=limit)
            assert not page["resync"]
            events += page["events"]
            after = page["last"]
            if not page["events"]:
                return events


def feed_of_a_new_tenant(client: Client, url: str) -> Feed:
    """The feed of a server with `FEED_KEYS`, whose store is at this URL."""
    number = next(_numbers)
    return Feed(client, f"key-of-feed-{number}", f"f{number}", url)


def play_a_game(feed: Feed) -> Table:
    """Two players with refs, from the creation to the end."""
    players = [{"name": "Ada", "ref": "ada"}]
    setup = {"hands": HANDS, "bag": []}
    table = feed.client.create(api_key=feed.key, players=players, seats=2, setup=setup)
    table.join("Ben", body={"ref": "ben"}).ok(201)
    table.bid(0, 3).ok(201)
    table.bid(1, 2).ok(201)
    table.play(0, "ro@0,0 rs@1,0 rd@2,0").ok(201)
    table.resign(1).ok(201)
    return table


@dataclass(frozen=True)
class FeedMessage:
    """One event of the stream, as an EventSource gives it to its user."""

    id: str
    event: str
    data: dict[str, Any]


@dataclass
class FeedStream:
    """An open stream; `next` waits for the next event of it.

    ``last_id`` is what a reconnection sends as `Last-Event-ID`.
    """

    answer: http.client.HTTPResponse
    last_id: str | None = None

    def __next__(self) -> FeedMessage:
        while True:
            fields = self.block()
            if "data" in fields:
                return FeedMessage(
                    self.last_id or "", fields["event"], orjson.loads(fields["data"])
                )

    def block(self) -> dict[str, str]:
        """The fields up to the next empty line; an id is kept, also if there is no data."""
        fields: dict[str, str] = {}
        while (line := self.answer.readline()) != b"\n":
            assert line, "the stream has ended"
            name, _, value = line.decode().rstrip("\n").partition(": ")
            fields[name] = value
        self.last_id = fields.get("id", self.last_id)
        return fields


@contextmanager
def feed_stream(
    feed: Feed, *, after: str | None = None, last: str | None = None
) -> Iterator[FeedStream]:
    """A stream that has begun."""
    where = urlsplit(feed.client.base_url)
    line = http.client.HTTPConnection(where.hostname or "", where.port, timeout=30)
    headers = {"Authorization": f"Bearer {feed.key}"}
    if last is not None:
        headers["Last-Event-ID"] = last
    try:
        line.request(
            "GET", "/v1/events/stream" + (f"?after={after}" if after else ""), None, headers
        )
        answer = line.getresponse()
        assert answer.status == 200, answer.read()
        stream = FeedStream(answer)
        assert stream.block() == {"retry": "2000"}
        yield stream
    finally:
        line.close()

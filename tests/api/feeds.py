"""A tenant's feed as tests read it."""

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

import orjson

from tests.api.client import Client


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

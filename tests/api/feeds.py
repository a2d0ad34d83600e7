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
    """One event of the stream."""

    id: str
    event: str
    data: dict[str, Any]


@contextmanager
def feed_stream(
    feed: Feed, *, after: str | None = None, last: str | None = None
) -> Iterator[Iterator[FeedMessage]]:
    """An open stream; `next` waits for the next event of it."""
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
        assert answer.readline() == b"retry: 2000\n"
        yield _messages(answer)
    finally:
        line.close()


def _messages(answer: http.client.HTTPResponse) -> Iterator[FeedMessage]:
    fields: dict[bytes, bytes] = {}
    while raw := answer.readline():
        name, _, value = raw.rstrip(b"\n").partition(b": ")
        if name:
            fields[name] = value
        elif b"data" in fields:
            id_, event = fields[b"id"].decode(), fields[b"event"].decode()
            yield FeedMessage(id_, event, orjson.loads(fields[b"data"]))
            fields = {}

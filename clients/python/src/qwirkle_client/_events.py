"""Check what is read of a game's log before anything relies on it."""

import re
from typing import Any

from qwirkle_client import types
from qwirkle_client.errors import UnexpectedAnswer

_ID = re.compile("[!-~]{1,200}")
_MOST = 2**53


def is_number(n: object) -> bool:
    """Whether it can be the number of an event, or 0."""
    return type(n) is int and 0 <= n < _MOST


def is_id(value: object) -> bool:
    """Whether it can be sent back to the service as the id of an event."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def check_event(event: Any, after: int) -> None:
    """Refuse what is not the event after number `after`."""
    if not isinstance(event, dict) or event.get("n") != after + 1 or not is_id(event.get("id")):
        raise UnexpectedAnswer(f"the log has something else than event {after + 1}")


def checked_page(page: Any, after: int) -> types.EventsPage:
    """A page, if it has the events after a number, one after the other."""
    events, last = page.get("events"), page.get("last")
    if not isinstance(events, list) or not is_number(last):
        raise UnexpectedAnswer("the answer is not a page of the log")
    for n, event in enumerate(events, after):
        check_event(event, n)
    if last > after and not events:
        raise UnexpectedAnswer("a page of the log lacks events")
    checked: types.EventsPage = page
    return checked

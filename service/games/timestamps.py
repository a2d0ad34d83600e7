"""Times as clients read them."""

from datetime import UTC, datetime
from functools import lru_cache

_DAY_MS = 86_400_000


def timestamp(unix_ms: int) -> str:
    """A time in RFC 3339, UTC, always of the same width."""
    day, rest = divmod(unix_ms, _DAY_MS)
    minutes, rest = divmod(rest, 60_000)
    seconds, milliseconds = divmod(rest, 1000)
    clock = f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}.{milliseconds:03}"
    return f"{_date(day)}T{clock}Z"


@lru_cache(maxsize=1024)
def _date(day: int) -> str:
    """The date of a day that is counted from the first of 1970."""
    return datetime.fromtimestamp(day * 86_400, UTC).date().isoformat()

"""Files of simulated games: records as JSON lines, or results and records as Parquet."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from service.bots.matches import Match, Outcome
from service.config import CannotRun

Write = Callable[[Outcome], None]

_ROWS = 1000  # in memory at a time


def check_format(path: Path) -> None:
    """CannotRun if files of this kind cannot be written here."""
    if path.suffix == ".parquet" and find_spec("pyarrow") is None:
        raise CannotRun(f"{path.name} needs pyarrow: pip install '.[parquet]'")


@contextmanager
def output(path: Path | None, match: Match) -> Iterator[Write]:
    """What writes each game of a match; the ending of the name decides the format."""
    try:
        if path is None:
            yield lambda _: None
        elif path.suffix == ".parquet":
            with _parquet(path, match) as write:
                yield write
        else:
            with path.open("w", encoding="utf-8") as file:
                yield lambda outcome: print(_record(outcome), file=file)
    except OSError as error:
        raise CannotRun(f"cannot write {path}: {error.strerror or error}") from error


def _record(outcome: Outcome) -> str:
    return json.dumps(outcome.record, separators=(",", ":"))


@contextmanager
def _parquet(path: Path, match: Match) -> Iterator[Write]:
    arrow: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")
    small, text = arrow.list_(arrow.int16()), arrow.string()
    schema = arrow.schema(
        {
            "number": arrow.int64(),
            "bots": arrow.list_(text),
            "seats": small,
            "scores": small,
            "winners": small,
            "qwirkles": small,
            "moves": small,
            "turns": arrow.int16(),
            "end": text,
            "forfeits": arrow.list_(text),
            "record": text,
        }
    )
    rows: list[dict[str, Any]] = []
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:

        def flush() -> None:
            if rows:
                writer.write_table(arrow.Table.from_pylist(rows, schema))
                rows.clear()

        def write(outcome: Outcome) -> None:
            rows.append(_row(match, outcome))
            if len(rows) == _ROWS:
                flush()

        yield write
        flush()


def _row(match: Match, outcome: Outcome) -> dict[str, Any]:
    columns = ("number", "seats", "scores", "winners", "qwirkles", "moves", "turns", "end")
    return {
        **{column: getattr(outcome, column) for column in columns},
        "bots": match.bots,
        "forfeits": [forfeit and forfeit.reason for forfeit in outcome.forfeits],
        "record": _record(outcome),
    }

"""What a test reads of a server: its numbers by name and labels, the lines of its log."""

import json
import time
from collections.abc import Callable
from typing import Any, TypeVar

from prometheus_client.parser import text_string_to_metric_families

from tests.servers import QwirkleServer

Labels = frozenset[tuple[str, str]]
T = TypeVar("T")


class Numbers:
    """All numbers at one moment."""

    def __init__(self, server: QwirkleServer) -> None:
        text = server.get("/metrics")[1].decode()
        self.values: dict[tuple[str, Labels], float] = {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def __call__(self, name: str, **labels: str) -> float:
        """A number; 0 for what has not been counted yet."""
        return self.values.get((f"qwirkle_{name}", frozenset(labels.items())), 0.0)

    def total(self, name: str) -> float:
        """The sum over all labels."""
        return sum(value for (each, _), value in self.values.items() if each == f"qwirkle_{name}")


def lines(text: str) -> list[dict[str, Any]]:
    """The whole lines of a log so far."""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def wait_for(look: Callable[[], T], patience: float = 60) -> T:
    """What is seen once there is something to see."""
    ends = time.monotonic() + patience
    while not (seen := look()):
        assert time.monotonic() < ends, "it never came"
        time.sleep(0.02)
    return seen

"""Counts work instead of time, so that a busy machine changes nothing."""

import sys
from collections.abc import Callable
from typing import Any


class Work:
    """Counts the calls of functions, Python's and C's, from one `rest` to the next.

    `most` is the longest stretch of them.
    """

    def __init__(self) -> None:
        self.most = 0
        self.rests = 0
        self._calls = 0

    def rest(self) -> None:
        """What the code under test calls to let others go on."""
        self.rests += 1
        self.most = max(self.most, self._calls)
        self._calls = 0

    def of(self, call: Callable[[], Any]) -> Any:
        """What the call gives, its work counted."""

        def count(_frame: object, event: str, _arg: object) -> None:
            if event in {"call", "c_call"}:
                self._calls += 1

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            return call()
        finally:
            sys.setprofile(before)
            self.most = max(self.most, self._calls)
            self._calls = 0

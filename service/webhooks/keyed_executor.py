"""Work for many hosts side by side, so that a slow one holds up nobody but itself.

Every host has a few lanes. A lane does one thing at a time in the order given, and all work
of one game goes to the same lane, so that a game's messages keep their order.
"""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from zlib import crc32

LANES_A_HOST = 4
LONGEST_QUEUE = 128
THREADS = 64

Work = Callable[[], None]
Lane = tuple[str, int]


class KeyedExecutor:
    """The lanes of a process; they exist only while something is in them."""

    def __init__(self, threads: int = THREADS) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="lane")
        self._queues: dict[Lane, deque[Work]] = {}
        self._lock = threading.Lock()

    def give(self, host: str, game_id: str, work: Work) -> bool:
        """Have the work done after what is in its lane already; False if that is too much.

        The work must not raise.
        """
        lane = (host, crc32(game_id.encode()) % LANES_A_HOST)
        with self._lock:
            queue = self._queues.get(lane)
            if queue is None:
                self._queues[lane] = deque([work])
                self._pool.submit(self._drain, lane)
                return True
            if len(queue) >= LONGEST_QUEUE:
                return False
            queue.append(work)
            return True

    def close(self) -> None:
        """Return once everything given is done."""
        self._pool.shutdown(wait=True)

    def _drain(self, lane: Lane) -> None:
        while True:
            with self._lock:
                queue = self._queues[lane]
                if not queue:
                    del self._queues[lane]
                    return
                work = queue.popleft()
            work()

"""Runs tasks for many hosts in parallel, so that a slow host delays only its own tasks.

Each host has a few queues, and each queue runs one task at a time. All tasks of a game go to the
same queue, so they run in order.
"""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from zlib import crc32

QUEUES_PER_HOST = 4
MAX_QUEUED = 128
THREADS = 64

Task = Callable[[], None]
Key = tuple[str, int]


class KeyedExecutor:
    """The queues of a process; each exists only while it has tasks."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="webhook")
        self._queues: dict[Key, deque[Task]] = {}
        self._lock = threading.Lock()

    def submit(self, host: str, game_id: str, task: Task) -> bool:
        """Run the task after those before it in its queue; False if the queue is full.

        The task must not raise.
        """
        key = (host, crc32(game_id.encode()) % QUEUES_PER_HOST)
        with self._lock:
            queue = self._queues.get(key)
            if queue is None:
                self._queues[key] = deque([task])
                self._pool.submit(self._drain, key)
                return True
            if len(queue) >= MAX_QUEUED:
                return False
            queue.append(task)
            return True

    def close(self) -> None:
        """Return once all tasks are done."""
        self._pool.shutdown(wait=True)

    def _drain(self, key: Key) -> None:
        while True:
            with self._lock:
                queue = self._queues[key]
                if not queue:
                    del self._queues[key]
                    return
                task = queue.popleft()
            task()

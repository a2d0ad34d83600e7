"""The web server: gunicorn, configured in code. Run by the supervisor as a process of its own."""

import contextlib
import gc
import os
import queue
import resource
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from gunicorn.app.base import BaseApplication

from service.config import Settings
from service.server.managed_process import GRACE, memory_dir
from service.server.sockets import BACKLOG
from service.store.child_process import die_with_parent
from service.telemetry import metrics

if TYPE_CHECKING:
    from gunicorn.arbiter import Arbiter
    from gunicorn.workers.base import Worker

CONNECTIONS: Final = 10_000
"""Connections a worker holds; an idle one costs it a greenlet, not a thread."""


class WebServer(BaseApplication):  # type: ignore[misc]  # gunicorn ships no types
    """gunicorn around the service's application, on a socket that is open already."""

    def __init__(self, settings: Settings, listener: int) -> None:
        self._settings = settings
        self._listener = listener
        super().__init__()

    def load_config(self) -> None:
        """Tells gunicorn everything it needs; no file or variable of its own is read."""
        for name, value in self._configuration().items():
            self.cfg.set(name, value)

    def load(self) -> Callable[..., Any]:
        """Builds the application in a worker, after the fork and after gevent's patches."""
        from service.app import create_app  # noqa: PLC0415  # loads redis, which must be patched

        application = create_app(self._settings)
        # What is loaded now stays to the end: a full collection need not look through it again,
        # which takes 15 ms and more, in which nobody is served.
        gc.collect()
        gc.freeze()
        return application

    def _configuration(self) -> dict[str, object]:
        level = self._settings.log_level
        return {
            "bind": f"fd://{self._listener}",
            "backlog": BACKLOG,
            "workers": self._settings.workers,
            "worker_class": "service.server.gevent_worker.WebWorker",
            "worker_connections": CONNECTIONS,
            "worker_tmp_dir": memory_dir(),
            "timeout": 30,
            "graceful_timeout": GRACE,
            # Longer than the minute that proxies keep a connection, so that they close first.
            "keepalive": 75,
            "limit_request_line": 4094,
            "limit_request_fields": 64,
            "limit_request_field_size": 8190,
            # Whom to believe about forwarded headers is the application's to decide.
            "forwarded_allow_ips": "",
            "secure_scheme_headers": {},
            "control_socket_disable": True,
            "accesslog": None,
            "errorlog": "-",
            "logger_class": "service.server.gunicorn_logger.ServerLog",
            # What gunicorn calls information is the coming and going of its workers.
            "loglevel": "warning" if level == "info" else level,
            "pre_fork": _choose_slot,
            "post_fork": _begin_worker,
            "child_exit": lambda _, worker: metrics.forget_process(_metrics_name(worker)),
            "worker_exit": lambda _, worker: metrics.forget_process(_metrics_name(worker)),
        }


def _choose_slot(master: "Arbiter", worker: "Worker") -> None:
    """Gives a worker the lowest number that is free, so that it continues a dead one's counters."""
    taken = {each.slot for each in master.WORKERS.values()}
    worker.slot = min(set(range(len(taken) + 1)) - taken)


def _metrics_name(worker: "Worker") -> str:
    # With the master's id: workers of a killed master may still be finishing their requests.
    return f"{worker.ppid}.{worker.slot}"


def _begin_worker(master: "Arbiter", worker: "Worker") -> None:
    """Ties a worker to its master and lets it be stopped before it is ready.

    Until a worker has handlers of its own it runs the master's, which only put signals in a
    queue that nobody reads here: a stop in that moment would be lost. So would one that raises
    SystemExit, now and then: where it strikes, amid imports, something may swallow it.
    """
    for number in (signal.SIGTERM, signal.SIGQUIT):
        signal.signal(number, lambda *_: os._exit(0))
    with contextlib.suppress(queue.Empty):
        while True:
            if master.SIG_QUEUE.get_nowait() in (signal.SIGTERM, signal.SIGQUIT):
                os._exit(0)
    die_with_parent(worker.ppid)
    metrics.name_process(_metrics_name(worker))


def _allow_connections() -> None:
    """Raises the limit on open files as far as one worker's connections may need it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + 1000
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def main() -> None:
    """Serves on the listening socket whose file descriptor is the only argument."""
    _allow_connections()
    WebServer(Settings.from_env(os.environ), int(sys.argv[1])).run()


if __name__ == "__main__":
    main()

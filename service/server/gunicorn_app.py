"""The web server: gunicorn, configured in code and run by the supervisor as a process."""

import contextlib
import gc
import logging
import os
import queue
import resource
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger

from service.config import Settings
from service.server.managed_process import GRACE, METRICS_PREFIX, READY, memory_dir
from service.server.sockets import BACKLOG
from service.store.child_process import die_with_parent
from service.telemetry import metrics
from service.telemetry.logging import open_log

if TYPE_CHECKING:
    from gunicorn.arbiter import Arbiter
    from gunicorn.workers.base import Worker

CONNECTIONS: Final = 10_000
"""Connections of one worker; an idle one costs a greenlet, not a thread."""


class _ServerLog(Logger):  # type: ignore[misc]  # gunicorn ships no types
    """Sends gunicorn's messages to the service's log."""

    def setup(self, cfg: Any) -> None:
        """Set up the log; gunicorn calls this again when it reloads."""
        self.cfg = cfg
        settings = Settings.from_env(os.environ)
        open_log(settings.log_level, settings.log_format)
        # At level debug it logs paths and headers, which may contain tokens.
        self.loglevel = max(logging.INFO, self.LOG_LEVELS[cfg.loglevel])
        self.error_log.setLevel(self.loglevel)
        self.error_log.propagate = True

    def access(self, *_: Any) -> None:
        """Do nothing: the application logs requests itself."""


class WebServer(BaseApplication):  # type: ignore[misc]  # gunicorn ships no types
    """gunicorn around the service's application, on a socket that is already listening."""

    def __init__(self, settings: Settings, listener: int, supervisor: int | None = None) -> None:
        """`listener` and `supervisor` are file descriptors; workers report to the latter."""
        self._settings = settings
        self._listener = listener
        self._supervisor = supervisor
        self._parent = os.getppid()
        self.close_streams: Callable[[], None] = lambda: None
        """Ends the open streams of this process; there are none before `load`."""
        super().__init__()

    def load_config(self) -> None:
        """Configures gunicorn, which reads no files or environment variables of its own."""
        for name, value in self._configuration().items():
            self.cfg.set(name, value)

    def load(self) -> Callable[..., Any]:
        """Builds the application in a worker, after the fork and after gevent's patches."""
        # Imported here because it loads redis-py, which gevent must patch first.
        from service.app import create_app  # noqa: PLC0415  # see above

        application = create_app(self._settings)
        self.close_streams = application.close_streams
        # What is loaded now stays in use: a full collection that went through all of it would stop
        # the worker for 15 ms and more.
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
            # The application decides which forwarded headers to trust.
            "forwarded_allow_ips": "",
            "secure_scheme_headers": {},
            "control_socket_disable": True,
            "accesslog": None,
            "errorlog": "-",
            "logger_class": _ServerLog,
            # At level info gunicorn logs every start and stop of a worker.
            "loglevel": "warning" if level == "info" else level,
            "pre_fork": _choose_slot,
            "post_fork": _prepare_worker,
            "post_worker_init": lambda _: self._report_ready(),
            "on_exit": lambda _: self._remove_metrics(),
            "child_exit": lambda _, worker: metrics.forget_process(_metrics_name(worker)),
            "worker_exit": lambda _, worker: metrics.forget_process(_metrics_name(worker)),
        }

    def _report_ready(self) -> None:
        if self._supervisor is not None:
            with contextlib.suppress(OSError):  # the supervisor is gone, and we will be soon
                os.write(self._supervisor, READY)

    def _remove_metrics(self) -> None:
        """Removes the supervisor's folder if the supervisor was killed before it could."""
        folder = Path(os.environ.get("PROMETHEUS_MULTIPROC_DIR", ""))
        if os.getppid() != self._parent and folder.name.startswith(METRICS_PREFIX):
            shutil.rmtree(folder, ignore_errors=True)


def _choose_slot(master: "Arbiter", worker: "Worker") -> None:
    """Gives a worker the lowest number that is free, so that it continues a dead one's counters."""
    taken = {each.slot for each in master.WORKERS.values()}
    worker.slot = min(set(range(len(taken) + 1)) - taken)


def _metrics_name(worker: "Worker") -> str:
    # With the master's id: workers of a killed master may still be finishing their requests.
    return f"{worker.ppid}.{worker.slot}"


def _prepare_worker(master: "Arbiter", worker: "Worker") -> None:
    """Makes sure that a worker ends with its master, and that it can be stopped while it loads.

    Until a worker has its own signal handlers it has the master's, which only put signals into a
    queue that nobody reads here, so that a stop would be lost. A handler that raises SystemExit is
    no remedy: code that is being imported may catch it.
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
    """Raises the limit on open files to what the connections of one worker need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + 1000
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def main() -> None:
    """Serves; the arguments are the file descriptors of the listening socket and the supervisor."""
    _allow_connections()
    WebServer(Settings.from_env(os.environ), *map(int, sys.argv[1:])).run()


if __name__ == "__main__":
    main()

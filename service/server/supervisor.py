"""The parent of all server processes: starts them in order, keeps them alive, stops them."""

import contextlib
import logging
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import urlsplit

from service.config import Settings, SettingsError, signing_secrets
from service.server.managed_process import (
    GRACE,
    METRICS_PREFIX,
    READY,
    KeepsDying,
    ManagedProcess,
    memory_dir,
)
from service.server.sockets import listen, url_of
from service.store.child_process import ChildProcess
from service.store.embedded import STOP_TIMEOUT, EmbeddedStore, EmbeddedStoreError
from service.telemetry.logging import announce, open_log

log = logging.getLogger("qwirkle")

WORKER_GRACE: Final = 15.0
"""Seconds that the worker has to finish what it is sending; killed, it loses nothing."""

_CANNOT_LOAD: Final = (3, 4)
"""gunicorn's exit codes when a worker, or the application in it, cannot start."""

_STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
_SIGNALS: Final = (*_STOP_SIGNALS, signal.SIGHUP, signal.SIGCHLD)


class Supervisor:
    """Runs one Qwirkle server until it is stopped.

    SIGTERM and SIGINT let running requests finish, then stop the store; a second one makes
    them hurry. SIGHUP replaces the web workers one by one.
    """

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._environ = dict(environ)
        self._terminal = _has_terminal()
        # Signals and web workers that are ready both write a byte to the sender.
        self._events, self._sender = socket.socketpair()
        self._sender.setblocking(False)
        self._stops = 0
        self._serving = False
        self._to_replace = 0
        self._store: EmbeddedStore | None = None
        self._web: ManagedProcess | None = None
        self._processes: list[ManagedProcess] = []

    def run(self) -> int:
        """Serves; returns the exit code: 0 after a stop, 1 when a process keeps dying.

        Raises CannotListen, EmbeddedStoreError or SettingsError if it cannot start.
        """
        # Checked here for a clear message: otherwise each worker would fail by itself.
        signing_secrets(self._settings)
        _check_redis_url(self._settings)
        open_log(self._settings.log_level, self._settings.log_format)
        if not self._settings.redis_url:
            fsync = self._settings.embedded_fsync
            self._store = EmbeddedStore(self._settings.data_dir, fsync=fsync)
        with (
            listen(self._settings.host, self._settings.port) as listener,
            self._metrics_folder(),
            self._signals(),
        ):
            try:
                self._start(listener)
                while not self._stopping():
                    self._supervise()
            except KeepsDying as error:
                log.critical("%s", error)
                return 1
            finally:
                self._stop()
                if self._store is not None:
                    self._store.release()
        return 0

    def _start(self, listener: socket.socket) -> None:
        """Starts the store, the web server and the worker, each once the one before is ready."""
        if self._store is not None:
            self._start_store(self._store)
        if self._stopping():
            return
        self._web = ManagedProcess(
            "The web server",
            lambda: self._launch_web(listener),
            stop_timeout=GRACE + 5,
            hurry=signal.SIGQUIT,
        )
        self._processes.append(self._web)
        while not self._stopping() and not self._serving:
            self._supervise()
        if self._stopping():
            return
        if self._settings.serve_worker:
            worker = ManagedProcess(
                "The worker", self._launch_worker, stop_timeout=WORKER_GRACE, hurry=signal.SIGKILL
            )
            self._processes.append(worker)
        where = _without_password(self._settings)
        if self._store is not None:
            where = f"embedded in {self._store.data_dir}"
        text = f"Qwirkle is serving on {url_of(listener)} (store: {where})"
        announce(text, self._settings.log_format)

    def _start_store(self, store: EmbeddedStore) -> None:
        def launch() -> ChildProcess:
            running = store.launch()
            if store.pause() is not None:
                log.warning("The disk is full: the embedded store refuses writes for now.")
            return running

        process = ManagedProcess("The embedded store", launch, stop_timeout=STOP_TIMEOUT)
        self._processes.append(process)
        while not self._stopping() and not store.ready():
            self._wait(0.01)
            if process.ended():
                raise EmbeddedStoreError(store.exit_message())
        self._environ["QWIRKLE_REDIS_URL"] = store.url

    def _launch_web(self, listener: socket.socket) -> ChildProcess:
        self._to_replace = 0
        fds = [listener.fileno(), self._sender.fileno()]
        # -P: modules in the current folder must not shadow ours.
        command = [sys.executable, "-P", "-m", "service.server.gunicorn_app", *map(str, fds)]
        return ChildProcess(command, env=self._environ, keep_open=fds)

    def _launch_worker(self) -> ChildProcess:
        command = [sys.executable, "-P", "-m", "service.worker.main"]
        return ChildProcess(command, env=self._environ)

    def _supervise(self) -> None:
        """Waits for an event, and starts again what died."""
        delays = [process.restart_delay() for process in self._processes]
        if self._store:
            delays.append(self._store.pause())
        self._wait(min((delay for delay in delays if delay is not None), default=None))
        if self._store and self._store.pause() == 0 and self._store.reopen():
            log.warning("The disk has room again: the embedded store accepts writes.")
        for process in self._processes:
            code = None if self._stopping() else process.check()
            if code in _CANNOT_LOAD and not self._serving:
                raise KeepsDying(f"{process.name} could not start.")
            if code is not None:
                log.warning("%s died (%s) and is started again.", process.name, _cause(code))

    def _wait(self, seconds: float | None) -> None:
        """Waits for events, for this long at most, and handles them."""
        self._events.settimeout(seconds if seconds is None else max(seconds, 0.001))
        with contextlib.suppress(TimeoutError):
            for event in self._events.recv(4096):
                if event == READY[0]:
                    self._serving = True
                    self._go_on_replacing()
                elif event in _STOP_SIGNALS or (event == signal.SIGHUP and self._hung_up()):
                    self._stops += 1
                elif event == signal.SIGHUP and self._web and self._serving:
                    self._replace_workers(self._web)
        self._reap_orphans()

    def _replace_workers(self, web: ManagedProcess) -> None:
        """Replaces the web workers one by one, each once its successor has loaded.

        gunicorn's own way, SIGHUP, stops all of them before any new one can serve.
        """
        started = self._to_replace > 0
        self._to_replace = self._settings.workers
        if not started:
            web.child.send_signal(signal.SIGTTIN)  # one more

    def _go_on_replacing(self) -> None:
        if self._web and self._to_replace:
            self._web.child.send_signal(signal.SIGTTOU)  # one less: the oldest leaves
            self._to_replace -= 1
            if self._to_replace:
                self._web.child.send_signal(signal.SIGTTIN)

    def _stop(self) -> None:
        """Stops the newest process first: the store stops when nothing needs it any more."""
        while self._processes:
            process, attempt = self._processes[-1], 0
            deadline = time.monotonic() + process.stop_timeout
            while not process.ended():
                left = deadline - time.monotonic()
                wanted = max(1, self._stops) if left > 0 else 3
                if wanted > attempt:
                    process.stop(wanted)
                    attempt = wanted
                self._wait(max(left, 0.1))
            self._processes.pop()

    def _stopping(self) -> bool:
        return self._stops > 0

    def _hung_up(self) -> bool:
        """Returns whether SIGHUP means that our terminal was closed, not a request to reload."""
        return self._terminal and not _has_terminal()

    def _reap_orphans(self) -> None:
        """Reaps processes that we inherited, as the first process of a container does."""
        if sys.platform != "linux":
            return
        ours = {process.child.pid for process in self._processes}
        with contextlib.suppress(ChildProcessError):
            while found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                if found.si_pid in ours:
                    return
                os.waitpid(found.si_pid, os.WNOHANG)

    @contextlib.contextmanager
    def _metrics_folder(self) -> Iterator[None]:
        """Has all processes count together, in a folder of our own unless one is named."""
        if self._environ.get("PROMETHEUS_MULTIPROC_DIR"):
            yield
            return
        with tempfile.TemporaryDirectory(prefix=METRICS_PREFIX, dir=memory_dir()) as folder:
            self._environ["PROMETHEUS_MULTIPROC_DIR"] = folder
            yield

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """Turns signals into events."""
        before = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}
        wakeup = signal.set_wakeup_fd(self._sender.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(wakeup)
            for number, handler in before.items():
                signal.signal(number, handler)
            self._events.close()
            self._sender.close()


def _check_redis_url(settings: Settings) -> None:
    if settings.redis_url is not None:
        # redis-py is slow to import, and not needed here for an embedded store.
        from service.store.client import connect  # noqa: PLC0415  # see above

        try:
            connect(settings.redis_url, timeout=settings.store_timeout, connections=1)
        except ValueError as error:
            raise SettingsError(f"QWIRKLE_REDIS_URL: {error}") from error


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))
    except OSError:
        return False
    return True


def _cause(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _without_password(settings: Settings) -> str:
    """Returns the store's address as it may be shown."""
    parts = urlsplit(settings.redis_url or "")
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()

"""The parent of everything that serves: starts it in order, keeps it alive, stops it in order."""

import contextlib
import logging
import os
import selectors
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Final
from urllib.parse import urlsplit

from service.config import Settings, SettingsError, signing_secrets
from service.server.managed_process import CANNOT_LOAD, GRACE, Child, KeepsDying, memory_dir
from service.server.sockets import FirstVisitor, listen, url_of
from service.store.child_process import ChildProcess
from service.store.embedded import STOP_TIMEOUT, EmbeddedStore, EmbeddedStoreError
from service.telemetry.logging import announce, open_log

log = logging.getLogger("qwirkle")

WORKER_GRACE: Final = 15.0
"""Seconds that the worker has to finish what it is sending; killed, it loses nothing."""

_STOPPING: Final = (signal.SIGTERM, signal.SIGINT)
_HEARD: Final = (*_STOPPING, signal.SIGHUP, signal.SIGCHLD)


class Supervisor:
    """Runs one Qwirkle server until it is told to stop.

    SIGTERM and SIGINT let running requests finish, then close the store; a second one
    hurries. SIGHUP replaces the web server's workers one by one.
    """

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._environ = dict(environ)
        self._selector = selectors.DefaultSelector()
        self._heard: list[int] = []
        self._stops = 0
        self._announced = False
        self._children: list[Child] = []
        self._store: EmbeddedStore | None = None
        self._terminal = _has_terminal()

    def run(self) -> int:
        """Serves; returns the exit code: 0 after a stop, 1 when a child cannot be kept alive.

        Raises CannotListen, EmbeddedStoreError or SettingsError if it cannot begin.
        """
        # What the workers would stumble over is better found here, and said clearly.
        signing_secrets(self._settings)
        _check_address(self._settings)
        open_log(self._settings.log_level, self._settings.log_format)
        store = None if self._settings.redis_url else self._embedded()
        with (
            listen(self._settings.host, self._settings.port) as listener,
            self._metrics_folder(),
            self._signals(),
        ):
            try:
                self._open(store, listener)
                while not self._stopping():
                    self._tend()
            except KeepsDying as error:
                log.critical("%s", error)
                return 1
            finally:
                self._close()
                if store is not None:
                    store.release()
        return 0

    @contextlib.contextmanager
    def _metrics_folder(self) -> Iterator[None]:
        """Has all children count together, in a folder of our own unless one is named."""
        if self._environ.get("PROMETHEUS_MULTIPROC_DIR"):
            yield
            return
        with tempfile.TemporaryDirectory(prefix="qwirkle-metrics-", dir=memory_dir()) as folder:
            self._environ["PROMETHEUS_MULTIPROC_DIR"] = folder
            yield

    def _embedded(self) -> EmbeddedStore:
        return EmbeddedStore(self._settings.data_dir, fsync=self._settings.embedded_fsync)

    def _open(self, store: EmbeddedStore | None, listener: socket.socket) -> None:
        """Starts the store, then the web server, and announces it once it answers."""
        if store is not None:
            self._environ["QWIRKLE_REDIS_URL"] = self._open_store(store)
        if self._stopping():
            return
        web = Child(
            "The web server",
            lambda: self._launch_web(listener),
            patience=GRACE + 5,
            hurry=signal.SIGQUIT,
            reloads=True,
        )
        self._children.append(web)
        web.start()
        visitor = FirstVisitor(listener, self._selector)
        visitor.ask()
        while not self._stopping() and not visitor.answered():
            self._tend()
        visitor.leave()
        if not self._stopping():
            if self._settings.serve_worker:
                self._open_worker()
            self._announced = True
            where = f"embedded in {store.data_dir}" if store else _without_password(self._settings)
            said = f"Qwirkle is serving on {url_of(listener)} (store: {where})"
            announce(said, self._settings.log_format)

    def _open_worker(self) -> None:
        """Starts the worker last, so that it is the first to stop: it needs the store."""
        worker = Child(
            "The worker", self._launch_worker, patience=WORKER_GRACE, hurry=signal.SIGKILL
        )
        self._children.append(worker)
        worker.start()

    def _open_store(self, store: EmbeddedStore) -> str:
        self._store = store
        child = Child("The embedded store", lambda: _launch_store(store), patience=STOP_TIMEOUT)
        child.start()
        self._children.append(child)
        while not self._stopping() and not store.ready():
            self._listen(0.01)
            if child.ended():
                raise EmbeddedStoreError(store.exit_message())
        return store.url

    def _launch_web(self, listener: socket.socket) -> ChildProcess:
        fd = listener.fileno()
        # -P: the folder that serve was called from must not shadow our modules.
        command = [sys.executable, "-P", "-m", "service.server.gunicorn_app", str(fd)]
        return ChildProcess(command, env=self._environ, keep_open=[fd])

    def _launch_worker(self) -> ChildProcess:
        command = [sys.executable, "-P", "-m", "service.worker.main"]
        return ChildProcess(command, env=self._environ)

    def _tend(self) -> None:
        """Waits for something to happen and brings back what died."""
        pauses = [child.pause() for child in self._children]
        if self._store:
            pauses.append(self._store.pause())
        self._listen(min((pause for pause in pauses if pause is not None), default=None))
        if self._store and self._store.pause() == 0 and self._store.reopen():
            log.warning("The disk has room again: the embedded store takes writes.")
        for child in self._children:
            code = None if self._stopping() else child.tend()
            if code in CANNOT_LOAD and not self._announced:
                raise KeepsDying(f"{child.name} could not start.")
            if code is not None:
                log.warning("%s died (%s) and is started again.", child.name, _cause(code))

    def _listen(self, patience: float | None) -> None:
        """Waits for signals and answers, at most so many seconds, and takes signals to heart."""
        for key, _ in self._selector.select(patience):
            if isinstance(key.data, socket.socket):
                key.data.recv(4096)
        while self._heard:
            number = self._heard.pop(0)
            if number in _STOPPING or (number == signal.SIGHUP and self._hung_up()):
                self._stops += 1
            elif number == signal.SIGHUP:
                for child in self._children:
                    if child.reloads:
                        child.signal(signal.SIGHUP)
        self._bury_strangers()

    def _close(self) -> None:
        """Stops the children, the newest first: the web server finishes before its store goes."""
        while self._children:
            self._stop(self._children[-1])
            self._children.pop()

    def _stop(self, child: Child) -> None:
        deadline = time.monotonic() + child.patience
        asked = 0
        while not child.ended():
            left = deadline - time.monotonic()
            times = max(1, self._stops) if left > 0 else 3
            if times > asked:
                child.ask_to_stop(times)
                asked = times
            self._listen(max(left, 0.1))

    def _stopping(self) -> bool:
        return self._stops > 0

    def _hung_up(self) -> bool:
        """Tells a terminal that was closed from a request to reload."""
        return self._terminal and not _has_terminal()

    def _bury_strangers(self) -> None:
        """Reaps orphans handed to us, as they are to the first process of a container."""
        if sys.platform != "linux":
            return
        ours = {child.running.pid for child in self._children if child.running is not None}
        with contextlib.suppress(ChildProcessError):
            while found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                if found.si_pid in ours:
                    return
                os.waitpid(found.si_pid, os.WNOHANG)

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """Turns signals into events of the loop."""
        ear, mouth = socket.socketpair()
        ear.setblocking(False)
        mouth.setblocking(False)
        self._selector.register(ear, selectors.EVENT_READ, ear)
        before = {number: signal.signal(number, self._note) for number in _HEARD}
        wakeup = signal.set_wakeup_fd(mouth.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(wakeup)
            for number, handler in before.items():
                signal.signal(number, handler)
            self._selector.unregister(ear)
            ear.close()
            mouth.close()

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self._heard.append(number)


def _launch_store(store: EmbeddedStore) -> ChildProcess:
    running = store.launch()
    if store.pause() is not None:
        log.warning("The disk is full: the embedded store refuses writes until there is room.")
    return running


def _check_address(settings: Settings) -> None:
    if settings.redis_url is not None:
        # Loaded late: the library is slow to load, and not needed for an embedded store.
        from service.store.client import connect  # noqa: PLC0415  # as said

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

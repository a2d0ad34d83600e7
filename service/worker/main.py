"""The background worker as a process."""

import logging
import os
import signal
import sys
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from prometheus_client import start_http_server

from service.config import Settings, SettingsError
from service.games.autoplay import worker_policy
from service.games.bootstrap import open_client, open_games
from service.games.webhook_urls import Targets
from service.store.due_queue import DueQueue
from service.store.pubsub import PubSub
from service.store.sweep import Sweep
from service.store.webhook_queue import WebhookQueue
from service.telemetry import metrics
from service.telemetry.logging import announce, open_log
from service.webhooks.dispatcher import Dispatcher
from service.worker.list_sweep import ListSweep
from service.worker.loop import Worker

log = logging.getLogger("qwirkle")


def open_worker(settings: Settings) -> Worker:
    """Connect a worker to the store; SettingsError if the settings are wrong."""
    client = open_client(settings)
    games = open_games(settings, client, bot_policy=worker_policy(settings.bot_budget))
    dispatcher = Dispatcher(
        games.store,
        WebhookQueue(client, uuid.uuid4().hex),
        games.keyring,
        Targets(settings.webhook_allow, settings.webhook_private),
        games.clock,
        tenant_urls=dict(settings.webhooks),
    )
    # Without API keys there are no tenants, and so no lists.
    sweep = ListSweep(games, Sweep(client)) if settings.api_keys else None
    return Worker(games, DueQueue(client), dispatcher, PubSub(client), sweep)


def run(settings: Settings, *, standalone: bool = False) -> int:
    """Work until SIGTERM or SIGINT, then finish the work in progress; returns 1 after a crash.

    A standalone worker says when it has started, and answers probes if it has a port. If SIGINT
    is blocked, as it is in a child of `qwirkle serve`, it stays so.
    """
    open_log(settings.log_level, settings.log_format)
    worker = open_worker(settings)
    if standalone and settings.metrics_port is not None:
        serve_probes(settings.host, settings.metrics_port, worker)
    # Blocked in every thread and waited for in this one, so that no handler interrupts anything.
    stop_signals = {signal.SIGTERM, signal.SIGINT} - signal.pthread_sigmask(signal.SIG_BLOCK, ())
    signal.pthread_sigmask(signal.SIG_BLOCK, stop_signals)
    with ThreadPoolExecutor(1, "worker") as thread:
        work = thread.submit(worker.run)
        work.add_done_callback(lambda _: os.kill(os.getpid(), signal.SIGTERM))
        if standalone:
            announce("The worker is running.", settings.log_format)
        signal.sigwait(stop_signals)
        worker.stop()
    metrics.forget_process()
    if crash := work.exception():
        log.critical("The worker crashed", exc_info=crash)
    return 1 if crash else 0


def serve_probes(host: str, port: int, worker: Worker) -> None:
    """Serve `/readyz`, `/livez` and `/metrics` in the background."""
    try:
        server, _ = start_http_server(port, host, metrics.EXPORTED)
    except OSError as error:
        raise SettingsError(
            f"QWIRKLE_METRICS_PORT: cannot listen on {host} port {port}: {error.strerror}."
        ) from error
    answer_metrics = server.get_app()

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        """Answer like the probes of `qwirkle serve`; 503 until the store answers."""
        path = environ["PATH_INFO"]
        if path not in {"/readyz", "/livez"}:
            return answer_metrics(environ, start_response)  # type: ignore[misc]  # it is never None
        alive = path == "/livez" or worker.ready
        start_response("200 OK" if alive else "503 Service Unavailable", [])
        return [b"ok\n" if alive else b"the store does not answer\n"]

    server.set_app(answer)


def main() -> int:
    """Run the only worker of a supervisor, with the settings of the environment."""
    metrics.name_process(f"{os.getppid()}.worker")
    try:
        return run(Settings.from_env(os.environ))
    except SettingsError as error:
        sys.stderr.write(f"qwirkle: {error}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())

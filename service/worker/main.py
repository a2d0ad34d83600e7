"""The process of one worker."""

import logging
import os
import signal
import sys
import threading
import uuid
from collections.abc import Callable

from service.config import Settings, SettingsError
from service.games.autoplay import worker_policy
from service.games.bootstrap import open_client, open_games
from service.games.webhook_urls import Targets
from service.store.due_queue import DueQueue
from service.store.wakeup import Wakeup
from service.store.webhook_queue import WebhookQueue
from service.telemetry import metrics
from service.telemetry.logging import open_log
from service.webhooks.dispatcher import Dispatcher
from service.worker.loop import Worker

log = logging.getLogger("qwirkle")


def open_worker(settings: Settings) -> Worker:
    """A worker on the store that the settings name; SettingsError if they are wrong."""
    client = open_client(settings)
    games = open_games(settings, client, bot_policy=worker_policy(settings.bot_budget))
    dispatcher = Dispatcher(
        games.store,
        WebhookQueue(client, uuid.uuid4().hex),
        games.keyring,
        Targets(settings.webhook_allow, settings.webhook_private),
        games.clock,
    )
    return Worker(games, DueQueue(client), dispatcher, Wakeup(client))


def run(settings: Settings, ready: Callable[[], None] = lambda: None) -> int:
    """Work until SIGTERM or SIGINT, then finish what is under way; returns 1 if it broke.

    A SIGINT that is blocked, as it is for a child of `qwirkle serve`, stays unheard.
    """
    open_log(settings.log_level, settings.log_format)
    metrics.PROCESSES.labels("worker").set(1)
    worker = open_worker(settings)
    # Blocked in every thread, and waited for in this one: no handler interrupts anything.
    heard = {signal.SIGTERM, signal.SIGINT} - signal.pthread_sigmask(signal.SIG_BLOCK, ())
    signal.pthread_sigmask(signal.SIG_BLOCK, heard)
    broken = threading.Event()

    def work() -> None:
        try:
            worker.run()
        except BaseException:
            log.critical("the worker broke", exc_info=True)
            broken.set()
            os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=work, name="worker")
    thread.start()
    ready()
    signal.sigwait(heard)
    worker.stop()
    thread.join()
    return 1 if broken.is_set() else 0


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

"""gunicorn's own log, in the form of everything else."""

import logging
import os
from typing import Any

from gunicorn.glogging import Logger

from service.config import Settings
from service.telemetry.logging import open_log


class ServerLog(Logger):  # type: ignore[misc]  # gunicorn ships no types
    """Has what gunicorn says written like what the service says."""

    def setup(self, cfg: Any) -> None:
        """Called by gunicorn, also when it reloads."""
        self.cfg = cfg
        settings = Settings.from_env(os.environ)
        open_log(settings.log_level, settings.log_format)
        # Below that it quotes paths and headers, and anything may be in those.
        self.loglevel = max(logging.INFO, self.LOG_LEVELS[cfg.loglevel])
        self.error_log.setLevel(self.loglevel)
        self.error_log.propagate = True

    def access(self, *_: Any) -> None:
        """Nothing: the application takes note of requests itself."""

"""gunicorn's own log, in the same format as ours."""

import logging
import os
from typing import Any

from gunicorn.glogging import Logger

from service.config import Settings
from service.telemetry.logging import open_log


class ServerLog(Logger):  # type: ignore[misc]  # gunicorn ships no types
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

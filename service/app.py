"""The application: settings in, a Flask application out."""

import os

from flask import Flask

from service.config import Settings


def create_app(settings: Settings | None = None) -> Flask:
    """Returns the application for these settings, or for those of the environment."""
    settings = settings or Settings.from_env(os.environ)
    app = Flask("service", static_folder=None)

    @app.get("/livez")
    def live() -> dict[str, str]:
        """Tells that the process answers."""
        return {"status": "ok"}

    return app

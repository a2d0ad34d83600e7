"""Liveness, readiness, metrics, and the editions of the game."""

from flask import Blueprint, Response, abort

from service.api.context import context
from service.api.request import query
from service.api.responses import json_response
from service.api.schemas import LEGAL_PLAYS_MOST
from service.rules.cells import REACH, SETUP_REACH
from service.rules.editions import EDITIONS
from service.rules.state import FEWEST_SEATS, MOST_SEATS
from service.rules.tiles import COLOURS, COPIES, HAND_SIZE, SHAPES, WHOLE_BAG
from service.telemetry.metrics import CONTENT_TYPE, exposition

health = Blueprint("health", __name__)


@health.get("/livez")
def is_alive() -> Response:
    """Report that the process answers, without asking the store."""
    return json_response({"status": "ok"}, 200)


@health.get("/readyz")
def is_ready() -> Response:
    """Report whether the store answers, and what an operator should know about it."""
    store = context().games.store
    store.ping()
    return json_response({"status": "ok", "warnings": store.warnings()}, 200)


@health.get("/metrics")
def get_metrics() -> Response:
    """The metrics of all processes of this server, for Prometheus."""
    if not context().settings.metrics:
        abort(404)
    headers = {"Cache-Control": "no-store", "Vary": "Accept-Encoding"}
    return Response(exposition(), 200, headers, content_type=CONTENT_TYPE)


@health.get("/v1/editions")
def list_editions() -> Response:
    """List the editions, the tiles and the limits."""
    query()
    limits = {
        "editions": [{"id": edition.id, "tie": edition.tie} for edition in EDITIONS.values()],
        "colours": COLOURS,
        "shapes": SHAPES,
        "limits": {
            "seats_least": FEWEST_SEATS,
            "seats_most": MOST_SEATS,
            "tiles": len(WHOLE_BAG),
            "copies": COPIES,
            "hand_size": HAND_SIZE,
            "reach": REACH,
            "setup_reach": SETUP_REACH,
            "legal_plays": LEGAL_PLAYS_MOST,
            "body_bytes": context().settings.max_body,
        },
    }
    return json_response(limits, 200)

"""Liveness, readiness, and what the service plays."""

from flask import Blueprint, Response, abort

from service.api.context import answer, context
from service.api.request import (
    query,
    require_json_wanted,
)
from service.api.schemas import LEGAL_PLAYS_MOST, NO_QUERY
from service.rules.cells import REACH, SETUP_REACH
from service.rules.editions import EDITIONS
from service.rules.state import FEWEST_SEATS, MOST_SEATS
from service.rules.tiles import COLOURS, COPIES, HAND_SIZE, SHAPES, WHOLE_BAG
from service.telemetry.metrics import CONTENT_TYPE, exposition

health = Blueprint("health", __name__)


@health.get("/livez")
def is_alive() -> Response:
    """Tells that the process answers; the store is not asked."""
    return answer({"status": "ok"}, 200)


@health.get("/readyz")
def is_ready() -> Response:
    """Tells whether the store answers, and what an operator should know of it."""
    store = context().games.store
    store.ping()
    return answer({"status": "ok", "warnings": store.warnings()}, 200)


@health.get("/metrics")
def tell_numbers() -> Response:
    """Tells what all processes of this server have counted, for Prometheus."""
    if not context().settings.metrics:
        abort(404)
    headers = {"Cache-Control": "no-store"}
    return Response(exposition(), 200, headers, content_type=CONTENT_TYPE)


@health.get("/v1/editions")
def list_editions() -> Response:
    """List the editions, the tiles and the limits."""
    require_json_wanted()
    query(NO_QUERY)
    shape = {
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
    return answer(shape, 200)

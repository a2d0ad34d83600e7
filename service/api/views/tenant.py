"""What a tenant sees of all its games."""

from flask import Blueprint, Response

from service.api.auth import require_tenant, tenant_of
from service.api.context import Context, context
from service.api.fields import cursor_text
from service.api.request import bearer, query
from service.api.responses import json_response
from service.api.rules_json import Document
from service.api.schemas import GamesQuerySchema
from service.api.serializers import serialize_listed_game
from service.games.list_pages import Cursor, ListQuery, read_page

tenant_views = Blueprint("tenant", __name__, url_prefix="/v1")

_GAMES_QUERY = GamesQuerySchema()


def calling_tenant(ctx: Context) -> str:
    """The tenant whose API key the request has; all other requests are refused."""
    token = bearer()
    return require_tenant(ctx, token, tenant_of(ctx, token))


@tenant_views.get("/games")
def list_games() -> Response:
    """List the tenant's games, newest action first."""
    ctx = context()
    tenant = calling_tenant(ctx)
    asked = query(_GAMES_QUERY)
    cursor = Cursor.unpack(asked["cursor"]) if asked["cursor"] else None
    which = ListQuery(tenant, asked["status"], asked["ref"])
    page = read_page(ctx.games, which, asked["limit"], cursor)
    shown = [serialize_listed_game(ctx.games, session) for session in page.sessions]
    following = cursor_text(page.following.pack()) if page.following else None
    return private_json({"games": shown, "next": following})


def private_json(document: Document) -> Response:
    """A document for its tenant alone."""
    response = json_response(document, 200)
    response.headers["Cache-Control"] = "private, no-cache"
    response.headers["Vary"] = "Authorization, Accept-Encoding"
    return response

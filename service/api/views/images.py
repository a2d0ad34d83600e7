"""Pictures of the board: what everybody sees of it, with the last play marked."""

from flask import Blueprint, Response

from service.api.client_address import client_address
from service.api.pipeline import Call, read
from service.api.round_robin import RoundRobinLock
from service.api.schemas import PictureQuerySchema, PngQuerySchema
from service.images.svg import draw_board
from service.images.svg_to_png import png_from

pictures = Blueprint("pictures", __name__, url_prefix="/v1/games")

_renderer = RoundRobinLock()


@pictures.get("/<game_id>/board.svg")
@read("anyone", query_schema=PictureQuerySchema())
def get_board_as_svg(call: Call) -> Response:
    """Get a picture of the table."""
    return _picture(_svg(call).encode(), "image/svg+xml")


@pictures.get("/<game_id>/board.png")
@read("anyone", query_schema=PngQuerySchema())
def get_board_as_png(call: Call) -> Response:
    """Get a picture of the table in pixels."""
    with _renderer.turn(client_address()):
        return _picture(png_from(_svg(call)), "image/png")


def _svg(call: Call) -> str:
    size, theme = call.query["size"], call.query["theme"]
    return draw_board(call.game.board.tiles, call.game.laid, size, theme)


def _picture(body: bytes, media_type: str) -> Response:
    """A picture; a browser that opens it by itself has nothing to load and nothing to run."""
    headers = {"Content-Security-Policy": "default-src 'none'; sandbox"}
    return Response(body, headers=headers, content_type=media_type)

"""Pictures of the board: what everybody sees of it, with the last play marked."""

from flask import Blueprint

from service.api import schemas
from service.api.client_address import client_address
from service.api.pipeline import Call, read
from service.images.png import png_from
from service.images.svg import draw_board

pictures = Blueprint("pictures", __name__, url_prefix="/v1/games")


@pictures.get("/<game_id>/board.svg")
@read("anyone", query_schema=schemas.PICTURE_QUERY, media_type="image/svg+xml")
def get_board_as_svg(call: Call) -> bytes:
    """Get a picture of the table."""
    return _svg(call).encode()


@pictures.get("/<game_id>/board.png")
@read("anyone", query_schema=schemas.PNG_QUERY, media_type="image/png")
def get_board_as_png(call: Call) -> bytes:
    """Get a picture of the table in pixels."""
    return png_from(_svg(call), client_address())


def _svg(call: Call) -> str:
    size, theme = call.query["size"], call.query["theme"]
    return draw_board(call.game.board.tiles, call.game.laid, size, theme)

"""Pictures of the table: what everybody sees of it, the last play marked."""

from flask import Blueprint, Response, g

from service.api import schemas
from service.api.client_address import client_address
from service.api.pipeline import Sight, read_picture
from service.images.png import png_from
from service.images.svg import draw_board

pictures = Blueprint("pictures", __name__, url_prefix="/v1/games")

# A browser that opens the picture by itself has nothing to load and nothing to run.
_POLICY = "default-src 'none'; sandbox"


@pictures.get("/<game_id>/board.svg")
def get_board_as_svg(game_id: str) -> Response:
    """Get a picture of the table."""
    return read_picture(
        game_id,
        "image/svg+xml",
        lambda sight: _drawn(sight).encode(),
        schemas.PICTURE_QUERY,
        _POLICY,
    )


@pictures.get("/<game_id>/board.png")
def get_board_as_png(game_id: str) -> Response:
    """Get a picture of the table in pixels."""
    return read_picture(
        game_id,
        "image/png",
        lambda sight: png_from(_drawn(sight), client_address()),
        schemas.PNG_QUERY,
        _POLICY,
    )


def _drawn(sight: Sight) -> str:
    game = sight.session.game
    return draw_board(game.board.tiles, game.laid, g.query["size"], g.query["theme"])

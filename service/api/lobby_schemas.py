"""The schemas of the lobby's requests."""

from service.api import fields
from service.api.schemas import LONGEST_TURN, StrictSchema
from service.games.lobby_pages import LOBBY_CURSOR_BYTES
from service.rules.editions import DEFAULT_EDITION, EDITIONS
from service.rules.shuffle import LONGEST_ENTROPY
from service.rules.state import FEWEST_SEATS, MOST_SEATS


class MatchSchema(StrictSchema):
    """The body of a match: who wants to play, and at what kind of table."""

    name = fields.PlayerName(1, 40, required=True)
    age = fields.WholeNumber(0, 150, load_default=None)
    ref = fields.Text(0, 128, load_default=None)
    entropy = fields.Text(0, LONGEST_ENTROPY, load_default=None)
    seats = fields.WholeNumber(FEWEST_SEATS, MOST_SEATS, required=True)
    edition = fields.Choice(EDITIONS, load_default=DEFAULT_EDITION)
    turn_seconds = fields.WholeNumber(10, LONGEST_TURN, load_default=None)


class LobbyQuerySchema(StrictSchema):
    """The query string of the lobby."""

    seats = fields.WholeNumberText(FEWEST_SEATS, MOST_SEATS, allow_none=False, load_default=None)
    edition = fields.Choice(EDITIONS, allow_none=False, load_default=None)
    limit = fields.WholeNumberText(1, 100, load_default=20)
    cursor = fields.CursorText(LOBBY_CURSOR_BYTES, allow_none=False, load_default=None)

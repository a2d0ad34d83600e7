"""A marshmallow schema for every request body and query string.

Loaded data has every member; those left out have their defaults. `openapi.yaml` states the same
limits, and a test compares the two.
"""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, post_load, validates_schema

from service.api import fields
from service.api.problems import MAX_ERRORS
from service.bots import BOTS
from service.games.feed import FEED_CURSOR_BYTES
from service.games.list_pages import CURSOR_BYTES
from service.games.webhook_urls import LONGEST_URL
from service.i18n import say
from service.images.theme import THEMES
from service.rules.cells import REACH, SETUP_REACH
from service.rules.editions import DEFAULT_EDITION, EDITIONS
from service.rules.shuffle import LONGEST_ENTROPY
from service.rules.starting_position import Setup
from service.rules.state import FEWEST_SEATS, MOST_SEATS, PHASES
from service.rules.tiles import HAND_SIZE, WHOLE_BAG

LEGAL_PLAYS_MOST = 5000
LONGEST_TURN = 1_209_600
LARGEST_METADATA = 2048
EVENT_NUMBER_MOST = 999_999_999


class StrictSchema(Schema):
    """A schema that refuses unknown members and names the known ones.

    A body that is not ``needed`` may be missing or null, and then loads like an empty object.
    """

    needed = True

    class Meta:
        """marshmallow's options."""

        unknown = RAISE

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        known = ", ".join(self.fields)
        self.error_messages = self.error_messages | {
            "unknown": say("field.unknown", known=known) if known else say("field.none_known"),
            "type": say("field.object"),
        }

    def load(self, data: Any, **kwargs: Any) -> Any:
        """Load the data; of the unknown members, no more than a response lists."""
        if isinstance(data, dict) and len(data) > len(self.fields) + MAX_ERRORS:
            unknown = (name for name in data if name not in self.fields)
            told = {*self.fields, *islice(unknown, MAX_ERRORS)}
            data = {name: value for name, value in data.items() if name in told}
        return super().load(data, **kwargs)


class NewPlayerSchema(StrictSchema):
    """A player seated at creation."""

    name = fields.PlayerName(1, 40, required=True)
    age = fields.WholeNumber(0, 150, load_default=None)
    ref = fields.Text(0, 128, load_default=None)
    bot = fields.Choice(BOTS, load_default=None)


class SetupSchema(StrictSchema):
    """A position to start from; it loads as a `Setup`."""

    board = fields.Placements(0, len(WHOLE_BAG), SETUP_REACH, load_default=None)
    hands = fields.ListOf(
        fields.ListOf(fields.TileName(), 0, HAND_SIZE, allow_none=True),
        FEWEST_SEATS,
        MOST_SEATS,
        load_default=None,
    )
    bag = fields.ListOf(fields.TileName(), 0, len(WHOLE_BAG), load_default=None)
    scores = fields.ListOf(fields.WholeNumber(0, 9999), FEWEST_SEATS, MOST_SEATS, load_default=None)
    turn = fields.WholeNumber(0, MOST_SEATS - 1, load_default=None)

    @post_load
    def _setup(self, data: dict[str, Any], **_: object) -> Setup:
        return Setup(**data | {"board": data["board"] or ()})


class NewGameSchema(StrictSchema):
    """The body of a creation; once loaded, `seats` is always a number."""

    edition = fields.Choice(EDITIONS, load_default=DEFAULT_EDITION)
    seats = fields.WholeNumber(FEWEST_SEATS, MOST_SEATS, load_default=None)
    players = fields.ListOf(fields.ObjectOf(NewPlayerSchema()), 0, MOST_SEATS, load_default=list)
    private = fields.Flag(load_default=False)
    listed = fields.Flag(load_default=False)
    auto_deal = fields.Flag(load_default=False)
    auto_bid = fields.Flag(load_default=False)
    hints = fields.Flag(load_default=True)
    turn_seconds = fields.WholeNumber(10, LONGEST_TURN, load_default=None)
    seed = fields.Text(1, 64, load_default=None)
    setup = fields.ObjectOf(SetupSchema(), load_default=None)
    metadata = fields.JsonObject(LARGEST_METADATA, load_default=None)
    webhook_url = fields.WebAddress(1, LONGEST_URL, load_default=None)

    @validates_schema(skip_on_field_errors=True)
    def _fits_the_table(self, data: Mapping[str, Any], **_: object) -> None:
        players, seats = len(data["players"]), data["seats"]
        if seats is None:
            if players < FEWEST_SEATS:
                raise ValidationError(say("field.seats_needed"), "seats")
            seats = players
        if players > seats:
            raise ValidationError(say("field.for_seats", given=players, seats=seats), "players")
        self._setup_fits(data["setup"] or Setup(), seats)

    def _setup_fits(self, setup: Setup, seats: int) -> None:
        faults = {}
        for member, given in (("hands", setup.hands), ("scores", setup.scores)):
            if given is not None and len(given) != seats:
                faults[member] = [say("field.for_seats", given=len(given), seats=seats)]
        if setup.turn is not None and setup.turn >= seats:
            faults["turn"] = [say("field.seat", last=seats - 1)]
        if faults:
            raise ValidationError({"setup": faults})

    @post_load
    def _count_the_seats(self, data: dict[str, Any], **_: object) -> dict[str, Any]:
        if data["seats"] is None:
            data["seats"] = len(data["players"])
        return data


class TakeSeatSchema(StrictSchema):
    """The body of joining a game."""

    name = fields.PlayerName(1, 40, required=True)
    age = fields.WholeNumber(0, 150, load_default=None)
    ref = fields.Text(0, 128, load_default=None)
    entropy = fields.Text(0, LONGEST_ENTROPY, load_default=None)
    join_code = fields.Text(1, 64, load_default=None)


class JoinByCodeSchema(TakeSeatSchema):
    """The body of joining a game that only its code names."""

    join_code = fields.Text(1, 64, required=True)


class UpdateGameSchema(StrictSchema):
    """The body of an update; what is left out stays as it is, and is not loaded."""

    seats = fields.WholeNumber(FEWEST_SEATS, MOST_SEATS)
    private = fields.Flag()
    listed = fields.Flag()
    auto_deal = fields.Flag()
    hints = fields.Flag()
    turn_seconds = fields.WholeNumber(10, LONGEST_TURN, allow_none=True)
    metadata = fields.JsonObject(LARGEST_METADATA, allow_none=True)


class AddBotSchema(StrictSchema):
    """The body of seating a bot."""

    bot = fields.Choice(BOTS, required=True)
    name = fields.PlayerName(1, 40, load_default=None)


class DealSchema(StrictSchema):
    """The body of a deal."""

    needed = False
    entropy = fields.Text(0, LONGEST_ENTROPY, load_default=None)


class RematchSchema(DealSchema):
    """The body of asking for a rematch."""


class BidSchema(StrictSchema):
    """The body of a bid: a length or the tiles of a longest line; the other one loads as null."""

    length = fields.WholeNumber(1, HAND_SIZE, allow_none=False, load_default=None)
    tiles = fields.ListOf(fields.TileName(), 1, HAND_SIZE, allow_none=False, load_default=None)

    @validates_schema(skip_on_field_errors=True)
    def _is_one_of_two(self, data: Mapping[str, Any], **_: object) -> None:
        if (data["length"] is None) == (data["tiles"] is None):
            raise ValidationError(say("field.one_of_two"))


class PlaySchema(StrictSchema):
    """The body of a play."""

    placements = fields.Placements(1, HAND_SIZE, REACH, required=True)


class ExchangeSchema(StrictSchema):
    """The body of an exchange."""

    tiles = fields.ListOf(fields.TileName(), 1, HAND_SIZE, required=True)


class ForkSchema(StrictSchema):
    """The body of a fork."""

    after = fields.WholeNumber(1, EVENT_NUMBER_MOST, required=True)


class RenewalSchema(StrictSchema):
    """The body of a token renewal."""

    needed = False
    seat = fields.WholeNumber(0, MOST_SEATS - 1, load_default=None)


class EmptySchema(StrictSchema):
    """The body, or the query string, of an operation that takes none."""

    needed = False


EMPTY = EmptySchema()


class GamesQuerySchema(StrictSchema):
    """The query string of a tenant's games."""

    status = fields.Choice(PHASES, allow_none=False, load_default=None)
    ref = fields.Text(0, 128, allow_none=False, load_default=None)
    limit = fields.WholeNumberText(1, 100, load_default=20)
    cursor = fields.CursorText(CURSOR_BYTES, allow_none=False, load_default=None)


class LegalPlaysQuerySchema(StrictSchema):
    """The query string of the legal plays."""

    limit = fields.WholeNumberText(1, LEGAL_PLAYS_MOST, load_default=100)
    sort = fields.Choice(("points",), allow_none=False, load_default=None)


class ScoreQuerySchema(StrictSchema):
    """The query string of the score sheet."""

    after = fields.WholeNumberText(0, EVENT_NUMBER_MOST, load_default=0)
    # A long game has 150 turns: by default it comes in one page.
    limit = fields.WholeNumberText(1, 1000, load_default=200)


class EventsQuerySchema(StrictSchema):
    """The query string of the log."""

    after = fields.WholeNumberText(0, EVENT_NUMBER_MOST, load_default=0)
    limit = fields.WholeNumberText(1, 1000, load_default=100)
    wait = fields.WholeNumberText(0, 30, load_default=0)


class FeedQuerySchema(StrictSchema):
    """The query string of a tenant's feed."""

    after = fields.CursorText(FEED_CURSOR_BYTES, word="now", allow_none=False, load_default=None)
    limit = fields.WholeNumberText(1, 1000, load_default=100)
    wait = fields.WholeNumberText(0, 30, load_default=0)


class FeedStreamQuerySchema(StrictSchema):
    """The query string of the stream of a tenant's feed."""

    after = fields.CursorText(FEED_CURSOR_BYTES, word="now", allow_none=False, load_default=None)


class StreamQuerySchema(StrictSchema):
    """The query string of a stream of events."""

    after = fields.WholeNumberText(0, EVENT_NUMBER_MOST, load_default=0)


class PictureQuerySchema(StrictSchema):
    """The query string of a picture."""

    size = fields.WholeNumberText(64, 4096, load_default=600)
    theme = fields.Choice(THEMES, load_default="light")


class PngQuerySchema(PictureQuerySchema):
    """The query string of a picture in pixels."""

    size = fields.WholeNumberText(64, 1200, load_default=600)  # see docs/decisions/pictures.md

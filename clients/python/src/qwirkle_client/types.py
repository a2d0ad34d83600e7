"""The JSON of requests and answers. Generated from openapi.yaml: do not edit.

Answers may have more members than these: new ones are added without notice.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

Tile: TypeAlias = Literal[
    "red-circle",
    "red-square",
    "red-diamond",
    "red-star",
    "red-clover",
    "red-cross",
    "orange-circle",
    "orange-square",
    "orange-diamond",
    "orange-star",
    "orange-clover",
    "orange-cross",
    "yellow-circle",
    "yellow-square",
    "yellow-diamond",
    "yellow-star",
    "yellow-clover",
    "yellow-cross",
    "green-circle",
    "green-square",
    "green-diamond",
    "green-star",
    "green-clover",
    "green-cross",
    "blue-circle",
    "blue-square",
    "blue-diamond",
    "blue-star",
    "blue-clover",
    "blue-cross",
    "purple-circle",
    "purple-square",
    "purple-diamond",
    "purple-star",
    "purple-clover",
    "purple-cross",
]
"""A tile: its colour, a hyphen and its shape. Each of the 36 kinds exists three times."""

TileName: TypeAlias = str
"""One of the names of `Tile`, as plain text. For lists of hands: generators of clients lose an
enumeration inside a list of lists."""

EditionId: TypeAlias = Literal["schmidt", "travel", "polish", "english", "russian"]
"""The edition of the rules. Editions differ in who opens when bids are equal."""

GameStatus: TypeAlias = Literal["waiting", "bidding", "playing", "finished"]
"""waiting: for players or the deal. bidding: each player declares the longest line in their
hand. playing: turn by turn. finished: nothing can change any more."""

EventType: TypeAlias = Literal[
    "created", "joined", "updated", "dealt", "bid", "played", "exchanged", "passed", "resigned"
]
"""What happened."""

EndReason: TypeAlias = Literal["hand_empty", "all_passed", "blocked", "last_player"]
"""hand_empty: a player laid their last tile while the bag was empty. all_passed: nobody can
place a tile. blocked: no remaining tile fits anywhere. last_player: the others have left."""

Metadata: TypeAlias = dict[str, Any]
"""Any JSON object of at most 2,048 bytes when written without spaces. Kept as given and shown
only to the host."""

BotKind: TypeAlias = Literal["random", "easy", "greedy", "cautious", "medium", "hard", "expert"]
"""A kind of bot, from the weakest to the strongest. `easy`, `medium`, `hard` and `expert` are
levels for people; `random` plays anything, `greedy` takes the most points, and `cautious`
avoids giving away a Qwirkle."""

FeedEventType: TypeAlias = Literal[
    "created",
    "joined",
    "updated",
    "dealt",
    "bid",
    "played",
    "exchanged",
    "passed",
    "resigned",
    "rematch",
    "deleted",
]
"""What happened. `deleted`: the game is gone. `rematch`: somebody has come to the rematch of
this finished game."""

VerifyRecordRequest: TypeAlias = dict[str, Any]
"""A record. Any other JSON object gets a report too, if its numbers can be represented:
integers in 64 bits, others as double-precision numbers."""

TieBreak: TypeAlias = Literal["youngest", "oldest"]
"""Who opens when bids are equal. If one of those tied gave no age, or several share the
deciding age, a lot decides among those still tied."""

OpenApiDocument: TypeAlias = dict[str, Any]
"""An OpenAPI 3.1 document."""

ProblemCode: TypeAlias = Literal[
    "malformed_request",
    "token_missing",
    "token_invalid",
    "host_only",
    "player_only",
    "hints_off",
    "api_key_required",
    "join_code_wrong",
    "game_not_found",
    "join_code_unknown",
    "not_found",
    "method_not_allowed",
    "wrong_phase",
    "not_your_turn",
    "already_bid",
    "table_full",
    "seats_open",
    "game_too_long",
    "not_forkable",
    "request_in_flight",
    "stale_version",
    "body_too_large",
    "unsupported_media_type",
    "tiles_not_in_hand",
    "cell_occupied",
    "cell_repeated",
    "not_in_one_line",
    "line_has_gap",
    "not_touching",
    "line_too_long",
    "line_repeats_tile",
    "line_mixed",
    "opening_not_longest",
    "opening_off_centre",
    "must_open",
    "exchange_exceeds_bag",
    "bag_empty",
    "must_play",
    "must_exchange",
    "bid_too_high",
    "bid_too_low",
    "seats_taken",
    "setup_impossible",
    "idempotency_key_reused",
    "rate_limited",
    "streams_full",
    "store_unavailable",
    "store_damaged",
    "internal_error",
]
"""What went wrong, as a stable code for programs. [The list of problems](/docs/problems)
explains each. Codes may be added: treat one you do not know by its `status`, and generate
clients so that they accept it."""


class Cell(TypedDict):
    """A cell of the table. The table has no edge; the opening line covers (0, 0)."""

    x: int
    """Grows to the right."""
    y: int
    """Grows downwards."""


class Placement(TypedDict):
    """One tile laid on one cell. It has exactly these members, so that a play listed in an
    answer can be sent as it is."""

    tile: Tile
    x: int
    """Column; grows to the right."""
    y: int
    """Row; grows downwards."""


class SetupPlacement(TypedDict):
    """A tile that lies on the table from the start."""

    tile: Tile
    x: int
    """Column; grows to the right."""
    y: int
    """Row; grows downwards."""


class BoardTile(TypedDict):
    """A tile on the table."""

    tile: Tile
    x: int
    """Column; grows to the right."""
    y: int
    """Row; grows downwards."""
    turn: int
    """The number of the turn in which it was laid; 0 if it lay there from the start."""


class Line(TypedDict):
    """A line that a play formed or extended."""

    cells: list[Cell]
    """Its cells, from left to right or from top to bottom."""
    points: int
    """One for each tile, and 6 more for a Qwirkle."""
    qwirkle: bool
    """Whether it is complete: six tiles."""


class Play(TypedDict):
    """What a play scored."""

    points: int
    """What its lines score, including the 6 extra points for each Qwirkle."""
    lines: list[Line]
    """Every line formed or extended; none for a single opening tile."""
    bonus: int
    """6 for ending the game by laying the last tile, otherwise 0. The score grows by points
    plus bonus."""
    drew: list[Tile] | None
    """The tiles drawn to refill the hand; null in a preview."""


class LegalPlay(TypedDict):
    """A play that the rules allow now."""

    placements: list[Placement]
    """What would be laid."""
    points: int
    """What it would score."""
    lines: list[Line]
    """The lines it would form or extend."""


class Player(TypedDict):
    """A taken seat, as everybody sees it."""

    seat: int
    """The seat, counted from 0 clockwise."""
    name: str
    """The player's name."""
    bot: str | None
    """The kind of bot that plays the seat; null for a person."""
    score: int
    """Points so far, including the bonus."""
    hand_count: int
    """How many tiles the player holds."""
    bid: int | None
    """The length of the player's bid; null before the bid."""
    resigned: bool
    """Whether the player has left for good. A player who has left cannot win."""


class Turn(TypedDict):
    """Whose turn it is."""

    number: int
    """Counted from 1; 0 during the bids."""
    seat: int | None
    """The seat whose turn it is; null during the bids."""
    opening: bool
    """Whether this is the opening turn, in which a line of the bid length must be laid."""
    deadline: str | None
    """When the time for the bids or the turn runs out and the service acts for the late player;
    null without a time limit."""


class LastEvent(TypedDict):
    """The newest event."""

    n: int
    """Its number, equal to the version."""
    type: EventType


class You(TypedDict):
    """What only you see, the player whose token was sent."""

    seat: int
    """Your seat."""
    hand: list[Tile]
    """Your tiles."""
    actions: list[Literal["bid", "play", "exchange", "pass"]]
    """What you may do now."""


class HostPlayer(TypedDict):
    """The host's own note about a player."""

    seat: int
    """The seat, counted from 0 clockwise."""
    ref: str | None
    """Your own id for the player; null if none was given."""


class HostView(TypedDict):
    """What only the host sees."""

    join_code: str | None
    """What players can join with, such as `K7QF-2M9X`, and need if the game is private; null
    once the game has started."""
    metadata: Metadata | None
    """Your own notes."""
    players: list[HostPlayer]
    """One entry for each taken seat."""
    webhook_url: str | None
    """The URL to which turns and the end of the game are reported."""
    webhook_secret: str | None
    """The secret that reports are signed with; null if there is no `webhook_url`."""


class Game(TypedDict):
    """A game as its viewer may see it. Hands, drawn tiles and the bag's order are never shown
    to others."""

    id: str
    """Cannot be guessed. Anybody who knows it may watch."""
    edition: EditionId
    status: GameStatus
    version: int
    """The number of the newest event; creation is 1."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When the newest event happened."""
    expires_at: str
    """When the service will delete the game, unless something happens in it before."""
    seeded: bool
    """Whether the creator gave a seed. Anybody who knows the seed knows every draw, so nothing
    is secret."""
    setup: bool
    """Whether the game began from a given position."""
    private: bool
    """Whether joining needs the join code."""
    listed: bool
    """Whether the lobby shows the game while it has an open seat. A private game is not shown."""
    auto_deal: bool
    """Whether the tiles are dealt as soon as every seat is taken."""
    hints: bool
    """Whether players may ask for legal plays."""
    turn_seconds: int | None
    """The time for the bids and for each turn, in seconds; null for no limit."""
    commitment: str
    """`sha256:` and the SHA-256 of the secret that the draws follow from, so that they can be
    checked afterwards. It is fixed at the creation and never changes."""
    seed: str | None
    """The secret as 64 hex digits once the game is finished; null before."""
    players: list[Player]
    """The taken seats, in seat order."""
    seats: int
    """How many seats the table has."""
    reserved: list[int]
    """The open seats that only players of the previous game can take, by asking for this
    rematch; empty if this is not a rematch."""
    turn: Turn | None
    """Whose turn it is; null while waiting and when finished."""
    bag_count: int
    """How many tiles the bag holds."""
    removed_count: int
    """How many tiles left the game with players who resigned while the bag was empty."""
    board: list[BoardTile]
    """The tiles on the table, in the order laid."""
    last_event: LastEvent
    winners: list[int] | None
    """The winning seats, several if they share the victory; null until finished."""
    end: EndReason | None
    """Why the game ended; null until finished."""
    rematch: RematchOffer | None
    """The rematch of this finished game; null until somebody asks for it."""
    you: You | None
    """What only you see; null if you are not a player."""
    host: HostView | None
    """What only the host sees; null for anybody else."""


class SeatToken(TypedDict):
    """The token of a seat."""

    seat: int
    """The seat, counted from 0 clockwise."""
    token: str | None
    """The player token, shown here only; null for a bot."""


class RematchOffer(TypedDict):
    """A rematch that somebody has asked for."""

    game_id: str
    """The id of the new game."""
    seats: list[int]
    """The seats, in the finished game, of the players who have come, bots included; as of the
    last time that somebody asked."""


class Rematch(TypedDict):
    """A new game with the same players."""

    game: Game
    seat: int | None
    """Your seat in the new game; null for the host."""
    token: str
    """The token of your seat, or of the host, in the new game."""


class DealRequest(TypedDict):
    """What the host adds to the deal."""

    entropy: NotRequired[str | None]
    """A text that enters every draw, best a random one; shown in the log from now on."""


class RematchRequest(TypedDict):
    """What a player who takes their seat adds to the rematch."""

    entropy: NotRequired[str | None]
    """A text that enters every draw of the rematch, best a random one; shown in the log once it
    has begun."""


class RenewTokenRequest(TypedDict):
    """Whose token to renew."""

    seat: NotRequired[int | None]
    """A seat; null for the caller's own token."""


class RenewedToken(TypedDict):
    """A token that replaces an older one."""

    seat: int | None
    """The seat that it acts for; null for the host."""
    token: str
    """The token that is valid from now on."""


class PlayerRequest(TypedDict):
    """A player seated at creation."""

    name: str
    """1 to 40 characters after trimming, at least one of them visible; no control characters,
    and none that change the direction of text."""
    age: NotRequired[int | None]
    """Decides who opens when bids are equal; never shown to anyone."""
    ref: NotRequired[str | None]
    """Your own id for the player; shown only to the host."""
    bot: NotRequired[BotKind | None]
    """The kind of bot that plays the seat; null for a person. Without an API key a table may
    have only a few bots."""


class Setup(TypedDict):
    """A position from which the game starts, without a deal, as soon as all seats are taken.
    There may be at most three tiles of a kind in total, the board must be valid and connected,
    and a hand may have fewer than six tiles only if the bag is empty."""

    board: NotRequired[list[SetupPlacement] | None]
    """The tiles on the table. Null or empty: the game starts with the bids."""
    hands: NotRequired[list[list[TileName] | None] | None]
    """One entry for each seat. A null hand is drawn from the bag; if this is null, all hands
    are."""
    bag: NotRequired[list[Tile] | None]
    """The bag in the order in which tiles are drawn; null: all tiles not given elsewhere,
    mixed."""
    scores: NotRequired[list[int] | None]
    """Points so far, one entry for each seat; null: all 0."""
    turn: NotRequired[int | None]
    """The seat whose turn it is; null: seat 0. Allowed only with a board, since without one the
    bids decide."""


class CreateGameRequest(TypedDict):
    """The game to create. Every member is optional, except that `seats` is needed unless two or
    more `players` are given."""

    edition: NotRequired[EditionId]
    seats: NotRequired[int | None]
    """The number of players; null: as many as there are `players`. The remaining seats stay
    open for others to join."""
    players: NotRequired[list[PlayerRequest]]
    """The players to seat, from seat 0 on."""
    private: NotRequired[bool]
    """Whether joining needs the join code."""
    listed: NotRequired[bool]
    """Whether the lobby shows the game while it has an open seat, and a match may seat
    somebody. A private game is not shown."""
    auto_deal: NotRequired[bool]
    """Whether the tiles are dealt as soon as every seat is taken, without the host. A game with
    a `setup` starts by itself anyway."""
    auto_bid: NotRequired[bool]
    """Whether the service bids for everyone at the deal."""
    hints: NotRequired[bool]
    """Whether players may ask for legal plays."""
    turn_seconds: NotRequired[int | None]
    """The time for all bids together, and then for each turn, in seconds; null for no limit. Up
    to 14 days."""
    seed: NotRequired[str | None]
    """Makes the whole game reproducible: the same seed, players and actions lead to the same
    draws. Nothing is secret from anybody who knows it."""
    setup: NotRequired[Setup | None]
    """A position to start from."""
    metadata: NotRequired[Metadata | None]
    """Your own notes."""
    webhook_url: NotRequired[str | None]
    """The URL to which turns and the end of the game are reported, as signed messages that
    follow Standard Webhooks. The operator decides which hosts are allowed; by default none are,
    and only null is accepted."""


class CreatedGame(TypedDict):
    """The new game and its tokens. Keep them: they are shown only here."""

    game: Game
    host_token: str
    """Acts for the creator: changes the table, deals, deletes."""
    join_code: str | None
    """What players can join with, such as `K7QF-2M9X`, and need if the game is private; null
    once the game has started."""
    webhook_secret: str | None
    """The secret that reports to `webhook_url` are signed with; null if there is none."""
    players: list[SeatToken]
    """A token for each player given."""


class JoinRequest(TypedDict):
    """Who takes the seat."""

    name: str
    """1 to 40 characters after trimming, at least one of them visible; no control characters,
    and none that change the direction of text."""
    age: NotRequired[int | None]
    """Decides who opens when bids are equal; never shown to anyone."""
    ref: NotRequired[str | None]
    """An id that the host knows the player by; shown only to the host."""
    entropy: NotRequired[str | None]
    """A text that enters every draw, best a random one; shown in the log once the game begins."""
    join_code: NotRequired[str | None]
    """Needed if the game is private."""


class JoinByCodeRequest(TypedDict):
    """Who takes the seat."""

    name: str
    """1 to 40 characters after trimming, at least one of them visible; no control characters,
    and none that change the direction of text."""
    age: NotRequired[int | None]
    """Decides who opens when bids are equal; never shown to anyone."""
    ref: NotRequired[str | None]
    """An id that the host knows the player by; shown only to the host."""
    entropy: NotRequired[str | None]
    """A text that enters every draw, best a random one; shown in the log once the game begins."""
    join_code: str
    """The code of a waiting game, such as `K7QF-2M9X`."""


class MatchRequest(TypedDict):
    """Who wants to play, and at what kind of table."""

    name: str
    """1 to 40 characters after trimming, at least one of them visible; no control characters,
    and none that change the direction of text."""
    age: NotRequired[int | None]
    """Decides who opens when bids are equal; never shown to anyone."""
    ref: NotRequired[str | None]
    """An id that the host knows the player by; shown only to the host."""
    entropy: NotRequired[str | None]
    """A text that enters every draw, best a random one; shown in the log once the game begins."""
    seats: int
    """How many players the game has."""
    edition: NotRequired[EditionId]
    turn_seconds: NotRequired[int | None]
    """How long a turn may take; null for no limit. Only people who want the same are matched."""


class OpenTable(TypedDict):
    """A game that waits for players."""

    id: str
    """The id of the game."""
    edition: EditionId
    seats: int
    """How many seats it has."""
    taken: int
    """How many seats are taken, or reserved."""
    names: list[str]
    """The names of those who sit there, in seat order."""
    turn_seconds: int | None
    """How long a turn may take; null for no limit."""
    seeded: bool
    """Whether its creator gave the seed, and so can know every draw."""
    setup: bool
    """Whether it starts from a given position."""
    created_at: str
    """When it was created."""


class LobbyPage(TypedDict):
    """A page of open tables."""

    games: list[OpenTable]
    """The newest first."""
    next: str | None
    """The `cursor` of the next page; null if this is the last one."""


class SeatTaken(TypedDict):
    """Your seat, your token and the game."""

    seat: int
    """Your seat."""
    token: str
    """Your player token. Shown only here."""
    game: Game


class UpdateGameRequest(TypedDict):
    """What to change. What is left out stays as it is."""

    seats: NotRequired[int]
    """The number of seats."""
    private: NotRequired[bool]
    """Whether joining needs the join code."""
    listed: NotRequired[bool]
    """Whether the lobby shows the game while it has an open seat."""
    auto_deal: NotRequired[bool]
    """Whether the tiles are dealt as soon as every seat is taken. If all are taken already,
    they are dealt at once. The answer shows the table just before the deal."""
    hints: NotRequired[bool]
    """Whether players may ask for legal plays."""
    turn_seconds: NotRequired[int | None]
    """The time for all bids together, and then for each turn; null for no limit."""
    metadata: NotRequired[Metadata | None]
    """Your own notes, in place of the old ones; null for none."""


class AddBotRequest(TypedDict):
    """The bot to seat."""

    bot: BotKind
    name: NotRequired[str | None]
    """1 to 40 characters after trimming, at least one of them visible; no control characters,
    and none that change the direction of text. Null: the kind of bot."""


class BotSeated(TypedDict):
    """The bot's seat, and the game."""

    seat: int
    """The bot's seat."""
    game: Game


class BidRequest(TypedDict):
    """The longest line in your hand: give either its length or its tiles."""

    length: NotRequired[int]
    """How many tiles it has."""
    tiles: NotRequired[list[Tile]]
    """The tiles of one longest line. Nobody else sees them."""


class Bid(TypedDict):
    """A bid, as everybody sees it."""

    seat: int
    """The seat, counted from 0 clockwise."""
    length: int
    """The length of the longest line."""


class BidMade(TypedDict):
    """Your bid and the game after it."""

    bid: Bid
    game: Game


class PlayRequest(TypedDict):
    """The tiles to lay, in any order."""

    placements: list[Placement]
    """One entry for each tile."""


class PlayMade(TypedDict):
    """Your play and the game after it."""

    play: Play
    game: Game


class PlayPreview(TypedDict):
    """What the play would score. Nothing was changed or drawn."""

    play: Play


class ExchangeRequest(TypedDict):
    """The tiles to give back."""

    tiles: list[Tile]
    """From your hand; at most as many as the bag holds."""


class Exchange(TypedDict):
    """An exchange, as its player sees it."""

    count: int
    """How many tiles were exchanged."""
    drew: list[Tile]
    """The tiles drawn."""


class ExchangeMade(TypedDict):
    """Your exchange and the game after it."""

    exchange: Exchange
    game: Game


class GameAfter(TypedDict):
    """The game after your action."""

    game: Game


class PlayerScore(TypedDict):
    """A player's points."""

    seat: int
    """The seat, counted from 0 clockwise."""
    name: str
    """The player's name."""
    score: int
    """Points, including the bonus."""
    bonus: int
    """6 for ending the game, otherwise 0."""


class ScoredTurn(TypedDict):
    """A completed turn."""

    number: int
    """Counted from 1."""
    seat: int
    """The seat, counted from 0 clockwise."""
    type: Literal["played", "exchanged", "passed"]
    """How a turn was used."""
    points: int
    """What its lines scored."""
    bonus: int
    """6 if it ended the game, otherwise 0."""
    lines: list[Line]
    """The lines formed or extended; empty if none."""


class EventHead(TypedDict):
    """What every event has."""

    id: str
    """Its number and a tag. If the store loses events and others take their numbers, the tags
    differ. Send it as `Last-Event-ID`."""
    n: int
    """Its number, from 1 without a gap."""
    seat: int | None
    """Whose event it is; null for created, updated and dealt."""
    at: str
    """When it happened."""
    timeout: bool
    """Whether the service acted for a player whose time had run out."""
    end: EndReason | None
    """Why the game ended; null unless this event ended it."""
    winners: list[int] | None
    """The seats that won; null unless this event ended the game."""


class CreatedEvent(EventHead):
    """The game was created."""

    type: Literal["created"]
    """What happened."""


class JoinedEvent(EventHead):
    """Somebody took an open seat."""

    type: Literal["joined"]
    """What happened."""
    name: str
    """The player's name."""
    entropy: str | None
    """What the player added to the draws, once the game has begun; null before, or if nothing
    was added."""


class UpdatedEvent(EventHead):
    """The host changed the table while it was waiting. The members say how it is now."""

    type: Literal["updated"]
    """What happened."""
    seats: int
    """The number of seats."""
    private: bool
    """Whether joining needs the join code."""
    listed: bool
    """Whether the lobby shows the game while it has an open seat."""
    auto_deal: bool
    """Whether the tiles are dealt as soon as every seat is taken."""
    hints: bool
    """Whether players may ask for legal plays."""
    turn_seconds: int | None
    """The time for the bids and for each turn, in seconds; null for no limit."""


class DealtEvent(EventHead):
    """The tiles were mixed and dealt."""

    type: Literal["dealt"]
    """What happened."""
    bids: list[Bid] | None
    """Everybody's bid, with `auto_bid`; null without."""
    drew: list[Tile] | None
    """Your first hand; null if you are not a player."""
    entropy: str | None
    """What the host added to the draws; null if nothing."""


class BidEvent(EventHead):
    """A player declared the longest line in their hand."""

    type: Literal["bid"]
    """What happened."""
    length: int
    """The length of the line."""


class PlayedEvent(EventHead):
    """A player laid tiles."""

    type: Literal["played"]
    """What happened."""
    placements: list[Placement]
    """What was laid."""
    points: int
    """What the lines score."""
    lines: list[Line]
    """Every line formed or extended."""
    bonus: int
    """6 for ending the game, otherwise 0."""
    count: int
    """How many tiles were drawn."""
    drew: list[Tile] | None
    """What you drew; null if it was not you."""


class ExchangedEvent(EventHead):
    """A player exchanged tiles."""

    type: Literal["exchanged"]
    """What happened."""
    count: int
    """How many tiles were exchanged."""
    drew: list[Tile] | None
    """What you drew; null if it was not you."""


class PassedEvent(EventHead):
    """A player passed."""

    type: Literal["passed"]
    """What happened."""


class ResignedEvent(EventHead):
    """A player left for good or, while the game was waiting, gave up the seat."""

    type: Literal["resigned"]
    """What happened."""
    removed: bool
    """Whether the host removed the player."""


class ListedPlayer(TypedDict):
    """A taken seat, as its tenant sees it in a list."""

    seat: int
    """The seat, counted from 0 clockwise."""
    name: str
    """The player's name."""
    bot: str | None
    """The kind of bot that plays the seat; null for a person."""
    ref: str | None
    """Your own id for the player; null if none was given."""
    score: int
    """Points so far, including the bonus."""
    resigned: bool
    """Whether the player has left for good."""


class ListedGame(TypedDict):
    """A game in a list of its tenant's games: all but its tiles."""

    id: str
    """Cannot be guessed. Anybody who knows it may watch."""
    edition: EditionId
    status: GameStatus
    version: int
    """The number of the newest event; creation is 1."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When the newest event happened."""
    expires_at: str
    """When the service will delete the game, unless something happens in it before."""
    private: bool
    """Whether joining needs the join code."""
    turn_seconds: int | None
    """The time for the bids and for each turn, in seconds; null for no limit."""
    seats: int
    """How many seats the table has, taken or open."""
    players: list[ListedPlayer]
    """The taken seats, in seat order."""
    turn: Turn | None
    """Whose turn it is; null while waiting and when finished."""
    winners: list[int] | None
    """The winning seats; null until finished."""
    end: EndReason | None
    """Why the game ended; null until finished."""
    metadata: Metadata | None
    """Your own notes."""


class GamesPage(TypedDict):
    """A page of a tenant's games."""

    games: list[ListedGame]
    """The newest action first."""
    next: str | None
    """The `cursor` of the next page; null if this is the last one."""


class FeedPlayer(TypedDict):
    """A taken seat, after the event."""

    seat: int
    """The seat, counted from 0 clockwise."""
    ref: str | None
    """Your own id for the player; null if none was given."""
    bot: str | None
    """The kind of bot that plays the seat; null for a person."""
    score: int
    """Points so far, including the bonus."""
    to_act: bool
    """Whether the player has to act now: to bid, or to take their turn. False in a deleted
    game."""


class FeedEvent(TypedDict):
    """What happened in one of your games, and how the game stands after it. The creation of a
    game with several events, such as a fork or a rematch, is one event `created`."""

    cursor: str | None
    """The place after the event, to continue from; null in a webhook message."""
    id: str
    """Identifies the event: the same if the event is repeated, and no other event's."""
    type: FeedEventType
    seat: int | None
    """Whom it concerns: who joined, acted, left or was removed. Null if it concerns the table."""
    ref: str | None
    """Your own id for the player at `seat`, also if they have just left it and `players` no
    longer has them; null if none was given or `seat` is null."""
    timeout: bool
    """Whether the service acted for a player whose time had run out."""
    removed: bool
    """Whether the host removed the player from the waiting table; for `resigned`."""
    at: str
    """When it happened."""
    game_id: str
    """The game."""
    version: int
    """The number of the event, the game's version after it."""
    status: GameStatus
    turn: Turn | None
    """Whose turn it is; null while waiting, when finished and when deleted."""
    players: list[FeedPlayer]
    """The taken seats, in seat order."""
    end: EndReason | None
    """Why the game ended; null until finished."""
    winners: list[int] | None
    """The winning seats; null until finished."""
    rematch: RematchOffer | None
    """The rematch of a finished game; null if nobody has asked for one."""


class FeedPage(TypedDict):
    """A page of the feed."""

    events: list[FeedEvent]
    """The events after `after`, oldest first."""
    last: str
    """The place after these events, to continue from."""
    resync: bool
    """Whether events after `after` are no longer kept; then there are none here."""


class EventsPage(TypedDict):
    """A page of the log."""

    events: list[GameEvent]
    """The events after `after`, oldest first."""
    last: int
    """The number of the newest event there is."""


class ScoreSheet(TypedDict):
    """The score sheet."""

    final: bool
    """Whether the game is finished."""
    winners: list[int] | None
    """The winning seats; null until finished."""
    players: list[PlayerScore]
    """In seat order."""
    turns: list[ScoredTurn]
    """The completed turns after `after`, in order."""
    next: int | None
    """`after` of the next page; null if no further turn is completed yet."""


class RecordedPlayer(TypedDict):
    """A player seated at the creation."""

    name: str
    """The player's name."""
    age_rank: int | None
    """The player's rank by age among the known ages of those seated at the start, 0 for the
    youngest; null before the start or if not known."""
    bot: str | None
    """The kind of bot that plays the seat."""


class RecordedSetup(TypedDict):
    """The position that the creator gave; hands and bag are shown once the game is finished."""

    board: list[Placement]
    """What lay on the table."""
    hands: list[list[TileName] | None] | None
    """The hands given, by seat; null for one that was drawn."""
    bag: list[Tile] | None
    """The bag given, in the order in which tiles are drawn."""
    hand_counts: list[int]
    """How many tiles each seat began with."""
    bag_count: int
    """How many tiles the bag began with."""
    scores: list[int] | None
    """The points given, by seat."""
    turn: int | None
    """The seat that was to move."""


class RecordedCreation(TypedDict):
    """The game was created."""

    n: int
    """The number of the event."""
    type: Literal["created"]
    """What happened."""
    seat: int | None
    """Always null."""
    players: list[RecordedPlayer]
    """Who sat down, from seat 0."""
    setup: RecordedSetup | None
    """The position it began from; null if none was given."""


class RecordedJoin(TypedDict):
    """Somebody took an open seat."""

    n: int
    """The number of the event."""
    type: Literal["joined"]
    """What happened."""
    seat: int
    """The player's seat."""
    name: str
    """The player's name."""
    age_rank: int | None
    """The player's rank by age among the known ages of those seated at the start, 0 for the
    youngest; null before the start or if not known."""
    bot: str | None
    """The kind of bot that plays the seat."""
    entropy: str | None
    """What the player added to the draws; null before the start or if nothing."""


class RecordedUpdate(TypedDict):
    """The host changed the table while it was waiting."""

    n: int
    """The number of the event."""
    type: Literal["updated"]
    """What happened."""
    seat: int | None
    """Always null."""
    seats: int
    """The number of seats from now on."""


class RecordedDeal(TypedDict):
    """The bag was mixed and the hands were dealt."""

    n: int
    """The number of the event."""
    type: Literal["dealt"]
    """What happened."""
    seat: int | None
    """Always null."""
    hands: list[list[TileName] | None]
    """The hands by seat; each is null until the game is finished."""
    entropy: str | None
    """What the host added to the draws; null if nothing."""


class RecordedBid(TypedDict):
    """A player declared the longest line in their hand."""

    n: int
    """The number of the event."""
    type: Literal["bid"]
    """What happened."""
    seat: int
    """The player's seat."""
    timeout: bool
    """Whether the player had run out of time."""
    length: int
    """The length of the line."""


class RecordedPlay(TypedDict):
    """A player laid tiles."""

    n: int
    """The number of the event."""
    type: Literal["played"]
    """What happened."""
    seat: int
    """The player's seat."""
    timeout: bool
    """Whether the player had run out of time."""
    placements: list[Placement]
    """Which tiles where, in reading order."""
    points: int
    """What the lines scored."""
    bonus: int
    """6 for ending the game, otherwise 0."""
    drew: list[Tile] | None
    """The tiles drawn; null until the game is finished."""
    end: EndReason | None
    """Why the game ended; null unless this event ended it."""
    winners: list[int] | None
    """The seats that won; null unless this event ended the game."""


class RecordedExchange(TypedDict):
    """A player exchanged tiles."""

    n: int
    """The number of the event."""
    type: Literal["exchanged"]
    """What happened."""
    seat: int
    """The player's seat."""
    timeout: bool
    """Whether the player had run out of time."""
    count: int
    """How many tiles."""
    returned: list[Tile] | None
    """The tiles given back; null until the game is finished."""
    drew: list[Tile] | None
    """The tiles drawn; null until the game is finished."""


class RecordedPass(TypedDict):
    """A player passed."""

    n: int
    """The number of the event."""
    type: Literal["passed"]
    """What happened."""
    seat: int
    """The player's seat."""
    timeout: bool
    """Whether the player had run out of time."""
    end: EndReason | None
    """Why the game ended; null unless this event ended it."""
    winners: list[int] | None
    """The seats that won; null unless this event ended the game."""


class RecordedResignation(TypedDict):
    """A player left."""

    n: int
    """The number of the event."""
    type: Literal["resigned"]
    """What happened."""
    seat: int
    """The player's seat."""
    timeout: bool
    """Whether the player had run out of time."""
    removed: bool
    """Whether the host removed the player."""
    end: EndReason | None
    """Why the game ended; null unless this event ended it."""
    winners: list[int] | None
    """The seats that won; null unless this event ended the game."""


class GameRecord(TypedDict):
    """A game as a document that can be replayed."""

    record_version: int
    """The version of this format: 1."""
    edition: EditionId
    seats: int
    """The number of seats at the creation."""
    auto_bid: bool
    """Whether the service declared the bids."""
    seeded: bool
    """Whether the creator gave the seed."""
    commitment: str
    """`sha256:` and the SHA-256 of the secret, published at the creation."""
    seed: str | None
    """The secret. Every draw follows from it and from the entropy in the events; null until the
    game is finished."""
    events: list[RecordedEvent]
    """All events from the creation on."""
    bids: list[int | None]
    """The bid of each seat, null where there is none."""
    scores: list[int | None]
    """The points of each seat, null for an open one."""
    end: EndReason | None
    """Why the game ended; null until finished."""
    winners: list[int] | None
    """The winning seats; null until finished."""
    digest: str
    """The SHA-256 of the rest of the record as canonical JSON (RFC 8785). It detects accidental
    changes; it is not a signature."""


class VerificationProblem(TypedDict):
    """The first thing that is wrong with a record."""

    n: int
    """The number of the wrong event; 0 if the problem belongs to no event."""
    code: str
    """The code of the rule that was broken, or one of: malformed, unknown_version,
    seed_missing, commitment_broken, differs, cut_short, digest_broken."""
    detail: str
    """A sentence that says what is wrong."""


class VerificationReport(TypedDict):
    """What came of verifying a record."""

    ok: bool
    """Whether nothing is wrong."""
    complete: bool
    """Whether the seed is revealed, so that every draw could be checked."""
    checked_events: int
    """How many events were found to be right."""
    problem: VerificationProblem | None


class ForkRequest(TypedDict):
    """Where to fork."""

    after: int
    """The last event that the fork shares with this game, up to its `version`."""


class Hand(TypedDict):
    """Your hand."""

    seat: int
    """Your seat."""
    tiles: list[Tile]
    """Your tiles; none before the deal."""


class LegalPlays(TypedDict):
    """What your hand could do if it were your turn."""

    count: int
    """How many legal plays there are in all."""
    plays: list[LegalPlay]
    """As many of them as `limit` allows."""
    may_exchange: int
    """The most tiles you could exchange; 0 if none."""
    may_pass: bool
    """Whether you could pass."""


class Unseen(TypedDict):
    """The tiles that the viewer does not see: in the bag, in other hands, or removed with a
    player who left."""

    total: int
    """How many in all."""
    tiles: dict[str, int]
    """For each of the 36 kinds, how many the viewer does not see."""


class Edition(TypedDict):
    """An edition of the rules."""

    id: EditionId
    tie: TieBreak


class Limits(TypedDict):
    """Limits that apply to requests."""

    seats_least: int
    """Fewest seats."""
    seats_most: int
    """Most seats."""
    tiles: int
    """Number of tiles."""
    copies: int
    """Copies of each kind."""
    hand_size: int
    """Tiles in a full hand."""
    reach: int
    """Largest coordinate, either way, in a play."""
    setup_reach: int
    """Largest coordinate, either way, in a set-up board."""
    legal_plays: int
    """Most legal plays in one answer."""
    body_bytes: int
    """Largest request body."""


class EditionList(TypedDict):
    """What the service plays."""

    editions: list[Edition]
    """The editions; the first is the default."""
    colours: list[str]
    """The colours of tiles."""
    shapes: list[str]
    """The shapes of tiles."""
    limits: Limits


class Liveness(TypedDict):
    """The process answers."""

    status: Literal["ok"]
    """Always ok."""


class Readiness(TypedDict):
    """The service can work."""

    status: Literal["ok"]
    """Always ok; otherwise the answer is a problem."""
    warnings: list[str]
    """What an operator should know, such as a store that would lose games in a crash."""


class FieldError(TypedDict):
    """One fault of a malformed request."""

    pointer: str
    """Where: an RFC 6901 JSON pointer into the body (`/placements/0/x`; empty for the whole
    body), or `query:<name>`, or `header:<name>`. Names longer than 80 characters are cut off."""
    detail: str
    """What is wrong there, worded to follow the pointer: "must be ..."."""


class Violation(TypedDict):
    """One broken rule."""

    code: ProblemCode
    detail: str
    """The broken rule in words."""
    cells: list[Cell]
    """Where; empty if no cells are concerned."""
    tiles: list[Tile]
    """Which tiles; in the same order as `cells` where both apply."""


class Problem(TypedDict):
    """Why a request was refused (RFC 9457)."""

    type: str
    """Where the code is explained, as a path relative to the service."""
    title: str
    """What the code means, the same each time."""
    status: int
    """The HTTP status."""
    detail: str
    """What happened this time."""
    code: ProblemCode
    request_id: str
    """The same as the `X-Request-ID` header. Quote it when you ask for help."""
    errors: list[FieldError] | None
    """Every fault of a malformed request (400); null otherwise."""
    violations: list[Violation] | None
    """Every broken rule, in a fixed order; `code` is that of the first. Null if no rule of the
    game is broken."""


GameEvent: TypeAlias = (
    CreatedEvent
    | JoinedEvent
    | UpdatedEvent
    | DealtEvent
    | BidEvent
    | PlayedEvent
    | ExchangedEvent
    | PassedEvent
    | ResignedEvent
)
"""What happened, as its viewer may see it. `type` says which members it has."""

RecordedEvent: TypeAlias = (
    RecordedCreation
    | RecordedJoin
    | RecordedUpdate
    | RecordedDeal
    | RecordedBid
    | RecordedPlay
    | RecordedExchange
    | RecordedPass
    | RecordedResignation
)
"""One event; `type` says which members it has."""

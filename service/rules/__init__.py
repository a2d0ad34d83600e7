"""The printed game of Qwirkle, and nothing else.

Everything here is pure: no web, no store, no clock, no randomness of its own. State is
frozen, actions return new state, and everything random is derived from a seed that the
caller provides. A reader who knows the printed rules finds them here:

- ``tiles``, ``lines``, ``cells``, ``board``: the material and what a line is
- ``editions``: who opens if bids are equal
- ``plays``: placing and scoring, with every broken rule by name
- ``legal_plays``: which plays a hand has
- ``actions``: what a player may do, and when; ``reducer``: what each event does to the game
- ``timeouts``: what happens when a player runs out of time
- ``shuffle``: the fair shuffle; ``setup``: games that start from a given position
- ``notation``, ``codec``, ``record``: the game as text, as bytes, as a replayable document
- ``possible_deals``: possible hands, for the records of unfinished games

Programs that play can import everything they need from here; docs/harness.md shows how.
"""

from service.rules.actions import (
    Step,
    best_of,
    bid,
    bid_line,
    create,
    deal,
    exchange,
    join,
    may_exchange,
    may_pass,
    may_play,
    pass_turn,
    place,
    plays_of,
    resign,
    try_play,
)
from service.rules.board import Board, Placement
from service.rules.cells import cell_at, xy
from service.rules.errors import Malformed, RulesBroken, RulesError, Untimely, Violation
from service.rules.events import (
    Bid,
    Created,
    Dealt,
    Entrant,
    Event,
    Exchanged,
    Joined,
    Passed,
    Played,
    Resigned,
)
from service.rules.legal_plays import any_play, best_play, legal_plays
from service.rules.lines import Line, longest_line
from service.rules.message_texts import describe
from service.rules.notation import (
    format_board,
    format_play,
    format_tiles,
    parse_board,
    parse_play,
    parse_tiles,
)
from service.rules.plays import Play, judge
from service.rules.record.read import RecordBroken
from service.rules.record.replay import replay_record
from service.rules.record.verify import Fault, Report, verify
from service.rules.record.write import record_of
from service.rules.reducer import reduce, replay
from service.rules.setup import Setup
from service.rules.shuffle import commitment, mix, seed_from
from service.rules.state import Game, Player
from service.rules.tiles import NAMES, Tile, name_of, tile_named

__all__ = [
    "NAMES",
    "Bid",
    "Board",
    "Created",
    "Dealt",
    "Entrant",
    "Event",
    "Exchanged",
    "Fault",
    "Game",
    "Joined",
    "Line",
    "Malformed",
    "Passed",
    "Placement",
    "Play",
    "Played",
    "Player",
    "RecordBroken",
    "Report",
    "Resigned",
    "RulesBroken",
    "RulesError",
    "Setup",
    "Step",
    "Tile",
    "Untimely",
    "Violation",
    "any_play",
    "best_of",
    "best_play",
    "bid",
    "bid_line",
    "cell_at",
    "commitment",
    "create",
    "deal",
    "describe",
    "exchange",
    "format_board",
    "format_play",
    "format_tiles",
    "join",
    "judge",
    "legal_plays",
    "longest_line",
    "may_exchange",
    "may_pass",
    "may_play",
    "mix",
    "name_of",
    "parse_board",
    "parse_play",
    "parse_tiles",
    "pass_turn",
    "place",
    "plays_of",
    "record_of",
    "reduce",
    "replay",
    "replay_record",
    "resign",
    "seed_from",
    "tile_named",
    "try_play",
    "verify",
    "xy",
]

"""JSON documents of what the rules know: positions as a seat sees them, plays, unseen tiles."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from orjson import Fragment

from service.api.board_json import board_text
from service.games.feed_events import turn_document
from service.rules import events
from service.rules.actions import may_exchange, may_pass, may_play
from service.rules.board import Placement
from service.rules.cells import column_of, row_of, xy
from service.rules.lines import Line
from service.rules.plays import Play
from service.rules.shuffle import commitment
from service.rules.starting_position import lay_out
from service.rules.state import Game, Player
from service.rules.tiles import NAMES, TILES, WHOLE_BAG, Tile

Document = dict[str, Any]


def serialize_position(game: Game, newest: str, seat: int | None) -> Document:
    """What a game view says about the game itself, as this seat sees it; None sees no hand.

    ``newest`` is the type of the newest event.
    """
    begun = game.phase != "waiting"
    finished = game.phase == "finished"
    return {
        "edition": game.edition,
        "status": game.phase,
        "version": game.version,
        "seeded": game.seeded,
        "setup": game.positioned,
        "commitment": commitment(game.secret),
        "seed": game.secret.hex() if finished else None,
        "players": [
            {
                "seat": at,
                "name": player.name,
                "bot": player.bot,
                "score": player.score,
                "hand_count": len(player.hand),
                "bid": player.bid,
                "resigned": player.resigned,
            }
            for at, player in game.seated.items()
        ],
        "seats": len(game.players),
        "turn": turn_document(game, None),
        "bag_count": len(game.bag) if begun or game.positioned else len(WHOLE_BAG),
        "removed_count": len(game.removed),
        "board": Fragment(board_text(game.board.tiles, game.laid)),
        "last_event": {"n": game.version, "type": newest},
        "winners": list(game.winners) if finished else None,
        "end": game.end,
        "you": _you(game, seat),
    }


def _you(game: Game, seat: int | None) -> Document | None:
    if seat is None:
        return None
    player = game.player(seat)
    return {"seat": seat, "hand": names(player.hand), "actions": _actions(game, seat, player)}


def _actions(game: Game, seat: int, player: Player) -> list[str]:
    if game.phase == "bidding":
        return [] if player.resigned or player.bid is not None else ["bid"]
    if game.phase != "playing" or game.mover != seat or game.too_long:
        return []
    if may_play(game, seat):
        return ["play", "exchange"] if may_exchange(game, seat) else ["play"]
    return ["pass"] if may_pass(game, seat) else ["exchange"]


def serialize_play(play: Play | events.Played, bonus: int, drew: Sequence[Tile] | None) -> Document:
    """A play; `drew` is None for viewers who may not see it."""
    return {
        "points": play.points,
        "lines": serialize_lines(play.lines),
        "bonus": bonus,
        "drew": None if drew is None else names(drew),
    }


def serialize_placements(placements: Iterable[Placement]) -> list[Document]:
    """Placements, in reading order."""
    return [
        {"tile": NAMES[tile], "x": column_of(cell), "y": row_of(cell)} for cell, tile in placements
    ]


def serialize_lines(lines: Iterable[Line]) -> list[Document]:
    """Lines, each with its cells from left to right or from top to bottom."""
    return [
        {
            "cells": [{"x": x, "y": y} for x, y in map(xy, line.cells)],
            "points": line.points,
            "qwirkle": line.qwirkle,
        }
        for line in lines
    ]


def serialize_unseen(game: Game, viewer: int | None) -> Document:
    """How many tiles of each kind this seat does not see: in the bag, in hands, removed."""
    counts: Counter[Tile] = Counter(game.bag)
    if game.phase == "waiting":
        if game.setup is not None:
            # Which tiles these are does not depend on who will draw which of them.
            position = lay_out(game.setup, len(game.players), game.seed)
            counts.update(tile for hand in position.hands for tile in hand)
        counts.update(() if game.positioned else WHOLE_BAG)
    counts.update(game.removed)
    for seat, player in game.seated.items():
        if seat != viewer:
            counts.update(player.hand)
    return {
        "total": counts.total(),
        "tiles": {NAMES[tile]: counts[tile] for tile in TILES},
    }


def names(tiles: Iterable[Tile]) -> list[str]:
    """Tiles by name."""
    return [NAMES[tile] for tile in tiles]

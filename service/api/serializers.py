"""JSON documents for each viewer, built from an allow-list of members.

Only its owner sees a hand or a drawn tile; nobody sees the order of the bag or the seed before
the end, and nobody ever sees an age.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from orjson import Fragment

from service.api.board_json import board_text
from service.games.feed_events import offer_document, turn_document
from service.games.join_codes import join_code_of
from service.games.keyring import Keyring, Viewer
from service.games.service import Games, LoggedEntry
from service.games.session import GameSession, LogEntry, timestamp
from service.rules import events
from service.rules.actions import may_exchange, may_pass, may_play
from service.rules.board import Placement
from service.rules.cells import column_of, row_of, xy
from service.rules.lines import Line, longest_line
from service.rules.plays import Play
from service.rules.shuffle import commitment
from service.rules.starting_position import lay_out
from service.rules.state import Game, Player
from service.rules.tiles import NAMES, TILES, WHOLE_BAG, Tile

Document = dict[str, Any]

# The events that complete a turn.
Move = events.Played | events.Exchanged | events.Passed


def serialize_game(games: Games, session: GameSession, viewer: Viewer) -> Document:
    """The game as `viewer` sees it."""
    game = session.game
    begun = game.phase != "waiting"
    finished = game.phase == "finished"
    return {
        **_identity(games, session),
        "seeded": game.seeded,
        "setup": game.positioned,
        "private": session.options.private,
        "auto_deal": session.options.auto_deal,
        "hints": session.options.hints,
        "turn_seconds": session.options.turn_seconds,
        "commitment": commitment(game.secret),
        "seed": game.secret.hex() if finished else None,
        "players": [
            {
                "seat": seat,
                "name": player.name,
                "bot": player.bot,
                "score": player.score,
                "hand_count": len(player.hand),
                "bid": player.bid,
                "resigned": player.resigned,
            }
            for seat, player in game.seated.items()
        ],
        "seats": len(game.players),
        "reserved": session.reserved_seats,
        "turn": turn_document(session),
        "bag_count": len(game.bag) if begun or game.positioned else len(WHOLE_BAG),
        "removed_count": len(game.removed),
        "board": Fragment(board_text(game.board.tiles, game.laid)),
        "last_event": {"n": game.version, "type": session.newest},
        "winners": list(game.winners) if finished else None,
        "end": game.end,
        "rematch": offer_document(session.rematch),
        "you": _you(game, viewer.seat),
        "host": _host(session, games.keyring) if viewer.host else None,
    }


def serialize_listed_game(games: Games, session: GameSession) -> Document:
    """The game as its tenant's list shows it: what tells games apart, without hands and board."""
    game, options = session.game, session.options
    return {
        **_identity(games, session),
        "private": options.private,
        "turn_seconds": options.turn_seconds,
        "seats": len(game.players),
        "players": [
            {
                "seat": seat,
                "name": player.name,
                "bot": player.bot,
                "ref": options.ref(seat),
                "score": player.score,
                "resigned": player.resigned,
            }
            for seat, player in game.seated.items()
        ],
        "turn": turn_document(session),
        "winners": list(game.winners) if game.phase == "finished" else None,
        "end": game.end,
        "metadata": options.metadata,
    }


def _identity(games: Games, session: GameSession) -> Document:
    game = session.game
    return {
        "id": session.id,
        "edition": game.edition,
        "status": game.phase,
        "version": game.version,
        "created_at": timestamp(session.created_ms),
        "updated_at": timestamp(session.updated_ms),
        "expires_at": timestamp(games.expires_ms(session)),
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


def _host(session: GameSession, keyring: Keyring) -> Document:
    """What only the host sees."""
    options = session.options
    return {
        "join_code": join_code_of(keyring, session),
        "metadata": options.metadata,
        "players": [{"seat": seat, "ref": options.ref(seat)} for seat in session.game.seated],
        "webhook_url": options.webhook_url,
        "webhook_secret": keyring.webhook_secret(session.id) if options.webhook_url else None,
    }


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


def serialize_score(
    session: GameSession, log: Iterable[LoggedEntry], after: int, limit: int
) -> Document:
    """The score sheet: the scores, and a page of the turns after a number, with their lines."""
    game = session.game
    finished = game.phase == "finished"
    moves = [event for each in log if isinstance(event := each.entry.event, Move)]
    last = after + limit
    return {
        "final": finished,
        "winners": list(game.winners) if finished else None,
        "players": [
            {"seat": seat, "name": player.name, "score": player.score, "bonus": player.bonus}
            for seat, player in game.seated.items()
        ],
        "turns": [_scored(n, move) for n, move in enumerate(moves[after:last], after + 1)],
        "next": last if last < len(moves) else None,
    }


def _scored(number: int, move: Move) -> Document:
    turn = {"number": number, "seat": move.seat, "type": type(move).__name__.lower()}
    if not isinstance(move, events.Played):
        return turn | {"points": 0, "bonus": 0, "lines": []}
    return turn | {"points": move.points, "bonus": move.bonus, "lines": serialize_lines(move.lines)}


def serialize_event(logged: LoggedEntry, viewer: Viewer, keyring: Keyring, game: Game) -> Document:
    """An event as this viewer of the game sees it: what all events have, what its type adds."""
    event = logged.entry.event
    return {
        "id": keyring.event_id(event.n, logged.nonce),
        "n": event.n,
        "type": type(event).__name__.lower(),
        "seat": getattr(event, "seat", None),
        "at": timestamp(logged.entry.at_ms),
        "timeout": event.timeout if isinstance(event, events.ByPlayer) else False,
        **_details(logged.entry, viewer, game),
        **_ending(event),
    }


def _details(  # noqa: PLR0911  # one return for each type of event
    entry: LogEntry, viewer: Viewer, game: Game
) -> Document:
    """What the type of an event adds; only its owner sees what was drawn.

    Nobody sees what the others added to the seed while they could still add something themselves.
    """
    match event := entry.event:
        case events.Updated():
            return {"seats": event.seats, **(entry.changes or {})}
        case events.Resigned():
            return {"removed": event.removed}
        case events.Joined():
            entropy = None if game.phase == "waiting" else event.entropy
            return {"name": event.player.name, "entropy": entropy}
        case events.Dealt():
            drew = None if viewer.seat is None else names(event.hands[viewer.seat])
            bids = _longest_lines(event.hands) if game.auto_bid else None
            return {"bids": bids, "drew": drew, "entropy": event.entropy}
        case events.Bid():
            return {"length": event.length}
        case events.Played():
            own = event.drew if viewer.seat == event.seat else None
            placements = serialize_placements(event.placements)
            play = serialize_play(event, event.bonus, own)
            return {"placements": placements, "count": len(event.drew), **play}
        case events.Exchanged():
            drew = names(event.drew) if viewer.seat == event.seat else None
            return {"count": len(event.returned), "drew": drew}
    return {}


def _longest_lines(hands: Iterable[tuple[Tile, ...]]) -> list[Document]:
    return [
        {"seat": seat, "length": length} for seat, length in enumerate(map(longest_line, hands))
    ]


def _ending(event: events.Event) -> Document:
    if isinstance(event, events.Played | events.Passed | events.Resigned) and event.end:
        return {"end": event.end, "winners": list(event.winners)}
    return {"end": None, "winners": None}


def serialize_unseen(game: Game, viewer: Viewer) -> Document:
    """How many tiles of each kind the viewer does not see: in the bag, in hands, removed."""
    counts: Counter[Tile] = Counter(game.bag)
    if game.phase == "waiting":
        if game.setup is not None:
            # Which tiles these are does not depend on who will draw which of them.
            position = lay_out(game.setup, len(game.players), game.seed)
            counts.update(tile for hand in position.hands for tile in hand)
        counts.update(() if game.positioned else WHOLE_BAG)
    counts.update(game.removed)
    for seat, player in game.seated.items():
        if seat != viewer.seat:
            counts.update(player.hand)
    return {
        "total": counts.total(),
        "tiles": {NAMES[tile]: counts[tile] for tile in TILES},
    }


def names(tiles: Iterable[Tile]) -> list[str]:
    """Tiles by name."""
    return [NAMES[tile] for tile in tiles]

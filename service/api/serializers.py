"""JSON documents for each viewer, built from an allow-list of members.

Only its owner sees a hand or a drawn tile; nobody sees the order of the bag or the seed before
the end, and nobody ever sees an age.
"""

from collections.abc import Iterable

from service.api.rules_json import (
    Document,
    names,
    serialize_lines,
    serialize_placements,
    serialize_play,
    serialize_position,
)
from service.games.feed_events import offer_document, turn_document
from service.games.join_codes import join_code_of
from service.games.keyring import Keyring, Viewer
from service.games.service import Games, LoggedEntry
from service.games.session import GameSession, LogEntry, timestamp
from service.rules import events
from service.rules.lines import longest_line
from service.rules.state import Game
from service.rules.tiles import Tile

# The events that complete a turn.
Move = events.Played | events.Exchanged | events.Passed


def serialize_game(games: Games, session: GameSession, viewer: Viewer) -> Document:
    """The game as `viewer` sees it."""
    return {
        **_identity(games, session),
        **serialize_position(session.game, session.newest, viewer.seat),
        "private": session.options.private,
        "listed": session.options.listed,
        "auto_deal": session.options.auto_deal,
        "hints": session.options.hints,
        "turn_seconds": session.options.turn_seconds,
        "reserved": session.reserved_seats,
        "turn": turn_document(session.game, session.deadline_ms),
        "rematch": offer_document(session.rematch),
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
        "turn": turn_document(session.game, session.deadline_ms),
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

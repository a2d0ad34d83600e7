"""`qwirkle watch`: show a game of any service in the terminal, updated as it goes on."""

import argparse
import sys
from pathlib import Path
from typing import TextIO

from qwirkle_client import GameClient, NoAnswer, QwirkleError, RateLimited, ServiceUnavailable
from qwirkle_client.types import Game, GameEvent, Turn
from service.commands.remote_game import printable, read_token, reason_of, remote_game
from service.commands.terminal_board import LEGEND, counted, drawn_board, drawn_tiles, wants_colour
from service.config import CannotRun
from service.rules.board import Board
from service.rules.cells import cell_at
from service.rules.tiles import tile_named

_PATIENCE = 5.0
"""For how many seconds to try again to read the game; its events are waited for without limit."""
_CLEAR = "\x1b[H\x1b[2J"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.epilog = LEGEND
    parser.add_argument("url", metavar="URL", help="the game: http://.../v1/games/<id>")
    parser.add_argument(
        "--token-file", type=Path, help="a file with a token; by default QWIRKLE_TOKEN, if set"
    )


def run(parsed: argparse.Namespace) -> int:
    """Follow a game on any server until it is finished, and reconnect when needed.

    With a player's token, in QWIRKLE_TOKEN or a file, it shows that player's hand. The exit code
    is 1 if the game becomes unavailable, 2 if it cannot be watched.
    """
    try:
        with remote_game(parsed.url, read_token(parsed.token_file), _PATIENCE) as game:
            _show(game, _first_view(game), sys.stdout)
    except KeyboardInterrupt:
        print()
    return 0


def _first_view(game: GameClient) -> Game:
    try:
        return game.view()
    except QwirkleError as error:
        raise CannotRun(f"this game cannot be watched: {reason_of(error)}") from error


def _show(game: GameClient, view: Game, out: TextIO) -> None:
    """Redraw the table at each event; without a terminal, print a line per event."""
    colour = wants_colour(out)
    drawing = out.isatty()
    print((_CLEAR if drawing else "") + drawn_view(view, colour=colour), file=out, flush=True)
    said = ""
    if view["status"] != "finished":
        for event in game.follow(after=view["version"]):
            if event["type"] == "rematch":
                continue
            if event["type"] == "resync":
                changed = True
            else:
                said = event_text(event, view)
                changed = event["type"] == "joined" or event["end"] is not None
            if drawing or changed:
                view = _refreshed(game, view)
            if drawing:
                print(_CLEAR + drawn_view(view, colour=colour), file=out)
            print(said, file=out, flush=True)
        view = _refreshed(game, view)
        if not drawing:
            print(drawn_view(view, colour=colour), file=out, flush=True)
    if view["winners"] is not None:
        print(_result(view, view["winners"]), file=out, flush=True)


def _refreshed(game: GameClient, before: Game) -> Game:
    """The game as it is now, or as it was if the service is unavailable at the moment."""
    try:
        return game.view()
    except (NoAnswer, RateLimited, ServiceUnavailable):
        return before


def drawn_view(view: Game, *, colour: bool) -> str:
    """A game view: the table with the last play marked, the points, whose turn it is, the hand."""
    board = Board(
        (cell_at(each["x"], each["y"]), tile_named(each["tile"])) for each in view["board"]
    )
    newest = max((each["turn"] for each in view["board"]), default=0)
    latest = [cell_at(e["x"], e["y"]) for e in view["board"] if newest and e["turn"] == newest]
    turn = view["turn"]
    lines = [drawn_board(board, latest, colour=colour), ""]
    for player in view["players"]:
        mark = ">" if turn and turn["seat"] == player["seat"] else " "
        left = " (left)" if player["resigned"] else ""
        lines.append(
            f"{mark} {player['seat']} {printable(player['name']):<16.40} {player['score']:>4}  "
            f"{counted(player['hand_count'], 'tile')}{left}"
        )
    lines.append(f"  {view['bag_count']} in the bag, {view['status']}{_deadline(turn)}")
    if view["you"]:
        hand = [tile_named(tile) for tile in view["you"]["hand"]]
        lines.append(f"  your hand: {drawn_tiles(hand, colour=colour)}")
    return "\n".join(lines)


def _deadline(turn: Turn | None) -> str:
    return f", until {printable(turn['deadline'])}" if turn and turn["deadline"] else ""


def event_text(event: GameEvent, view: Game) -> str:
    """An event in one sentence."""
    names = (p["name"] for p in view["players"] if p["seat"] == event["seat"])
    who = printable(next(names, "somebody"))
    match event["type"]:
        case "played":
            bonus = f" and {event['bonus']} for the end" if event["bonus"] else ""
            points = counted(event["points"], "point")
            what = f"{who} lays {len(event['placements'])} for {points}{bonus}"
        case "exchanged":
            what = f"{who} exchanges {event['count']}"
        case "passed":
            what = f"{who} passes"
        case "bid":
            what = f"{who} bids {event['length']}"
        case "resigned":
            what = f"the host removes {who}" if event["removed"] else f"{who} leaves"
        case "joined":
            what = f"{printable(event['name'])} takes a seat"
        case "updated":
            what = "the host changes the table"
        case "dealt":
            what = "the tiles are dealt"
        case other:
            what = printable(other)
    late = " (time ran out)" if event["timeout"] else ""
    return f"{event['n']}: {what}{late}"


def _result(view: Game, seats: list[int]) -> str:
    winners = [printable(player["name"]) for player in view["players"] if player["seat"] in seats]
    if len(winners) == 1:
        return f"{winners[0]} wins."
    return f"{', '.join(winners[:-1])} and {winners[-1]} share the victory."

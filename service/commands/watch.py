"""`qwirkle watch`: show a game of any service in the terminal, updated as it goes on."""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any, TextIO
from urllib.error import HTTPError

from service.commands.http_client import (
    TRANSIENT,
    GameClient,
    GameUnavailable,
    NotAGameUrl,
    View,
    game_url,
    printable,
    read_token,
    reason_of,
)
from service.commands.terminal_board import LEGEND, counted, drawn_board, drawn_tiles, wants_colour
from service.rules.board import Board
from service.rules.cells import cell_at
from service.rules.tiles import tile_named

_UNUSABLE = 2
_LOST = 1
_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 30.0
_CLEAR = "\x1b[H\x1b[2J"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.epilog = LEGEND
    parser.add_argument("url", metavar="URL", help="the game: http://.../v1/games/<id>")
    parser.add_argument(
        "--token-file", type=Path, help="a file with a token; by default QWIRKLE_TOKEN, if set"
    )


def run(parsed: argparse.Namespace) -> int:
    """Watch until the game is finished; 1 if it becomes unavailable, 2 if it cannot be watched."""
    try:
        spectator = Spectator(game_url(parsed.url), read_token(parsed.token_file))
    except NotAGameUrl as error:
        print(f"qwirkle: {error}", file=sys.stderr)
        return _UNUSABLE
    except OSError as error:
        print(f"qwirkle: the token cannot be read: {error}", file=sys.stderr)
        return _UNUSABLE
    try:
        view = spectator.view()
    except (GameUnavailable, OSError, HTTPException, ValueError) as error:
        print(f"qwirkle: this game cannot be watched: {error}", file=sys.stderr)
        return _UNUSABLE
    try:
        _show(spectator, view, sys.stdout)
    except GameUnavailable as error:
        print(f"qwirkle: {error}", file=sys.stderr)
        return _LOST
    except KeyboardInterrupt:
        print()
    return 0


@dataclass
class Spectator(GameClient):
    """Watches one game over the public HTTP interface."""

    last_id: str | None = field(default=None)

    def view(self) -> View:
        """The game as it is now."""
        with self._open("") as response:
            view: View = json.load(response)
            return view

    def events(self, after: int) -> Iterator[tuple[str, View]]:
        """Each event after this one, once, across lost connections, until the game ends."""
        pause = _FIRST_PAUSE
        while True:
            try:
                with self._open(f"/events/stream?after={after}") as stream:
                    if stream.status == 204:
                        return
                    for kind, data in self._messages(stream):
                        pause = _FIRST_PAUSE
                        yield kind, data
            except (OSError, HTTPException, ValueError):
                pause = min(pause * 2, _LONGEST_PAUSE)
            time.sleep(pause)

    def _messages(self, stream: Any) -> Iterator[tuple[str, View]]:
        fields: dict[str, str] = {}
        for line in stream:
            name, _, value = line.decode().rstrip("\r\n").partition(": ")
            if name:
                fields[name] = value
                continue
            if "data" in fields:
                self.last_id = fields.get("id", self.last_id)
                yield fields["event"], json.loads(fields["data"])
            fields = {}

    def _open(self, path: str) -> Any:
        headers = {} if self.last_id is None else {"Last-Event-ID": self.last_id}
        try:
            return self.open(path, headers)
        except HTTPError as error:
            if error.code in TRANSIENT:
                raise OSError(f"the service answers {error.code}") from error
            raise GameUnavailable(reason_of(error)) from error


def _show(spectator: Spectator, view: View, out: TextIO) -> None:
    """Redraw the table at each event; without a terminal, print a line per event."""
    colour = wants_colour(out)
    drawing = out.isatty()
    print((_CLEAR if drawing else "") + drawn_view(view, colour=colour), file=out, flush=True)
    said = ""
    if view["status"] != "finished":
        for kind, event in spectator.events(view["version"]):
            if kind == "deleted":
                raise GameUnavailable("the game was deleted")
            if kind != "resync":
                said = event_text(event, view)
            if drawing or kind in {"joined", "resync"} or event["end"]:
                view = _refreshed(spectator, view)
            if drawing:
                print(_CLEAR + drawn_view(view, colour=colour), file=out)
            print(said, file=out, flush=True)
        view = _refreshed(spectator, view)
        if not drawing:
            print(drawn_view(view, colour=colour), file=out, flush=True)
    if view["winners"] is not None:
        print(_result(view), file=out, flush=True)


def _refreshed(spectator: Spectator, before: View) -> View:
    """The game as it is now, or as it was if the service is unavailable at the moment."""
    try:
        return spectator.view()
    except (OSError, HTTPException, ValueError):
        return before


def drawn_view(view: View, *, colour: bool) -> str:
    """A game view: the table with the last play marked, the points, whose turn it is, the hand."""
    board = Board(
        (cell_at(each["x"], each["y"]), tile_named(each["tile"])) for each in view["board"]
    )
    newest = max((each["turn"] for each in view["board"]), default=0)
    latest = [cell_at(e["x"], e["y"]) for e in view["board"] if newest and e["turn"] == newest]
    turn = view["turn"] or {}
    lines = [drawn_board(board, latest, colour=colour), ""]
    for player in view["players"]:
        mark = ">" if turn.get("seat") == player["seat"] else " "
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


def _deadline(turn: View) -> str:
    return f", until {printable(turn['deadline'])}" if turn.get("deadline") else ""


def event_text(event: View, view: View) -> str:
    """An event in one sentence."""
    names = {player["seat"]: printable(player["name"]) for player in view["players"]}
    who = printable(event.get("name", "")) or names.get(event["seat"], "somebody")
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
            what = f"{who} leaves"
        case "joined":
            what = f"{who} takes a seat"
        case "dealt":
            what = "the tiles are dealt"
        case other:
            what = printable(other)
    late = " (time ran out)" if event["timeout"] else ""
    return f"{event['n']}: {what}{late}"


def _result(view: View) -> str:
    winners = [printable(p["name"]) for p in view["players"] if p["seat"] in view["winners"]]
    if len(winners) == 1:
        return f"{winners[0]} wins."
    return f"{', '.join(winners[:-1])} and {winners[-1]} share the victory."

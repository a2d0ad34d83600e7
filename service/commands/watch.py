"""`qwirkle watch`: a table of any service in the terminal, changing as the game goes on."""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any, TextIO
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from service.commands.game_url import NoGameAddress, game_address
from service.commands.render import LEGEND, counted, drawn_board, drawn_tiles, wants_colour
from service.rules.board import Board
from service.rules.cells import cell_at
from service.rules.tiles import tile_named

View = dict[str, Any]

_UNUSABLE = 2
_LOST = 1
_SILENCE = 40.0
"""Seconds after which a line is dead: a living one says something every 15."""
_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 30.0
_PASSING = (429, 500, 502, 503, 504)
_CLEARED = "\x1b[H\x1b[2J"


class NotWatchable(Exception):
    """The game cannot be watched (any more); the message says why."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.epilog = LEGEND
    parser.add_argument("url", metavar="URL", help="the game: http://.../v1/games/<id>")
    parser.add_argument(
        "--token-file", type=Path, help="a file that holds a token; else QWIRKLE_TOKEN, if set"
    )


def run(parsed: argparse.Namespace) -> int:
    """Watches until the game is finished; 1 if it is lost on the way, 2 if it cannot be watched."""
    try:
        seat = RingSide(game_address(parsed.url), _token(parsed.token_file))
    except NoGameAddress as error:
        print(f"qwirkle: {error}", file=sys.stderr)
        return _UNUSABLE
    except OSError as error:
        print(f"qwirkle: the token cannot be read: {error}", file=sys.stderr)
        return _UNUSABLE
    try:
        view = seat.look()
    except (NotWatchable, OSError, HTTPException, ValueError) as error:
        print(f"qwirkle: this game cannot be watched: {error}", file=sys.stderr)
        return _UNUSABLE
    try:
        _show(seat, view, sys.stdout)
    except NotWatchable as error:
        print(f"qwirkle: {error}", file=sys.stderr)
        return _LOST
    except KeyboardInterrupt:
        print()
    return 0


def _token(file: Path | None) -> str:
    return (file.read_text() if file else os.environ.get("QWIRKLE_TOKEN", "")).strip()


@dataclass
class RingSide:
    """A place from which a game is watched, by the public interface alone."""

    url: str
    token: str
    last_id: str | None = field(default=None)

    def look(self) -> View:
        """The game as it is now."""
        with self._open("", "application/json") as answer:
            view: View = json.load(answer)
            return view

    def events(self, after: int) -> Iterator[tuple[str, View]]:
        """What happens after this event, each once, through lost connections; until the end."""
        pause = _FIRST_PAUSE
        while True:
            try:
                with self._open(f"/events?after={after}", "text/event-stream") as stream:
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

    def _open(self, path: str, wanted: str) -> Any:
        request = Request(self.url + path, headers={"Accept": wanted})  # noqa: S310  # http(s), as checked
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        if self.last_id is not None:
            request.add_header("Last-Event-ID", self.last_id)
        try:
            return urlopen(request, timeout=_SILENCE)  # noqa: S310  # http(s), as checked
        except HTTPError as error:
            if error.code in _PASSING:
                raise OSError(f"the service answers {error.code}") from error
            raise NotWatchable(_reason(error)) from error


def _show(seat: RingSide, view: View, out: TextIO) -> None:
    """Draw the table anew at each event; where there is no terminal, a line for each event."""
    colour = wants_colour(out)
    drawing = out.isatty()
    print((_CLEARED if drawing else "") + drawn_view(view, colour=colour), file=out, flush=True)
    said = ""
    if view["status"] != "finished":
        for kind, event in seat.events(view["version"]):
            if kind == "deleted":
                raise NotWatchable("the game was deleted")
            if kind != "resync":
                said = told(event, view)
            if drawing or kind in {"joined", "resync"} or event["end"]:
                view = _looked(seat, view)
            if drawing:
                print(_CLEARED + drawn_view(view, colour=colour), file=out)
            print(said, file=out, flush=True)
        view = _looked(seat, view)
        if not drawing:
            print(drawn_view(view, colour=colour), file=out, flush=True)
    if view["winners"] is not None:
        print(_result(view), file=out, flush=True)


def _looked(seat: RingSide, before: View) -> View:
    """The game as it is now, or as it was if the service is away just now."""
    try:
        return seat.look()
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
        nonce = ">" if turn.get("seat") == player["seat"] else " "
        left = " (left)" if player["resigned"] else ""
        lines.append(
            f"{nonce} {player['seat']} {_clean(player['name']):<16.40} {player['score']:>4}  "
            f"{counted(player['hand_count'], 'tile')}{left}"
        )
    lines.append(f"  {view['bag_count']} in the bag, {view['status']}{_deadline(turn)}")
    if view["you"]:
        hand = [tile_named(tile) for tile in view["you"]["hand"]]
        lines.append(f"  your hand: {drawn_tiles(hand, colour=colour)}")
    return "\n".join(lines)


def _deadline(turn: View) -> str:
    return f", until {_clean(turn['deadline'])}" if turn.get("deadline") else ""


def told(event: View, view: View) -> str:
    """An event in a sentence."""
    names = {player["seat"]: _clean(player["name"]) for player in view["players"]}
    who = _clean(event["name"] or "") or names.get(event["seat"], "somebody")
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
            what = _clean(other)
    late = " (time ran out)" if event["timeout"] else ""
    return f"{event['n']}: {what}{late}"


def _result(view: View) -> str:
    winners = [_clean(p["name"]) for p in view["players"] if p["seat"] in view["winners"]]
    if len(winners) == 1:
        return f"{winners[0]} wins."
    return f"{', '.join(winners[:-1])} and {winners[-1]} share the victory."


def _reason(error: HTTPError) -> str:
    """What the service says is wrong, or the status if it says nothing of use."""
    try:
        return _clean(str(json.load(error)["detail"]))
    except (OSError, ValueError, KeyError, TypeError):
        return f"the service answers {error.code}"


def _clean(text: str) -> str:
    """Text of another machine's, without what a terminal would take for orders."""
    return "".join(character for character in text if character.isprintable())

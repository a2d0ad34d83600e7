"""`qwirkle bot`: lets a bot play at a table of any service, with what its token lets it see."""

import argparse
import os
import sys
from pathlib import Path
from secrets import token_hex

from service.bots import BOTS, Exchange, Place, bid_of, choose
from service.commands.game_url import NoGameAddress, game_address
from service.commands.http_client import NoTable, RemoteTable, View, names, placements, sight_from
from service.rules.tiles import tile_named

_ENDED_BADLY = 1
_UNUSABLE = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument("--url", required=True, help="the game: http://.../v1/games/<id>")
    parser.add_argument("--bot", choices=BOTS, default="expert", help="who plays (expert)")
    parser.add_argument("--token", help="the player token; better in QWIRKLE_TOKEN or a file")
    parser.add_argument("--token-file", type=Path, help="a file that holds the player token")
    parser.add_argument("--seed", help="the text from which the bot's chance follows")
    parser.add_argument(
        "--patience", type=float, default=600, metavar="SECONDS",
        help="how long to try again while the service is away (600)",
    )  # fmt: skip


def run(parsed: argparse.Namespace) -> int:
    """Plays until the game is finished; 1 if the table is lost on the way, 2 if it never began."""
    try:
        address = game_address(parsed.url)
        token = _token(parsed)
    except NoGameAddress as error:
        print(f"qwirkle: {error}", file=sys.stderr)
        return _UNUSABLE
    except OSError as error:
        print(f"qwirkle: the token cannot be read: {error}", file=sys.stderr)
        return _UNUSABLE
    if not token:
        print("qwirkle: give a player token in QWIRKLE_TOKEN or --token-file", file=sys.stderr)
        return _UNUSABLE
    try:
        table = RemoteTable(address, token, parsed.patience)
        view = _play(table, parsed.bot, parsed.seed or token_hex(16))
    except NoTable as error:
        print(f"qwirkle: {error}", file=sys.stderr)
        return _ENDED_BADLY
    except KeyboardInterrupt:
        return _ENDED_BADLY
    totals = ", ".join(f"{player['name']} {player['score']}" for player in view["players"])
    print(f"The game is over ({view['end']}): {totals}.")
    return 0


def _token(parsed: argparse.Namespace) -> str:
    if parsed.token_file is not None:
        text: str = parsed.token_file.read_text()
        return text.strip()
    return str(parsed.token or os.environ.get("QWIRKLE_TOKEN", "")).strip()


def _play(table: RemoteTable, bot: str, seed: str) -> View:
    """Acts whenever there is something to do, waits otherwise; the view of the finished game."""
    while True:
        view = table.look()
        if view["status"] == "finished":
            return view
        you = view["you"]
        if you is None:
            raise NoTable("the token is no player's")
        if any(each["seat"] == you["seat"] and each["resigned"] for each in view["players"]):
            raise NoTable("the seat has left the game")
        if "bid" in you["actions"]:
            hand = tuple(tile_named(tile) for tile in you["hand"])
            table.act("bids", {"length": bid_of(hand)})
        elif you["actions"] and view["status"] == "playing":
            _move(table, view, bot, f"{seed} {view['id']} {view['version']}")
        else:
            table.wait(view["version"])


def _move(table: RemoteTable, view: View, bot: str, seed: str) -> None:
    action = choose(bot, sight_from(view, table.passed(view)), seed.encode())
    if isinstance(action, Place):
        done = table.act("plays", {"placements": placements(action.placements)})
    elif isinstance(action, Exchange):
        done = table.act("exchanges", {"tiles": names(action.tiles)})
    else:
        done = table.act("passes", {})
    if done is not None:
        kind = type(action).__name__.lower()
        points = f" for {done['play']['points']}" if "play" in done else ""
        print(f"turn {view['turn']['number']}: {kind}{points}", flush=True)

"""`qwirkle bot`: let a bot play in a game of any service, seeing only what its token shows."""

import argparse
import time
from pathlib import Path
from secrets import token_hex
from typing import cast

from qwirkle_client import Conflict, GameClient, StaleVersion
from qwirkle_client.types import Game, Placement, Tile, Turn, You
from service.bots import BOTS, choose
from service.bots.actions import Action, Exchange, Place
from service.bots.observation import Observation, RecentTurn, recent_turns
from service.commands.remote_game import printable, read_token, remote_game
from service.config import CannotGoOn, CannotRun
from service.rules.board import Board
from service.rules.cells import cell_at
from service.rules.lines import longest_line
from service.rules.record.write import placement_document
from service.rules.tiles import COPIES, NAMES, TILES, tile_named

_WAIT_SECONDS = 25
_PAUSE = 0.2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.add_argument("--url", required=True, help="the game: http://.../v1/games/<id>")
    parser.add_argument("--bot", choices=BOTS, default="expert", help="who plays (expert)")
    parser.add_argument("--token", help="the player token; better in QWIRKLE_TOKEN or a file")
    parser.add_argument("--token-file", type=Path, help="a file that holds the player token")
    parser.add_argument("--seed", help="a text that determines the bot's random choices")
    parser.add_argument(
        "--patience", type=float, default=600, metavar="SECONDS",
        help="how long to retry while the service is unavailable (600)",
    )  # fmt: skip


def run(parsed: argparse.Namespace) -> int:
    """Play one seat through the public API until the game is finished.

    Survives restarts of the server. The exit code is 1 if the game becomes unavailable, 2 if the
    bot cannot begin.
    """
    try:
        token = _player_token(parsed)
        with remote_game(parsed.url, token, parsed.patience) as game:
            view = _play(game, parsed.bot, parsed.seed or token_hex(16))
    except KeyboardInterrupt:
        return CannotGoOn.exit_code
    totals = ", ".join(
        f"{printable(player['name'])} {player['score']}" for player in view["players"]
    )
    print(f"The game is over ({view['end']}): {totals}.")
    return 0


def _player_token(parsed: argparse.Namespace) -> str:
    token = read_token(parsed.token_file, parsed.token)
    if not token:
        raise CannotRun("give a player token in QWIRKLE_TOKEN or --token-file")
    return token


def _play(game: GameClient, bot: str, seed: str) -> Game:
    """Act whenever it is the bot's turn, wait otherwise; the view of the finished game.

    Every action is sent with the version that it was made for: it happens then or not at all.
    """
    while True:
        view = game.view()
        if view["status"] == "finished":
            return view
        seen, you, turn = game.etag, view["you"], view["turn"]
        if you is None:
            raise CannotGoOn("the token is not a player's")
        if any(each["seat"] == you["seat"] and each["resigned"] for each in view["players"]):
            raise CannotGoOn("the player has left the game")
        try:
            if "bid" in you["actions"]:
                hand = tuple(tile_named(tile) for tile in you["hand"])
                game.bid(longest_line(hand), if_match=seen)
            elif you["actions"] and turn:
                observed = observation_from(view, you, turn, _passed(game, view, turn))
                action = choose(bot, observed, f"{seed} {view['id']} {view['version']}".encode())
                print(f"turn {turn['number']}: {_act(game, action, seen)}", flush=True)
            else:
                game.events(after=view["version"], limit=1, wait=_WAIT_SECONDS)
        except (Conflict, StaleVersion):  # the game has moved on
            time.sleep(_PAUSE)


def _passed(game: GameClient, view: Game, turn: Turn) -> tuple[int, ...]:
    """Who has had to pass since the last placement; nobody can while the bag holds tiles."""
    if view["bag_count"]:
        return ()
    seats = []
    # There cannot be more passes than seats since then: the game would have ended.
    sheet = game.score(after=max(0, turn["number"] - 1 - view["seats"]))
    for each in reversed(sheet["turns"]):
        if each["type"] != "passed":
            break
        seats.append(each["seat"])
    return tuple(sorted(seats))


def _act(game: GameClient, action: Action, seen: str | None) -> str:
    """Do something, and say what it was."""
    if isinstance(action, Place):
        placements = [cast("Placement", placement_document(each)) for each in action.placements]
        done = game.play(placements, if_match=seen)
        return f"place for {done['play']['points']}"
    if isinstance(action, Exchange):
        game.exchange([cast("Tile", NAMES[tile]) for tile in action.tiles], if_match=seen)
        return "exchange"
    game.pass_(if_match=seen)
    return "pass"


def observation_from(view: Game, you: You, turn: Turn, passed: tuple[int, ...]) -> Observation:
    """What a game view shows the player to move, as bots see it."""
    players = view["players"]
    hand = tuple(sorted(tile_named(tile) for tile in you["hand"]))
    board = Board(
        (cell_at(each["x"], each["y"]), tile_named(each["tile"])) for each in view["board"]
    )
    unseen = [COPIES - hand.count(tile) for tile in TILES]
    for tile in board.tiles.values():
        unseen[tile] -= 1
    bag = view["bag_count"]
    active = tuple(player["seat"] for player in players if not player["resigned"])
    opening = players[you["seat"]]["bid"] if turn["opening"] else None
    return Observation(
        seat=you["seat"],
        mover=you["seat"],
        turn=turn["number"],
        hand=hand,
        board=board,
        unseen=tuple(unseen),
        bag=bag,
        held=tuple(player["hand_count"] for player in players),
        scores=tuple(player["score"] for player in players),
        active=active,
        passed=tuple(seat for seat in passed if seat in active),
        opening=opening,
        may_exchange=0 if turn["opening"] else min(len(hand), bag),
        recent=_recent(view, board, turn["number"]) if len(active) == len(players) else (),
    )


def _recent(view: Game, board: Board, turn: int) -> tuple[RecentTurn, ...]:
    laid = (each["turn"] for each in view["board"])
    return recent_turns(zip(board.tiles.items(), laid, strict=True), turn, 0, len(view["players"]))

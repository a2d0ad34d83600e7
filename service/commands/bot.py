"""`qwirkle bot`: let a bot play in a game of any service, seeing only what its token shows."""

import argparse
import json
import sys
import time
from collections.abc import Mapping
from http.client import HTTPException
from pathlib import Path
from secrets import token_hex
from urllib.error import HTTPError
from uuid import uuid4

from service.bots import BOTS, choose
from service.bots.actions import Exchange, Place
from service.bots.observation import Observation
from service.commands.http_client import (
    TRANSIENT,
    GameClient,
    GameUnavailable,
    NotAGameUrl,
    View,
    game_url,
    read_token,
    reason_of,
)
from service.rules.board import Board
from service.rules.cells import cell_at
from service.rules.lines import longest_line
from service.rules.record.write import placement_document
from service.rules.tiles import COPIES, NAMES, TILES, tile_named

_ENDED_BADLY = 1
_UNUSABLE = 2
_WAIT_SECONDS = 25
_LONGEST_PAUSE = 3.0
_MOVED_ON = (409, 412)


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
    """Play until the game is finished; 1 if it becomes unavailable, 2 if it cannot begin."""
    try:
        url = game_url(parsed.url)
        token = read_token(parsed.token_file, parsed.token)
    except NotAGameUrl as error:
        print(f"qwirkle: {error}", file=sys.stderr)
        return _UNUSABLE
    except OSError as error:
        print(f"qwirkle: the token cannot be read: {error}", file=sys.stderr)
        return _UNUSABLE
    if not token:
        print("qwirkle: give a player token in QWIRKLE_TOKEN or --token-file", file=sys.stderr)
        return _UNUSABLE
    try:
        game = RemoteGame(url, token, parsed.patience)
        view = _play(game, parsed.bot, parsed.seed or token_hex(16))
    except GameUnavailable as error:
        print(f"qwirkle: {error}", file=sys.stderr)
        return _ENDED_BADLY
    except KeyboardInterrupt:
        return _ENDED_BADLY
    totals = ", ".join(f"{player['name']} {player['score']}" for player in view["players"])
    print(f"The game is over ({view['end']}): {totals}.")
    return 0


class RemoteGame(GameClient):
    """One game as the holder of one token sees it.

    Every action has its own key and names the version that it was made for: however often it has
    to be sent until an answer arrives, it happens once or not at all.
    ``patience`` is for how many seconds a request is repeated while the service is unavailable.
    """

    def __init__(self, url: str, token: str, patience: float) -> None:
        super().__init__(url, token)
        self._patience = patience
        self._etag: str | None = None

    def view(self) -> View:
        """The game as it is now."""
        return self._send("") or {}

    def wait(self, version: int) -> None:
        """Return when something has happened since this version, or after a while."""
        self._send(f"/events?after={version}&limit=1&wait={_WAIT_SECONDS}")

    def passed(self, view: View) -> tuple[int, ...]:
        """Who has had to pass since the last placement; nobody can while the bag holds tiles."""
        if view["bag_count"]:
            return ()
        seats = []
        # There cannot be more passes than seats since then: the game would have ended.
        before = max(0, view["turn"]["number"] - 1 - view["seats"])
        sheet = self._send(f"/score?after={before}") or {}
        for turn in reversed(sheet["turns"]):
            if turn["type"] != "passed":
                break
            seats.append(turn["seat"])
        return tuple(sorted(seats))

    def act(self, what: str, body: Mapping[str, object]) -> View | None:
        """Do something once; None if the game has moved on and has to be viewed again."""
        headers = {"Idempotency-Key": uuid4().hex}
        if self._etag:
            headers["If-Match"] = self._etag
        return self._send(f"/{what}", headers, body)

    def _send(
        self,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, object] | None = None,
    ) -> View | None:
        give_up = time.monotonic() + self._patience
        pause = 0.2
        while True:
            try:
                with self.open(path, headers, body) as response:
                    view: View = json.load(response)
                    if not path:
                        self._etag = response.headers.get("ETag")
                    return view
            except HTTPError as error:
                if error.code in _MOVED_ON:
                    time.sleep(pause)  # the other request may not be done yet
                    return None
                if error.code not in TRANSIENT:
                    detail = f"the service refuses ({error.code}): {reason_of(error)}"
                    raise GameUnavailable(detail) from error
                pause = max(pause, _seconds(error.headers.get("Retry-After")))
                reason = f"the service answers {error.code}"
            except (OSError, HTTPException, ValueError) as error:
                reason = f"the service cannot be reached: {error}"
            if time.monotonic() + pause > give_up:
                raise GameUnavailable(reason)
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)


def _seconds(header: str | None) -> float:
    return float(header) if header is not None and header.isdecimal() else 0.0


def observation_from(view: View, passed: tuple[int, ...]) -> Observation:
    """What a game view shows the player to move, as bots see it."""
    you, turn, players = view["you"], view["turn"], view["players"]
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
        mover=turn["seat"],
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
    )


def _play(game: RemoteGame, bot: str, seed: str) -> View:
    """Act whenever it is the bot's turn, wait otherwise; the view of the finished game."""
    while True:
        view = game.view()
        if view["status"] == "finished":
            return view
        you = view["you"]
        if you is None:
            raise GameUnavailable("the token is not a player's")
        if any(each["seat"] == you["seat"] and each["resigned"] for each in view["players"]):
            raise GameUnavailable("the player has left the game")
        if "bid" in you["actions"]:
            hand = tuple(tile_named(tile) for tile in you["hand"])
            game.act("bids", {"length": longest_line(hand)})
        elif you["actions"] and view["status"] == "playing":
            _move(game, view, bot, f"{seed} {view['id']} {view['version']}")
        else:
            game.wait(view["version"])


def _move(game: RemoteGame, view: View, bot: str, seed: str) -> None:
    action = choose(bot, observation_from(view, game.passed(view)), seed.encode())
    if isinstance(action, Place):
        done = game.act(
            "plays", {"placements": [placement_document(each) for each in action.placements]}
        )
    elif isinstance(action, Exchange):
        done = game.act("exchanges", {"tiles": [NAMES[tile] for tile in action.tiles]})
    else:
        done = game.act("passes", {})
    if done is not None:
        kind = type(action).__name__.lower()
        points = f" for {done['play']['points']}" if "play" in done else ""
        print(f"turn {view['turn']['number']}: {kind}{points}", flush=True)

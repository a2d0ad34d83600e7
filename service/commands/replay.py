"""`qwirkle replay`: step through a recorded game in the terminal."""

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from typing import TextIO

from service.commands.keyboard import pressed_keys
from service.commands.record_files import records_in
from service.commands.terminal_board import (
    LEGEND,
    counted,
    drawn_board,
    drawn_players,
    drawn_tiles,
    wants_colour,
)
from service.config import CannotGoOn, CannotRun
from service.rules.actions import Step
from service.rules.events import Bid, Created, Dealt, Exchanged, Joined, Passed, Played, Updated
from service.rules.notation import format_play
from service.rules.record.read import RecordBroken
from service.rules.record.replay import replay_steps
from service.rules.state import Game

_HELP = "space or right: on   left: back   g/G: first/last   q: quit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.epilog = LEGEND
    parser.add_argument(
        "file", metavar="record.json", help="one record, or one per line; - is standard input"
    )
    parser.add_argument(
        "--number", type=int, default=1, metavar="N", help="which record of several (1)"
    )
    parser.add_argument("--all", action="store_true", help="print every step at once")
    parser.add_argument(
        "--delay", type=float, metavar="SECONDS", help="show the next step after this many seconds"
    )


def run(parsed: argparse.Namespace) -> int:
    """Show a recorded game step by step in a terminal, elsewhere all at once.

    The exit code is 1 if the record turns out to be wrong, 2 if it cannot be read.
    """
    document = _record(parsed.file, parsed.number)
    revealed = isinstance(document, dict) and document.get("seed") is not None
    steps: list[Step] = []
    broken: RecordBroken | None = None
    try:
        # Steps before the first wrong event stay in the list: they are still worth showing.
        steps.extend(replay_steps(document))
    except RecordBroken as error:
        broken = error
    colour = wants_colour(sys.stdout)
    frames = [_frame(step, hands=revealed, colour=colour) for step in steps]
    by_hand = parsed.file != "-" and sys.stdin.isatty() and sys.stdout.isatty()
    if parsed.all or parsed.delay is not None or not by_hand:
        _roll(frames, parsed.delay or 0, sys.stdout)
    elif frames:
        _browse(frames, sys.stdout)
    if broken is not None:
        raise CannotGoOn(f"the record is wrong ({broken.code}): {broken}")
    return 0


def _record(file: str, number: int) -> object:
    records = records_in(file)
    if not 1 <= number <= len(records):
        held = counted(len(records), "record")
        raise CannotRun(f"{file} holds {held}; there is no number {number}")
    return records[number - 1].read()


def _roll(frames: list[str], delay: float, out: TextIO) -> None:
    """Print one frame after another."""
    for at, frame in enumerate(frames):
        if at and delay:
            time.sleep(delay)
        print(frame, end="\n\n", file=out, flush=True)


def _browse(frames: list[str], out: TextIO) -> None:
    """Show one frame at a time; keys step forward and back."""
    at = 0
    with closing(pressed_keys()) as keys:
        while True:
            place = f"[{at + 1}/{len(frames)}]  {_HELP}"
            out.write(f"\x1b[2J\x1b[H{frames[at]}\n\n{place}\n".replace("\n", "\r\n"))
            out.flush()
            match next(keys, "q"):
                case "q":
                    return
                case "left" | "b":
                    at = max(at - 1, 0)
                case "g":
                    at = 0
                case "G":
                    at = len(frames) - 1
                case _:
                    at = min(at + 1, len(frames) - 1)


def _frame(step: Step, *, hands: bool, colour: bool) -> str:
    event, game = step
    latest = [cell for cell, _ in event.placements] if isinstance(event, Played) else []
    parts = [
        f"{event.n}. {_sentence(step, hands=hands, colour=colour)}",
        drawn_board(game.board, latest, colour=colour),
        drawn_players(game, hands=hands, colour=colour),
        *_ending(game),
    ]
    return "\n".join(parts)


def _sentence(step: Step, *, hands: bool, colour: bool) -> str:  # noqa: PLR0911  # one for each type
    event, game = step
    match event:
        case Created():
            start = " from a position" if event.setup else ""
            return f"A game for {event.seats} is created{start}, edition {event.edition}."
        case Dealt():
            return "The bag is shuffled and six tiles are dealt to each player."
        case Joined():
            return f"{event.player.name} takes seat {event.seat}."
        case Updated():
            return f"The host changes the table; it has {event.seats} seats."
    who = _name(game, event.seat) + (" (time ran out)" if event.timeout else "")
    match event:
        case Bid():
            return f"{who} bids {event.length}."
        case Played():
            drawn = drawn_tiles(event.drew, colour=colour) or "nothing"
            drew = f", draws {drawn}" if hands else ""
            bonus = f" and {event.bonus} for ending the game" if event.bonus else ""
            laid = format_play(event.placements)
            return f"{who} plays {laid}: {counted(event.points, 'point')}{bonus}{drew}."
        case Exchanged():
            if not hands:
                return f"{who} exchanges {len(event.returned)}."
            gone, came = (drawn_tiles(each, colour=colour) for each in (event.returned, event.drew))
            return f"{who} exchanges {gone} for {came}."
        case Passed():
            return f"{who} passes."
    return f"{who} is removed by the host." if event.removed else f"{who} leaves."


def _name(game: Game, seat: int) -> str:
    player = game.players[seat]
    return player.name if player else f"Seat {seat}"


def _ending(game: Game) -> Iterator[str]:
    if game.end is not None:
        names = " and ".join(_name(game, seat) for seat in game.winners)
        yield f"The game is over ({game.end.replace('_', ' ')}): {names} won."

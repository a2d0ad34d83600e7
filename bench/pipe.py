"""How many plays a second a program gets from `qwirkle engine`, with and without the core.

The program is this one: it writes a line, waits for its answer and parses it. Then the same with
several lines at a time. The plays are those of recorded games, so that no time goes into choosing
them; every answer is checked. The processor time is that of the engine alone.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
import json
import os
import subprocess
from pathlib import Path
from time import perf_counter

import psutil

from service.bots.matches import Match, no_clock, play_game

TARGET = 5000
COMMAND = Path(sys.executable).with_name("qwirkle")
COMMANDS = {"played": "play", "exchanged": "exchange", "passed": "pass"}


def lines_of(games: int, *, view: bool) -> list[bytes]:
    """The commands that play recorded games again; their answers show the game, or do not."""
    match = Match(("greedy", "greedy"), games, "pipe", keep_records=True)
    lines = []
    for number in range(games):
        record = play_game(match, no_clock, number).record
        assert record is not None
        players = [
            {"name": player["name"], "age": player["age_rank"]}
            for player in record["events"][0]["players"]
        ]
        seed = f"pipe/{number // 2}"
        command = {"command": "create", "players": players, "seed": seed, "auto_bid": True}
        command["view"] = view
        lines.append(json.dumps(command).encode() + b"\n")
        for event in record["events"][2:]:
            members = {
                "played": {"placements": event.get("placements")},
                "exchanged": {"tiles": event.get("returned")},
                "passed": {},
            }[event["type"]]
            command = {"command": COMMANDS[event["type"]], "view": view, **members}
            lines.append(json.dumps(command).encode() + b"\n")
    return lines


def converse(lines: list[bytes], at_once: int, core: str) -> tuple[float, float]:
    """Plays a second as this program sees it, and a second of the engine's processor time."""
    engine = subprocess.Popen(
        [str(COMMAND), "engine"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"QWIRKLE_CORE": core},
    )
    assert engine.stdin is not None
    assert engine.stdout is not None
    engine.stdin.write(b'{"command": "state"}\n')  # it takes a moment to start
    engine.stdin.flush()
    engine.stdout.readline()
    process = psutil.Process(engine.pid)
    start = _used(process)
    began = perf_counter()
    for first in range(0, len(lines), at_once):
        some = lines[first : first + at_once]
        engine.stdin.write(b"".join(some))
        engine.stdin.flush()
        for _ in some:
            assert "problem" not in json.loads(engine.stdout.readline())
    seconds = perf_counter() - began
    engine_seconds = _used(process) - start
    engine.stdin.close()
    engine.wait()
    return len(lines) / seconds, len(lines) / engine_seconds


def _used(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    games = parser.parse_args().games
    reached = True
    for core, name in (("auto", "with the core"), ("python", "without the core")):
        for view, what in ((True, "game shown"), (False, "play only")):
            lines = lines_of(games, view=view)
            for at_once in (1, 16):
                seen, used = converse(lines, at_once, core)
                print(
                    f"{name}, {what}, {at_once:2} at once: {seen:6.0f} plays/s as the program sees "
                    f"it (target {TARGET}), {used:6.0f} a second of the engine's processor time"
                )
                reached = reached and seen >= TARGET
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())

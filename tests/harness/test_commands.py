"""`qwirkle verify` and `qwirkle replay`, as somebody runs them."""

import json
import os
import pty
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from service.rules.record.write import record_of
from tests.golden.make import FOLDER, events_of
from tests.servers import COMMAND

RECORD = FOLDER / "last_player.json"


def ran(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [str(COMMAND), *arguments], input=given, capture_output=True, timeout=60, check=False
    )


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    document = json.loads(RECORD.read_text())
    document["events"][7]["points"] += 1
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(document))
    return path


def test_a_right_record_is_told_to_be_right() -> None:
    done = ran("verify", str(RECORD))
    assert done.returncode == 0
    assert done.stdout.decode() == (
        f"{RECORD}: right. 20 events; commitment, draws, plays and scores are all correct.\n"
    )


def test_a_wrong_record_is_told_with_its_first_wrong_event(broken: Path) -> None:
    done = ran("verify", str(broken), str(RECORD))
    assert done.returncode == 1
    first, second = done.stdout.decode().splitlines()
    assert "wrong at event 8 (differs): points is " in first
    assert "7 events before it were right." in first
    assert "right. 20 events" in second


def test_an_unfinished_record_is_right_as_far_as_it_goes() -> None:
    given = json.dumps(record_of(events_of("last_player")[:9])).encode()
    done = ran("verify", "-", given=given)
    assert done.returncode == 0
    assert b"right so far. 9 events" in done.stdout


def test_reports_can_be_had_as_json(broken: Path) -> None:
    report = json.loads(ran("verify", "--json", str(broken)).stdout)
    assert (report["ok"], report["problem"]["n"]) == (False, 8)


@pytest.fixture
def lines(broken: Path, tmp_path: Path) -> Path:
    """A right record, a wrong one and what a full disk has left of a third, one a line."""
    right = json.dumps(json.loads(RECORD.read_text()))
    path = tmp_path / "games.jsonl"
    path.write_text(f"{right}\n{broken.read_text()}\n{right[:400]}\n")
    return path


def test_every_line_of_many_records_is_checked(lines: Path) -> None:
    done = ran("verify", str(lines))
    assert done.returncode == 2
    first, second = done.stdout.decode().splitlines()
    assert first.startswith(f"{lines}:1: right. 20 events")
    assert second.startswith(f"{lines}:2: wrong at event 8")
    assert done.stderr.decode().startswith(f"qwirkle: {lines}:3 is not a record: it is not JSON")


def test_what_a_simulation_has_written_is_right(tmp_path: Path) -> None:
    out = str(tmp_path / "games.jsonl")
    assert ran("simulate", "--games", "2", "--bots", "greedy,greedy", "--out", out).returncode == 0
    done = ran("verify", out)
    assert (done.returncode, done.stdout.count(b": right. ")) == (0, 2)


def test_one_of_many_records_is_replayed_by_its_number(lines: Path) -> None:
    whole = ran("replay", str(lines))
    assert (whole.returncode, whole.stdout) == (0, ran("replay", str(RECORD)).stdout)
    assert ran("replay", str(lines), "--number", "2").returncode == 1
    beyond = ran("replay", str(lines), "--number", "4")
    assert beyond.returncode == 2
    assert beyond.stderr.decode() == (f"qwirkle: {lines} holds 3 records; there is no number 4\n")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 5000, b'{"a": 1, "a": 2}'])
@pytest.mark.parametrize("command", ["verify", "replay"])
def test_what_is_no_json_is_told_in_one_line(command: str, content: bytes) -> None:
    done = ran(command, "-", given=content)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_a_missing_file_is_told_in_one_line() -> None:
    done = ran("replay", "nowhere.json")
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "qwirkle: nowhere.json cannot be read: No such file or directory\n"
    )


def test_a_replay_into_a_pipe_tells_every_step_without_colour() -> None:
    done = ran("replay", str(RECORD))
    said = done.stdout.decode()
    assert done.returncode == 0
    assert [f"\n{n}. " in f"\n{said}" for n in range(1, 21)] == [True] * 20
    assert "\x1b" not in said
    assert said.rstrip().endswith("The game is over (last player): Ben won.")


def test_before_the_deal_all_tiles_are_in_the_bag() -> None:
    first = ran("replay", str(RECORD)).stdout.decode().split("\n\n")[0]
    assert first.endswith("108 in the bag")


@pytest.mark.parametrize("command", ["watch", "replay"])
def test_the_help_explains_the_letters_of_a_tile(command: str) -> None:
    assert b"shape o, s, d, *, c, x" in b" ".join(ran(command, "--help").stdout.split())


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:9",
        "http://127.0.0.1:9/v1/games",
        "http://127.0.0.1:9/v1/games/short",
        f"http://127.0.0.1:9/v1/games/{'a' * 26}/events",
        f"127.0.0.1:9/v1/games/{'a' * 26}",
        f"http:///v1/games/{'a' * 26}",
        "http://[::1/",
    ],
)
@pytest.mark.parametrize("command", [["bot", "--token", "qwp_0_x", "--url"], ["watch"]])
def test_an_address_that_is_no_games_is_refused_at_once(command: list[str], address: str) -> None:
    done = ran(*command, address)
    assert done.returncode == 2
    assert b"URL" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_command_tells_its_version() -> None:
    assert ran("--version").stdout.decode() == f"qwirkle {version('qwirkle-service')}\n"


def test_a_reader_who_has_had_enough_sees_no_traceback() -> None:
    replay = subprocess.Popen(
        [str(COMMAND), "replay", str(FOLDER / "two_players.json")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert replay.stdout is not None
    assert replay.stderr is not None
    assert replay.stdout.readline().startswith(b"1. ")
    replay.stdout.close()
    assert replay.stderr.read() == b""
    replay.wait(30)
    replay.stderr.close()


def test_a_replay_of_a_wrong_record_shows_what_is_right_and_then_says_so(broken: Path) -> None:
    done = ran("replay", str(broken))
    assert done.returncode == 1
    assert b"\n7. " in done.stdout
    assert b"\n8. " not in done.stdout
    assert b"event 8: points is" in done.stderr


def test_a_replay_of_a_game_going_on_shows_no_hands() -> None:
    given = json.dumps(record_of(events_of("last_player")[:9])).encode()
    said = ran("replay", "-", given=given).stdout.decode()
    assert "6 tiles" in said
    assert "draws" not in said


def test_a_replay_says_that_nothing_is_drawn_from_an_empty_bag() -> None:
    said = ran("replay", str(FOLDER / "two_players.json")).stdout.decode()
    assert ", draws nothing." in said
    assert ", draws ." not in said


def test_in_a_terminal_keys_step_on_and_back() -> None:
    ours, theirs = pty.openpty()
    replay = subprocess.Popen(
        [str(COMMAND), "replay", str(RECORD)],
        stdin=theirs,
        stdout=theirs,
        env={**os.environ, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", "NO_COLOR": ""},
    )
    os.close(theirs)
    said = b""
    for key, expected in (
        (b"", b"[1/20]"),
        (b" ", b"[2/20]"),
        (b"\x1b[C", b"[3/20]"),
        (b"\x1b[D", b"[2/20]"),
        (b"G", b"[20/20]"),
        (b"g", b"[1/20]"),
    ):
        os.write(ours, key)
        said = b""
        while expected not in said:
            said += os.read(ours, 4096)
    os.write(ours, b"Gq")
    while b"[20/20]" not in said:
        said += os.read(ours, 65536)
    assert "\x1b[38;5;" in said.decode()
    assert replay.wait(30) == 0
    os.close(ours)

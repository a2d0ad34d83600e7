"""`qwirkle engine`: a whole conversation, and games that are the rules' own."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.engine.commands import COMMANDS
from service.rules.record.verify import verify
from tests.harness.engine_process import EngineProcess

PAGE = Path(__file__).parents[2] / "docs/engine.md"


@pytest.fixture(scope="module")
def engine() -> Iterator[EngineProcess]:
    with EngineProcess() as process:
        yield process


def test_the_session_of_the_documentation_goes_word_for_word() -> None:
    (session,) = re.findall(r"```text\n(.*?)```", PAGE.read_text(), re.DOTALL)
    lines = session.splitlines()
    assert len(lines) >= 20
    with EngineProcess() as process:
        for sent, received in zip(lines[::2], lines[1::2], strict=True):
            assert "< " + process.ask_raw(sent.removeprefix("> ").encode()) == received + "\n"


def test_every_command_is_documented() -> None:
    table = PAGE.read_text().partition("## Commands")[2].partition("## A session")[0]
    assert [name for name in COMMANDS if f"`{name}`" not in table] == []


def play_out(engine: EngineProcess, name: str, bots: tuple[str, ...]) -> Any:
    """Continue a game with bots to its end; the last answer."""
    answer = engine.ask("state", game=name)
    while answer["game"]["status"] != "finished":
        seat = (answer["game"]["turn"]["seat"] or 0) % len(bots)
        action = engine.ask("choose", game=name, bot=bots[seat], seed="x")["action"]
        answer = engine.ask(game=name, **action)
        assert "problem" not in answer, answer
    return answer


def test_bots_play_whole_games_whose_records_are_right(engine: EngineProcess) -> None:
    for seats, seed in ((2, "one"), (3, "two"), (4, "three")):
        engine.ask("create", game=seed, seats=seats, seed=seed)
        play_out(engine, seed, ("greedy", "random"))
        record = engine.ask("record", game=seed)["record"]
        report = engine.ask("verify", record=record)["report"]
        assert report["ok"]
        assert report["complete"]
        assert verify(record).ok


def test_the_same_seed_gives_the_same_game(engine: EngineProcess) -> None:
    records = []
    for name in ("first", "second"):
        engine.ask("create", game=name, seats=2, seed="same", auto_bid=True)
        play_out(engine, name, ("greedy",))
        records.append(engine.ask("record", game=name)["record"])
    assert records[0] == records[1]


def test_a_game_is_undone_state_by_state(engine: EngineProcess) -> None:
    engine.ask("create", game="g", seats=2, seed="undo", auto_bid=True)
    states = [engine.ask("state", game="g")]
    while states[-1]["game"]["status"] != "finished":
        action = engine.ask("choose", game="g", bot="random")["action"]
        engine.ask(game="g", **action)
        states.append(engine.ask("state", game="g"))
    for earlier in reversed(states[:-1]):
        engine.ask("undo", game="g")
        assert engine.ask("state", game="g") == earlier
    refused = engine.ask("undo", game="g")
    assert refused["problem"]["code"] == "malformed_request"
    assert refused["problem"]["errors"][0]["pointer"] == "/after"


def test_a_fork_leaves_the_original_alone(engine: EngineProcess) -> None:
    engine.ask("create", game="root", seats=2, seed="fork", auto_bid=True)
    for _ in range(4):
        action = engine.ask("choose", game="root", bot="greedy")["action"]
        engine.ask(game="root", **action)
    before = engine.ask("state", game="root")
    copy = engine.ask("fork", game="root", to="branch", after=3)["game"]
    assert (copy["id"], copy["version"]) == ("branch", 3)
    play_out(engine, "branch", ("random",))
    assert engine.ask("state", game="root") == before
    engine.ask("delete", game="branch")
    assert engine.ask("state", game="branch")["problem"]["code"] == "game_not_found"


def test_an_answer_can_be_had_without_the_game(engine: EngineProcess) -> None:
    engine.ask("create", game="lean", seats=2, seed="lean", auto_bid=True)
    whole = engine.ask("choose", game="lean", bot="greedy", view=False)
    answer = engine.ask(game="lean", view=False, **whole["action"])
    assert set(answer) == {"id", "play"}
    assert set(engine.ask("resign", game="lean", view=False)) == {"id"}
    assert engine.ask("state", game="lean")["game"]["end"] == "last_player"


def test_a_seat_sees_its_own_hand_and_no_other(engine: EngineProcess) -> None:
    engine.ask("create", game="views", seats=3, seed="views")
    whole = engine.ask("state", game="views")
    assert len(whole["bag"]) == 108 - 18
    for seat in range(3):
        seen = engine.ask("state", game="views", seat=seat)
        assert set(seen) == {"id", "game"}
        assert seen["game"]["you"]["hand"] == whole["hands"][seat]
        assert engine.ask("unseen", game="views", seat=seat)["total"] == 102
    assert engine.ask("unseen", game="views")["total"] == 108
    assert engine.ask("state", game="views", seat=3)["problem"]["errors"][0]["pointer"] == "/seat"


def test_bids_and_wrong_moments_get_the_codes_of_the_service(engine: EngineProcess) -> None:
    engine.ask("create", game="codes", seats=2, seed="codes")
    early = engine.ask("play", game="codes", placements=[{"tile": "red-star", "x": 0, "y": 0}])
    assert early["problem"]["code"] == "wrong_phase"
    assert engine.ask("bid", game="codes", length=6)["problem"]["code"] == "bid_too_high"
    for _ in range(2):
        action = engine.ask("choose", game="codes", bot="greedy")["action"]
        assert action["command"] == "bid"
        assert "problem" not in engine.ask(game="codes", **action)
    game = engine.ask("state", game="codes")["game"]
    waiting = 1 - game["turn"]["seat"]
    assert engine.ask("pass", game="codes", seat=waiting)["problem"]["code"] == "not_your_turn"
    assert engine.ask("pass", game="codes")["problem"]["code"] == "must_open"
    plays = engine.ask("legal_plays", game="codes", limit=1)
    preview = engine.ask("preview", game="codes", placements=plays["plays"][0]["placements"])
    assert preview["play"]["points"] == plays["plays"][0]["points"]
    assert engine.ask("resign", game="codes")["game"]["end"] == "last_player"
    assert engine.ask("choose", game="codes", bot="greedy")["problem"]["code"] == "wrong_phase"

"""The verification in JavaScript gives the same verdicts as the service."""

import json
import shutil
import subprocess
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from service.api.rules_json import serialize_lines
from service.rules.actions import create, join, resign
from service.rules.cells import xy
from service.rules.events import Entrant, Played
from service.rules.host_actions import deal
from service.rules.record.replay import replay_record
from service.rules.record.verify import verify
from service.rules.record.write import digest_of, record_of
from service.rules.state import MOST_EVENTS, MOST_WAITING_EVENTS
from service.rules.tiles import NAMES
from tests.golden.make import FOLDER, events_of
from tests.harness.record_changes import altered, like, paths
from tests.rules.long_games import long_game
from tests.rules.opened_games import opened
from tests.rules.positions import SEED

TABLE = Path(__file__).parents[2] / "service" / "web" / "table" / "record"
GOLDEN = {path.stem: orjson.loads(path.read_bytes()) for path in sorted(FOLDER.glob("*.json"))}
MODULES = (
    "verify.js", "read.js", "apply_event.js", "actions.js", "deal_hidden_tiles.js", "rules.js",
    "starting_position.js", "shuffle.js",
)  # fmt: skip
PUBLIC = (
    "late_comers", "late_comers_with_entropy", "added_entropy", "drawn_lots",
    "three_players_russian", "last_player", "all_passed", "exchange_war",
)  # fmt: skip


def run_node(records: list[Any], *arguments: str) -> list[Any]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    answer = subprocess.run(
        [node, str(Path(__file__).with_name("verify_records.mjs")), str(TABLE), *arguments],
        input="".join(json.dumps(record) + "\n" for record in records).encode(),
        check=True,
        capture_output=True,
        timeout=100,
    )
    return [orjson.loads(line) for line in answer.stdout.splitlines()]


def require_same_verdicts(records: list[Any]) -> list[dict[str, Any]]:
    """The verdicts of JavaScript, after comparing them with those of Python."""
    verdicts = run_node(records)
    assert len(verdicts) == len(records)
    for record, verdict in zip(records, verdicts, strict=True):
        report = verify(record)
        problem = verdict["problem"] and (verdict["problem"]["n"], verdict["problem"]["code"])
        expected = report.problem and (report.problem.n, report.problem.code)
        assert (problem, verdict["ok"]) == (expected, report.ok), (verdict, report)
        assert verdict["complete"] == report.complete
        assert verdict["checked_events"] == report.checked_events
    return verdicts


def unfinished(name: str, less: int = 1) -> dict[str, Any]:
    """The public record before the last events."""
    return orjson.loads(orjson.dumps(record_of(events_of(name)[:-less])))


def sample(record: dict[str, Any], chance: Random, most: int) -> list[dict[str, Any]]:
    """Copies of the record with one change each; every second one gets a matching digest."""
    every = list(paths(record))
    made = []
    for path in chance.sample(every, min(most, len(every))):
        value: Any = record
        for key in path:
            value = value[key]
        to = chance.choice((like(value, chance), None if value is not None else 5, ...))
        forged = altered(record, path, to)
        redigested = len(made) % 2 and "digest" in forged
        made.append(forged | {"digest": digest_of(forged)} if redigested else forged)
    return made


def test_every_golden_game_is_correct() -> None:
    verdicts = require_same_verdicts(list(GOLDEN.values()))
    assert all(verdict["ok"] and verdict["complete"] for verdict in verdicts)


def test_seats_may_be_taken_in_any_order_but_only_once() -> None:
    """As in a rematch, where every player has a certain seat."""
    step = create(bytes(32), seats=3, auto_bid=True)
    events = [step.event]
    for seat, bot in ((2, "greedy"), (0, None), (1, None)):
        step = join(step.game, Entrant(f"Player {seat}", 30 + seat, bot), seat)
        events.append(step.event)
    for act in (deal, partial(resign, seat=0), partial(resign, seat=1)):
        step = act(step.game)
        events.append(step.event)
    whole = record_of(events)
    parts = [record_of(events[:count]) for count in range(1, len(events))]
    verdicts = require_same_verdicts([*parts, whole])
    assert all(verdict["ok"] for verdict in verdicts)
    forged = [altered(whole, ("events", 2, "seat"), to) for to in (2, 3, -1, None, "0", True)]
    verdicts = require_same_verdicts([each | {"digest": digest_of(each)} for each in forged])
    found = [verdict["problem"]["code"] for verdict in verdicts]
    assert found == ["table_full"] * 3 + ["malformed"] * 3


def test_records_of_games_in_progress_are_correct() -> None:
    records = [unfinished(name, less) for name in PUBLIC for less in (1, 2, 3)]
    verdicts = require_same_verdicts(records)
    assert all(verdict["ok"] and not verdict["complete"] for verdict in verdicts)


def test_both_accept_every_way_to_the_opening() -> None:
    """With entropy, lots, players who come and go, and any bids and ages."""
    courses = [opened(number) for number in range(60)]
    records = [
        record_of(events[:count]) for events in courses for count in range(1, len(events) + 1)
    ]
    assert all(verdict["ok"] for verdict in require_same_verdicts(records))


def test_both_find_other_entropy_and_other_openers() -> None:
    chance = Random("entropy")
    values = [
        None,
        "",
        "dice",
        "a" * 64,
        "a" * 65,
        "🎲" * 64,
        "🎲" * 65,
        "\ud800",
        5,
        False,
        [],
        ...,
    ]
    records = []
    for number in range(30):
        record = record_of(opened(number))
        for at, entry in enumerate(record["events"]):
            if "entropy" in entry:
                forged = altered(record, ("events", at, "entropy"), chance.choice(values))
                records.append(forged | {"digest": digest_of(forged)})
            elif entry["type"] == "played":
                forged = altered(record, ("events", at, "seat"), chance.randrange(4))
                records.append(forged | {"digest": digest_of(forged)})
    verdicts = require_same_verdicts(records)
    found = {verdict["problem"] and verdict["problem"]["code"] for verdict in verdicts}
    assert {None, "malformed", "differs", "not_your_turn"} <= found


def test_both_find_the_same_change_in_a_finished_record() -> None:
    chance = Random("finished")
    short = [GOLDEN[name] for name in ("all_passed", "blocked", "last_player")]
    records = [each for record in short for each in sample(record, chance, 40)]
    records += [each for record in GOLDEN.values() for each in sample(record, chance, 9)]
    verdicts = require_same_verdicts(records)
    found = {verdict["problem"] and verdict["problem"]["code"] for verdict in verdicts}
    assert {"malformed", "differs", "digest_broken"} <= found


def test_both_find_the_same_change_in_an_unfinished_record() -> None:
    chance = Random("unfinished")
    require_same_verdicts(
        [each for name in PUBLIC for each in sample(unfinished(name), chance, 20)]
    )


def test_another_seed_another_version_and_a_record_cut_short_are_found() -> None:
    record = GOLDEN["two_players"]
    cut = record | {"events": record["events"][:-3]}
    verdicts = require_same_verdicts(
        [
            record | {"seed": "00" * 32},
            record | {"seed": None},
            record | {"record_version": 2},
            cut | {"digest": digest_of(cut)},
            record | {"digest": "sha256:" + "0" * 64},
            altered(record, ("events", 5, "placements", 0, "tile"), "purple-cross"),
            altered(record, ("events", 5, "seat"), 1),
            record | {"seats": 5},
            record | {"edition": ["schmidt"]},
            {},
            [],
            None,
            "record",
        ]
    )
    assert [verdict["problem"]["code"] for verdict in verdicts[:7]] == [
        "commitment_broken", "seed_missing", "unknown_version", "cut_short", "digest_broken",
        "tiles_not_in_hand", "not_your_turn",
    ]  # fmt: skip


def test_a_game_that_is_too_long_is_found() -> None:
    steps = long_game(MOST_EVENTS)
    longest = record_of([*(step.event for step in steps), resign(steps[-1].game, 1).event])
    events = longest["events"]
    turn = events[-2] | {"n": MOST_EVENTS + 1}
    longer = longest | {"events": [*events[:-1], turn, events[-1]]}
    crowded = create(SEED, [], seats=2)
    comings = [crowded]
    while comings[-1].game.version < MOST_WAITING_EVENTS:
        game = comings[-1].game
        comings.append(resign(game, 0) if game.seated else join(game, Entrant("Eve")))
    waiting = record_of([step.event for step in comings])
    joined = waiting["events"][1] | {"n": MOST_WAITING_EVENTS + 1, "seat": 1}
    more = waiting | {"events": [*waiting["events"], joined]}
    verdicts = require_same_verdicts([longest, longer, waiting, more])
    codes = [verdict["problem"] and verdict["problem"]["code"] for verdict in verdicts]
    assert codes == [None, "game_too_long", None, "game_too_long"]


def test_the_replay_shows_the_same_position_as_the_rules_after_every_event() -> None:
    names = ("two_players", "exchange_war", "resignation", "all_passed", "late_comers")
    replays = run_node([GOLDEN[name] for name in names], "--positions")
    for name, positions in zip(names, replays, strict=True):
        steps = replay_record(GOLDEN[name])
        assert len(positions) == len(steps)
        for position, (event, game) in zip(positions, steps, strict=True):
            cells = zip(game.board.tiles.items(), game.laid, strict=True)
            assert position["board"] == [
                {"tile": NAMES[tile], "x": xy(cell)[0], "y": xy(cell)[1], "turn": turn}
                for (cell, tile), turn in cells
            ]
            assert position["hands"] == [
                player and [NAMES[tile] for tile in player.hand] for player in game.players
            ]
            assert position["scores"] == [player and player.score for player in game.players]
            assert position["status"] == game.phase
            assert position["n"] == event.n
            if game.phase != "waiting":
                assert position["bag_count"] == len(game.bag)
            if isinstance(event, Played):
                assert position["lines"] == serialize_lines(event.lines)
                assert (position["points"], position["bonus"]) == (event.points, event.bonus)
            assert position["end"] == game.end


def test_the_replay_of_a_game_in_progress_reveals_no_hand() -> None:
    (positions,) = run_node([unfinished("two_players")], "--positions")
    assert len(positions) == len(GOLDEN["two_players"]["events"]) - 1
    assert all(position["hands"] is None for position in positions)


def test_the_modules_are_small_and_import_only_each_other() -> None:
    size = 0
    for name in MODULES:
        text = (TABLE / name).read_text()
        size += len(text.encode())
        sources = {line.rpartition('"./')[2] for line in text.splitlines() if " from " in line
                   and line.endswith('";')}  # fmt: skip
        assert sources <= {f'{module}";' for module in MODULES}
    assert size < 45_000

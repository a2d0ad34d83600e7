"""Verification: a true record passes, whatever is changed is found, and nothing makes it fail."""

from copy import deepcopy
from random import Random
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.rules.record.verify import Report, verify
from service.rules.record.write import digest_of, record_of
from tests.golden.make import FOLDER, GAMES, events_of
from tests.harness.record_changes import Path, altered, like, paths

WHOLE = {path.stem: orjson.loads(path.read_bytes()) for path in sorted(FOLDER.glob("*.json"))}
SHORT = ("all_passed", "blocked", "last_player")
PUBLIC = {
    name: orjson.loads(orjson.dumps(record_of(events_of(name)[:-1])))
    for name in ("late_comers", "three_players_russian", "last_player", "all_passed")
}


def found(document: Any) -> Report:
    """The report of a record in which something is wrong."""
    report = verify(document)
    assert not report.ok
    assert report.problem is not None
    assert report.problem.detail
    assert report.problem.code
    return report


@pytest.mark.parametrize("name", WHOLE)
def test_a_finished_record_is_right_in_every_draw_and_score(name: str) -> None:
    document = WHOLE[name]
    count = len(document["events"])
    assert verify(document) == Report(ok=True, complete=True, checked_events=count)


@pytest.mark.parametrize("name", GAMES)
def test_a_record_is_right_after_every_event_of_a_game(name: str) -> None:
    events = events_of(name)
    for count in range(1, len(events), 4):
        document = orjson.loads(orjson.dumps(record_of(events[:count])))
        assert verify(document) == Report(ok=True, complete=False, checked_events=count)


@pytest.mark.parametrize("name", SHORT)
def test_whatever_single_thing_is_altered_in_a_finished_record_is_found(name: str) -> None:
    chance = Random(name)
    for path in paths(WHOLE[name]):
        value: Any = WHOLE[name]
        for key in path:
            value = value[key]
        for to in (like(value, chance), None if value is not None else 5, ...):
            report = found(altered(WHOLE[name], path, to))
            if path[0] == "events" and len(path) > 1:
                assert report.checked_events <= len(WHOLE[name]["events"])


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_an_alteration_of_a_long_record_is_found_in_a_sample_of_its_places(name: str) -> None:
    chance = Random(name)
    for path in chance.sample(list(paths(WHOLE[name])), 25):
        value: Any = WHOLE[name]
        for key in path:
            value = value[key]
        found(altered(WHOLE[name], path, like(value, chance)))


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_an_alteration_of_an_unfinished_record_is_found(name: str) -> None:
    chance = Random(name)
    assert verify(PUBLIC[name]).ok
    every = list(paths(PUBLIC[name]))
    for path in chance.sample(every, min(60, len(every))):
        value: Any = PUBLIC[name]
        for key in path:
            value = value[key]
        assert not found(altered(PUBLIC[name], path, like(value, chance))).complete or path == (
            "seed",
        )


def test_the_first_wrong_event_is_named_with_what_it_should_say() -> None:
    document = altered(WHOLE["two_players"], ("events", 6, "points"), 7)
    document = altered(document, ("events", 20, "points"), 99)
    report = found(document)
    assert report.problem is not None
    assert (report.checked_events, report.problem.n, report.problem.code) == (6, 7, "differs")
    assert report.problem.detail == "points is 7, but must be 6"


def test_a_play_that_the_rules_refuse_is_named_by_the_rule() -> None:
    document = WHOLE["two_players"]
    played = document["events"][5]["placements"]
    report = found(altered(document, ("events", 5, "placements"), [*played, played[0]]))
    assert report.problem is not None
    assert (report.problem.n, report.problem.code) == (6, "tiles_not_in_hand")


def resealed(document: dict[str, Any]) -> dict[str, Any]:
    """The record with a digest made to fit, as a forger would."""
    return document | {"digest": digest_of(document)}


# The last play of seat 1.
LAST = max(
    at
    for at, event in enumerate(PUBLIC["three_players_russian"]["events"])
    if (event["type"], event["seat"]) == ("played", 1)
)


@pytest.mark.parametrize(
    ("member", "to", "code"),
    [
        ("points", 99, "differs"),
        ("bonus", 6, "differs"),
        ("seat", 0, "not_your_turn"),
        ("drew", ["red-circle"], "differs"),
    ],
)
def test_public_figures_of_an_unfinished_record_are_checked_whoever_sealed_it(
    member: str, to: Any, code: str
) -> None:
    document = PUBLIC["three_players_russian"]
    report = found(resealed(altered(document, ("events", LAST, member), to)))
    assert report.problem is not None
    assert (report.problem.n, report.problem.code) == (LAST + 1, code)


def test_a_tile_far_away_from_all_others_is_found_whoever_sealed_it() -> None:
    document = altered(PUBLIC["three_players_russian"], ("events", LAST, "placements", 0, "x"), 300)
    report = found(resealed(document))
    assert report.problem is not None
    assert report.problem.n == LAST + 1
    assert report.problem.code in {"not_touching", "not_in_one_line", "line_has_gap"}


def test_a_fourth_tile_of_a_kind_is_found_though_hands_are_unknown() -> None:
    document = PUBLIC["three_players_russian"]
    events = document["events"]
    placed = [tile for event in events for tile in event.get("placements", ())]
    thrice = next(
        each["tile"] for each in placed if sum(e["tile"] == each["tile"] for e in placed) == 3
    )
    at = next(
        n for n, event in enumerate(events)
        if event["type"] == "played" and all(p["tile"] != thrice for p in event["placements"])
    )  # fmt: skip
    report = found(resealed(altered(document, ("events", at, "placements", 0, "tile"), thrice)))
    assert report.problem is not None
    assert report.problem.n >= at + 1


def test_a_pass_beside_a_full_bag_is_found_though_hands_are_unknown() -> None:
    document = deepcopy(PUBLIC["three_players_russian"])
    event = document["events"][8]
    passed = {"n": 9, "type": "passed", "seat": event["seat"], "timeout": False}
    document["events"][8] = passed | {"end": None, "winners": None}
    report = found(resealed(document))
    assert report.problem is not None
    assert (report.problem.n, report.problem.code) == (9, "must_exchange")


@pytest.mark.parametrize("name", ["two_players", "resignation", "late_comers"])
def test_a_record_cut_short_is_found(name: str) -> None:
    whole = WHOLE[name]
    for count in range(1, len(whole["events"]), 7):
        report = found(resealed(whole | {"events": whole["events"][:count]}))
        assert report.problem is not None
        assert report.problem.code in {"cut_short", "differs"}
        assert report.problem.n <= count


@pytest.mark.parametrize("version", [0, 2, 1.0, True, None, "1", [], {}, 10**30])
def test_a_record_of_another_version_is_told_apart(version: Any) -> None:
    report = found(WHOLE["blocked"] | {"record_version": version})
    assert report.problem is not None
    assert (report.problem.n, report.problem.code) == (0, "unknown_version")


def test_a_finished_record_without_its_seed_is_found() -> None:
    report = found(WHOLE["blocked"] | {"seed": None})
    assert report.problem is not None
    assert report.problem.code == "seed_missing"


def deep(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("name", ["blocked", "all_passed"])
def test_deep_and_huge_values_anywhere_are_found(name: str) -> None:
    huge = (deep(5000), "x" * 100_000, 10**400, list(range(10_000)), float("inf"))
    for path in paths(WHOLE[name]):
        for to in huge:
            inside: Any = dict(WHOLE[name])
            top = inside
            for key in path[:-1]:
                kept = inside[key]
                inside[key] = list(kept) if isinstance(kept, list) else dict(kept)
                inside = inside[key]
            inside[path[-1]] = to
            report = found(top)
            assert report.problem is not None
            assert len(report.problem.detail) < 400


def oversized(name: str, *, revealed: bool) -> dict[str, Any]:
    """A record of a set-up in which one member is far too long, and none of it can be read."""
    source = WHOLE["all_passed"] if revealed else PUBLIC["all_passed"]
    return altered(source, ("events", 0, "setup", name), [{"tile": "none"}] * 27_027)


@pytest.mark.parametrize(
    ("name", "revealed", "most"),
    [
        ("board", True, 108),
        ("board", False, 108),
        ("bag", True, 108),
        ("hands", True, 4),
        ("hand_counts", False, 4),
        ("scores", True, 4),
        ("scores", False, 4),
    ],
)
def test_a_setup_larger_than_any_game_is_refused_before_it_is_read(
    name: str, revealed: bool, most: int
) -> None:
    report = found(oversized(name, revealed=revealed))
    assert report.problem is not None
    assert (report.problem.n, report.problem.code) == (1, "malformed")
    assert report.problem.detail == f"a list of 27027 was given where at most {most} are allowed"


@pytest.mark.parametrize("revealed", [True, False])
def test_a_board_of_27027_tiles_is_refused_unjudged(revealed: bool) -> None:
    source = WHOLE["all_passed"] if revealed else PUBLIC["all_passed"]
    line = [{"tile": "red-circle", "x": at % 1000 - 500, "y": at // 1000} for at in range(27_027)]
    report = found(altered(source, ("events", 0, "setup", "board"), line))
    assert report.problem is not None
    assert (report.checked_events, report.problem.code) == (0, "malformed")
    assert "at most 108" in report.problem.detail


@pytest.mark.parametrize(
    ("game", "path", "most"),
    [
        ("all_passed", ("events", 0, "players"), 4),
        ("all_passed", ("events", 0, "setup", "hands", 0), 6),
        ("all_passed", ("events", 1, "placements"), 6),
        ("exchange_war", ("events", 5, "returned"), 6),
    ],
)
def test_an_event_with_more_than_any_game_has_is_refused_before_it_is_read(
    game: str, path: Path, most: int
) -> None:
    report = found(altered(WHOLE[game], path, [{"tile": "none"}] * 9))
    assert report.problem is not None
    assert report.problem.detail == f"a list of 9 was given where at most {most} are allowed"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_what_is_no_record_gets_a_report(value: Any) -> None:
    found(value)


def junk(chance: Random, depth: int = 0) -> Any:
    """Anything that JSON can say, and integers that it cannot."""
    kind = chance.randrange(10 if depth < 3 else 8)
    if kind == 8:
        return [junk(chance, depth + 1) for _ in range(chance.randrange(4))]
    if kind == 9:
        names = ("tile", "x", "n", "type", "hands", "\ud800")
        return {chance.choice(names): junk(chance, depth + 1) for _ in range(chance.randrange(4))}
    numbers = (0, -1, 1, 6, 7, 2**31, -(2**63), 10**5000)
    words = ("", "red-circle", "played", "exchanged", "00" * 32, "\ud800", "\0", "x" * 500)
    return (
        None, True, False, 1.0, float("nan"), chance.choice(numbers), chance.choice(words), ...,
    )[kind]  # fmt: skip


@pytest.mark.parametrize("name", ["all_passed", "blocked", "last_player", "late_comers"])
def test_a_record_with_junk_in_several_places_gets_a_report(name: str) -> None:
    chance = Random(name)
    sources = [WHOLE[name], PUBLIC.get(name, WHOLE[name])]
    for _ in range(200):
        source = chance.choice(sources)
        document = source
        for _ in range(chance.randint(1, 4)):
            document = altered(document, chance.choice(list(paths(document))), junk(chance))
            if not document:
                break
        if written(document) != written(source):
            found(document)


def written(value: Any) -> Any:
    """A value in which 1, 1.0 and true differ."""
    if isinstance(value, dict):
        return {key: written(each) for key, each in value.items()}
    if isinstance(value, list):
        return [written(each) for each in value]
    return type(value), value

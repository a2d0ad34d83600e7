"""What is said of a record that is wrong: which event it is, by what code, and word for word."""

from typing import Any

import orjson
import pytest

from service.rules.actions import create
from service.rules.record.read import RecordBroken
from service.rules.record.verify import Fault, Report, verify
from service.rules.record.write import digest_of, record_of
from tests.golden.make import FOLDER, events_of
from tests.harness.record_changes import altered
from tests.rules.positions import SEED, entrants

Told = tuple[int, str, str]

BLOCKED = orjson.loads(FOLDER.joinpath("blocked.json").read_bytes())
WHOLE = orjson.loads(FOLDER.joinpath("exchange_war.json").read_bytes())


def still_going_on(name: str, count: int) -> dict[str, Any]:
    """The record of a golden game after so many of its events, as everybody can have it."""
    return dict(orjson.loads(orjson.dumps(record_of(events_of(name)[:count]))))


def said_of(document: object) -> Told:
    """What is wrong with the record, once its report has the rest right."""
    report = verify(document)
    complete = isinstance(document, dict) and document.get("seed") is not None
    problem = report.problem
    assert isinstance(problem, Fault)
    assert report == Report(False, complete, report.checked_events, problem)
    return problem.n, problem.code, problem.detail


@pytest.mark.parametrize("document", [None, [], "record", 5])
def test_a_record_is_an_object(document: object) -> None:
    assert said_of(document) == (0, "malformed", "a record is a JSON object")


@pytest.mark.parametrize(
    ("member", "to", "code", "detail"),
    [
        ("edition", ..., "malformed", "the member 'edition' is missing"),
        ("digest", ..., "malformed", "the member 'digest' is missing"),
        ("record_version", ..., "malformed", "the member 'record_version' is missing"),
        (
            "record_version",
            2,
            "unknown_version",
            "this is record version 2; only version 1 is supported",
        ),
        ("events", {}, "malformed", "'events' must be a list that begins with the creation"),
        ("events", [], "malformed", "'events' must be a list that begins with the creation"),
        ("auto_bid", 1, "malformed", "'auto_bid' must be true or false"),
        ("seeded", None, "malformed", "'seeded' must be true or false"),
        ("commitment", "sha256:", "malformed", "'commitment' must be 'sha256:' and 64 hex digits"),
        ("commitment", 5, "malformed", "'commitment' must be 'sha256:' and 64 hex digits"),
        ("seed", "00", "malformed", "'seed' must be 64 hex digits, or null before the end"),
        ("seed", 5, "malformed", "'seed' must be 64 hex digits, or null before the end"),
        ("seed", "00" * 32, "commitment_broken", "the seed does not match the commitment"),
        ("commitment", None, "malformed", "'commitment' must be 'sha256:' and 64 hex digits"),
        ("seed", None, "seed_missing", "the record of a finished game must contain its seed"),
        ("scores", ..., "differs", "the member scores is missing"),
        ("more", 1, "differs", "the member more is unknown"),
        ("scores", [2], "differs", "scores has 1 entries, but must have 2"),
        ("scores", [2, 1], "differs", "scores/1 is 1, but must be 0"),
        ("scores", None, "differs", "scores is null, but must be a list of 2"),
        ("end", "all_passed", "differs", "end is 'all_passed', but must be 'blocked'"),
        (
            "digest",
            None,
            "digest_broken",
            "the digest does not match: something was altered that the rules do not check",
        ),
    ],
)
def test_what_is_wrong_beside_the_events_is_told(
    member: str, to: Any, code: str, detail: str
) -> None:
    assert said_of(altered(BLOCKED, (member,), to)) == (0, code, detail)


def test_a_record_still_going_on_tells_that_it_has_no_end() -> None:
    waiting = record_of([create(SEED, entrants(2)).event])
    assert said_of(altered(waiting, ("end",), ...)) == (0, "differs", "the member end is missing")


REFUSED = "the rules refuse it: "
NO_SEAT = "'seat' must be an integer, and 'timeout' true or false"
UNLIKE = "The tiles of a line share one colour or share one shape; these share neither: "
LINE = "blue-star, red-circle on (0, -1), (0, 0)"


@pytest.mark.parametrize(
    ("path", "to", "code", "detail"),
    [
        ((0,), 5, "malformed", "the entry cannot be read"),
        ((0,), {}, "malformed", "the member 'type' is missing"),
        ((0, "type"), "dealt", "malformed", "the first event of a game is its creation"),
        ((0, "setup"), ..., "malformed", "the member 'setup' is missing"),
        ((0, "setup", "bag_count"), 5, "differs", "setup/bag_count is 5, but must be 3"),
        ((0, "players", 0, "age_rank"), 5, "differs", "players/0/age_rank is 5, but must be 1"),
        ((1, "type"), ..., "malformed", "the member 'type' is missing"),
        ((1, "type"), "danced", "malformed", "'danced' is not a type of event"),
        ((1, "type"), ["played"], "malformed", "a list of 1 is not a type of event"),
        ((1, "type"), "dealt", "malformed", "the member 'entropy' is missing"),
        ((1, "seat"), 1, "not_your_turn", REFUSED + "it is the turn of seat 0, not of seat 1"),
        ((1, "seat"), "0", "malformed", NO_SEAT),
        ((1, "timeout"), 0, "malformed", NO_SEAT),
        ((1, "placements", 0, "tile"), "blue-star", "line_mixed", REFUSED + UNLIKE + LINE),
        ((1, "placements", 0, "x"), ..., "malformed", "the member 'x' is missing"),
        ((1, "placements", 0), None, "malformed", "the entry cannot be read"),
        ((1, "placements"), {}, "malformed", "an object was given instead of a list"),
        ((1, "placements"), [], "malformed", "a play has 1 to 6 tiles, not 0"),
        ((1, "placements", 0, "y2"), 1, "differs", "the member placements/0/y2 is unknown"),
        ((1, "points"), ..., "differs", "the member points is missing"),
        ((1, "m" * 41), 1, "differs", f"the member {'m' * 40} is unknown"),
        ((1, "drew"), [], "differs", "drew has 0 entries, but must have 1"),
        ((1, "bonus"), 6, "differs", "bonus is 6, but must be 0"),
    ],
)
def test_the_first_event_that_is_wrong_is_told_with_what_is_wrong_about_it(
    path: tuple[Any, ...], to: Any, code: str, detail: str
) -> None:
    told = said_of(altered(BLOCKED, ("events", *path), to))
    assert told == (path[0] + 1, code, detail)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        ({"x": 1}, "an object"),
        ([], "a list of 0"),
        ([[1, 2], 3], "a list of 2"),
        (181, "181"),
        (10**18 - 1, "999999999999999999"),
        (10**18, "a very large number"),
        (-(10**18), "a very large number"),
        (0.5, "0.5"),
        ("two", "'two'"),
        ("t" * 100, "'" + "t" * 79),
    ],
)
def test_a_value_is_told_in_a_few_words_however_large_it_is(value: Any, words: str) -> None:
    told = said_of(altered(BLOCKED, ("events", 1, "points"), value))
    assert told == (2, "differs", f"points is {words}, but must be 2")


def test_a_length_or_count_that_is_no_number_is_told() -> None:
    told = said_of(altered(WHOLE, ("events", 2, "length"), None))
    assert told == (3, "malformed", "null is not an integer")
    going_on = still_going_on("exchange_war", 6)
    told = said_of(altered(going_on, ("events", 5, "count"), "1"))
    assert told == (6, "malformed", "'1' is not an integer")


@pytest.mark.parametrize(("count", "at"), [(3, 2), (6, 5)])
def test_whoever_is_not_in_the_game_is_told_of_a_record_still_going_on(count: int, at: int) -> None:
    told = said_of(altered(still_going_on("exchange_war", count), ("events", at, "seat"), 2))
    assert told == (count, "wrong_phase", "the rules refuse it: seat 2 is not in the game")


def test_a_record_that_reveals_its_seed_before_the_end_is_told() -> None:
    detail = "the record contains the seed, but after event 4 the game is not finished"
    assert said_of(WHOLE | {"events": WHOLE["events"][:4]}) == (4, "cut_short", detail)


def test_a_deal_in_a_game_that_has_begun_is_told() -> None:
    dealt = {"n": 2, "type": "dealt", "seat": None, "hands": [None, None], "entropy": None}
    told = said_of(altered(BLOCKED, ("events", 1), dealt))
    assert told == (2, "wrong_phase", REFUSED + "the game is playing, not waiting")


def test_a_name_that_utf_8_cannot_write_breaks_the_digest_and_nothing_else() -> None:
    document = altered(BLOCKED, ("events", 0, "players", 0, "name"), "\ud800")
    assert said_of(document)[:2] == (0, "digest_broken")
    assert verify(document | {"digest": digest_of(document)}).ok


def test_a_record_that_is_wrong_names_the_event_in_its_message_if_it_is_one() -> None:
    assert str(RecordBroken(7, "differs", "points is 7")) == "event 7: points is 7"
    assert str(RecordBroken(0, "malformed", "a record is a JSON object")) == (
        "a record is a JSON object"
    )


def test_what_is_wrong_is_told_in_300_characters_at_most() -> None:
    assert RecordBroken(1, "differs", "x" * 300).detail == "x" * 300
    assert RecordBroken(1, "differs", "x" * 301).detail == "x" * 300 + "..."
    assert str(RecordBroken(1, "differs", "x" * 301)) == f"event 1: {'x' * 300}..."

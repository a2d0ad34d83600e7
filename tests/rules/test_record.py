"""Records: the document from which anybody can replay a game, and what is kept out of it."""

from copy import deepcopy
from hashlib import sha256
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.rules.actions import create, exchange, join, place, resign
from service.rules.events import Entrant, Event
from service.rules.host_actions import deal
from service.rules.notation import parse_play, parse_tiles
from service.rules.record.read import RecordBroken
from service.rules.record.replay import replay_record
from service.rules.record.verify import verify
from service.rules.record.write import RECORD_VERSION, record_of
from service.rules.shuffle import commitment
from service.rules.starting_position import Setup
from tests.rules.positions import SEED, entrants
from tests.rules.random_games import random_game

HANDS = (parse_tiles("rs bd b* bc bx gs"), parse_tiles("gd g* gc gx ys yd"))


def short_game() -> list[Event]:
    """Set up, played once, exchanged once, resigned."""
    setup = Setup(board=((0, 0),), hands=HANDS, bag=parse_tiles("yx rx"), scores=(1, 2), turn=0)
    step = create(SEED, entrants(2, (40, 9)), setup=setup)
    events = [step.event]
    for act in (
        lambda game: place(game, 0, parse_play("rs@1,0")),
        lambda game: exchange(game, 1, parse_tiles("gd")),
        lambda game: resign(game, 0),
    ):
        step = act(step.game)
        events.append(step.event)
    return events


def dealt_game() -> list[Event]:
    """Dealt, then left by one of two."""
    first = create(SEED, entrants(2, (40, 9)))
    second = deal(first.game)
    return [first.event, second.event, resign(second.game, 1).event]


def broken(document: Any) -> RecordBroken:
    with pytest.raises(RecordBroken) as caught:
        replay_record(document)
    assert caught.value.detail
    return caught.value


def changed(document: dict[str, Any], *path: Any, to: Any) -> dict[str, Any]:
    """The record with one thing in it changed."""
    copy = deepcopy(document)
    place_in: Any = copy
    for key in path[:-1]:
        place_in = place_in[key]
    place_in[path[-1]] = to
    return copy


RECORD = record_of(short_game())


def test_a_record_of_a_finished_game_tells_everything() -> None:
    assert RECORD["record_version"] == RECORD_VERSION
    assert RECORD["seed"] == SEED.hex()
    assert RECORD["commitment"] == commitment(SEED)
    assert (RECORD["end"], RECORD["winners"]) == ("last_player", [1])
    assert RECORD["scores"] == [3, 2]
    created, played, exchanged, resigned = RECORD["events"]
    assert created["setup"]["bag"] == ["yellow-cross", "red-cross"]
    assert created["setup"]["hands"][0][0] == "red-square"
    assert played["placements"] == [{"tile": "red-square", "x": 1, "y": 0}]
    assert (played["points"], played["bonus"], played["drew"]) == (2, 0, ["yellow-cross"])
    assert exchanged["returned"] == ["green-diamond"]
    assert exchanged["drew"] == ["red-cross"]
    assert (resigned["end"], resigned["winners"]) == ("last_player", [1])


def test_before_the_end_hands_draws_bag_and_seed_are_kept_out() -> None:
    document = record_of(short_game()[:-1])
    assert (document["seed"], document["end"], document["winners"]) == (None, None, None)
    created, played, exchanged = document["events"]
    assert (created["setup"]["hands"], created["setup"]["bag"]) == (None, None)
    assert played["drew"] is None
    assert (exchanged["returned"], exchanged["drew"], exchanged["count"]) == (None, None, 1)
    assert document["commitment"] == commitment(SEED)
    dealt = record_of(dealt_game()[:-1])["events"][1]
    assert dealt["hands"] == [None, None]


def test_what_is_public_anyway_is_in_the_record_before_the_end() -> None:
    created, played, _ = record_of(short_game()[:-1])["events"]
    assert created["setup"]["board"] == [{"tile": "red-circle", "x": 0, "y": 0}]
    assert (played["points"], played["seat"]) == (2, 0)


def test_the_record_holds_the_order_of_ages_and_not_the_ages() -> None:
    created = RECORD["events"][0]
    assert [player["age_rank"] for player in created["players"]] == [1, 0]
    assert b"40" not in orjson.dumps(created["players"])


def test_an_unknown_age_has_no_rank() -> None:
    created = create(SEED, entrants(2, (None, 9)))
    players = record_of([created.event, deal(created.game).event])["events"][0]["players"]
    assert [player["age_rank"] for player in players] == [None, 0]


def guessed_game(guess: int) -> list[Event]:
    """Ada is 40; somebody joins with a guess and leaves again; Cleo, 72, comes; they play."""
    steps = [create(SEED, entrants(1, (40,)), seats=2)]
    for act in (
        lambda game: join(game, Entrant("Eve", guess)),
        lambda game: resign(game, 1),
        lambda game: join(game, Entrant("Cleo", 72)),
        deal,
        lambda game: resign(game, 1),
    ):
        steps.append(act(steps[-1].game))
    return [step.event for step in steps]


def test_nobody_learns_an_age_by_joining_with_guesses_and_leaving_again() -> None:
    for count in range(2, 7):
        records = [record_of(guessed_game(guess)[:count]) for guess in range(38, 43)]
        assert all(record == records[0] for record in records)


def test_ages_have_ranks_from_the_start_on_and_only_among_those_seated_then() -> None:
    events = guessed_game(40)
    waiting = record_of(events[:4])["events"]
    assert [waiting[0]["players"][0]["age_rank"], waiting[3]["age_rank"]] == [None, None]
    created, left, _, joined, *_ = record_of(events)["events"]
    ranks = created["players"][0]["age_rank"], left["age_rank"], joined["age_rank"]
    assert ranks == (0, None, 1)


def test_a_setup_starts_with_its_last_seat_and_so_do_the_ranks() -> None:
    setup = Setup(board=((0, 0),), hands=HANDS, bag=())
    first = create(SEED, entrants(1, (40,)), seats=2, setup=setup)
    second = join(first.game, Entrant("Ben", 9))
    assert record_of([first.event])["events"][0]["players"][0]["age_rank"] is None
    created, joined = record_of([first.event, second.event])["events"]
    assert (created["players"][0]["age_rank"], joined["age_rank"]) == (1, 0)


def test_a_rank_of_somebody_who_left_before_the_start_is_refused() -> None:
    document = record_of(guessed_game(9))
    error = broken(changed(document, "events", 1, "age_rank", to=0))
    assert (error.n, error.code) == (2, "differs")


def test_the_commitment_is_told_from_the_creation_on() -> None:
    events = guessed_game(40)
    for count in (1, 4, 5, len(events)):
        document = record_of(events[:count])
        assert document["commitment"] == commitment(SEED)
        assert verify(document).ok
        assert broken(document | {"commitment": None}).code == "malformed"


def test_a_record_replays_to_the_same_record() -> None:
    for events in (short_game(), dealt_game(), guessed_game(40)):
        document = orjson.loads(orjson.dumps(record_of(events)))
        steps = replay_record(document)
        assert record_of([event for event, _ in steps]) == document


def test_a_record_of_an_unfinished_game_cannot_be_replayed() -> None:
    assert broken(record_of(short_game()[:-1])).code == "unfinished"


@pytest.mark.parametrize("document", [None, [], {}, "record", {"record_version": 1}, 5])
def test_what_is_no_record_is_refused(document: Any) -> None:
    assert (broken(document).n, broken(document).code) == (0, "malformed")


def test_a_record_of_another_version_is_refused() -> None:
    assert broken(RECORD | {"record_version": 2}).code == "unknown_version"


def test_a_record_without_events_is_refused() -> None:
    assert broken(RECORD | {"events": []}).code == "malformed"


def test_a_record_must_begin_with_the_creation() -> None:
    error = broken(RECORD | {"events": RECORD["events"][1:]})
    assert (error.n, error.code) == (1, "malformed")


def test_a_second_creation_is_refused() -> None:
    events = [RECORD["events"][0], *RECORD["events"]]
    error = broken(RECORD | {"events": events})
    assert error.n == 2


@pytest.mark.parametrize(
    ("path", "to", "expected"),
    [
        ((1, "points"), 3, (2, "differs")),
        ((1, "drew"), ["red-cross"], (2, "differs")),
        ((1, "bonus"), 6, (2, "differs")),
        ((1, "n"), 7, (2, "differs")),
        ((1, "extra"), 1, (2, "differs")),
        ((1, "seat"), 1, (2, "not_your_turn")),
        ((1, "placements", 0, "x"), 5, (2, "not_touching")),
        ((1, "placements", 0, "tile"), "red-moon", (2, "malformed")),
        ((1, "placements"), None, (2, "malformed")),
        ((1, "type"), "danced", (2, "malformed")),
        ((1, "type"), None, (2, "malformed")),
        ((2, "returned"), ["red-circle"], (3, "tiles_not_in_hand")),
        ((2, "count"), 2, (3, "differs")),
        ((3, "end"), "blocked", (4, "differs")),
        ((3, "winners"), [0], (4, "differs")),
        ((0, "setup", "bag"), ["red-cross", "yellow-cross"], (2, "differs")),
        ((0, "setup", "turn"), 1, (2, "not_your_turn")),
        ((0, "setup", "turn"), 9, (1, "setup_impossible")),
        ((0, "players"), [], (2, "wrong_phase")),
    ],
)
def test_the_first_event_that_is_wrong_is_named(
    path: tuple[Any, ...], to: Any, expected: tuple[int, str]
) -> None:
    error = broken(changed(RECORD, "events", *path, to=to))
    assert (error.n, error.code) == expected


@pytest.mark.parametrize(
    ("member", "to"),
    [("scores", [9, 9]), ("bids", [2, None]), ("winners", [0]), ("end", "blocked")],
)
def test_a_wrong_total_belongs_to_no_event(member: str, to: Any) -> None:
    error = broken(RECORD | {member: to})
    assert (error.n, error.code) == (0, "differs")
    assert member in error.detail


def test_a_member_too_many_or_too_few_is_refused() -> None:
    assert broken(RECORD | {"extra": 1}).code == "differs"
    assert broken({key: RECORD[key] for key in RECORD if key != "scores"}).code == "differs"
    assert broken({key: RECORD[key] for key in RECORD if key != "seats"}).code == "malformed"
    entry = {key: value for key, value in RECORD["events"][1].items() if key != "points"}
    assert broken(changed(RECORD, "events", 1, to=entry)).n == 2


def test_events_after_the_end_are_refused() -> None:
    document = RECORD | {"events": [*RECORD["events"], RECORD["events"][-1]]}
    assert (broken(document).n, broken(document).code) == (5, "wrong_phase")


def test_a_record_of_a_seed_of_another_length_is_refused() -> None:
    assert broken(RECORD | {"seed": "00"}).code == "malformed"


def test_a_seed_that_does_not_keep_the_commitment_is_refused() -> None:
    assert broken(RECORD | {"seed": "00" * 32}).code == "commitment_broken"
    assert broken(RECORD | {"commitment": "sha256:" + "0" * 64}).code == "commitment_broken"


@pytest.mark.parametrize("name", ["Ada", "Zoë", "Łukasz 中 🎲"])
def test_the_digest_is_that_of_the_rest_in_canonical_json_whatever_the_names(name: str) -> None:
    record = record_of([create(SEED, [Entrant(name), Entrant("Ben")]).event])
    rest = {member: value for member, value in record.items() if member != "digest"}
    canonical = orjson.dumps(rest, option=orjson.OPT_SORT_KEYS)
    assert record["digest"] == "sha256:" + sha256(canonical).hexdigest()


def test_another_name_breaks_the_digest() -> None:
    error = broken(changed(RECORD, "events", 0, "players", 0, "name", to="Eve"))
    assert (error.n, error.code) == (0, "digest_broken")


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [path, *(leaf for key in value for leaf in leaves(value[key], (*path, key)))]
    if isinstance(value, list):
        return [
            path,
            *(leaf for at, each in enumerate(value) for leaf in leaves(each, (*path, at))),
        ]
    return [path]


JUNK = (
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.lists(st.integers(0, 3), max_size=3)
    | st.dictionaries(st.text(max_size=3), st.integers(), max_size=2)
)


@settings(max_examples=400)
@given(st.sampled_from(leaves(RECORD)[1:]), JUNK)
def test_a_record_changed_anywhere_is_refused_by_its_own_error(
    path: tuple[Any, ...], junk: Any
) -> None:
    document = changed(RECORD, *path, to=junk)
    if repr(document) == repr(RECORD):  # not ==, to which 1 and True are the same
        return
    broken(document)


@pytest.mark.parametrize("count", [0, 7, -1])
def test_an_exchange_of_no_tile_or_of_seven_is_no_exchange_in_any_record(count: int) -> None:
    going_on = orjson.loads(orjson.dumps(record_of(short_game()[:3])))
    assert verify(going_on).ok
    problem = verify(changed(going_on, "events", 2, "count", to=count)).problem
    assert problem is not None
    assert (problem.n, problem.code) == (3, "malformed")
    assert "an exchange takes 1 to 6 tiles" in problem.detail


def test_an_exchange_by_a_seat_that_nobody_plays_at_is_refused_in_any_record() -> None:
    going_on = orjson.loads(orjson.dumps(record_of(short_game()[:3])))
    problem = verify(changed(going_on, "events", 2, "seat", to=5)).problem
    assert problem is not None
    assert problem.n == 3


@pytest.mark.parametrize(
    ("bids", "said"),
    [
        (None, "'bids' must list a bid for every seat"),
        ([1], "'bids' must list a bid for every seat"),
        ([1, 0], "'bids' has an impossible bid for seat 1"),
        ([7, 1], "'bids' has an impossible bid for seat 0"),
        ([1, True], "'bids' has an impossible bid for seat 1"),
    ],
)
def test_the_bids_of_a_record_still_going_on_must_be_possible(bids: Any, said: str) -> None:
    made = create(SEED, entrants(2), auto_bid=True)
    dealt = deal(made.game)
    going_on = orjson.loads(orjson.dumps(record_of([made.event, dealt.event])))
    assert verify(going_on).ok
    problem = verify(going_on | {"bids": bids}).problem
    assert problem is not None
    assert (problem.n, problem.code, problem.detail) == (0, "malformed", said)


def test_a_bid_of_all_that_a_hand_holds_is_possible_and_one_more_is_not() -> None:
    setup = Setup(hands=(parse_tiles("ro rs rd r* rc rx"), parse_tiles("gs")), bag=())
    made = create(SEED, entrants(2), auto_bid=True, setup=setup)
    document = record_of([made.event])
    assert document["bids"] == [6, 1]
    assert verify(document).ok
    problem = verify(document | {"bids": [6, 2]}).problem
    assert problem is not None
    assert problem.detail == "'bids' has an impossible bid for seat 1"


def test_why_a_record_of_an_unfinished_game_cannot_be_replayed_is_said() -> None:
    error = broken(orjson.loads(orjson.dumps(record_of(short_game()[:3]))))
    assert (error.n, error.code) == (0, "unfinished")
    assert error.detail == "the game is not finished, so its draws are unknown"


def test_ages_of_mixed_kinds_are_refused_by_the_records_own_error() -> None:
    for junk in ("a", [], {}, None, True):
        broken(changed(RECORD, "events", 0, "players", 0, "age_rank", to=junk))


@pytest.mark.parametrize("number", range(12))
def test_a_record_of_a_course_still_going_on_hides_what_is_hidden(number: int) -> None:
    for step_count in (2, 5, 9):
        steps = list(random_game(number))[:step_count]
        if steps[-1].game.phase == "finished":
            continue
        document = record_of([event for event, _ in steps])
        assert document["seed"] is None
        for event in document["events"]:
            assert not event.get("drew")
            assert not event.get("returned")

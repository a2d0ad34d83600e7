"""Entropy and lots in records: of games that go on, of finished ones, and of forged ones."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.rules.actions import best_of, create, place, resign
from service.rules.events import Event, Resigned
from service.rules.notation import parse_tiles
from service.rules.record.verify import verify
from service.rules.record.write import digest_of, record_of
from service.rules.shuffle import secret_from
from service.rules.starting_position import Setup
from service.rules.state import Game
from tests.golden.make import events_of
from tests.rules.opened_games import FOUR_THREES, opened
from tests.rules.positions import SEED, entrants


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6))
def test_every_record_up_to_the_opening_is_right(number: int) -> None:
    events = opened(number)
    for count in range(1, len(events) + 1):
        document = record_of(events[:count])
        report = verify(document)
        assert report.ok, (count, report, document)
        assert report.checked_events == count


def forged(document: dict[str, Any], *path: Any, to: Any) -> dict[str, Any]:
    """The record with one thing in it changed, and the digest to match."""
    copy = deepcopy(document)
    place_in: Any = copy
    for key in path[:-1]:
        place_in = place_in[key]
    place_in[path[-1]] = to
    return copy | {"digest": digest_of(copy)}


def fault(document: dict[str, Any]) -> tuple[int, str] | None:
    problem = verify(document).problem
    return problem and (problem.n, problem.code)


FINISHED = record_of(events_of("added_entropy"))


@pytest.mark.parametrize(
    ("n", "to"), [(2, None), (2, "Ben's dice: 4 4 2"), (4, ""), (5, "bots add nothing"), (6, None)]
)
def test_other_entropy_gives_other_draws(n: int, to: str | None) -> None:
    assert fault(FINISHED) is None
    assert fault(forged(FINISHED, "events", n - 1, "entropy", to=to)) == (6, "differs")


@pytest.mark.parametrize("to", ["a" * 65, "\ud800", 5, ["dice"], {}, False])
def test_entropy_that_is_no_text_of_at_most_64_characters_is_malformed(to: Any) -> None:
    for n in (2, 6):
        assert fault(forged(FINISHED, "events", n - 1, "entropy", to=to)) == (n, "malformed")


def test_entropy_must_be_there_and_only_where_something_can_be_added() -> None:
    copy = deepcopy(FINISHED)
    del copy["events"][1]["entropy"]
    assert fault(copy) == (2, "malformed")
    resigned = FINISHED["events"][2] | {"entropy": None}
    assert fault(forged(FINISHED, "events", 2, to=resigned)) == (3, "differs")


def test_entropy_is_hidden_while_the_game_waits_and_shown_from_the_deal_on() -> None:
    events = events_of("added_entropy")
    waiting, begun = record_of(events[:5]), record_of(events[:6])
    assert [entry.get("entropy") for entry in waiting["events"]] == [None] * 5
    assert begun["events"][1]["entropy"] == "Ben's dice: 4 4 1"
    assert verify(waiting).ok
    assert verify(begun).ok
    assert fault(forged(waiting, "events", 3, "entropy", to="Přátelé 🎲")) == (4, "differs")


def table_of(*ages: int | None, number: int = 0) -> tuple[list[Event], Game]:
    """A table of four whose bids are equal."""
    setup = Setup(hands=tuple(map(parse_tiles, FOUR_THREES)), bag=())
    step = create(secret_from(f"tie {number}"), entrants(4, ages), setup=setup, auto_bid=True)
    return [step.event], step.game


def with_opening(events: list[Event], game: Game, seat: int) -> dict[str, Any]:
    """The record of the game if this seat had opened."""
    opening = game._replace(mover=seat)
    play = best_of(opening, seat)
    assert play is not None
    return record_of([*events, place(opening, seat, play.placements).event])


def test_in_a_running_game_anybody_whom_a_lot_can_choose_may_open_and_nobody_else() -> None:
    for ages, tied in (
        ((None, 5, 6, 7), {0, 1, 2, 3}),
        ((5, 5, 6, 7), {0, 1}),
        ((8, 7, 6, 6), {2, 3}),
        ((5, 6, 7, 8), {0}),
    ):
        events, game = table_of(*ages)
        for seat in range(4):
            expected = None if seat in tied else (2, "not_your_turn")
            assert fault(with_opening(events, game, seat)) == expected


def test_an_opener_by_lot_stays_when_the_one_without_an_age_leaves() -> None:
    """Among those left age would decide, but the lot was drawn before."""
    seen = set()
    for number in range(40):
        events, game = table_of(9, 8, 7, None, number=number)
        seat = game.mover
        if seat in {None, 3}:
            continue
        seen.add(seat)
        event, after = resign(game, 3)
        assert (event, after.mover) == (Resigned(2, 3), seat)
        assert fault(with_opening([*events, event], after, seat)) is None
    assert seen == {0, 1, 2}


def test_a_finished_record_with_another_opener_than_the_lot_gave_is_found() -> None:
    events, game = table_of(number=1)
    for seat in range(4):
        opening = game._replace(mover=seat)
        play = best_of(opening, seat)
        assert play is not None
        steps = [place(opening, seat, play.placements)]
        while steps[-1].game.phase != "finished":
            steps.append(resign(steps[-1].game, min(steps[-1].game.active)))
        document = record_of([*events, *(step.event for step in steps)])
        assert document["seed"] is not None
        assert fault(document) == (None if seat == game.mover else (2, "not_your_turn"))


def test_a_secret_that_nobody_committed_to_is_found() -> None:
    document = forged(FINISHED, "seed", to=SEED.hex())
    assert fault(document) == (0, "commitment_broken")

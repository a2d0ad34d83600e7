"""Whole games over HTTP: random legal turns, with everything said held against everything else."""

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.api.client import Answer, Table
from tests.api.fairness import KINDS


@dataclass
class Story:
    """What happened in a game, as its players could write it down."""

    table: Table
    seats: int
    answers: list[tuple[int, str, Any, Answer]] = field(default_factory=list)
    dealt: list[list[str]] = field(default_factory=list)
    dealt_at: int = 0


def bid_exactly(table: Table, seat: int) -> None:
    """Bids by trial, as a player who cannot count would: too high, until it is right."""
    for length in range(6, 0, -1):
        answer = table.bid(seat, length)
        if answer.status == 201:
            assert answer.json["bid"] == {"seat": seat, "length": length}
            return
        answer.refused(422, "bid_too_high")
    raise AssertionError("no bid was right")


def play_to_the_end(table: Table, rng: Random, *, counting: bool = True) -> Story:
    """Deals, bids and plays random turns until the game is finished."""
    seats = len(table.tokens)
    story = Story(table, seats)
    story.dealt_at = table.deal().ok(200).json["version"]
    story.dealt = [table.hand(seat) for seat in range(seats)]
    for seat in rng.sample(range(seats), seats):
        bid_exactly(table, seat)
    view = table.view()
    while view["status"] == "playing":
        answer = take_turn(story, view["turn"]["seat"], rng)
        view = answer.json["game"]
        if counting:
            check_counts(table, view, view["you"])
    check_score(story, view)
    return story


def take_turn(story: Story, seat: int, rng: Random) -> Answer:
    table = story.table
    legal = table.plays(seat, "?limit=8&sort=points")
    if legal["plays"] and not (legal["may_exchange"] and rng.random() < 0.1):
        # One of the best few, so that games move towards their end.
        play = rng.choice(legal["plays"])
        body = {"placements": rng.sample(play["placements"], len(play["placements"]))}
        answer = table.act(seat, "plays", body).ok(201)
        assert answer.json["play"]["points"] == play["points"]
        assert by_cells(answer.json["play"]["lines"]) == by_cells(play["lines"])
        kind = "played"
    elif legal["may_exchange"]:
        count = rng.randint(1, legal["may_exchange"])
        body = {"tiles": rng.sample(table.hand(seat), count)}
        answer = table.act(seat, "exchanges", body).ok(201)
        assert answer.json["exchange"]["count"] == count
        kind = "exchanged"
    else:
        assert legal["may_pass"]
        body = {}
        answer = table.pass_turn(seat).ok(201)
        kind = "passed"
    story.answers.append((seat, kind, body, answer))
    return answer


def by_cells(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lines in an order of their own: the order in which they are told means nothing."""
    return sorted(lines, key=lambda line: [(cell["y"], cell["x"]) for cell in line["cells"]])


def check_counts(table: Table, view: dict[str, Any], you: dict[str, Any]) -> None:
    """What lies on the table, what a viewer holds and what is unseen are the 108 tiles."""
    on_table = Counter(laid["tile"] for laid in view["board"])
    hidden = view["bag_count"] + view["removed_count"]
    hidden += sum(player["hand_count"] for player in view["players"])
    assert on_table.total() + hidden == 108
    for seat, hand in ((None, Counter[str]()), (you["seat"], Counter(you["hand"]))):
        unseen = table.look(seat, "/unseen").ok(200).json
        assert unseen["total"] == sum(unseen["tiles"].values())
        assert list(unseen["tiles"]) == KINDS
        for kind in KINDS:
            assert on_table[kind] + hand[kind] + unseen["tiles"][kind] == 3, kind


def check_score(story: Story, view: dict[str, Any]) -> None:
    """The score sheet tells each turn with its points, and they sum up to the scores."""
    sheet = story.table.look(rest="/score").ok(200).json
    assert sheet["final"]
    assert sheet["winners"] == view["winners"]
    sums = Counter[int]()
    for number, (turn, told) in enumerate(zip(sheet["turns"], story.answers, strict=True), 1):
        seat, kind, body, answer = told
        assert (turn["number"], turn["seat"], turn["type"]) == (number, seat, kind)
        assert turn["points"] == sum(line["points"] for line in turn["lines"])
        if kind == "played":
            made = answer.json["play"]
            said = (made["points"], made["bonus"], made["lines"])
            assert (turn["points"], turn["bonus"], turn["lines"]) == said
            laid = {(tile["tile"], tile["x"], tile["y"]) for tile in body["placements"]}
            board = {(t["tile"], t["x"], t["y"]) for t in view["board"] if t["turn"] == number}
            assert laid == board
        sums[seat] += turn["points"] + turn["bonus"]
    scores = {player["seat"]: player["score"] for player in sheet["players"]}
    assert scores == {seat: sums[seat] for seat in scores}
    assert scores == {player["seat"]: player["score"] for player in view["players"]}
    best = max(scores.values())
    assert view["winners"] == [seat for seat in scores if scores[seat] == best]

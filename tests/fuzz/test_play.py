"""Games made up by Hypothesis, over HTTP, judged by the plain rules: whatever is tried, legal or
not, the service says what the rule book says, and nothing but what the contract allows.
"""

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as some
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.api.client import Answer, Client, client_of
from tests.api.fairness import KINDS
from tests.faults.reference_game import plain_tile
from tests.rules import reference_rules
from tests.servers import QwirkleServer

STEPS = 14
NEAR = some.integers(-3, 3)


class PlayedGame(RuleBasedStateMachine):
    """One game as its players see it, beside the one the plain rules keep."""

    client: Client
    done: Counter[str]

    @initialize(
        seats=some.integers(2, 4),
        edition=some.sampled_from(("schmidt", "travel", "polish", "russian")),
        ages=some.lists(some.none() | some.integers(4, 90), min_size=4, max_size=4),
        seed=some.text("abc", min_size=1, max_size=6),
    )
    def sit_down(self, seats: int, edition: str, ages: list[int | None], seed: str) -> None:
        players = [{"name": f"P{seat}", "age": ages[seat]} for seat in range(seats)]
        self.table = self.client.create(players=players, edition=edition, seed=seed)
        self.view: dict[str, Any] = self.table.deal().ok(200).json
        self.hands = [self.table.hand(seat) for seat in range(seats)]
        self.board: reference_rules.Board = {}
        self.scores = [0] * seats
        for seat, hand in enumerate(self.hands):
            longest = reference_rules.longest([plain_tile(name) for name in hand])
            self.refused_bids(seat, longest)
            self.view = self.table.bid(seat, longest).ok(201).json["game"]
        bids = [player["bid"] for player in self.view["players"]]
        assert bids[self.mover] == max(bids)

    def refused_bids(self, seat: int, longest: int) -> None:
        if longest < 6:
            self.table.bid(seat, longest + 1).refused(422, "bid_too_high")
        if longest > 1:
            self.table.bid(seat, longest - 1).refused(422, "bid_too_low")

    @property
    def mover(self) -> int:
        return int(self.view["turn"]["seat"])

    @property
    def opening(self) -> int | None:
        """The length of the line to open with."""
        return None if self.board else int(self.view["players"][self.mover]["bid"])

    def playing(self) -> bool:
        return bool(self.view["status"] == "playing")

    @precondition(playing)
    @rule(data=some.data(), count=some.integers(1, 6))
    def try_anything(self, data: some.DataObject, count: int) -> None:
        """Tiles on cells, mostly near others, mostly wrong: refused or not as the rules say."""
        hand = self.hands[self.mover]
        near = sorted(self.board) or [(0, 0)]
        placed = []
        for _ in range(count):
            x, y = data.draw(some.sampled_from(near))
            tile = data.draw(some.sampled_from(hand) | some.sampled_from(KINDS))
            placed.append((tile, x + data.draw(NEAR), y + data.draw(NEAR)))
        self.send(placed)

    @precondition(playing)
    @rule(data=some.data())
    def try_a_legal_play(self, data: some.DataObject) -> None:
        """One of those that the plain rules find."""
        hand = [plain_tile(name) for name in self.hands[self.mover]]
        found = reference_rules.all_plays(self.board, hand, self.opening)
        told = self.table.plays(self.mover, "?limit=5000")
        assert told["count"] == len(found)
        assert bool(found) == bool({"play"} & set(self.table.view(self.mover)["you"]["actions"]))
        if found:
            play = data.draw(some.sampled_from(sorted(map(sorted, found))))
            self.send([("-".join(tile), x, y) for (x, y), tile in play])

    @precondition(lambda self: self.playing() and self.board)
    @rule(data=some.data(), count=some.integers(1, 6))
    def exchange(self, data: some.DataObject, count: int) -> None:
        seat, hand = self.mover, self.hands[self.mover]
        given = data.draw(some.permutations(hand))[:count]
        answer = self.table.act(seat, "exchanges", {"tiles": given})
        if not self.view["bag_count"]:
            answer.refused(422, "bag_empty")
        elif len(given) > self.view["bag_count"]:
            answer.refused(422, "exchange_exceeds_bag")
        else:
            self.lay_down(seat, given, answer.ok(201).json["exchange"]["drew"])
            self.carried_out("exchanged", answer)

    @precondition(playing)
    @rule(seat=some.integers(0, 3))
    def out_of_turn(self, seat: int) -> None:
        seat %= len(self.hands)
        if seat != self.mover:
            body = {"placements": [{"tile": self.hands[seat][0], "x": 0, "y": 1}]}
            self.table.act(seat, "plays", body).refused(409, "not_your_turn")
            self.table.pass_turn(seat).refused(409, "not_your_turn")

    @precondition(playing)
    @rule()
    def try_to_pass(self) -> None:
        """Nobody may, as long as there are tiles to exchange or places to lay them."""
        if not self.board:
            self.table.pass_turn(self.mover).refused(422, "must_open")
        elif self.view["bag_count"]:
            answer = self.table.pass_turn(self.mover)
            assert answer.code in {"must_play", "must_exchange"}, answer.body

    def send(self, placed: list[tuple[str, int, int]]) -> None:
        """A play, tried first and then made; the plain rules say what must come of it."""
        seat = self.mover
        hand = [plain_tile(name) for name in self.hands[seat]]
        cells = [((x, y), plain_tile(tile)) for tile, x, y in placed]
        points = reference_rules.verdict(self.board, hand, cells, self.opening)
        body = {"placements": [{"tile": tile, "x": x, "y": y} for tile, x, y in placed]}
        tried = self.table.act(seat, "plays/preview", body)
        answer = self.table.act(seat, "plays", body)
        if points is None:
            assert (tried.status, answer.status) == (422, 422), (placed, answer.body)
            assert tried.json["violations"] == answer.json["violations"]
            return
        made = answer.ok(201).json["play"]
        assert tried.ok(200).json["play"] == made | {"drew": None}
        assert made["points"] == points
        self.board |= dict(cells)
        self.scores[seat] += points + made["bonus"]
        self.lay_down(seat, [tile for tile, _, _ in placed], made["drew"])
        self.carried_out("played", answer)

    def lay_down(self, seat: int, gone: list[str], drew: list[str]) -> None:
        for name in gone:
            self.hands[seat].remove(name)
        self.hands[seat] += drew

    def carried_out(self, what: str, answer: Answer) -> None:
        before = self.view["version"]
        self.view = answer.json["game"]
        assert self.view["version"] == before + 1
        self.done[what] += 1

    @invariant()
    def the_service_tells_the_same_game(self) -> None:
        if not hasattr(self, "view"):
            return
        told = {(laid["x"], laid["y"]): plain_tile(laid["tile"]) for laid in self.view["board"]}
        assert told == self.board
        assert [player["score"] for player in self.view["players"]] == self.scores
        unseen = self.view["bag_count"] + sum(map(len, self.hands))
        assert len(self.board) + unseen == 108

    def teardown(self) -> None:
        if hasattr(self, "table"):
            for seat, hand in enumerate(self.hands):
                assert sorted(self.table.hand(seat)) == sorted(hand)


def play(server: QwirkleServer, examples: int, *, random: bool, steps: int = STEPS) -> Counter[str]:
    done: Counter[str] = Counter()

    class Here(PlayedGame):
        client = client_of(server)

    Here.done = done
    run_state_machine_as_test(  # type: ignore[no-untyped-call]  # Hypothesis leaves it untyped
        Here,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=not random,
            database=None,
            phases=[Phase.generate] if not random else [Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )
    return done


def test_a_game_made_up_goes_as_the_plain_rules_say(server: QwirkleServer) -> None:
    done = play(server, 6, random=False)
    assert done["played"] > 6
    assert done["exchanged"]


@pytest.mark.soak
def test_games_made_up_at_random_go_as_the_plain_rules_say(server: QwirkleServer) -> None:
    play(server, 150, random=True, steps=60)

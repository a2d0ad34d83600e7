"""Whole games, from the deal to the last tile, through the public interface alone."""

from collections.abc import Callable
from random import Random

import pytest

from tests.api.client import Client, client_of
from tests.api.fairness import Bag, commitment_of, secret_of
from tests.api.playing import Story, play_to_the_end
from tests.servers import QwirkleServer


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_game_of_random_legal_turns_comes_to_a_right_end(players: int, client: Client) -> None:
    table = client.create(players=players)
    story = play_to_the_end(table, Random(players))
    view = table.view()
    assert view["status"] == "finished"
    assert view["turn"] is None
    assert view["end"] in {"hand_empty", "all_passed", "blocked"}
    bonus = sum(player["bonus"] for player in table.look(rest="/score").json["players"])
    assert bonus == (6 if view["end"] == "hand_empty" else 0)
    assert table.created["game"]["commitment"] == view["commitment"]
    check_every_draw(story, view["seed"], view["commitment"])


def check_every_draw(story: Story, seed_text: str, commitment: str) -> None:
    """The revealed seed is the one promised, and gives every tile that anybody ever drew."""
    seed = bytes.fromhex(seed_text)
    assert len(seed) == 32
    assert commitment_of(seed) == commitment
    bag = Bag(seed, story.dealt_at)
    for hand in story.dealt:
        assert sorted(hand) == sorted(bag.draw(6))
    for _, kind, body, answer in story.answers:
        if kind == "played":
            assert answer.json["play"]["drew"] == bag.draw(len(body["placements"]))
        elif kind == "exchanged":
            assert answer.json["exchange"]["drew"] == bag.draw(len(body["tiles"]))
            bag.take_back(body["tiles"], answer.json["game"]["version"])
    assert len(bag.tiles) == story.table.view()["bag_count"]


def test_the_commitment_is_published_at_the_creation_and_never_changes(client: Client) -> None:
    table = client.create(seats=2, players=[{"name": "Ada"}])
    published = table.created["game"]["commitment"]
    joined = table.join(body={"entropy": "dice"}).ok(201).json["game"]
    dealt = table.deal(body={"entropy": "more dice"}).ok(200).json
    table.resign(0).ok(201)
    view = table.view()
    assert joined["commitment"] == dealt["commitment"] == view["commitment"] == published
    assert published == commitment_of(bytes.fromhex(view["seed"]))


def test_a_seeded_game_is_the_same_game_on_every_server(
    client: Client, kept_qwirkle: Callable[..., QwirkleServer]
) -> None:
    told = []
    for each in (client, client_of(kept_qwirkle())):
        table = each.create(seed="the same seed", players=3)
        assert table.created["game"]["seeded"]
        story = play_to_the_end(table, Random(7), counting=False)
        view = table.view()
        assert view["seed"] == secret_of("the same seed").hex()
        outcomes = [
            (seat, kind, answer.json.get("play"), answer.json.get("exchange"))
            for seat, kind, _, answer in story.answers
        ]
        told.append((story.dealt, outcomes, view["board"], view["winners"], view["end"]))
    assert told[0] == told[1]


def test_games_without_a_seed_differ(client: Client) -> None:
    hands = []
    for _ in range(2):
        table = client.create()
        table.deal().ok(200)
        assert not table.view()["seeded"]
        hands.append([table.hand(0), table.hand(1)])
    assert hands[0] != hands[1]

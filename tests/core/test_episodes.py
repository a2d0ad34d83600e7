"""Games acted in by numbers are the same in the core and by the rules."""

import random

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="the extra [env] is not installed")

from service import core
from service.rl.actions import empty_observation
from service.rules.shuffle import mix
from service.rules.tiles import WHOLE_BAG
from tests.core.comparing_episodes import both, compare, compare_episodes


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("plays", [8, 512])
def test_whole_games_are_the_same_in_every_part(seats: int, plays: int) -> None:
    compare_episodes(seats * plays, seats, plays, 120)


def test_illegal_actions_are_refused_alike() -> None:
    compiled, plain = both(1, 2, 16)
    assert compiled.refused(np.array([0])) == plain.refused(np.array([0])) == 0
    for number in range(30):
        seed = number.to_bytes(32, "big")
        compiled.deal(0, seed)
        plain.deal(0, seed)
        for _ in range(number):
            legal = [action for action in range(-2, 83) if plain.refused(np.array([action])) == -1]
            assert legal == [
                action for action in range(-2, 83) if compiled.refused(np.array([action])) == -1
            ]
            if not legal:
                break
            actions = np.array([legal[0]])
            compiled.act(actions, 0, 1)
            plain.act(actions, 0, 1)
        with pytest.raises(ValueError, match="not legal"):
            compiled.act(np.array([10**15]), 0, 1)


@pytest.mark.parametrize("number", range(40))
def test_deals_are_those_of_the_rules(number: int) -> None:
    """What is unseen after the deal, and who opens, follows from the shuffle and the lot."""
    seed = random.Random(number).randbytes(32)
    seats = 2 + number % 3
    compiled, plain = both(1, seats, 4)
    compiled.deal(0, seed)
    plain.deal(0, seed)
    compare(compiled, plain, 1, seats, 4)
    seen = empty_observation(1, 4)
    compiled.observe(seen, 0, 0, 1)
    hand = sorted(mix(WHOLE_BAG, seed, 2)[:6])
    assert [tile for tile in range(36) for _ in range(seen["observation"][0, tile])] == hand


def test_wrong_arrays_and_games_are_refused() -> None:
    native = core.native
    assert native is not None
    games = native.new_games(2, 2, 8)
    status = np.zeros((2, 9), np.int32)
    actions = np.zeros(2, np.int64)
    for wrong in ((0, 2, 8), (2, 1, 8), (2, 5, 8), (2, 2, 0), (2**30, 2, 8), (2, 2, 2**20)):
        with pytest.raises(ValueError, match="no such games"):
            native.new_games(*wrong)
    with pytest.raises(ValueError, match="32 bytes"):
        native.deal_game(games, 0, b"short", status)
    with pytest.raises(IndexError):
        native.deal_game(games, 2, bytes(32), status)
    with pytest.raises(ValueError, match="bytes is needed"):
        native.deal_game(games, 0, bytes(32), status[:1])
    with pytest.raises(ValueError, match="bytes is needed"):
        native.act(games, 0, 2, actions[:1], status)
    with pytest.raises(IndexError):
        native.act(games, 1, 0, actions, status)
    with pytest.raises(IndexError):
        native.act(games, 0, 3, actions, status)
    with pytest.raises((ValueError, BufferError)):
        native.act(games, 0, 2, np.zeros((2, 2), np.int64)[:, 0], status)
    with pytest.raises((ValueError, BufferError)):
        native.act(games, 0, 2, actions, b"\0" * 72)
    with pytest.raises(ValueError, match="Capsule"):
        native.act(object(), 0, 1, actions, status)
    arrays = list(empty_observation(2, 8).values())
    with pytest.raises(IndexError):
        native.observe(games, 0, 2, 2, *arrays)
    with pytest.raises(ValueError, match="bytes is needed"):
        native.observe(games, 0, 2, 0, *arrays[:3], arrays[3][:1])
    native.observe(games, 0, 2, -1, *arrays)
    assert not arrays[3].any()
    assert native.allowed(games, actions) == 0

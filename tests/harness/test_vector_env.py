"""The vectorised environment: Gymnasium's conventions and true games, in C and in Python."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="the extra [env] is not installed")

from service import core
from service.rl.actions import action_count
from service.rl.vector_env import QwirkleVectorEnv


@pytest.fixture(params=["core", "rules"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiled core, then the rules."""
    if request.param == "core" and core.native is None:
        pytest.skip("the core was not built")
    if request.param == "rules":
        monkeypatch.setattr(core, "native", None)


def chosen(seen: dict[str, Any], chance: np.random.Generator) -> Any:
    """A legal action of every game, all equally likely."""
    mask = seen["action_mask"]
    return (mask * (0.5 + chance.random(mask.shape))).argmax(1)


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_everything_lies_in_the_spaces_it_announces(players: int) -> None:
    env = QwirkleVectorEnv(3, players, plays=32)
    chance = np.random.default_rng(players)
    seen, infos = env.reset(seed=1)
    for _ in range(20):
        assert env.observation_space.contains(seen)
        actions = chosen(seen, chance)
        assert env.action_space.contains(actions)
        seen, rewards, ended, cut, infos = env.step(actions)
        assert rewards.shape == ended.shape == cut.shape == (3,)
        assert (ended.dtype, cut.dtype) == (np.bool_, np.bool_)
        assert infos["scores"].shape == (3, players)
        assert set(infos["seat"]) <= set(range(players))
    env.close()


def traced(steps: int, **choices: Any) -> list[Any]:
    """Everything that some steps give."""
    env = QwirkleVectorEnv(5, 2, plays=64, max_turns=40, **choices)
    chance = np.random.default_rng(3)
    seen, infos = env.reset(seed=7)
    trace: list[Any] = [seen, infos]
    for _ in range(steps):
        seen, *rest = env.step(chosen(seen, chance))
        trace += [seen, *rest]
    env.close()
    return trace


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(np.array_equal(one, other))


def test_the_same_seed_gives_the_same_steps_with_any_number_of_threads() -> None:
    first = traced(60, threads=1)
    assert same(first, traced(60, threads=1))
    assert same(first, traced(60, threads=4))


def test_the_core_and_the_rules_give_the_same_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    if core.native is None:
        pytest.skip("the core was not built: not compared with the rules")
    compiled = traced(90)
    monkeypatch.setattr(core, "native", None)
    assert same(compiled, traced(90))


@pytest.mark.usefixtures("either")
def test_a_game_that_has_ended_is_followed_by_another_in_the_same_step() -> None:
    env = QwirkleVectorEnv(4, 2, plays=64)
    seen, infos = env.reset(seed=5)
    totals = np.zeros((4, 2))
    finished = 0
    while finished < 6:
        seats = infos["seat"]
        seen, rewards, ended, cut, infos = env.step(seen["action_mask"].argmax(1))
        totals[np.arange(4), seats] += rewards
        assert not cut.any()
        assert np.array_equal(infos["_final_scores"], ended)
        for at in np.flatnonzero(ended):
            assert list(infos["final_scores"][at]) == list(totals[at])
            assert list(infos["scores"][at]) == [0, 0]
            assert seen["observation"][at, 73] == 1  # the turn
            totals[at] = 0
            finished += 1
        assert seen["action_mask"].any(axis=1).all()
    env.close()


@pytest.mark.usefixtures("either")
def test_the_reward_for_winning_comes_at_the_end_alone() -> None:
    env = QwirkleVectorEnv(2, 2, plays=64, reward="win")
    seen, infos = env.reset(seed=5)
    finished = 0
    while finished < 2:
        seats = infos["seat"]
        seen, rewards, ended, _, infos = env.step(seen["action_mask"].argmax(1))
        assert not rewards[~ended].any()
        for at in np.flatnonzero(ended):
            final = infos["final_scores"][at]
            assert rewards[at] == (1 if final[seats[at]] == final.max() else -1)
            finished += 1
    env.close()


@pytest.mark.usefixtures("either")
def test_a_game_that_goes_on_too_long_is_truncated() -> None:
    env = QwirkleVectorEnv(2, 2, plays=16, max_turns=3)
    seen, _ = env.reset(seed=1)
    cuts = []
    for _ in range(6):
        seen, _, ended, cut, _ = env.step(seen["action_mask"].argmax(1))
        assert not ended.any()
        cuts.append(cut.all())
    assert cuts == [False, False, True] * 2
    env.close()


@pytest.mark.usefixtures("either")
def test_one_illegal_action_stops_the_step_of_all_games() -> None:
    env = QwirkleVectorEnv(3, 2, plays=16)
    seen, before = env.reset(seed=1)
    actions = seen["action_mask"].argmax(1)
    for wrong in (-1, action_count(16) - 1, action_count(16), 2**62, 15 if actions[1] < 15 else -2):
        if 0 <= wrong < 16 and seen["action_mask"][1, wrong]:
            continue
        changed = actions.copy()
        changed[1] = wrong
        with pytest.raises(ValueError, match="not legal in game 1"):
            env.step(changed)
    assert same(env._infos(), before)
    for shape in (actions[:2], np.append(actions, 0), actions.reshape(3, 1)):
        with pytest.raises(ValueError, match="there must be 3 actions"):
            env.step(shape)
    env.step(actions)
    env.close()


def test_observations_are_copies_unless_asked_otherwise() -> None:
    for copy in (True, False):
        env = QwirkleVectorEnv(2, copy=copy)
        first, _ = env.reset(seed=1)
        second, *_ = env.step(first["action_mask"].argmax(1))
        assert (first["board"] is second["board"]) != copy
        env.close()


def test_later_resets_deal_other_games_and_seeds_repeat_them() -> None:
    env = QwirkleVectorEnv(2)
    first = env.reset(seed=1)
    second = env.reset()
    assert not same(list(first), list(second))
    assert same(list(first), list(env.reset(seed=1)))
    assert same(list(second), list(env.reset()))
    env.close()


@pytest.mark.parametrize(
    "choices",
    [{"num_envs": 0}, {"players": 1}, {"players": 5}, {"plays": 0}, {"threads": 0}],
)
def test_impossible_sizes_are_refused(choices: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="there must be"):
        QwirkleVectorEnv(**choices)


def test_wrappers_of_gymnasium_fit() -> None:
    from gymnasium.wrappers.vector import RecordEpisodeStatistics

    env = RecordEpisodeStatistics(QwirkleVectorEnv(4, plays=16))
    seen, _ = env.reset(seed=1)
    ended = np.zeros(4, bool)
    while not ended.any():
        seen, _, ended, _, infos = env.step(seen["action_mask"].argmax(1))
    assert list(infos["episode"]["r"][ended]) == list(infos["final_scores"][ended].sum(axis=1))
    env.close()

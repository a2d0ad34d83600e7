"""The PettingZoo environment: its own tests, and that it plays true games."""

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="the extra [env] is not installed")

from pettingzoo.test import api_test, seed_test

from service.rl.actions import EXCHANGES, REACH, empty_observation
from service.rl.games import TURN
from service.rl.pettingzoo_env import QwirkleEnv, env
from service.rl.rules_games import RulesGames
from service.rules.actions import may_exchange, may_pass, plays_of
from service.rules.cells import xy
from service.rules.state import MOST_EVENTS


@pytest.mark.parametrize("players", [2, 4])
def test_it_passes_the_api_test(players: int) -> None:
    api_test(QwirkleEnv(players, plays=128), num_cycles=150)


def test_it_passes_the_api_test_when_guarded() -> None:
    api_test(env(plays=64), num_cycles=100)


def test_it_passes_the_seed_test() -> None:
    seed_test(lambda: QwirkleEnv(plays=64), num_cycles=60)


def played(world: QwirkleEnv, seed: int, *, greedy: bool = False) -> list[float]:
    """Plays an episode; the rewards of all agents."""
    world.reset(seed=seed)
    chance = np.random.default_rng(seed)
    totals = dict.fromkeys(world.possible_agents, 0.0)
    for agent in world.agent_iter():
        seen, reward, ended, cut, _ = world.last()
        totals[agent] += reward
        if ended or cut:
            world.step(None)
            continue
        (open_now,) = np.nonzero(seen["action_mask"])
        world.step(int(open_now[0] if greedy else chance.choice(open_now)))
    return list(totals.values())


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_rewards_of_an_episode_are_the_scores(players: int) -> None:
    world = QwirkleEnv(players)
    totals = played(world, 7, greedy=True)
    assert world.game.phase == "finished"
    assert totals == [player.score for player in world.game.seated.values()]


def test_rewards_for_winning_come_at_the_end_alone() -> None:
    world = QwirkleEnv(2, reward="win")
    totals = played(world, 8, greedy=True)
    assert totals == [1.0 if seat in world.game.winners else -1.0 for seat in (0, 1)]


def test_a_game_that_goes_on_too_long_is_truncated() -> None:
    world = QwirkleEnv(2, max_turns=5)
    played(world, 9)
    assert world.game.phase == "playing"
    assert world.game.turn == 6


def test_the_mask_opens_every_legal_action_and_no_other() -> None:
    world = QwirkleEnv(2, plays=5000)
    world.reset(seed=3)
    for _ in range(12):
        game = world.game
        seat = game.mover
        assert seat is not None
        mask = world.observe(f"player_{seat}")["action_mask"]
        assert mask[:5000].sum() == min(len(plays_of(game, seat)), 5000)
        exchanges = {
            tuple(sorted(game.player(seat).hand[at] for at in range(6) if chosen >> at & 1))
            for chosen in range(1, EXCHANGES + 1)
        }
        open_now = mask[5000:-1].sum()
        assert open_now == (len(exchanges) if may_exchange(game, seat) else 0)
        assert mask[-1] == may_pass(game, seat)
        assert not world.observe(f"player_{1 - seat}")["action_mask"].any()
        world.step(0)


def test_an_action_that_is_not_open_is_refused() -> None:
    world = QwirkleEnv(2)
    world.reset(seed=3)
    with pytest.raises(ValueError, match="not legal"):
        world.step(world.action_space("player_0").n - 1)


def test_an_observation_holds_nothing_of_the_others_hands() -> None:
    """Two deals that differ only in what this seat cannot see look the same to it."""

    games = RulesGames(1, 2, 512)
    games.deal(0, bytes(32))
    games.act(np.array([0]), 0, 1)
    game = games.games[0]
    assert game is not None
    seat = game.mover
    assert seat is not None
    before, after = empty_observation(1, 512), empty_observation(1, 512)
    games.observe(before, seat, 0, 1)
    other = game.player(1 - seat)
    twin = other._replace(hand=game.bag[:6])
    players = tuple(game.player(at) if at == seat else twin for at in (0, 1))
    games.put(0, game._replace(players=players, bag=other.hand + game.bag[6:]))
    games.observe(after, seat, 0, 1)
    assert all(np.array_equal(before[part], after[part]) for part in before)


def test_the_board_and_the_plays_observed_are_those_of_the_game() -> None:
    world = QwirkleEnv(2)
    world.reset(seed=6)
    for _ in range(5):
        world.step(0)
    seen = world.observe(world.agent_selection)
    for cell, tile in world.game.board.tiles.items():
        x, y = xy(cell)
        assert seen["board"][y + REACH, x + REACH] == tile + 1
    assert np.count_nonzero(seen["board"]) == len(world.game.board)
    points = seen["plays"][:, 0]
    assert list(points) == sorted(points, reverse=True)


def test_a_rendering_shows_the_table() -> None:
    world = QwirkleEnv(2, render_mode="ansi")
    world.reset(seed=6)
    world.step(0)
    text = world.render()
    assert text is not None
    assert "in the bag" in text


def test_an_episode_is_truncated_where_the_rules_allow_no_further_turn() -> None:
    world = QwirkleEnv(plays=64, max_turns=10 * MOST_EVENTS)
    world.reset(seed=1)
    world.step(0)
    steps = 1
    while not any(world.truncations.values()):
        world.step(64)  # exchange the first tile
        steps += 1
    assert steps == MOST_EVENTS - 2
    assert all(world.truncations.values())
    assert world._games.status[0, TURN] == steps + 1

"""Qwirkle as a PettingZoo environment, for reinforcement learning.

Needs the extra ``[env]``. ``service.rl.actions`` describes observations and actions. With the
default of 512 listed plays, one of six hundred positions has more.
"""

from functools import cached_property
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from service.rl.actions import (
    Observation,
    action_count,
    check_size,
    empty_observation,
    observation_space,
)
from service.rl.games import END, GAINED, MOVER, SCORES, TURN, VERSION, new_games
from service.rl.rules_games import RulesGames
from service.rules.notation import format_board, format_tiles
from service.rules.shuffle import SECRET_BYTES
from service.rules.state import MOST_EVENTS, Game

Reward = Literal["points", "win"]


def env(**choices: Any) -> Any:
    """The wrapped environment: an action that the mask excludes loses the game."""
    return wrappers.OrderEnforcingWrapper(
        wrappers.TerminateIllegalWrapper(QwirkleEnv(**choices), illegal_reward=-1)
    )


class QwirkleEnv(AECEnv):  # type: ignore[misc]  # PettingZoo ships no types
    """A game of two to four players; agents are ``player_0`` and so on, by seat.

    ``reward="points"`` gives each player the points of their play; ``reward="win"`` gives 1 to
    the winners and -1 to the others at the end. A game is truncated after ``max_turns`` turns,
    because exchanges alone never end one.
    """

    metadata = {  # noqa: RUF012  # PettingZoo's own convention
        "name": "qwirkle_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        players: int = 2,
        *,
        plays: int = 512,
        reward: Reward = "points",
        max_turns: int = 400,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        check_size(players, plays)
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        self._plays, self._reward, self._max_turns = plays, reward, max_turns
        self._random, _ = seeding.np_random()
        self._games = new_games(1, players, plays)
        self._secret = b""
        self._acted: list[int] = []

    @property
    def game(self) -> Game:
        """The current game, including hidden tiles; the rules play it again if it is asked for."""
        if not self._secret:
            raise RuntimeError("call reset() before using the environment")
        replayed = RulesGames(1, len(self.possible_agents), self._plays)
        replayed.deal(0, self._secret)
        for action in self._acted:
            replayed.act(np.array([action]), 0, 1)
        game = replayed.games[0]
        if game is None or not np.array_equal(replayed.status, self._games.status):
            raise AssertionError("the core and the rules differ")
        return game

    @cached_property
    def _action_space(self) -> spaces.Discrete:
        return spaces.Discrete(action_count(self._plays))

    @cached_property
    def _observation_space(self) -> spaces.Dict:
        return observation_space(self._plays)

    def action_space(self, agent: str) -> spaces.Discrete:  # noqa: ARG002  # the same for all
        """All actions; the same for every agent."""
        return self._action_space

    def observation_space(self, agent: str) -> spaces.Dict:  # noqa: ARG002  # the same for all
        """The parts of an observation; the same for every agent."""
        return self._observation_space

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002  # PettingZoo's signature
        """Deal a new game; the same seed gives the same games."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Any] = {agent: {} for agent in self.agents}
        self._secret = self._random.bytes(SECRET_BYTES)
        self._acted = []
        self._games.deal(0, self._secret)
        self._take_notice()

    def observe(self, agent: str) -> Observation:
        """What this agent can see; only the agent to move has plays and a non-zero mask."""
        arrays = empty_observation(1, self._plays)
        self._games.observe(arrays, self.possible_agents.index(agent), 0, 1)
        return {name: array[0] for name, array in arrays.items()}

    def step(self, action: int | None) -> None:
        """Carry out the action; ValueError if it is not legal now."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        chosen = np.array([-1 if action is None else action], np.int64)
        if self._games.refused(chosen) >= 0:
            raise ValueError(f"action {action} is not legal for {agent} now")
        self._games.act(chosen, 0, 1)
        self._acted.append(int(chosen[0]))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self._reward == "points":
            self.rewards[agent] = float(self._games.status[0, GAINED])
        self._take_notice()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _take_notice(self) -> None:
        """Whose turn it is now, or that the game is over."""
        status = self._games.status[0].tolist()
        if not status[END]:
            self.agent_selection = self.possible_agents[status[MOVER]]
            if status[TURN] > self._max_turns or status[VERSION] >= MOST_EVENTS:
                self.truncations = dict.fromkeys(self.agents, True)
            return
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]
        if self._reward == "win":
            scores = status[SCORES : SCORES + len(self.possible_agents)]
            for agent, score in zip(self.possible_agents, scores, strict=True):
                self.rewards[agent] = 1.0 if score == max(scores) else -1.0

    def render(self) -> str | None:
        """The table, the hands and the points as text; printed in ``human`` mode."""
        game = self.game
        rows = [format_board(game.board) or "(an empty table)"]
        for seat, player in game.seated.items():
            turn = ">" if seat == game.mover else " "
            rows.append(f"{turn} {player.name} {player.score:4}  {format_tiles(player.hand)}")
        text = "\n".join([*rows, f"  {len(game.bag)} in the bag"])
        if self.render_mode != "human":
            return text
        print(text, end="\n\n")  # noqa: T201  # the purpose of this mode
        return None

    def close(self) -> None:
        """There is nothing to release."""

"""Many games of Qwirkle at once, in the manner of Gymnasium's vector environments.

Needs the extra ``[env]``. ``service.rl.actions`` describes observations and actions. Every step is
one action of the player to move in each game, so a program that learns plays all seats, or lets
something else choose for some of them: ``infos["seat"]`` says whose turn it is.
"""

from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from service.rl.actions import (
    Observation,
    action_count,
    check_size,
    empty_observation,
    observation_space,
)
from service.rl.games import END, GAINED, MOVER, SCORES, TURN, VERSION, new_games
from service.rules.shuffle import SECRET_BYTES
from service.rules.state import MOST_EVENTS

Infos = dict[str, Any]
Stepped = tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], Infos]


class QwirkleVectorEnv(VectorEnv):
    """``num_envs`` games of two to four players.

    The reward of a step is that of the player who acted: the points with ``reward="points"``; with
    ``reward="win"`` 1 or -1 at the end, and 0 before. A game that has ended, or is truncated
    after ``max_turns`` turns, is followed by the next one in the same step, and the observation is
    that of the next one. ``infos`` has the ``seat`` to move, the ``scores`` by seat and, where
    ``_final_scores`` is true, the ``final_scores`` of the game that is over.

    With ``copy=False`` the same arrays are filled in every step. ``threads`` share the work; they
    help only in the compiled core.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012  # Gymnasium's convention

    def __init__(
        self,
        num_envs: int = 256,
        players: int = 2,
        *,
        plays: int = 128,
        reward: Literal["points", "win"] = "points",
        max_turns: int = 400,
        threads: int = 2,
        copy: bool = True,
    ) -> None:
        check_size(players, plays)
        if num_envs < 1 or threads < 1:
            raise ValueError("there must be at least one game and one thread")
        self.num_envs = num_envs
        self.single_observation_space = observation_space(plays)
        self.single_action_space = spaces.Discrete(action_count(plays))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._players, self._reward, self._max_turns = players, reward, max_turns
        self._copy = copy
        self._games = new_games(num_envs, players, plays)
        self._arrays = empty_observation(num_envs, plays)
        self._dealt = np.zeros(num_envs, np.int64)
        self._seed = b""
        bounds = np.linspace(0, num_envs, threads + 1).astype(int).tolist()
        self._shares = list(pairwise(bounds))
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002  # Gymnasium's signature
    ) -> tuple[Observation, Infos]:
        """Deal all games; the same seed gives the same games, now and in later steps."""
        if isinstance(seed, list):
            raise TypeError("one seed is for all games")
        if seed is not None or not self._seed:
            self._np_random, self._np_random_seed = seeding.np_random(seed)
            self._dealt[:] = 0
        self._seed = self.np_random.bytes(SECRET_BYTES)
        for at in range(self.num_envs):
            self._deal(at)
        self._observe()
        return self._seen(), self._infos()

    def step(self, actions: Any) -> Stepped:
        """Carry out an action in every game; ValueError, and nothing happens, if one is illegal."""
        chosen = np.ascontiguousarray(actions, np.int64)
        if chosen.shape != (self.num_envs,):
            raise ValueError(f"there must be {self.num_envs} actions")
        refused = self._games.refused(chosen)
        if refused >= 0:
            raise ValueError(f"action {chosen[refused]} is not legal in game {refused}")
        actors = self._games.status[:, MOVER].copy()
        self._share(lambda first, last: self._games.act(chosen, first, last))
        status = self._games.status
        ended = status[:, END] != 0
        cut = ~ended & ((status[:, TURN] > self._max_turns) | (status[:, VERSION] >= MOST_EVENTS))
        rewards = self._rewards(actors, ended)
        over = ended | cut
        final = status[:, SCORES : SCORES + self._players].copy()
        for at in np.flatnonzero(over):
            self._deal(int(at))
        self._observe()
        infos = self._infos() | {"final_scores": final, "_final_scores": over}
        return self._seen(), rewards, ended, cut, infos

    def _rewards(self, actors: NDArray[Any], ended: NDArray[Any]) -> NDArray[Any]:
        if self._reward == "points":
            return self._games.status[:, GAINED].astype(np.float64)
        scores = self._games.status[:, SCORES : SCORES + self._players]
        own = scores[np.arange(self.num_envs), actors]
        won = np.where(own == scores.max(axis=1), 1.0, -1.0)
        return np.where(ended, won, 0.0)

    def _deal(self, at: int) -> None:
        """The next game at this place: its draws follow from the seed, the place and its number."""
        number = int(self._dealt[at])
        self._dealt[at] += 1
        text = b"qwirkle episode" + at.to_bytes(8, "big") + number.to_bytes(8, "big")
        self._games.deal(at, sha256(self._seed + text).digest())

    def _observe(self) -> None:
        self._share(lambda first, last: self._games.observe(self._arrays, -1, first, last))

    def _share(self, work: Any) -> None:
        """Have the work done for all games, by several threads if there are some."""
        own, *others = self._shares
        waiting = [self._pool.submit(work, *share) for share in others] if self._pool else []
        work(*own)
        for each in waiting:
            each.result()

    def _seen(self) -> Observation:
        if not self._copy:
            return self._arrays
        return {name: array.copy() for name, array in self._arrays.items()}

    def _infos(self) -> Infos:
        status = self._games.status
        return {
            "seat": status[:, MOVER].copy(),
            "scores": status[:, SCORES : SCORES + self._players].copy(),
        }

    def close_extras(self, **_: Any) -> None:
        """End the threads."""
        if self._pool:
            self._pool.shutdown()

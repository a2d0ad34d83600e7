"""Qwirkle as a PettingZoo environment, for reinforcement learning.

Needs the extra ``[env]``. Plays have no fixed numbers, because the table is unbounded. So an
action is an index into the list of what the player to move can do now:

- ``0 .. plays - 1``: the legal plays, most points first. If a position has more plays, only the
  best are listed; with the default that happens in one of six hundred positions.
- ``plays .. plays + 62``: exchanges. Exchange ``m`` (from 1) returns the tiles of the hand, in
  kind order, whose bits are set in ``m``; of equal tiles only the first ones.
- ``plays + 63``: pass.

The action mask says which actions are legal, and the observation describes each listed play.
Bids are made automatically, so an episode begins with the opening line.
"""

from functools import cached_property
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from service.core.legal_plays import first_plays_of
from service.rules import actions, host_actions
from service.rules.cells import xy
from service.rules.events import Entrant, Played
from service.rules.notation import format_board, format_tiles
from service.rules.plays import Play
from service.rules.shuffle import SECRET_BYTES
from service.rules.state import FEWEST_SEATS, MOST_SEATS, Game
from service.rules.tiles import COPIES, HAND_SIZE, TILES, Tile

EXCHANGES = 2**HAND_SIZE - 1
REACH = 30
SIDE = 2 * REACH + 1

# Points, tiles, lines and Qwirkles, then tile + 1, x and y for each tile.
PLAY_FEATURES = 4 + 3 * HAND_SIZE
STATE_FEATURES = 2 * len(TILES) + 2 + 3 * MOST_SEATS

_HIGHEST = np.iinfo(np.int16).max
_LOWEST = np.iinfo(np.int16).min

Reward = Literal["points", "win"]
Observation = dict[str, NDArray[Any]]


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
        if not FEWEST_SEATS <= players <= MOST_SEATS or plays < 1:
            raise ValueError("there must be two to four players and at least one listed play")
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        self._plays, self._reward, self._max_turns = plays, reward, max_turns
        self._random, _ = seeding.np_random()
        self._game: Game | None = None
        self._listed: list[Play] = []

    @property
    def game(self) -> Game:
        """The current game, including hidden tiles."""
        if self._game is None:
            raise RuntimeError("call reset() before using the environment")
        return self._game

    @cached_property
    def _action_space(self) -> spaces.Discrete:
        return spaces.Discrete(self._plays + EXCHANGES + 1)

    @cached_property
    def _observation_space(self) -> spaces.Dict:
        def box(*shape: int) -> spaces.Box:
            return spaces.Box(_LOWEST, _HIGHEST, shape, np.int16)

        return spaces.Dict(
            {
                "observation": box(STATE_FEATURES),
                "board": spaces.Box(0, len(TILES), (SIDE, SIDE), np.uint8),
                "plays": box(self._plays, PLAY_FEATURES),
                "action_mask": spaces.Box(0, 1, (self._plays + EXCHANGES + 1,), np.int8),
            }
        )

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
        entrants = [Entrant(agent) for agent in self.agents]
        table = actions.create(self._random.bytes(SECRET_BYTES), entrants, auto_bid=True)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Any] = {agent: {} for agent in self.agents}
        self._continue_from(host_actions.deal(table.game).game)

    def observe(self, agent: str) -> Observation:
        """What this agent can see; only the agent to move has plays and a non-zero mask."""
        game, seat = self.game, self.possible_agents.index(agent)
        to_move = game.mover == seat
        plays = np.zeros((self._plays, PLAY_FEATURES), np.int16)
        mask = np.zeros(self._plays + EXCHANGES + 1, np.int8)
        if to_move:
            for at, play in enumerate(self._listed):
                features = _features(play)
                plays[at, : len(features)] = features
            mask[: len(self._listed)] = 1
            hand = game.player(seat).hand
            for tiles in _subsets(hand, actions.may_exchange(game, seat)):
                mask[self._plays + tiles - 1] = 1
            mask[-1] = actions.may_pass(game, seat)
        return {
            "observation": _state(game, seat),
            "board": _board(game),
            "plays": plays,
            "action_mask": mask,
        }

    def step(self, action: int | None) -> None:
        """Carry out the action; ValueError if it is not legal now."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        seat = self.possible_agents.index(agent)
        step = self._carry_out(seat, -1 if action is None else int(action))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        event = step.event
        if self._reward == "points" and isinstance(event, Played):
            self.rewards[agent] = float(event.points + event.bonus)
        self._continue_from(step.game)
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _carry_out(self, seat: int, action: int) -> Any:
        game = self.game
        if 0 <= action < len(self._listed):
            return actions.place(game, seat, self._listed[action].placements)
        chosen = action - self._plays + 1
        hand = game.player(seat).hand
        if chosen in set(_subsets(hand, actions.may_exchange(game, seat))):
            return actions.exchange(game, seat, [hand[at] for at in _positions(chosen)])
        if chosen == EXCHANGES + 1 and actions.may_pass(game, seat):
            return actions.pass_turn(game, seat)
        raise ValueError(f"action {action} is not legal for {self.agent_selection} now")

    def _continue_from(self, game: Game) -> None:
        """Continue from this state."""
        self._game = game
        self._listed = []
        if game.mover is not None:
            self.agent_selection = self.possible_agents[game.mover]
            _, self._listed = first_plays_of(game, game.mover, self._plays, "points")
            if game.turn > self._max_turns or game.too_long:
                self.truncations = dict.fromkeys(self.agents, True)
            return
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]
        if self._reward == "win":
            for seat, agent in enumerate(self.possible_agents):
                self.rewards[agent] = 1.0 if seat in game.winners else -1.0

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


def _features(play: Play) -> list[int]:
    qwirkles = sum(line.qwirkle for line in play.lines)
    features = [play.points, len(play.placements), len(play.lines), qwirkles]
    for cell, tile in play.placements:
        features += [tile + 1, *xy(cell)]
    return features


def _state(game: Game, seat: int) -> NDArray[Any]:
    """Own hand and unseen tiles by kind, bag, turn, then every player, starting with this seat."""
    own = game.player(seat).hand
    hand = [own.count(tile) for tile in TILES]
    unseen = [COPIES - count for count in hand]
    for tile in game.board.tiles.values():
        unseen[tile] -= 1
    features = [*hand, *unseen, len(game.bag), game.turn]
    seats = len(game.players)
    for step in range(MOST_SEATS):
        if step >= seats:
            features += [0, 0, 0]
            continue
        player = game.player((seat + step) % seats)
        features += [1, player.score, len(player.hand)]
    return np.array(features, np.int16)


def _board(game: Game) -> NDArray[Any]:
    """The table around its middle by row and column: 0 for an empty cell, otherwise tile + 1."""
    grid = np.zeros((SIDE, SIDE), np.uint8)
    for cell, tile in game.board.tiles.items():
        x, y = xy(cell)
        if abs(x) <= REACH >= abs(y):
            grid[y + REACH, x + REACH] = tile + 1
    return grid


def _subsets(hand: tuple[Tile, ...], most: int) -> list[int]:
    """The exchanges of up to ``most`` tiles; of equal tiles only the first ones."""
    found = []
    for chosen in range(1, 2 ** len(hand)):
        at = _positions(chosen)
        first = all(
            hand[place] != hand[place - 1] or chosen >> (place - 1) & 1 for place in at if place
        )
        if len(at) <= most and first:
            found.append(chosen)
    return found


def _positions(chosen: int) -> list[int]:
    return [at for at in range(HAND_SIZE) if chosen >> at & 1]

"""The games of an environment by the rules: the reference, and what runs without the core."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.bots.bot_game import ENDS
from service.core.legal_plays import first_plays_of
from service.rl.actions import EXCHANGES, REACH, Observation
from service.rl.core_games import STATUS
from service.rules.actions import (
    Step,
    create,
    exchange,
    may_exchange,
    may_pass,
    pass_turn,
    place,
)
from service.rules.cells import xy
from service.rules.events import Entrant, Played
from service.rules.host_actions import deal
from service.rules.plays import Play
from service.rules.state import MOST_SEATS, End, Game
from service.rules.tiles import COPIES, HAND_SIZE, TILES, Tile

_ENDS: tuple[End | None, ...] = (None, *ENDS)


class RulesGames:
    """The games of ``service.rl.games.Games``."""

    def __init__(self, count: int, seats: int, plays: int) -> None:
        self._seats, self._plays = seats, plays
        self._listed: list[list[Play]] = [[] for _ in range(count)]
        self.games: list[Game | None] = [None] * count
        self.status: NDArray[Any] = np.zeros((count, STATUS), np.int32)

    def deal(self, at: int, seed: bytes) -> None:
        """Start one of the games anew."""
        entrants = [Entrant(f"player_{seat}") for seat in range(self._seats)]
        self.put(at, deal(create(seed, entrants, auto_bid=True).game).game)

    def refused(self, actions: NDArray[Any]) -> int:
        """The first game in which its action is not legal; -1 if all are."""
        legal = (self._allows(at, int(action)) for at, action in enumerate(actions))
        return next((at for at, allowed in enumerate(legal) if not allowed), -1)

    def act(self, actions: NDArray[Any], first: int, last: int) -> None:
        """Carry out legal actions."""
        for at in range(first, last):
            step = self._step(at, int(actions[at]))
            event = step.event
            gained = event.points + event.bonus if isinstance(event, Played) else 0
            self.put(at, step.game, gained)

    def observe(self, into: Observation, seat: int, first: int, last: int) -> None:
        """Write what a seat sees."""
        for at in range(first, last):
            game = self._game(at)
            viewer = seat if seat >= 0 else game.mover
            into["observation"][at] = _state(game, 0 if viewer is None else viewer)
            into["board"][at] = _board(game)
            into["plays"][at] = 0
            into["action_mask"][at] = 0
            if viewer is not None and game.mover == viewer:
                self._write_actions(at, into["plays"][at], into["action_mask"][at])

    def put(self, at: int, game: Game, gained: int = 0) -> None:
        """Continue one of the games from this state."""
        self.games[at] = game
        self._listed[at] = []
        if game.mover is not None:
            _, self._listed[at] = first_plays_of(game, game.mover, self._plays, "points")
        scores = [player.score for player in game.seated.values()]
        mover = -1 if game.mover is None else game.mover
        self.status[at] = 0
        self.status[at, : 5 + len(scores)] = (
            mover, _ENDS.index(game.end), game.turn, game.version, gained, *scores,
        )  # fmt: skip

    def _game(self, at: int) -> Game:
        game = self.games[at]
        if game is None:
            raise ValueError(f"game {at} has not been dealt")
        return game

    def _allows(self, at: int, action: int) -> bool:
        game = self.games[at]
        if game is None or game.mover is None:
            return False
        if 0 <= action < self._plays:
            return action < len(self._listed[at])
        chosen = action - self._plays + 1
        if chosen == EXCHANGES + 1:
            return may_pass(game, game.mover)
        return chosen in subsets(game.player(game.mover).hand, may_exchange(game, game.mover))

    def _step(self, at: int, action: int) -> Step:
        game = self._game(at)
        if not self._allows(at, action) or game.mover is None:
            raise ValueError(f"action {action} is not legal in game {at}")
        if action < self._plays:
            return place(game, game.mover, self._listed[at][action].placements)
        chosen = action - self._plays + 1
        if chosen > EXCHANGES:
            return pass_turn(game, game.mover)
        hand = game.player(game.mover).hand
        return exchange(game, game.mover, [hand[place] for place in _positions(chosen)])

    def _write_actions(self, at: int, plays: NDArray[Any], mask: NDArray[Any]) -> None:
        """The listed plays and the mask of the player to move."""
        game, listed = self._game(at), self._listed[at]
        for row, play in zip(plays, listed, strict=False):
            features = _features(play)
            row[: len(features)] = features
        mask[: len(listed)] = 1
        if game.mover is not None:
            hand = game.player(game.mover).hand
            for chosen in subsets(hand, may_exchange(game, game.mover)):
                mask[self._plays + chosen - 1] = 1
            mask[-1] = may_pass(game, game.mover)


def _features(play: Play) -> list[int]:
    qwirkles = sum(line.qwirkle for line in play.lines)
    features = [play.points, len(play.placements), len(play.lines), qwirkles]
    for cell, tile in play.placements:
        features += [tile + 1, *xy(cell)]
    return features


def _state(game: Game, seat: int) -> list[int]:
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
    return features


def _board(game: Game) -> NDArray[Any]:
    """The table around its middle by row and column: 0 for an empty cell, otherwise tile + 1."""
    side = 2 * REACH + 1
    grid = np.zeros((side, side), np.uint8)
    for cell, tile in game.board.tiles.items():
        x, y = xy(cell)
        if abs(x) <= REACH >= abs(y):
            grid[y + REACH, x + REACH] = tile + 1
    return grid


def subsets(hand: tuple[Tile, ...], most: int) -> list[int]:
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

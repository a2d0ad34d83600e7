"""What is overdue takes little work at a time, whoever does it."""

from dataclasses import replace

from service.games.advance import load_and_advance
from service.games.idempotency import new_game_id
from service.games.session import GameOptions
from service.rules import actions
from service.rules.events import Entrant
from service.rules.starting_position import Setup
from service.rules.tiles import tile_named
from tests.rules.hostile_position import BOARD, HAND
from tests.rules.positions import SEED
from tests.work import Work
from tests.worker.local_games import Clock, House


def test_a_forced_move_on_a_hostile_table_takes_little_work(house: House, clock: Clock) -> None:
    setup = Setup(BOARD, (HAND, (tile_named("blue-circle"),)), (), turn=0)
    step = actions.create(SEED, [Entrant("Ada"), Entrant("Ben")], setup=setup)
    id_, _ = new_game_id(house.games, None)
    house.games.create(step, GameOptions(turn_seconds=10), None, id_=id_)
    clock.advance(11)
    work = Work()
    games = replace(house.games, pause=work.rest)
    work.of(lambda: load_and_advance(games, id_))
    assert house.games.load(id_).session.game.version > step.event.n
    assert work.most < 20_000

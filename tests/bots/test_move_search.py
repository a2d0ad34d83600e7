"""The bots' quick look finds exactly what the rules' own search finds."""

from service.bots.move_search import MoveSearch
from service.bots.rollouts import placements_of
from service.rules.legal_plays import best_play, legal_plays
from service.rules.state import Game
from service.rules.tiles import kinds_of
from tests.bots.bot_games import fresh_game, played_by


def tables() -> list[Game]:
    games = [
        game
        for number, bots in enumerate((("greedy", "greedy"), ("random", "greedy")))
        for game in played_by(fresh_game(f"glance {number}"), bots)
    ]
    return [game for game in games if game.mover is not None and not game.opening]


def test_the_best_play_at_a_glance_has_the_points_and_tiles_of_the_best_play() -> None:
    for game in tables():
        for player in game.seated.values():
            glance = MoveSearch(game.board.spots, kinds_of(player.hand))
            play = best_play(game.board, player.hand)
            assert glance.points == (play.points if play else 0)
            assert len(glance.move) == (len(play.placements) if play else 0)


def test_with_every_order_a_glance_lists_all_legal_plays_once() -> None:
    for game in tables()[::5]:
        for player in game.seated.values():
            kinds = kinds_of(player.hand)
            glance = MoveSearch(game.board.spots, kinds, every=True, orders=True)
            found = [(placements_of(laid), points) for points, laid in glance.plays or []]
            legal = legal_plays(game.board, player.hand)
            assert sorted(found) == sorted((play.placements, play.points) for play in legal)


def test_without_orders_a_glance_lists_one_of_the_plays_that_differ_in_order_only() -> None:
    for game in tables()[::5]:
        assert game.mover is not None
        hand = game.player(game.mover).hand
        some = MoveSearch(game.board.spots, kinds_of(hand), every=True).plays or []
        legal = legal_plays(game.board, hand)
        assert {placements_of(laid) for _, laid in some} <= {play.placements for play in legal}
        on_cells = {frozenset(cell for cell, _ in laid) for _, laid in some}
        assert on_cells == {frozenset(cell for cell, _ in play.placements) for play in legal}

"""Random games, each determined by one number: from the start and from positions."""

from collections import Counter
from collections.abc import Iterator
from random import Random

from service.rules.actions import (
    Step,
    best_of,
    bid,
    create,
    exchange,
    join,
    may_exchange,
    pass_turn,
    place,
    plays_of,
    resign,
)
from service.rules.editions import EDITIONS
from service.rules.errors import RulesBroken
from service.rules.events import Entrant
from service.rules.host_actions import deal
from service.rules.legal_plays import legal_plays
from service.rules.lines import longest_line
from service.rules.shuffle import secret_from
from service.rules.starting_position import Setup, lay_out
from service.rules.state import Game
from service.rules.tiles import WHOLE_BAG, Tile

MOST_STEPS = 250


def random_game(number: int) -> Iterator[Step]:
    """The steps of a random game, usually to its end, with exchanges and resignations."""
    chance = Random(number)
    step = _beginning(chance, number)
    boldness = chance.choice((0.02, 0.02, 0.3))
    leaving = chance.choice((0.0, 0.0, 0.01, 0.05, 0.2))
    yield step
    for _ in range(MOST_STEPS):
        if step.game.phase == "finished":
            return
        step = _next(chance, step.game, boldness, leaving)
        yield step


def _beginning(chance: Random, number: int) -> Step:
    seats = chance.choice((2, 2, 3, 4))
    players = [Entrant(f"P{seat}", chance.choice((None, 9, 9, 40))) for seat in range(seats)]
    here = chance.randint(0, seats)
    seed = secret_from(f"course {number}")
    edition = chance.choice(sorted(EDITIONS))
    auto_bid = chance.random() < 0.5
    while True:
        setup = _setup(chance, seats) if chance.random() < 0.6 else None
        try:
            return create(
                seed, players[:here], seats=seats, edition=edition, auto_bid=auto_bid, setup=setup
            )
        except RulesBroken:
            continue


def _setup(chance: Random, seats: int) -> Setup:
    """A reachable board with random hands, and often with little left in the bag."""
    rest = list(WHOLE_BAG)
    chance.shuffle(rest)
    table = [Entrant("one"), Entrant("two")]
    start = create(chance.randbytes(32), table, setup=Setup(), auto_bid=True).game
    size = chance.choice((0, 1, 5, 20, 60))
    while start.phase == "playing" and len(start.board) < size:
        start = _next(chance, start, 0.1, 0.0).game
    for tile in start.board.tiles.values():
        rest.remove(tile)
    bag_size = chance.choice((0, 0, 1, 8, len(rest)))
    held = chance.choice((1, 2, 6)) if bag_size == 0 else 6
    hands = [_take(rest, held) for _ in range(seats)]
    return Setup(
        board=tuple(start.board.tiles.items()),
        hands=tuple(None if chance.random() < 0.1 and bag_size > 24 else hand for hand in hands),
        bag=tuple(rest[:bag_size]),
        scores=tuple(chance.randint(0, 50) for _ in range(seats)),
        turn=chance.randrange(seats) if len(start.board) else None,
    )


def _take(rest: list[Tile], count: int) -> tuple[Tile, ...]:
    taken = tuple(rest[:count])
    del rest[:count]
    return taken


def _next(chance: Random, game: Game, boldness: float, leaving: float) -> Step:
    """Some action that is open now."""
    if game.active and chance.random() < leaving:
        return resign(game, chance.choice(sorted(game.active)))
    if game.phase == "waiting":
        entropy = chance.choice((None, None, "", "dice", "🎲" * 64))
        if not game.open_seats:
            return deal(game, entropy)
        return join(game, Entrant("Late", chance.choice((None, 7))), entropy=entropy)
    if game.phase == "bidding":
        silent = [seat for seat, player in game.active.items() if player.bid is None]
        seat = chance.choice(silent)
        return bid(game, seat, longest_line(game.player(seat).hand))
    seat = game.mover
    assert seat is not None
    most = may_exchange(game, seat)
    best = best_of(game, seat)
    if most and (best is None or chance.random() < boldness):
        hand = list(game.player(seat).hand)
        return exchange(game, seat, chance.sample(hand, chance.randint(1, most)))
    if best is None:
        return pass_turn(game, seat)
    chosen = best if chance.random() < 0.5 else chance.choice(plays_of(game, seat))
    placements = list(chosen.placements)
    chance.shuffle(placements)
    return place(game, seat, placements)


def tiles_of(game: Game) -> Counter[Tile]:
    """Every tile of a game: bag, hands, table and removed, and hands that still wait."""
    found = Counter([*game.bag, *game.board.tiles.values(), *game.removed])
    for player in game.seated.values():
        found.update(player.hand)
    if game.setup is not None:
        for hand in lay_out(game.setup, len(game.players), game.seed).hands:
            found.update(hand)
    return found


def random_placements(chance: Random, game: Game, hand: tuple[Tile, ...]) -> list[tuple[int, int]]:
    """Placements of every sort: legal ones, nearly legal ones, and wild ones."""
    near = sorted(game.board.spots) or [0]
    plays = legal_plays(game.board, hand)
    if plays and chance.random() < 0.7:
        placements = list(chance.choice(plays).placements)
    else:
        count = chance.randint(1, 3)
        placements = [(chance.choice(near), chance.choice(hand)) for _ in range(count)]
    for _ in range(chance.choice((0, 1, 1, 2))):
        at = chance.randrange(len(placements))
        cell, tile = placements[at]
        change = chance.randrange(5)
        if change == 0:
            placements[at] = (cell, chance.choice(hand))
        elif change == 1:
            placements[at] = (cell + chance.choice((-1, 1, -4096, 4096)), tile)
        elif change == 2 and len(placements) > 1:
            del placements[at]
        elif change == 3 and len(placements) < 6:
            placements.append((cell + chance.choice((-1, 1, -4096, 4096)), chance.choice(hand)))
        else:
            placements[at] = (cell, chance.randrange(36))
    chance.shuffle(placements)
    return placements

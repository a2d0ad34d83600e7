"""What each event does to a game. Applying the events of a game in order gives its state."""

from collections.abc import Callable, Iterable
from typing import Any

from service.rules.editions import contenders, edition_named
from service.rules.events import (
    Bid,
    ByPlayer,
    Created,
    Dealt,
    Entrant,
    Event,
    Exchanged,
    Joined,
    Passed,
    Played,
    Resigned,
    Updated,
)
from service.rules.lines import longest_line
from service.rules.shuffle import draw_lot, entropy_bytes, mix, seed_of
from service.rules.starting_position import lay_out
from service.rules.state import End, Game, Player
from service.rules.tiles import HAND_SIZE, WHOLE_BAG, without


def replay(events: Iterable[Event]) -> Game:
    """The state after these events, the first of which is the creation."""
    game: Game | None = None
    for event in events:
        game = reduce(game, event)
    if game is None:
        raise ValueError("a game has at least one event, its creation")
    return game


def reduce(game: Game | None, event: Event) -> Game:
    """The state after an event; the actions have checked that the rules allow it."""
    if isinstance(event, Created):
        return _created(event)
    if game is None:
        raise ValueError("the first event of a game is its creation")
    if isinstance(event, ByPlayer):
        game = _with_timeouts(game, event)
    return _REDUCERS[type(event)](game, event)._replace(version=event.n)


def shuffles_bag(game: Game, event: Event) -> bool:
    """Whether the event shuffles the bag of a game in this state; the seed decides how."""
    match event:
        case Dealt() | Exchanged():
            return True
        case Resigned():
            return game.phase != "waiting" and bool(game.bag)
    return False


def may_open(game: Game) -> list[int]:
    """The seats that may open, now that everybody in the game has bid; lot decides if several."""
    bids = {seat: player.bid or 0 for seat, player in game.active.items()}
    ages = {seat: player.age for seat, player in game.active.items()}
    return contenders(edition_named(game.edition), bids, ages)


def _with_timeouts(game: Game, event: ByPlayer) -> Game:
    """Timeouts count in a row; any action in time resets the count."""
    player = game.player(event.seat)
    timeouts = player.timeouts + 1 if event.timeout else 0
    if timeouts == player.timeouts:
        return game
    return _with_player(game, event.seat, player._replace(timeouts=timeouts))


def _created(event: Created) -> Game:
    players = [_player(entrant) for entrant in event.players]
    seats = (*players, *[None] * (event.seats - len(players)))
    secret, setup = event.secret, event.setup
    game = Game(event.edition, seats, secret, secret, event.seeded, event.auto_bid)
    if setup is None:
        return game
    position = lay_out(setup, event.seats, secret)
    turns = (0,) * len(position.board)
    game = game._replace(setup=setup, positioned=True, board=position.board, laid=turns)
    return _start_if_seated(game._replace(bag=position.bag), event.n)


def _joined(game: Game, event: Joined) -> Game:
    game = _with_entropy(game, event)
    return _start_if_seated(_with_player(game, event.seat, _player(event.player)), event.n)


def _updated(game: Game, event: Updated) -> Game:
    """Seats are added, or removed from the end."""
    kept = game.players[: event.seats]
    return game._replace(players=(*kept, *[None] * (event.seats - len(kept))))


def _with_entropy(game: Game, event: Joined | Dealt) -> Game:
    if event.entropy is None:
        return game
    return game._replace(entropy=game.entropy + entropy_bytes(event.entropy, event.n))


def _with_seed(game: Game) -> Game:
    """The game starts: from now on nothing is added to the seed."""
    return game._replace(seed=seed_of(game.secret, game.entropy), entropy=b"")


def _player(entrant: Entrant) -> Player:
    return Player(entrant.name, entrant.age, entrant.bot)


def _start_if_seated(game: Game, n: int) -> Game:
    """A set-up game starts once its seats are taken: with the bids, or with the turn it gives."""
    setup = game.setup
    if setup is None or game.open_seats:
        return game
    game = _with_seed(game)
    position = lay_out(setup, len(game.players), game.seed)
    hands = zip(game.seated.values(), position.hands, position.scores, strict=True)
    players = tuple(player._replace(hand=hand, score=score) for player, hand, score in hands)
    game = game._replace(setup=None, players=players, bag=position.bag)
    if len(position.board):
        return game._replace(phase="playing", turn=1, mover=position.turn)
    return _call_for_bids(game, n)


def _dealt(game: Game, event: Dealt) -> Game:
    game = _with_seed(_with_entropy(game, event))
    bag = mix(WHOLE_BAG, game.seed, event.n)
    dealt = HAND_SIZE * len(game.players)
    players = tuple(
        player._replace(hand=tuple(sorted(bag[first : first + HAND_SIZE])))
        for first, player in zip(range(0, dealt, HAND_SIZE), game.seated.values(), strict=True)
    )
    return _call_for_bids(game._replace(players=players, bag=bag[dealt:]), event.n)


def _call_for_bids(game: Game, n: int) -> Game:
    game = game._replace(phase="bidding")
    if not game.auto_bid:
        return game
    players = tuple(
        player._replace(bid=longest_line(player.hand)) for player in game.seated.values()
    )
    return _open_if_all_bid(game._replace(players=players), n)


def _bid(game: Game, event: Bid) -> Game:
    player = game.player(event.seat)._replace(bid=event.length)
    return _open_if_all_bid(_with_player(game, event.seat, player), event.n)


def _open_if_all_bid(game: Game, n: int) -> Game:
    """The highest bidder of those still in the game opens; among equals, age or lot decides."""
    if any(player.bid is None for player in game.active.values()):
        return game
    first = draw_lot(may_open(game), game.seed, n)
    return game._replace(phase="playing", turn=1, mover=first, opening=True)


def _played(game: Game, event: Played) -> Game:
    """Place the tiles, count the points, refill the hand while the bag lasts."""
    player = game.player(event.seat)
    count = len(event.placements)
    kept = without(player.hand, [tile for _, tile in event.placements])
    player = player._replace(
        hand=tuple(sorted(kept + game.bag[:count])),
        score=player.score + event.points + event.bonus,
        bonus=player.bonus + event.bonus,
    )
    after = game._replace(
        players=_seats_with(game, event.seat, player),
        board=game.board.with_tiles(event.placements),
        laid=game.laid + (game.turn,) * count,
        bag=game.bag[count:],
        turn=game.turn + 1,
        mover=game.next_active(event.seat),
        opening=False,
        passed=(),
    )
    if not player.hand:
        return _finish(after._replace(turn=game.turn), "hand_empty")
    if not after.board.takes_any(after.off_the_table):
        return _finish(after._replace(turn=game.turn), "blocked")
    return _checked(after)


def _exchanged(game: Game, event: Exchanged) -> Game:
    """Draw first, return afterwards: a player cannot draw a tile just returned."""
    player = game.player(event.seat)
    count = len(event.returned)
    drawn, bag = game.bag[:count], game.bag[count:]
    hand = tuple(sorted(without(player.hand, event.returned) + drawn))
    bag = mix(bag + event.returned, game.seed, event.n)
    game = _with_player(game, event.seat, player._replace(hand=hand))
    return _next_turn(game._replace(bag=bag), event.seat)


def _passed(game: Game, event: Passed) -> Game:
    game = game._replace(passed=(*game.passed, event.seat))
    return _finish_if_all_passed(game) or _next_turn(game, event.seat)


def _resigned(game: Game, event: Resigned) -> Game:
    """While waiting the seat opens again; later the hand goes into the bag, or out of the game."""
    if game.phase == "waiting":
        return _with_player(game, event.seat, None)
    leaving = game.player(event.seat)
    game = _with_player(game, event.seat, leaving._replace(hand=(), resigned=True))
    if game.bag:
        game = game._replace(bag=mix(game.bag + leaving.hand, game.seed, event.n))
    else:
        game = game._replace(removed=game.removed + leaving.hand)
    if len(game.active) == 1:
        return _finish(game, "last_player")
    if game.phase == "bidding" or (game.opening and game.mover == event.seat):
        return _open_if_all_bid(game, event.n)
    finished = _finish_if_all_passed(game)
    if finished or game.mover != event.seat:
        return finished or game
    return game._replace(mover=game.next_active(event.seat))


def _next_turn(game: Game, seat: int) -> Game:
    return _checked(game._replace(turn=game.turn + 1, mover=game.next_active(seat)))


def _checked(game: Game) -> Game:
    """The game, after checking that the player to move has all the tiles they should."""
    hand = () if game.mover is None else game.player(game.mover).hand
    if not hand or (game.bag and len(hand) < HAND_SIZE):
        raise AssertionError(
            "the player to move holds six tiles, or fewer only if the bag is empty"
        )
    return game


def _finish_if_all_passed(game: Game) -> Game | None:
    """If every active player has had to pass since the last placement, nobody can ever place."""
    if all(seat in game.passed for seat in game.active):
        return _finish(game, "all_passed")
    return None


def _finish(game: Game, end: End) -> Game:
    """The most points of those still in the game win; equal scores share the victory."""
    active = game.active
    most = max(player.score for player in active.values())
    winners = tuple(seat for seat, player in active.items() if player.score == most)
    return game._replace(phase="finished", mover=None, end=end, winners=winners)


def _with_player(game: Game, seat: int, player: Player | None) -> Game:
    return game._replace(players=_seats_with(game, seat, player))


def _seats_with(game: Game, seat: int, player: Player | None) -> tuple[Player | None, ...]:
    return (*game.players[:seat], player, *game.players[seat + 1 :])


# Each function takes only the type of event that is its key.
_REDUCERS: dict[type, Callable[[Game, Any], Game]] = {
    Joined: _joined,
    Updated: _updated,
    Dealt: _dealt,
    Bid: _bid,
    Played: _played,
    Exchanged: _exchanged,
    Passed: _passed,
    Resigned: _resigned,
}

"""Games up to their opening line, with entropy, lots, and players who come and go."""

from random import Random

from service.rules.actions import Step, best_of, bid, create, join, place, resign
from service.rules.editions import EDITIONS
from service.rules.events import Entrant, Event
from service.rules.host_actions import deal
from service.rules.lines import longest_line
from service.rules.notation import parse_tiles
from service.rules.shuffle import secret_from
from service.rules.starting_position import Setup
from service.rules.state import Game
from tests.rules.positions import hand_of

# Each has a longest line of 3.
FOUR_THREES = ("bo b* bs rd gx gx", "yo y* ys rd gx px", "po p* ps rd yx gd", "go g* gs rs yd bx")


def opened(number: int) -> list[Event]:
    """A table that fills, is dealt, bids and opens; players come and go all the time."""
    chance = Random(number)
    setup = None
    if chance.random() < 0.5:
        # All bid alike, so that only age and lot decide.
        setup = Setup(hands=tuple(map(parse_tiles, FOUR_THREES)), bag=())
    step = create(
        secret_from(str(number)),
        seats=4 if setup else chance.choice((2, 3, 4)),
        edition=chance.choice(sorted(EDITIONS)),
        auto_bid=chance.random() < 0.5,
        setup=setup,
    )
    events = [step.event]
    leaving = chance.choice((0.0, 0.15, 0.4))
    while step.game.phase != "finished":
        game = step.game
        if game.active and chance.random() < leaving and game.version < 30:
            step = resign(game, chance.choice(sorted(game.active)))
        elif game.phase == "waiting":
            step = _fill(game, chance)
        elif game.phase == "bidding":
            silent = [seat for seat, player in game.active.items() if player.bid is None]
            seat = chance.choice(silent)
            step = bid(game, seat, longest_line(hand_of(game, seat)))
        else:
            break
        events.append(step.event)
    seat = step.game.mover
    if seat is not None:
        play = best_of(step.game, seat)
        assert play is not None
        events.append(place(step.game, seat, play.placements).event)
    return events


def _fill(game: Game, chance: Random) -> Step:
    entropy = chance.choice((None, "", "dice", "🎲"))
    if not game.open_seats:
        return deal(game, entropy)
    who = Entrant("One", chance.choice((None, 7, 7, 8)))
    return join(game, who, chance.choice(game.open_seats), entropy)

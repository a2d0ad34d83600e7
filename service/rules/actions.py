"""What a player may do, and when. Each action gives its event and the state after it.

Raises Untimely if the seat cannot act now, RulesBroken with every rule that the action breaks,
Malformed if the input makes no sense at all. The state passed in never changes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from service.rules.board import Placement
from service.rules.editions import DEFAULT_EDITION, edition_named
from service.rules.english_texts import message
from service.rules.errors import Malformed, RulesBroken, Untimely, Violation, refuse
from service.rules.events import (
    Bid,
    Created,
    Entrant,
    Event,
    Exchanged,
    Joined,
    Passed,
    Played,
    Resigned,
    check_entrant,
)
from service.rules.legal_plays import SearchTerms, any_play, best_play, each_play, least_play
from service.rules.lines import ROOM, longest_line
from service.rules.plays import Play, judge
from service.rules.reducer import reduce
from service.rules.shuffle import as_secret
from service.rules.starting_position import Setup
from service.rules.state import (
    FEWEST_SEATS,
    MOST_EVENTS,
    MOST_SEATS,
    MOST_WAITING_EVENTS,
    Game,
    Phase,
    Player,
)
from service.rules.tiles import HAND_SIZE, Tile, as_tiles, kinds_of, missing_from
from service.rules.yielding import Pause, no_pause

ENDING_BONUS = 6


class Step(NamedTuple):
    """An action carried out: its event, and the game after it."""

    event: Event
    game: Game


def create(
    secret: bytes,
    players: Iterable[Entrant] = (),
    *,
    seats: int | None = None,
    edition: str = DEFAULT_EDITION,
    seeded: bool = False,
    auto_bid: bool = False,
    setup: Setup | None = None,
) -> Step:
    """A new game. Without ``seats`` it has one seat for each of the given players."""
    entrants = tuple(players)
    count = len(entrants) if seats is None else seats
    if type(count) is not int:
        raise Malformed(f"{count!r:.20} is not a number of seats")
    for entrant in entrants:
        check_entrant(entrant)
    if not FEWEST_SEATS <= count <= MOST_SEATS or len(entrants) > count:
        raise Malformed(
            f"a game has {FEWEST_SEATS} to {MOST_SEATS} seats and at most as many players, "
            f"not {count} seats and {len(entrants)} players"
        )
    edition_named(edition)
    created = Created(edition, count, entrants, as_secret(secret), seeded, auto_bid, setup)
    return Step(created, reduce(None, created))


def join(game: Game, player: Entrant, seat: int | None = None, entropy: str | None = None) -> Step:
    """Take this seat, or the lowest open one; ``entropy`` is added to the seed of the draws."""
    check_entrant(player)
    if not game.open_seats:
        raise Untimely("table_full", message("moment.table_full"))
    require_phase(game, "waiting")
    require_short_wait(game)
    chosen = game.open_seats[0] if seat is None else seat
    if chosen not in game.open_seats:
        raise Untimely("table_full", message("moment.seat_taken", seat=chosen))
    return step_of(game, Joined(game.version + 1, chosen, player, entropy))


def bid(game: Game, seat: int, length: int, *, timeout: bool = False) -> Step:
    """Declare the length of the longest line that the hand can form. It must be exact."""
    player = _require_bidder(game, seat)
    if type(length) is not int:
        raise Malformed(f"{length!r:.20} is not the length of a line")
    longest = longest_line(player.hand)
    if length != longest:
        code = "bid_too_high" if length > longest else "bid_too_low"
        raise RulesBroken((Violation(code, facts={"bid": length}),))
    return step_of(game, Bid(game.version + 1, seat, length, timeout))


def bid_line(game: Game, seat: int, tiles: Iterable[Tile]) -> Step:
    """Declare the longest line by its tiles, which must form a line."""
    player = _require_bidder(game, seat)
    line = as_tiles(tiles)
    broken = []
    missing = missing_from(player.hand, line)
    if missing:
        broken.append(Violation("tiles_not_in_hand", tiles=missing))
    kinds = kinds_of(line)
    if kinds.bit_count() < len(line):
        twice = tuple(sorted(tile for tile in set(line) if line.count(tile) > 1))
        broken.append(Violation("line_repeats_tile", tiles=twice))
    if kinds not in ROOM:
        broken.append(Violation("line_mixed", tiles=line))
    refuse(broken)
    return bid(game, seat, len(line))


def place(game: Game, seat: int, placements: Iterable[Placement], *, timeout: bool = False) -> Step:
    """Place tiles, score, refill the hand."""
    player = _require_turn(game, seat)
    play = judge(game.board, placements, player.hand, opening_length(game, seat))
    drew = game.bag[: len(play.placements)]
    bonus = ending_bonus(game, seat, play)
    made = (play.placements, play.points, play.lines)
    return step_of(game, Played(game.version + 1, seat, *made, bonus, drew, timeout=timeout))


def try_play(game: Game, seat: int, placements: Iterable[Placement]) -> Play:
    """The play that these placements would be for this seat, even if it is not its turn."""
    player = require_seat(game, seat, "playing")
    return judge(game.board, placements, player.hand, opening_length(game, seat))


def ending_bonus(game: Game, seat: int, play: Play) -> int:
    """Six points for the play that empties the hand while the bag is empty."""
    last = not game.bag and len(play.placements) == len(game.player(seat).hand)
    return ENDING_BONUS if last else 0


def exchange(game: Game, seat: int, tiles: Iterable[Tile], *, timeout: bool = False) -> Step:
    """Set tiles aside, draw as many others, then return them to the bag and shuffle it."""
    player = _require_turn(game, seat)
    returned = tuple(sorted(as_tiles(tiles)))
    if not 1 <= len(returned) <= HAND_SIZE:
        raise Malformed(f"an exchange takes 1 to {HAND_SIZE} tiles, not {len(returned)}")
    broken = []
    missing = missing_from(player.hand, returned)
    if missing:
        broken.append(Violation("tiles_not_in_hand", tiles=missing))
    if game.opening:
        broken.append(Violation("must_open", facts={"bid": player.bid or 0}))
    if not game.bag:
        broken.append(Violation("bag_empty"))
    elif len(returned) > len(game.bag):
        facts = {"given": len(returned), "bag": len(game.bag)}
        broken.append(Violation("exchange_exceeds_bag", facts=facts))
    refuse(broken)
    drew = game.bag[: len(returned)]
    return step_of(game, Exchanged(game.version + 1, seat, returned, drew, timeout))


def pass_turn(game: Game, seat: int, *, timeout: bool = False) -> Step:
    """Pass: only with an empty bag and no legal placement."""
    player = _require_turn(game, seat)
    if game.opening:
        refuse([Violation("must_open", facts={"bid": player.bid or 0})])
    if any_play(game.board, player.hand):
        refuse([Violation("must_play")])
    if game.bag:
        refuse([Violation("must_exchange", facts={"bag": len(game.bag)})])
    return step_of(game, Passed(game.version + 1, seat, timeout=timeout))


def resign(game: Game, seat: int, *, timeout: bool = False) -> Step:
    """Leave the game for good; while waiting, leave the seat to others."""
    if game.phase == "finished":
        raise Untimely("wrong_phase", message("moment.over"))
    require_seat(game, seat, game.phase)
    return step_of(game, Resigned(game.version + 1, seat, timeout=timeout))


def search_terms(game: Game, seat: int) -> SearchTerms | None:
    """With what to search for the plays of this seat; None if it has to wait for the opening."""
    player = require_seat(game, seat, "playing")
    if game.opening and game.mover != seat:
        return None
    return game.board, player.hand, opening_length(game, seat)


def each_play_of(game: Game, seat: int, pause: Pause = no_pause) -> Iterator[Play]:
    """Every legal play of this seat, even out of turn; before the opening only the opener's.

    ``pause`` is called after about every thousand plays.
    """
    terms = search_terms(game, seat)
    return iter(()) if terms is None else each_play(*terms, pause)


def plays_of(game: Game, seat: int) -> list[Play]:
    """All plays of ``each_play_of``."""
    return list(each_play_of(game, seat))


def best_of(game: Game, seat: int) -> Play | None:
    """The play of this seat with the most points, or None."""
    terms = search_terms(game, seat)
    return None if terms is None else best_play(*terms)


def least_of(game: Game, seat: int) -> Play | None:
    """The play of fewest points of the seat in turn, then of fewest tiles, then the first."""
    player = _require_turn(game, seat)
    return least_play(game.board, player.hand, opening_length(game, seat))


def may_play(game: Game, seat: int) -> bool:
    """Whether this seat has a legal play, even if it is not its turn."""
    player = require_seat(game, seat, "playing")
    if game.opening:
        return game.mover == seat
    return game.board.takes_any(kinds_of(player.hand))


def may_exchange(game: Game, seat: int) -> int:
    """The most tiles that this seat could exchange in its turn."""
    player = require_seat(game, seat, "playing")
    return 0 if game.opening else min(len(player.hand), len(game.bag))


def may_pass(game: Game, seat: int) -> bool:
    """Whether this seat would have to pass in its turn."""
    return not (may_play(game, seat) or game.opening or game.bag)


def opening_length(game: Game, seat: int) -> int | None:
    """The length of the line with which this seat must open, or None."""
    return game.player(seat).bid if game.opening and game.mover == seat else None


def step_of(game: Game, event: Event) -> Step:
    """The step of an event; the last event of a game says how it ended."""
    after = reduce(game, event)
    if after.end is not None and isinstance(event, Played | Passed | Resigned):
        event = replace(event, end=after.end, winners=after.winners)
    return Step(event, after)


def require_phase(game: Game, phase: Phase) -> None:
    """Untimely unless the game is in this phase."""
    if game.phase != phase:
        now, needed = message(f"phase.{game.phase}"), message(f"phase.{phase}")
        raise Untimely("wrong_phase", message("moment.phase", now=now, needed=needed))


def require_short_wait(game: Game) -> None:
    """Untimely if too much has happened already while the game was waiting."""
    if game.version >= MOST_WAITING_EVENTS:
        raise Untimely("game_too_long", message("moment.changed_too_often"))


def require_seat(game: Game, seat: int, phase: Phase) -> Player:
    """The player on this seat; Untimely unless they are in the game and it is in this phase."""
    if type(seat) is not int:
        raise Malformed(f"{seat!r:.20} is not a seat")
    require_phase(game, phase)
    if not game.is_active(seat):
        raise Untimely("wrong_phase", message("moment.seat_out", seat=seat))
    return game.player(seat)


def _require_bidder(game: Game, seat: int) -> Player:
    player = require_seat(game, seat, "bidding")
    if player.bid is not None:
        detail = message("moment.already_bid", seat=seat, bid=player.bid)
        raise Untimely("already_bid", detail)
    return player


def _require_turn(game: Game, seat: int) -> Player:
    player = require_seat(game, seat, "playing")
    if game.too_long:
        raise Untimely("game_too_long", message("moment.game_too_long", most=MOST_EVENTS))
    if game.mover != seat:
        detail = message("moment.not_your_turn", mover=game.mover, seat=seat)
        raise Untimely("not_your_turn", detail)
    return player

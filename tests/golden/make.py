"""Plays the golden games and writes their records: ``python -m tests.golden.make``.

Each game follows from its seed and from what is written here. The files are the reference: a
change of the rules that changes one of them changes the game that people have played.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import orjson

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
    resign,
)
from service.rules.events import Entrant, Event
from service.rules.host_actions import deal, remove, update
from service.rules.lines import longest_line
from service.rules.notation import parse_board, parse_play, parse_tiles
from service.rules.record.write import record_of
from service.rules.shuffle import secret_from
from service.rules.starting_position import Setup
from service.rules.state import Game

FOLDER = Path(__file__).parent / "games"
NAMES = ("Ada", "Ben", "Cleo", "Dan")
AGES = (41, 9, 72, 30)

Course = Iterator[Step]
Move = Callable[[Game, int], Step]


def greedy(game: Game, seat: int) -> Step:
    """The best play by points; else exchange as much as can be; else pass."""
    best = best_of(game, seat)
    if best is not None:
        return place(game, seat, best.placements)
    most = may_exchange(game, seat)
    return exchange(game, seat, game.player(seat).hand[:most]) if most else pass_turn(game, seat)


def stubborn(game: Game, seat: int) -> Step:
    """Exchange a tile or more as long as the game is young, then play greedily."""
    if not game.opening and game.turn <= 40 and game.bag:
        return exchange(game, seat, game.player(seat).hand[: 1 + game.turn % 6])
    return greedy(game, seat)


def seats(count: int) -> list[Entrant]:
    return [Entrant(name, age) for name, age in zip(NAMES[:count], AGES, strict=False)]


def table(name: str, count: int, edition: str, *, auto_bid: bool = False) -> Course:
    """A table of players who are all there, dealt and bid."""
    step = create(
        secret_from(f"golden {name}"), seats(count), edition=edition, seeded=True, auto_bid=auto_bid
    )
    yield step
    step = deal(step.game)
    yield step
    if not auto_bid:
        for seat in range(count):
            step = bid(step.game, seat, longest_line(step.game.player(seat).hand))
            yield step


def played_out(
    course: Course, *, move: Move = greedy, leave: dict[int, int] | None = None
) -> Course:
    """The course, then moves to the end; ``leave`` says who leaves before which turn."""
    leavers = dict(leave or {})
    game: Game | None = None
    for step in course:
        game = step.game
        yield step
    while game is not None and game.mover is not None:
        leaver = leavers.pop(game.turn, None)
        step = move(game, game.mover) if leaver is None else resign(game, leaver)
        game = step.game
        yield step


def from_position(board: str, *hands: str, bag: str = "", **more: object) -> Course:
    """A game from a position drawn as text."""
    setup = Setup(
        board=tuple(parse_board(board).tiles.items()),
        hands=tuple(map(parse_tiles, hands)),
        bag=parse_tiles(bag),
        **more,  # type: ignore[arg-type]  # scores and turn, as the callers below give them
    )
    yield create(secret_from("golden position"), seats(len(hands)), edition="polish", setup=setup)


def following(course: Course, *acts: Callable[[Game], Step]) -> Course:
    """The course, then these actions one after another."""
    *before, step = course
    yield from (*before, step)
    for act in acts:
        step = act(step.game)
        yield step


def added_entropy() -> Course:
    """Joiners and the host add to the seed, and one of them leaves; a lot decides who opens."""
    secret = secret_from("golden entropy 23")
    created = create(secret, seats(1), seats=3, edition="english", auto_bid=True)
    return following(
        iter([created]),
        lambda game: join(game, Entrant("Ben", 9), entropy="Ben's dice: 4 4 1"),
        lambda game: resign(game, 1),
        lambda game: join(game, Entrant("Cleo"), entropy="Přátelé 🎲"),
        lambda game: join(game, Entrant("Dan", bot="greedy")),
        lambda game: deal(game, "7d1c"),
    )


def drawn_lots() -> Course:
    """All bid alike, and two gave no age; whom the lot chooses first leaves before opening."""
    hands = ("bo b* bs rd", "yo y* ys gd", "po p* ps od")
    setup = Setup(hands=tuple(map(parse_tiles, hands)), bag=())
    players = [Entrant("Ada"), Entrant("Ben"), Entrant("Cleo", 72)]
    return following(
        iter([create(secret_from("golden lots 1"), players, edition="english", setup=setup)]),
        *(partial(bid, seat=seat, length=3) for seat in (2, 0, 1)),
        lambda game: resign(game, game.mover or 0),
    )


def changed_table() -> Course:
    """The host adds two seats, removes a player and takes the seat away again."""
    created = create(secret_from("golden table"), seats(1), seats=2, seeded=True, auto_bid=True)
    return following(
        iter([created]),
        lambda game: update(game, 4),
        lambda game: join(game, Entrant("Ben", 9)),
        lambda game: join(game, Entrant("Cleo", 72)),
        lambda game: join(game, Entrant("Dan", bot="greedy")),
        lambda game: remove(game, 3),
        lambda game: remove(game, 1),
        lambda game: update(game, 3),
        update,
        lambda game: join(game, Entrant("Eve", 30)),
        deal,
    )


def late_comers(*entropy: str) -> Course:
    """A set-up that leaves much to the draw, whose seats fill one by one, one of them twice."""
    added = iter(entropy)
    board = tuple(parse_board("ro rs rd\nbo .. ..\ngo gs ..").tiles.items())
    setup = Setup(board=board, scores=(5, 0, 7), turn=2)
    seed = secret_from("golden late")
    created = create(seed, seats(1), seats=3, edition="travel", seeded=True, setup=setup)
    return following(
        iter([created]),
        lambda game: join(game, Entrant("Ben", 9)),
        lambda game: resign(game, 0),
        lambda game: join(game, Entrant("Cleo", 9), entropy=next(added, None)),
        lambda game: join(game, Entrant("Dan", bot="greedy"), entropy=next(added, None)),
    )


def closing_passes() -> Course:
    """Two cannot place; the third, who could, leaves with an empty bag."""
    return following(
        from_position("ro", "bx gc", "gc yx", "rs rd", scores=(5, 7, 40), turn=2),
        lambda game: place(game, 2, parse_play("rs@1,0")),
        lambda game: pass_turn(game, 0),
        lambda game: pass_turn(game, 1),
        lambda game: resign(game, 2),
    )


GAMES: dict[str, Callable[[], Course]] = {
    "two_players": lambda: played_out(table("one", 2, "schmidt")),
    "two_players_travel": lambda: played_out(table("two", 2, "travel")),
    "three_players": lambda: played_out(table("three", 3, "polish")),
    "three_players_russian": lambda: played_out(table("four", 3, "russian", auto_bid=True)),
    "four_players": lambda: played_out(table("five", 4, "russian")),
    "four_players_polish": lambda: played_out(table("six", 4, "polish", auto_bid=True)),
    "exchange_war": lambda: played_out(table("seven", 2, "schmidt"), move=stubborn),
    "resignation": lambda: played_out(table("eight", 3, "schmidt"), leave={9: 1}),
    "resignation_of_the_opener": lambda: played_out(table("nine", 4, "travel"), leave={1: 0}),
    "last_player": lambda: played_out(table("ten", 3, "russian"), leave={6: 2, 14: 0}),
    "all_passed": closing_passes,
    "blocked": lambda: played_out(
        from_position("ro", "rs bd b* bc bx gd", "gd g* gc gx yd y*", bag="yd y* yx")
    ),
    "blocked_with_an_empty_bag": lambda: played_out(from_position("ro", "rs bd", "gx", turn=0)),
    "shared_victory": lambda: played_out(table("tie 38", 2, "schmidt", auto_bid=True)),
    "shared_victory_of_two_of_three": lambda: played_out(
        table("tie 42", 3, "schmidt", auto_bid=True)
    ),
    "changed_table": lambda: played_out(changed_table()),
    "late_comers": lambda: played_out(late_comers()),
    "late_comers_with_entropy": lambda: played_out(late_comers("Cleo", "")),
    "added_entropy": lambda: played_out(added_entropy()),
    "drawn_lots": lambda: played_out(drawn_lots()),
}


def events_of(name: str) -> list[Event]:
    """The events of a golden game, played anew."""
    return [step.event for step in GAMES[name]()]


def written(events: list[Event]) -> bytes:
    """The record of a game as the file holds it: a line for each event and each other member."""
    document = record_of(events)
    lines = [b'"%b": %b' % (member.encode(), _written(value)) for member, value in document.items()]
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def _written(value: object) -> bytes:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return b"[\n" + b",\n".join(map(orjson.dumps, value)) + b"\n]"
    return orjson.dumps(value)


def main() -> None:
    """Write every golden game."""
    FOLDER.mkdir(exist_ok=True)
    for name in GAMES:
        data = written(events_of(name))
        FOLDER.joinpath(f"{name}.json").write_bytes(data)
        print(f"{name}: {len(data)} bytes")


if __name__ == "__main__":
    main()

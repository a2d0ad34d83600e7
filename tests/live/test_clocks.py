"""Time that runs out: what is done then, that it is done once, and whoever notices.

Time is an argument of the use cases, so all but the last of these tests need none.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from secrets import token_bytes
from time import monotonic

import pytest
import redis

from service.games.advance import load_and_advance, load_and_advance_with_log
from service.games.idempotency import new_game_id
from service.games.keyring import Keyring
from service.games.service import Games, LoadedGame
from service.games.session import GameOptions
from service.rules.actions import create, exchange
from service.rules.events import Bid, Event, Exchanged, Passed, Played, Resigned
from service.rules.notation import parse_board, parse_tiles
from service.rules.starting_position import Setup
from service.store.client import connect
from service.store.embedded import EmbeddedStore
from service.store.redis_store import RedisGameStore
from tests.api.client import Client
from tests.api.concurrent_calls import at_once
from tests.api.positions import in_play
from tests.live.streams import Stream
from tests.rules.positions import SEED, entrants
from tests.servers import NewDir

UNFIT = ("bs bd b* bc bx gs", "gd g* gc gx ys yd")


@dataclass
class Clock:
    """A clock that only the test moves."""

    now: int = 1_800_000_000_000

    def __call__(self) -> int:
        return self.now

    def run(self, seconds: float) -> None:
        self.now += int(seconds * 1000)


@pytest.fixture(scope="module")
def own_store(new_dir: NewDir) -> Iterator[EmbeddedStore]:
    with EmbeddedStore(new_dir()) as store:
        yield store


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def games(own_store: EmbeddedStore, clock: Clock) -> Iterator[Games]:
    client = connect(own_store.url, timeout=5, connections=32)
    day = 86_400_000
    yield Games(RedisGameStore(client), Keyring(["s" * 32]), clock, token_bytes, day, day)
    client.close()


def table(games: Games, board: str, *hands: str, bag: str = "", seconds: int | None = 60) -> str:
    """The id of a game in the drawn position, with a clock; without a board at the bids."""
    setup = Setup(
        board=tuple(parse_board(board).tiles.items()),
        hands=tuple(map(parse_tiles, hands)),
        bag=parse_tiles(bag),
        turn=0 if board else None,
    )
    step = create(SEED, entrants(len(hands)), setup=setup)
    id_, _ = new_game_id(games, None)
    return games.create(step, GameOptions(turn_seconds=seconds), None, id_=id_).session.id


def events(games: Games, id_: str) -> list[Event]:
    """Everything after the creation, once what is overdue is done."""
    return [logged.entry.event for logged in load_and_advance_with_log(games, id_)[1][1:]]


def take_turn(games: Games, seen: LoadedGame) -> None:
    """The player in turn exchanges a tile."""
    game = seen.session.game
    assert game.mover is not None
    games.commit_step(seen, exchange(game, game.mover, game.player(game.mover).hand[:1]))


def test_nothing_is_done_before_the_time_is_over(games: Games, clock: Clock) -> None:
    id_ = table(games, "ro", *UNFIT, bag="yx rx")
    deadline = clock.now + 60_000
    clock.run(59.999)
    assert load_and_advance(games, id_).session.deadline_ms == deadline
    assert events(games, id_) == []
    clock.run(0.001)
    assert len(events(games, id_)) == 1


def test_a_game_without_a_clock_waits_for_ever(games: Games, clock: Clock) -> None:
    id_ = table(games, "ro", *UNFIT, bag="yx rx", seconds=None)
    clock.run(20 * 86_400)
    assert load_and_advance(games, id_).session.deadline_ms is None
    assert events(games, id_) == []


def test_all_bids_that_are_missing_are_made_and_the_opener_has_its_time(
    games: Games, clock: Clock
) -> None:
    id_ = table(games, "", "ro rs bd", "gs gd g*", "yx bo bx")
    clock.run(60)
    made = events(games, id_)
    assert made == [
        Bid(2, 0, 2, timeout=True),
        Bid(3, 1, 3, timeout=True),
        Bid(4, 2, 2, timeout=True),
    ]
    assert load_and_advance(games, id_).session.deadline_ms == clock.now + 60_000


def test_an_absent_opener_lays_the_opening_of_fewest_points(games: Games, clock: Clock) -> None:
    id_ = table(games, "", "ro rs bd", "gs gx yd")
    clock.run(60)
    opener = load_and_advance(games, id_).session.game.mover
    clock.run(60)
    opening = events(games, id_)[2]
    assert isinstance(opening, Played)
    assert (opening.seat, opening.points, len(opening.placements)) == (opener, 2, 2)
    assert opening.timeout


def test_an_absent_player_exchanges_one_tile(games: Games, clock: Clock) -> None:
    id_ = table(games, "ro", *UNFIT, bag="yx rx")
    clock.run(61)
    (event,) = events(games, id_)
    assert isinstance(event, Exchanged)
    assert (event.seat, len(event.returned), event.timeout) == (0, 1, True)


def test_with_an_empty_bag_the_play_of_fewest_points_is_made(games: Games, clock: Clock) -> None:
    id_ = table(games, "ro rs rd", "bo rx", "bo bs")
    clock.run(61)
    (event,) = events(games, id_)
    assert isinstance(event, Played)
    assert (event.points, event.timeout) == (2, True)


def test_with_an_empty_bag_and_nothing_to_place_it_is_a_pass(games: Games, clock: Clock) -> None:
    id_ = table(games, "ro", "bs bd", "rs bs")
    clock.run(61)
    assert events(games, id_) == [Passed(2, 0, timeout=True)]


def test_after_the_third_timeout_in_a_row_the_player_leaves(games: Games, clock: Clock) -> None:
    id_ = table(games, "ro", *UNFIT, bag="yx rx")
    for _ in range(2):
        clock.run(61)
        take_turn(games, load_and_advance(games, id_))
    clock.run(61)
    late = [event for event in events(games, id_) if getattr(event, "timeout", False)]
    assert [type(event) for event in late] == [Exchanged, Exchanged, Exchanged, Resigned]
    assert late[-1] == Resigned(7, 0, timeout=True, end="last_player", winners=(1,))
    assert load_and_advance(games, id_).session.deadline_ms is None


def test_twenty_who_notice_at_once_do_it_once(games: Games, clock: Clock) -> None:
    for _ in range(5):
        id_ = table(games, "ro", *UNFIT, bag="yx rx")
        clock.run(61)
        seen = at_once([lambda id_=id_: load_and_advance(games, id_)] * 20)  # type: ignore[misc]  # bound now
        assert {each.session.game.version for each in seen} == {2}
        assert {each.nonce for each in seen} == {seen[0].nonce}
        assert len(events(games, id_)) == 1


def test_a_store_that_takes_no_writes_still_answers(
    games: Games, clock: Clock, own_store: EmbeddedStore
) -> None:
    id_ = table(games, "ro", *UNFIT, bag="yx rx")
    clock.run(61)
    with redis.Redis.from_url(own_store.url) as operator:
        operator.replicaof("127.0.0.1", "1")
        try:
            assert load_and_advance(games, id_).session.game.version == 1
            assert events(games, id_) == []
        finally:
            operator.replicaof("NO", "ONE")
    assert len(events(games, id_)) == 1


def test_an_open_stream_is_enough_to_notice_and_a_silent_one_has_a_heartbeat(
    client: Client,
) -> None:
    table = in_play(client, turn_seconds=10)
    silent = in_play(client)
    deadline = table.view()["turn"]["deadline"]
    began = monotonic()
    with Stream(table, after=1) as timed, Stream(silent, after=1) as idle:
        event = timed.take(1)[0].data
        assert (event["type"], event["seat"], event["timeout"]) == ("exchanged", 0, True)
        assert event["at"] >= deadline
        idle.answer.readline()
        while not idle.raw.endswith(b": waiting\n"):
            idle.raw += idle.answer.readline()
        assert monotonic() - began > 13

"""The one checker that every test of faults ends with.

Given what clients were promised and the store as it stands, for every game: versions are
contiguous, the log folds to the stored state, tiles are conserved and scores right by rules that
share nothing with the service, and every acknowledged action is in the log exactly once, just as
its caller was told. Nothing is in the log that nobody sent.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import redis

from service.games.codec import unpack_entry, unpack_session
from service.games.session import GameSession, LogEntry, replayed
from service.rules.events import (
    Bid,
    Created,
    Dealt,
    Event,
    Exchanged,
    Joined,
    Passed,
    Played,
    Resigned,
)
from service.rules.tiles import NAMES
from service.store import keys
from service.store.base import NONCE_BYTES, STAMP_BYTES
from service.store.checksums import unseal
from tests.api.client import placements_of
from tests.faults.acknowledged_actions import Acknowledged, Ledger
from tests.faults.reference_game import Referee, by_kind

KINDS_OF_EVENTS = {
    "created": Created,
    "joined": Joined,
    "dealt": Dealt,
    "bid": Bid,
    "played": Played,
    "exchanged": Exchanged,
    "passed": Passed,
    "resigned": Resigned,
}


@dataclass(frozen=True)
class Kept:
    """A game as the store has it."""

    table: GameSession
    entries: list[LogEntry]
    nonces: list[bytes]
    nonce: bytes


def kept(store: redis.Redis, game_id: str) -> Kept:
    """Everything that the store has of a game."""
    state = store.get(keys.state_key(game_id))
    assert isinstance(state, bytes), f"game {game_id} was acknowledged and is not in the store"
    log = store.lrange(keys.log_key(game_id), 0, -1)
    assert isinstance(log, list)
    logged = [unseal(game_id, entry, NONCE_BYTES, n) for n, entry in enumerate(log, 1)]
    entries = [unpack_entry(event, n) for n, (_, event) in enumerate(logged, 1)]
    nonces = [nonce for nonce, _ in logged]
    stamp, packed = unseal(game_id, state, STAMP_BYTES)
    return Kept(unpack_session(game_id, packed), entries, nonces, stamp[:NONCE_BYTES])


def check(store_url: str, ledger: Ledger) -> int:
    """Check every game of the ledger against the store; how many events were looked at."""
    games = ledger.games()
    assert games, "nothing was acknowledged, so nothing was tested"
    looked = 0
    with redis.Redis.from_url(store_url) as store:
        for game_id, acknowledged in games.items():
            game = kept(store, game_id)
            check_log(game)
            check_rules(game)
            open_ended = sum(game_id == where for where, _ in ledger.unanswered)
            check_promises(game, acknowledged, open_ended)
            looked += len(game.entries)
    return looked


def check_log(game: Kept) -> None:
    """The versions are contiguous, and the log folds to the state."""
    count = len(game.entries)
    assert game.table.game.version == count, "the state is not that of the newest event"
    assert game.nonce == game.nonces[-1], "the state was not written with the newest event"
    assert len(set(game.nonces)) == count, "one commit is in the log twice"
    assert [entry.event.n for entry in game.entries] == list(range(1, count + 1))
    assert replayed(game.table.id, game.entries) == game.table, "the log folds to another state"


def check_rules(game: Kept) -> None:
    """Tiles are conserved and scores right at every event, by the plain rules."""
    referee = Referee()
    for entry in game.entries:
        referee.follow(entry.event)
    state = game.table.game
    for seat, player in state.seated.items():
        assert player.score == referee.scores[seat], f"seat {seat} has another score"
        held = [NAMES[tile] for tile in player.hand]
        assert by_kind(referee.hands.get(seat, [])) == held, f"seat {seat} has another hand"
    if state.phase != "waiting":
        assert referee.bag == [NAMES[tile] for tile in state.bag], "another bag"


def check_promises(game: Kept, acknowledged: Iterable[Acknowledged], open_ended: int) -> None:
    """Every acknowledged action is there once, as it was told, and nothing else is.

    ``open_ended`` is how many requests nobody heard of again: each may be in the log or not.
    """
    promised = Counter(each.n for each in acknowledged)
    twice = [n for n, times in promised.items() if times > 1]
    assert not twice, f"two actions were told to be event {twice}"
    for each in acknowledged:
        assert each.n <= len(game.entries), f"event {each.n} was acknowledged and is lost"
        check_promise(game.entries[each.n - 1].event, each)
    unasked = [entry for entry in game.entries if entry.event.n not in promised]
    unasked = [entry for entry in unasked if by_hand(entry, game.table)]
    assert len(unasked) <= open_ended, f"{len(unasked)} events that nobody sent"


def by_hand(entry: LogEntry, table: GameSession) -> bool:
    """Whether somebody must have sent this: it is no timeout and no bot's."""
    seat = getattr(entry.event, "seat", None)
    bot = seat is not None and table.game.player(seat).bot
    return not (bot or getattr(entry.event, "timeout", False))


def check_promise(event: Event, told: Acknowledged) -> None:
    """The event is what its caller asked for and was told of."""
    assert isinstance(event, KINDS_OF_EVENTS[told.kind]), f"event {told.n} is no {told.kind}"
    assert getattr(event, "seat", None) == told.seat, f"event {told.n} is another seat's"
    answer = told.answer.json
    match event:
        case Bid():
            assert answer["bid"]["length"] == event.length
        case Played():
            asked = {(at["tile"], at["x"], at["y"]) for at in told.body["placements"]}
            laid = {(at["tile"], at["x"], at["y"]) for at in placements_of(event.placements)}
            assert laid == asked, f"event {told.n} is another play than was sent"
            said = (answer["play"]["points"], answer["play"]["bonus"], answer["play"]["drew"])
            assert said == (event.points, event.bonus, [NAMES[tile] for tile in event.drew])
        case Exchanged():
            assert by_kind(told.body["tiles"]) == [NAMES[tile] for tile in event.returned]
            assert answer["exchange"]["drew"] == [NAMES[tile] for tile in event.drew]

"""A rematch: one game that follows a finished one, with a seat for each of its players.

Players are seated, and their data used, only when they ask for it. Bots are seated at once.
"""

from dataclasses import replace

from service.games.advance import find_and_advance
from service.games.idempotency_key import IdempotencyKey
from service.games.service import CommitResult, GameNotFound, Games, LoadedGame
from service.games.session import GameSession, LogEntry, RematchOffer
from service.rules import actions
from service.rules.actions import Step
from service.rules.events import Entrant
from service.rules.shuffle import SECRET_BYTES
from service.rules.state import Game


def seat_after(old: GameSession, seat: int) -> int:
    """A player's seat in the rematch: everybody moves down one, the first becomes the last."""
    return (seat - 1) % len(old.game.players)


def has_returned(rematch: GameSession, old: GameSession, seat: int) -> bool:
    """Whether this player of the old game has taken the seat reserved for them."""
    own = seat_after(old, seat)
    return own in rematch.game.seated and own in rematch.options.reserved


def find_rematch(
    games: Games, old: GameSession, retry_key: bytes | None
) -> tuple[str, LoadedGame | None]:
    """The id of a game's rematch and, if it exists already, the rematch."""
    ids = games.keyring.rematch_ids(old.id, old.options.generation)
    for id_ in ids:
        found = find_and_advance(games, id_, retry_key)
        if found:
            return id_, found
    return ids[0], None


def open_rematch(
    games: Games,
    old: GameSession,
    asker: int | None,
    entropy: str | None,
    retry: IdempotencyKey | None,
    *,
    id_: str,
) -> CommitResult:
    """Commit the rematch with its bots seated, and the asker too if that is a player.

    Only an asker who takes a seat adds ``entropy`` to the draws.
    It is dealt as soon as every seat is taken. Seats are reserved for everybody else who stayed to
    the end. Players who left may ask too, but nobody has to wait for them. VersionConflict if the
    rematch already exists.
    """
    now, game = games.clock(), old.game
    staying = [seat for seat, player in game.active.items() if player.bot is None]
    reserved = sorted(seat_after(old, seat) for seat in staying)
    options = replace(old.options, refs=(), reserved=tuple(reserved), auto_deal=True, listed=False)
    step = actions.create(
        games.entropy(SECRET_BYTES),
        seats=len(game.players),
        edition=game.edition,
        auto_bid=game.auto_bid,
    )
    entries = [LogEntry(now, step.event, options)]
    bots = [seat for seat, player in game.seated.items() if player.bot is not None]
    for seat in bots if asker is None else [*bots, asker]:
        returning = seat == asker
        step = join_rematch(step.game, old, seat, entropy if returning else None)
        ref = old.options.ref(seat)
        entries.append(LogEntry(now, step.event, ref=ref, returning=returning))
    return games.create_with_log(entries, retry, id_=id_)


def offer_rematch(games: Games, old_id: str, rematch_id: str) -> None:
    """Tell the players of the old game who has come to the rematch, if both still exist.

    VersionConflict if the old game has changed meanwhile. The rematch is loaded after it, so of
    several who come at once the last to tell knows of all of them.
    """
    try:
        loaded = games.load(old_id)
        rematch = games.load(rematch_id).session
    except GameNotFound:
        return
    offer = RematchOffer(rematch_id, tuple(_arrived(rematch, loaded.session)))
    if loaded.session.rematch != offer:
        session = replace(loaded.session, rematch=offer)
        games.announcer.rematch(session, loaded.nonce, games.ttl_finished_ms)
        games.update_state(loaded, session)


def _arrived(rematch: GameSession, old: GameSession) -> list[int]:
    """The seats of the old game whose players, bots included, sit at the rematch."""
    return [
        seat
        for seat, player in old.game.seated.items()
        if player.bot is not None or has_returned(rematch, old, seat)
    ]


def all_arrived(old: GameSession) -> bool:
    """Whether everybody who stayed to the end of this game has come to the rematch."""
    return old.rematch is not None and old.game.active.keys() <= {*old.rematch.seats}


def join_rematch(rematch: Game, old: GameSession, seat: int, entropy: str | None) -> Step:
    """A player of the old game joins, with their age unless the host could have asked for them.

    In a game without secrets the host can get the token of any seat. By asking for rematches in
    a player's name and joining with different ages, the host could find out the player's age.
    """
    player = old.game.player(seat)
    age = None if old.game.seeded or old.game.positioned else player.age
    entrant = Entrant(player.name, age, player.bot)
    return actions.join(rematch, entrant, seat_after(old, seat), entropy)

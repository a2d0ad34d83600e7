"""A rematch: one game that follows a finished one, in which each of its players has a seat.

Nobody is seated, and nothing known of anybody used, before they ask. Bots are seated at once.
"""

from collections.abc import Callable
from dataclasses import replace

from service.games.fork import begin
from service.games.service import CommitResult, Games, IdempotencyKey, LoadedGame
from service.games.session import GameSession, LogEntry
from service.rules import actions
from service.rules.actions import Step
from service.rules.events import Entrant
from service.rules.shuffle import SEED_BYTES
from service.rules.state import Game


def seat_after(old: GameSession, seat: int) -> int:
    """Where a player sits in the rematch: everybody moves down one, the first becomes the last."""
    return (seat - 1) % len(old.game.players)


def has_returned(rematch: GameSession, old: GameSession, seat: int) -> bool:
    """Whether the seat that belongs to this player of the old game is taken, and by that player."""
    own = seat_after(old, seat)
    return own in rematch.game.seated and own in rematch.options.reserved


def open_rematch(
    games: Games, old: GameSession, asker: int | None, retry: IdempotencyKey | None, *, id_: str
) -> CommitResult:
    """Commit the rematch with its bots and the asker, if that is a player, seated.

    Seats are reserved for everybody else who stayed to the end. Those who left may ask as well,
    but nobody has to wait for them. VersionConflict if the rematch is there already.
    """
    now, game = games.clock(), old.game
    staying = [seat for seat, player in game.active.items() if player.bot is None]
    reserved = sorted(seat_after(old, seat) for seat in staying)
    options = replace(old.options, refs=(), reserved=tuple(reserved))
    step = actions.create(
        games.entropy(SEED_BYTES),
        seats=len(game.players),
        edition=game.edition,
        auto_bid=game.auto_bid,
    )
    entries = [LogEntry(now, step.event, games.unlike_any(options))]
    bots = [seat for seat, player in game.seated.items() if player.bot is not None]
    for seat in bots:
        step = _join(step.game, old, seat)
        entries.append(LogEntry(now, step.event, ref=_ref(old, seat)))
    if asker is not None:
        step = _join(step.game, old, asker)
        entries.append(LogEntry(now, step.event, ref=_ref(old, asker), returning=True))
    return begin(games, entries, retry, id_=id_)


def take_seat(
    games: Games,
    rematch: LoadedGame,
    old: GameSession,
    seat: int,
    retry: IdempotencyKey | None,
    *,
    admit: Callable[[GameSession, Step], None],
) -> CommitResult:
    """Commit that the player of a seat of the old game takes the one that is theirs now.

    ``admit`` refuses a player who has come and gone too often.
    """
    step = _join(rematch.session.game, old, seat)
    admit(rematch.session, step)
    return games.change(rematch, step, retry, ref=_ref(old, seat), returning=True)


def _join(rematch: Game, old: GameSession, seat: int) -> Step:
    """A player of the old game sits down again, with their age unless the host could act for them.

    In a game without secrets the host can get the token of any seat. By asking for its player
    again and again, and sitting down beside them, the host could find their age by comparing.
    """
    player = old.game.player(seat)
    age = None if old.game.seeded or old.game.positioned else player.age
    entrant = Entrant(player.name, age, player.bot)
    return actions.join(rematch, entrant, seat_after(old, seat))


def _ref(old: GameSession, seat: int) -> str | None:
    refs = old.options.refs
    return refs[seat] if seat < len(refs) else None

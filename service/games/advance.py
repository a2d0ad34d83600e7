"""Load a game and commit what is due on it first: a bot's move, or what a timeout causes.

Every request does this, so no worker has to run for a game to go on.
"""

from time import monotonic

from service.games.autoplay import due_ms, due_step, thinks
from service.games.join_codes import games_with_join_code, is_join_code
from service.games.service import GameNotFound, Games, LoadedGame, LoggedEntry
from service.store.base import StoreUnavailable, VersionConflict

MOST_STEPS = 16
LONGEST_ADVANCE = 0.1
"""Seconds after which no further step is begun."""


def load_and_advance(games: Games, game_id: str, retry_key: bytes | None = None) -> LoadedGame:
    """The game after what was due, with the request saved under the key.

    One round trip unless something is due.
    """
    return _advance(games, games.load(game_id, retry_key), retry_key)


def find_and_advance(games: Games, game_id: str, retry_key: bytes | None) -> LoadedGame | None:
    """Like ``load_and_advance``; None if there is no such game."""
    try:
        return load_and_advance(games, game_id, retry_key)
    except GameNotFound:
        return None


def find_by_join_code(games: Games, code: str, retry_key: bytes | None) -> LoadedGame | None:
    """The game with this join code, after what was due; None if there is none.

    It may have begun since; then the code is only good for repeating a request.
    """
    for game_id in games_with_join_code(games.store, games.keyring, code):
        loaded = find_and_advance(games, game_id, retry_key)
        if loaded and is_join_code(games.keyring, loaded.session, code):
            return loaded
    return None


def load_and_advance_with_log(
    games: Games, game_id: str, after: int = 0, limit: int | None = None
) -> tuple[LoadedGame, list[LoggedEntry]]:
    """The game after what was due, and its log after an event."""
    loaded, log = games.load_with_log(game_id, after, limit)
    current = _advance(games, loaded, None)
    return (loaded, log) if current is loaded else games.load_with_log(game_id, after, limit)


def _advance(games: Games, loaded: LoadedGame, retry_key: bytes | None) -> LoadedGame:
    """The game after what is due, or after as much of it as one game's share allows.

    A computed step is always committed, however long it took: the time limit only decides
    whether to begin another one. A bot that needs time to think is never started after another
    step; the next load does that. If several processes advance a game at once, one commit wins
    and the others load the game again. If the store refuses writes, a request is answered with
    the game as it is.
    """
    began = monotonic()
    for steps in range(MOST_STEPS):
        if steps:
            games.pause()
            if thinks(loaded.session.game) or monotonic() - began > LONGEST_ADVANCE:
                break
        now = games.clock()
        due = due_ms(loaded.session, now, games.bot_policy.patience_ms)
        if due is None or due > now:
            break
        try:
            advanced = _advance_once(games, loaded, retry_key)
        except StoreUnavailable:
            if games.bot_policy.worker:
                raise
            break
        if advanced is None:
            break
        loaded = advanced
    return loaded


def _advance_once(games: Games, loaded: LoadedGame, retry_key: bytes | None) -> LoadedGame | None:
    """The game after one more event, ours or another's; None if the step is left to a worker."""
    game_id, queue = loaded.session.id, games.scheduler
    if queue is None or games.bot_policy.worker or not thinks(loaded.session.game):
        return _commit_due(games, loaded, retry_key)
    if not queue.claim(game_id):
        return None
    # Somebody may have moved, and released the game, since it was loaded.
    current = games.load(game_id, retry_key)
    advanced: LoadedGame | None = current
    if current.session.game.version == loaded.session.game.version:
        advanced = _commit_due(games, current, retry_key)
    after, now = (advanced or current).session, games.clock()
    queue.reschedule(game_id, after.game.version, due_ms(after, now), now)
    return advanced


def _commit_due(games: Games, loaded: LoadedGame, retry_key: bytes | None) -> LoadedGame | None:
    """The game after the step that is due, or after another's; None if no step is due."""
    step = due_step(loaded.session, games.bot_policy.budget, games.pause)
    if step is None:
        return None
    try:
        done = games.commit_step(loaded, step)
        return LoadedGame(done.session, done.nonce, loaded.retry)
    except VersionConflict:
        return games.load(loaded.session.id, retry_key)

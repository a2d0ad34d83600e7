"""Repeated requests: each idempotency key takes effect once and gives the same answer again.

A commit saves the key with the version it led to; a repeated request is answered from the log.
"""

from dataclasses import replace

from service.games.advance import find_and_advance
from service.games.codec import unpack_entry
from service.games.idempotency_key import IdempotencyKey
from service.games.keyring import GAME_ID_BYTES, game_id
from service.games.service import (
    MOST_ATTEMPTS,
    CommitResult,
    Games,
    LoadedGame,
    TooBusy,
)
from service.games.session import GameSession, replayed, with_metadata


class KeyReused(Exception):
    """The idempotency key was already used for a different request."""


def require_same_request(loaded: LoadedGame, retry: IdempotencyKey | None) -> None:
    """KeyReused if the game remembers a different request under this key."""
    if retry and loaded.retry and loaded.retry.fingerprint != retry.fingerprint:
        raise KeyReused


def earlier_result(
    games: Games, loaded: LoadedGame | None, retry: IdempotencyKey | None
) -> CommitResult | None:
    """What the same request committed before, rebuilt from the log; None if there was none.

    Only the metadata, which the log does not have, is the newest.
    KeyReused if the key was used for a different request.
    """
    if loaded is None or loaded.retry is None:
        return None
    require_same_request(loaded, retry)
    version = loaded.retry.version
    if version == loaded.session.game.version:
        # The usual case: nothing has happened since, so nothing has to be replayed.
        (newest,) = games.log_of(loaded, version - 1)
        entry = unpack_entry(newest.event, newest.n)
        # The answer repeats the tokens of that time, not those issued since.
        session = replace(loaded.session, renewals=(), rematch=None)
        result = CommitResult(session, newest.nonce, entry)
    else:
        log = games.log_of(loaded)[:version]
        entries = games.unpack_log(log)
        replay = replayed(loaded.session.id, entries, pause=games.pause)
        session = with_metadata(replay, loaded.session.options.metadata)
        result = CommitResult(session, log[-1].nonce, entries[-1])
    games.confirm(loaded)
    return result


def session_before_request(games: Games, loaded: LoadedGame) -> GameSession | None:
    """The session that the same request found the first time; None if there was no first time.

    Tokens invalidated since stay invalid in it.
    """
    if loaded.retry is None or loaded.retry.version == 1:
        return None
    entries = games.entries_up_to(loaded, loaded.retry.version - 1)
    before = replayed(loaded.session.id, entries, pause=games.pause)
    return replace(before, renewals=loaded.session.renewals)


def save_request(games: Games, loaded: LoadedGame, retry: IdempotencyKey) -> None:
    """Save a request that commits no event to this game, unless it is saved already."""
    if loaded.retry is None:
        entry = retry.entry(loaded.session.game.version, games.clock())
        games.store.save_idempotency(loaded.session.id, entry)


def new_game_id(games: Games, retry: IdempotencyKey | None) -> tuple[str, LoadedGame | None]:
    """The id for a new game and, if the same request made it before, that game.

    Without a key the id is random. With one it is derived from the key, so that of concurrent
    requests only one commit succeeds. If a saved key has expired while its game still exists,
    the next id derived from it is used.
    """
    if retry is None:
        return game_id(games.entropy(GAME_ID_BYTES)), None
    for attempt in range(MOST_ATTEMPTS):
        ids = games.keyring.game_ids(retry.key, attempt)
        found = [game for id_ in ids if (game := find_and_advance(games, id_, retry.key))]
        saved = [game for game in found if game.retry]
        if saved:
            return saved[0].session.id, saved[0]
        if not found:
            return ids[0], None
    raise TooBusy

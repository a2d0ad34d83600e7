"""Writes games as this release stores them: ``python -m tests.formats.make``.

Run it once for each new format, and keep every file for ever: whatever was stored must be read
by every later release. It refuses to write a format that is kept already.
"""

import sys
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import count, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from service.games import codec as session_codec
from service.games.idempotency_key import IdempotencyKey
from service.games.keyring import Keyring, game_id
from service.games.service import Games, LoadedGame
from service.games.session import GameOptions
from service.rules import codec as packing
from service.rules.cells import column_of, row_of
from service.rules.events import Updated
from service.rules.state import Game
from service.rules.tiles import NAMES
from service.store import keys
from service.store.client import connect
from service.store.embedded import EmbeddedStore
from service.store.redis_store import RedisGameStore
from tests.golden.make import GAMES

FOLDER = Path(__file__).parent
SECRET = "the secret of the games that are kept for later releases"
BEGAN_MS = 1_700_000_000_000
DAY_MS = 86_400_000

# A game's course in tests.golden, and how much of it is kept: None is all.
KEPT: dict[str, tuple[str, int | None]] = {
    "waiting": ("two_players", 1),
    "waiting_position": ("late_comers", 3),
    "waiting_with_entropy": ("added_entropy", 4),
    "entropy": ("added_entropy", 8),
    "waiting_updated": ("changed_table", 9),
    "bidding": ("four_players", 4),
    "opening": ("three_players", 5),
    "playing": ("resignation", 24),
    "exchanging": ("exchange_war", 40),
    "auto_bid": ("four_players_polish", 9),
    "hand_empty": ("three_players_russian", None),
    "all_passed": ("all_passed", None),
    "blocked": ("blocked", None),
    "last_player": ("last_player", None),
}


def present() -> Path:
    """Where games in the format of this release are kept."""
    return FOLDER / f"{session_codec.FORMAT}-{packing.FORMAT}"


def particulars_of(name: str, players: int) -> GameOptions:
    """Choices of every kind, each made in some game."""
    return GameOptions(
        private=name in {"waiting", "playing"},
        hints=name != "bidding",
        refs=tuple(f"ref {seat}" for seat in range(players)) if name == "playing" else (),
        metadata={"room": [1, None, "ä"]} if name == "playing" else None,
        turn_seconds=1_209_600 if name == "waiting" else None,
        webhook_url="https://hooks.example.org/q?x=1" if name == "waiting" else None,
        tenant="acme" if name == "waiting" else None,
        auto_deal=name == "auto_bid",
        listed=name == "bidding",
    )


def entropy(name: str) -> Iterator[bytes]:
    """Bytes that look random and are the same each time."""
    return (sha256(f"{name} {n}".encode()).digest() for n in count())


def play(name: str, store: RedisGameStore) -> tuple[str, Game]:
    """Plays the course into the store; gives the game's id and the state it came to."""
    source, length = KEPT[name]
    chance, clock = entropy(name), count(BEGAN_MS, 1234)
    games = Games(
        store,
        Keyring([SECRET]),
        lambda: next(clock),
        lambda size: next(chance)[:size],
        3650 * DAY_MS,
        3650 * DAY_MS,
    )
    first, *rest = islice(GAMES[source](), length)
    id_ = game_id(next(chance))
    choices = particulars_of(name, len(first.game.seated))
    done = games.create(first, choices, _retry(name, 1), id_=id_)
    for n, step in enumerate(rest, 2):
        loaded = LoadedGame(done.session, done.nonce)
        updated = isinstance(step.event, Updated)
        options = replace(loaded.session.options, hints=False) if updated else None
        done = games.commit_step(loaded, step, _retry(name, n), options=options)
    return id_, done.session.game


def _retry(name: str, n: int) -> IdempotencyKey:
    digest = sha256(f"retry {name} {n}".encode()).digest()
    return IdempotencyKey(digest[:16], digest[16:24])


def told(game: Game) -> dict[str, Any]:
    """What must be read again, in words that no format can change."""
    return {
        "status": game.phase,
        "version": game.version,
        "edition": game.edition,
        "seed": game.secret.hex(),
        "turn": [game.turn, game.mover, game.opening],
        "end": game.end,
        "winners": list(game.winners),
        "board": [
            [NAMES[t], column_of(cell), row_of(cell)] for cell, t in game.board.tiles.items()
        ],
        "laid": list(game.laid),
        "bag": [NAMES[tile] for tile in game.bag],
        "removed": [NAMES[tile] for tile in game.removed],
        "players": [
            player
            and {
                "name": player.name,
                "age": player.age,
                "bot": player.bot,
                "score": player.score,
                "bonus": player.bonus,
                "bid": player.bid,
                "resigned": player.resigned,
                "passed": seat in game.passed,
                "hand": [NAMES[tile] for tile in player.hand],
            }
            for seat, player in enumerate(game.players)
        ],
    }


def kept(name: str, store: RedisGameStore) -> dict[str, Any]:
    """Everything that the store has of a game, byte by byte, and what it means."""
    id_, game = play(name, store)
    raw = store.client
    retries = raw.hgetall(keys.idempotency_entries_key(id_))
    return {
        "id": id_,
        "secret": SECRET,
        "state": _text(raw.get(keys.state_key(id_))),
        "log": [_text(entry) for entry in raw.lrange(keys.log_key(id_), 0, -1)],
        "retries": {_text(key): _text(value) for key, value in sorted(retries.items())},
        "means": told(game),
    }


def _text(data: bytes) -> str:
    return b64encode(data).decode()


def main() -> None:
    folder = present()
    if folder.exists():
        sys.exit(f"{folder.name} is kept already, and what is kept never changes")
    folder.mkdir()
    with TemporaryDirectory(prefix="qw-") as place, EmbeddedStore(Path(place)) as server:
        client = connect(server.url, timeout=5, connections=1)
        for name in KEPT:
            document = kept(name, RedisGameStore(client))
            (folder / f"{name}.json").write_bytes(
                orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n"
            )
        client.close()


if __name__ == "__main__":
    main()

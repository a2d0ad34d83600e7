"""Whatever any release has stored is read, shown and played on by this one."""

from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest
import redis

from service.games.codec import unpack_entry, unpack_session
from service.games.keyring import HOST, Keyring, Viewer
from service.games.session import replayed
from service.store import keys
from service.store.base import NEVER_UPDATED, NONCE_BYTES, STAMP_BYTES
from service.store.checksums import unseal
from tests.api.client import Table, client_of
from tests.api.playing import Story, bid_exactly, take_turn
from tests.formats.make import FOLDER, KEPT, present, told
from tests.leaks.conftest import SETTINGS
from tests.servers import QwirkleServer

FILES = sorted(FOLDER.glob("*-*/*.json"))
MOST_TURNS = 4
EACH = pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")


def read(path: Path) -> dict[str, Any]:
    return orjson.loads(path.read_bytes())


def test_the_present_format_is_kept_and_so_is_every_game_of_it() -> None:
    assert {path.stem for path in present().glob("*.json")} == set(KEPT)


@EACH
def test_a_kept_game_is_read_and_its_log_folds_to_its_state(path: Path) -> None:
    document = read(path)
    id_ = document["id"]
    stamp, state = unseal(id_, b64decode(document["state"]), STAMP_BYTES)
    log = [
        unseal(id_, b64decode(entry), NONCE_BYTES, n) for n, entry in enumerate(document["log"], 1)
    ]
    assert stamp == log[-1][0] + NEVER_UPDATED
    table = unpack_session(id_, state)
    entries = [unpack_entry(event, n) for n, (_, event) in enumerate(log, 1)]
    assert replayed(id_, entries) == table
    assert told(table.game) == document["means"]


@pytest.fixture(scope="module")
def server(kept_qwirkle: Callable[..., QwirkleServer]) -> QwirkleServer:
    """A service of this release with the secret that the kept games were made under."""
    return kept_qwirkle(workers=1, **SETTINGS)


def restored(server: QwirkleServer, document: dict[str, Any]) -> Table:
    """The kept game in the server's store, with its tokens."""
    id_ = document["id"]
    with redis.Redis.from_url(server.redis_url) as store:
        store.delete(*keys.game_keys(id_))
        store.set(keys.state_key(id_), b64decode(document["state"]))
        store.rpush(keys.log_key(id_), *map(b64decode, document["log"]))
        for key, value in document["retries"].items():
            store.hset(keys.idempotency_entries_key(id_), b64decode(key), b64decode(value))
    _, state = unseal(id_, b64decode(document["state"]), STAMP_BYTES)
    generations = unpack_session(id_, state).generations
    keyring = Keyring([document["secret"]])
    tokens = [
        keyring.token(id_, Viewer(seat), generation)
        for seat, generation in enumerate(generations[1:])
    ]
    return Table(client_of(server), id_, keyring.token(id_, HOST, generations[0]), tokens)


@EACH
def test_a_kept_game_is_shown_and_played_to_its_end(path: Path, server: QwirkleServer) -> None:
    document = read(path)
    means = document["means"]
    table = restored(server, document)
    view = table.view(token=table.host)
    assert (view["status"], view["version"]) == (means["status"], means["version"])
    assert [[t["tile"], t["x"], t["y"]] for t in view["board"]] == means["board"]
    for seat, player in enumerate(means["players"]):
        if player and not player["resigned"]:
            assert table.hand(seat) == player["hand"]
    assert table.look(rest="/record").ok(200).json["commitment"] == view["commitment"]
    play_on(table, view)
    record = table.look(rest="/record").ok(200).json
    verdict = table.client.post("/v1/records/verify", record).ok(200).json
    assert (verdict["ok"], verdict["complete"]) == (True, True)


def play_on(table: Table, view: dict[str, Any]) -> None:
    """From whatever point it was kept at: sits down, deals, bids, plays a few turns, leaves."""
    while len(view["players"]) < view["seats"]:
        code = view["host"] and view["host"]["join_code"]
        view = table.join("Late", body={"join_code": code}).ok(201).json["game"] | {"host": None}
    if view["status"] == "waiting":
        table.deal().ok(200)
    view = table.view()
    for player in view["players"]:
        if view["status"] == "bidding" and player["bid"] is None:
            bid_exactly(table, player["seat"])
    chance, story = Random(5), Story(table, view["seats"])
    while (view := settled(table))["status"] == "playing":
        if view["hints"] and len(story.answers) < MOST_TURNS:
            take_turn(story, view["turn"]["seat"], chance)
        else:
            table.resign(view["turn"]["seat"]).ok(201)


def settled(table: Table) -> dict[str, Any]:
    """The game once people, not bots, are in turn."""
    while True:
        view = table.view()
        seat = view["turn"] and view["turn"]["seat"]
        if seat is None or view["players"][seat]["bot"] is None:
            return view

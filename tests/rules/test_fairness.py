"""The fair draw: as docs/fairness.md states it, in this and in another language."""

import hashlib
import hmac
import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.rules.actions import create, exchange, resign
from service.rules.host_actions import deal
from service.rules.notation import parse_tiles
from service.rules.shuffle import (
    commitment,
    draw_lot,
    entropy_bytes,
    mix,
    secret_from,
    seed_of,
)
from service.rules.tiles import NAMES, TILES, WHOLE_BAG, tile_named
from tests.rules.positions import SEED, entrants, hand_of, position
from tests.rules.stated_draw import stated_lot, stated_mixing, stated_seed, stated_stream

FOLDER = Path(__file__).parent
VECTORS_FILE = FOLDER.parents[1] / "docs" / "fairness_vectors.json"
VECTORS = json.loads(VECTORS_FILE.read_text())
PARTS = ("secrets", "entropy", "streams", "mixings", "lots")


def tiles_of(vector: dict[str, object]) -> list[int]:
    given_tiles = vector["tiles"]
    if given_tiles == "all 108":
        return list(WHOLE_BAG)
    assert isinstance(given_tiles, list)
    return [tile_named(name) for name in given_tiles]


@pytest.mark.parametrize("vector", VECTORS["secrets"], ids=lambda vector: vector["text"][:20])
def test_a_seed_text_gives_the_stated_secret_and_commitment(vector: dict[str, str]) -> None:
    secret = hmac.new(b"qwirkle seed", vector["text"].encode(), hashlib.sha256).digest()
    assert secret_from(vector["text"]) == secret == bytes.fromhex(vector["secret"])
    published = "sha256:" + hashlib.sha256(secret).hexdigest()
    assert commitment(secret) == published == vector["commitment"]


@pytest.mark.parametrize("vector", VECTORS["entropy"], ids=lambda vector: vector["seed"][:8])
def test_secret_and_entropy_give_the_stated_seed(vector: dict[str, Any]) -> None:
    secret = bytes.fromhex(vector["secret"])
    added = [(entry["event"], entry["text"]) for entry in vector["entropy"]]
    message = b"".join(entropy_bytes(text, event) for event, text in added)
    assert seed_of(secret, message) == stated_seed(secret, added) == bytes.fromhex(vector["seed"])


def test_the_same_characters_split_otherwise_or_at_another_event_give_another_seed() -> None:
    ways = ([(2, "ab"), (3, "c")], [(2, "a"), (3, "bc")], [(2, "abc")], [(3, "abc")], [(2, "")], [])
    assert len({stated_seed(SEED, way) for way in ways}) == len(ways)
    messages = [b"".join(entropy_bytes(text, n) for n, text in way) for way in ways]
    assert [seed_of(SEED, message) for message in messages] == [
        stated_seed(SEED, way) for way in ways
    ]


@pytest.mark.parametrize("vector", VECTORS["lots"], ids=lambda vector: str(vector["event"]))
def test_a_lot_gives_the_stated_seat(vector: dict[str, Any]) -> None:
    seats, seed, event = vector["seats"], bytes.fromhex(vector["seed"]), vector["event"]
    assert draw_lot(seats, seed, event) == stated_lot(seats, seed, event) == vector["chosen"]


def test_some_lot_skips_a_byte_that_would_favour_a_seat() -> None:
    assert any(
        stated_stream(bytes.fromhex(vector["seed"]), vector["event"], 1, b"qwirkle lot")[0]
        >= 256 - 256 % len(vector["seats"])
        for vector in VECTORS["lots"]
    )


@pytest.mark.parametrize("vector", VECTORS["streams"], ids=lambda vector: str(vector["event"]))
def test_the_stream_of_bytes_is_the_stated_one(vector: dict[str, object]) -> None:
    expected = bytes.fromhex(str(vector["first_bytes"]))
    seed = bytes.fromhex(str(vector["seed"]))
    assert isinstance(vector["event"], int)
    assert stated_stream(seed, vector["event"], len(expected)) == expected


@pytest.mark.parametrize("vector", VECTORS["mixings"], ids=lambda vector: str(vector["event"]))
def test_a_mixing_gives_the_stated_order(vector: dict[str, object]) -> None:
    seed = bytes.fromhex(str(vector["seed"]))
    event = vector["event"]
    assert isinstance(event, int)
    mixed = mix(tiles_of(vector), seed, event)
    assert [NAMES[tile] for tile in mixed] == vector["order"]
    assert list(mixed) == stated_mixing(tiles_of(vector), seed, event)


def test_the_vectors_come_out_the_same_in_javascript() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: the method is not tried in another language")
    tried = subprocess.run(
        [node, str(FOLDER / "fairness.mjs"), str(VECTORS_FILE)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert tried.returncode == 0, tried.stdout + tried.stderr
    count = sum(len(VECTORS[part]) for part in PARTS)
    assert tried.stdout.split() == [str(count), "vectors"]


def test_some_vector_skips_a_byte_that_would_favour_some_tiles() -> None:
    vector = VECTORS["mixings"][0]
    seed, event = bytes.fromhex(vector["seed"]), vector["event"]
    bounds = range(108, 1, -1)
    stream = stated_stream(seed, event, len(bounds))
    skips = (256 - 256 % bound for bound in bounds)
    assert any(byte >= fair for byte, fair in zip(stream, skips, strict=True))


@settings(max_examples=200)
@given(st.binary(min_size=32, max_size=32), st.integers(1, 10**9), st.lists(st.sampled_from(TILES)))
def test_any_mixing_is_the_stated_one(seed: bytes, event: int, tiles: list[int]) -> None:
    mixed = mix(tiles, seed, event)
    assert list(mixed) == stated_mixing(tiles, seed, event)
    assert Counter(mixed) == Counter(tiles)


def test_a_mixing_depends_on_which_tiles_are_mixed_not_on_their_order() -> None:
    tiles = list(WHOLE_BAG)
    Random(1).shuffle(tiles)
    assert mix(tiles, SEED, 5) == mix(WHOLE_BAG, SEED, 5)


def test_every_event_number_and_every_seed_mixes_anew() -> None:
    orders = {mix(WHOLE_BAG, SEED, event) for event in range(1, 51)}
    orders |= {mix(WHOLE_BAG, secret_from(str(number)), 1) for number in range(50)}
    assert len(orders) == 100


def test_every_tile_comes_first_about_equally_often() -> None:
    firsts = Counter(mix(range(6), SEED, event)[0] for event in range(1, 6001))
    assert all(850 <= firsts[tile] <= 1150 for tile in range(6))


def test_the_deal_draws_seat_by_seat_from_the_front_of_the_stated_order() -> None:
    game = deal(create(SEED, entrants(2)).game).game
    order = stated_mixing(list(WHOLE_BAG), SEED, 2)
    assert [hand_of(game, seat) for seat in (0, 1)] == [
        tuple(sorted(order[:6])),
        tuple(sorted(order[6:12])),
    ]
    assert list(game.bag) == order[12:]


def test_an_exchange_mixes_what_is_left_with_what_is_returned_at_its_event_number() -> None:
    game = position("ro", "bs bd b* bc bx gs", "rs g* gc gx ys yd", bag="yx px ox rx")
    game = exchange(game, 0, parse_tiles("bs gs")).game
    assert list(game.bag) == stated_mixing(list(parse_tiles("ox rx bs gs")), SEED, 2)


def test_a_leaver_mixes_the_hand_into_the_bag_at_the_event_number() -> None:
    hands = ("bs bd b* bc bx gs", "rs g* gc gx ys yd", "oo os od o* oc ox")
    game = resign(position("ro", *hands, bag="yx px"), 2).game
    assert list(game.bag) == stated_mixing(list(parse_tiles(f"yx px {hands[2]}")), SEED, 2)


def test_a_play_does_not_mix_the_bag() -> None:
    game = deal(create(SEED, entrants(2), auto_bid=True).game).game
    order = game.bag
    assert order == mix(WHOLE_BAG, SEED, 2)[12:]

"""Whole games, kept as records, replay to the same events, scores and state."""

from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from service.rules.codec import event_from, event_row, pack, unpack
from service.rules.record.read import RecordBroken
from service.rules.record.replay import replay_record
from service.rules.record.write import record_of
from service.rules.reducer import reduce, replay
from tests.golden.make import FOLDER, GAMES, events_of, written

FILES = sorted(FOLDER.glob("*.json"))
DOCUMENTS = {path.stem: orjson.loads(path.read_bytes()) for path in FILES}

EACH_GAME = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


@EACH_GAME
def test_a_golden_game_replays_to_its_events_scores_and_end(path: Path) -> None:
    document = DOCUMENTS[path.stem]
    steps = replay_record(document)
    assert record_of([event for event, _ in steps]) == document
    game = steps[-1].game
    assert (game.phase, game.end) == ("finished", document["end"])
    assert [player and player.score for player in game.players] == document["scores"]
    assert list(game.winners) == document["winners"]


@EACH_GAME
def test_folding_the_events_of_a_golden_game_gives_its_state(path: Path) -> None:
    steps = replay_record(DOCUMENTS[path.stem])
    folded = None
    for event, game in steps:
        folded = reduce(folded, event)
        assert folded == game
        assert unpack(pack(game)) == game
        assert event_from(orjson.loads(orjson.dumps(event_row(event))), event.n) == event
    assert replay(event for event, _ in steps) == steps[-1].game


@EACH_GAME
def test_a_golden_game_played_anew_writes_the_same_file(path: Path) -> None:
    assert written(events_of(path.stem)) == path.read_bytes()


@EACH_GAME
def test_a_golden_game_with_another_seed_does_not_replay(path: Path) -> None:
    document = DOCUMENTS[path.stem] | {"seed": "00" * 32}
    with pytest.raises(RecordBroken):
        replay_record(document)


def test_every_golden_game_has_its_file_and_there_are_at_least_twelve() -> None:
    assert {path.stem for path in FILES} == set(GAMES)
    assert len(FILES) >= 12


def having(member: str) -> Counter[Any]:
    return Counter(document[member] for document in DOCUMENTS.values())


def test_the_golden_games_cover_every_number_of_players_edition_and_end() -> None:
    assert set(having("seats")) == {2, 3, 4}
    assert set(having("edition")) == {"schmidt", "travel", "polish", "english", "russian"}
    assert set(having("end")) == {"hand_empty", "all_passed", "blocked", "last_player"}


def test_the_golden_games_hold_entropy_of_joiners_and_host_and_lots_for_high_seats() -> None:
    added = [event.get("entropy") for event in DOCUMENTS["added_entropy"]["events"]]
    assert added[:6] == [None, "Ben's dice: 4 4 1", None, "Přátelé 🎲", None, "7d1c"]
    openers = {
        name: next(event["seat"] for event in DOCUMENTS[name]["events"] if event["type"] == kind)
        for name, kind in (("added_entropy", "played"), ("drawn_lots", "resigned"))
    }
    assert openers == {"added_entropy": 2, "drawn_lots": 2}, "not the lowest seat"
    assert DOCUMENTS["added_entropy"]["bids"] == [3, 3, 3]


def test_the_golden_games_hold_an_exchange_war_a_shared_victory_and_resignations() -> None:
    kinds = {
        name: Counter(event["type"] for event in document["events"])
        for name, document in DOCUMENTS.items()
    }
    assert kinds["exchange_war"]["exchanged"] >= 35
    assert len(DOCUMENTS["shared_victory"]["winners"]) == 2
    assert kinds["resignation"]["resigned"] == 1
    assert set().union(*kinds.values()) == {
        "created", "joined", "updated", "dealt", "bid", "played", "exchanged", "passed", "resigned",
    }  # fmt: skip


def test_the_golden_games_hold_a_table_that_its_host_changed() -> None:
    changed = DOCUMENTS["changed_table"]
    assert [event["seats"] for event in changed["events"] if event["type"] == "updated"] == [
        4,
        3,
        3,
    ]
    removed = [(event["seat"], event["removed"]) for event in changed["events"][5:7]]
    assert removed == [(3, True), (1, True)]
    assert (changed["seats"], len(changed["scores"])) == (2, 3)

"""ETags: they tell every state of a game apart for every viewer, and guard writes."""

from collections.abc import Iterator

import pytest
import redis

from service.store import keys
from service.store.embedded import EmbeddedStore
from tests.api.client import Client, Table
from tests.api.positions import HAND, OTHER, in_play, waiting

READS = ("", "/score", "/unseen", "/hand", "/legal-plays")


@pytest.fixture
def table(client: Client) -> Table:
    return in_play(client)


@pytest.mark.parametrize("rest", READS)
def test_who_has_the_newest_state_gets_304_and_no_body(rest: str, table: Table) -> None:
    seen = table.look(0, rest).ok(200)
    for header in (seen.etag, f"W/{seen.etag}", f'"other", {seen.etag}', "*"):
        again = table.look(0, rest, headers={"If-None-Match": header}).ok(304)
        assert again.body == b""
        assert again.etag == seen.etag
        assert again.headers["cache-control"] == "private, no-cache"
        assert again.headers["vary"] == seen.headers["vary"]
    table.look(0, rest, headers={"If-None-Match": '"other"'}).ok(200)
    table.play(0, "rd@2,0").ok(201)
    assert table.look(0, rest, headers={"If-None-Match": seen.etag}).ok(200).etag != seen.etag


@pytest.mark.parametrize("rest", READS)
def test_every_answer_about_a_game_may_be_kept_but_must_be_asked_about(
    rest: str, table: Table
) -> None:
    answer = table.look(0, rest).ok(200)
    assert answer.etag.startswith('"')
    assert answer.headers["cache-control"] == "private, no-cache"
    assert "Authorization" in answer.headers["vary"]


def test_a_head_is_a_get_without_its_body(table: Table) -> None:
    whole = table.look(0)
    head = table.client.send("HEAD", table.path(), token=table.tokens[0]).ok(200)
    assert head.body == b""
    assert head.etag == whole.etag
    assert head.headers["content-length"] == str(len(whole.body))


def test_viewers_have_etags_of_their_own(table: Table) -> None:
    etags = [table.look(seat).etag for seat in (0, 1, None)]
    etags.append(table.look(token=table.host).etag)
    assert len(set(etags)) == 4
    table.look(1, headers={"If-None-Match": etags[0]}).ok(200)


def test_every_event_changes_every_viewers_etag(client: Client) -> None:
    table = waiting(client, seats=3, players=2, seed="etags")
    seen: set[str] = set()
    steps = (table.join, table.deal, *(lambda s=seat: bid_longest(table, s) for seat in range(3)))
    for step in (lambda: None, *steps, lambda: table.resign(1).ok(201)):
        step()
        now = {table.look(seat).etag for seat in (0, 1, None)}
        assert len(now) == 3
        assert not now & seen
        seen |= now


def bid_longest(table: Table, seat: int) -> None:
    for length in range(6, 0, -1):
        if table.bid(seat, length).status == 201:
            return
    raise AssertionError("no bid was right")


def test_the_answer_to_an_action_has_the_etag_of_the_state_it_shows(table: Table) -> None:
    for act in (
        lambda: table.play(0, "rd@2,0", match=table.look(0).etag),
        lambda: table.exchange(1, "rc", match=table.look(1, "/hand").etag),
    ):
        answer = act().ok(201)
        seat = answer.json["game"]["you"]["seat"]
        assert answer.etag == table.look(seat).etag
        assert answer.json["game"] == table.view(seat)


def test_the_etag_of_the_last_answer_guards_the_next_write(table: Table) -> None:
    first = table.play(0, "rd@2,0", match=table.look(0, "/legal-plays").etag).ok(201)
    table.play(1, "rc@3,0").ok(201)
    answer = table.play(0, "oo@0,1", match=first.etag).refused(412, "stale_version")
    assert "version 3" in answer.json["detail"]
    assert table.version == 3


def test_if_match_takes_a_star_and_lists_but_no_weak_and_no_foreign_etags(table: Table) -> None:
    mine, theirs = table.look(0).etag, table.look(1).etag
    for wrong in (f"W/{mine}", theirs, mine.strip('"'), '"x", "y"', f"{mine}x", ""):
        table.play(0, "rd@2,0", match=wrong).refused(412, "stale_version")
        table.preview(0, "rd@2,0", match=wrong).refused(412, "stale_version")
    for right in ("*", mine, f'"x", {mine}', f'{mine} , "y"'):
        table.preview(0, "rd@2,0", match=right).ok(200)
    table.play(0, "rd@2,0", match="*").ok(201)


def test_every_write_is_guarded(client: Client) -> None:
    open_table, playing = waiting(client), in_play(client)
    stale = {"match": '"stale"'}
    open_table.join(**stale).refused(412, "stale_version")
    open_table.deal(**stale).refused(412, "stale_version")
    playing.bid(0, 1, **stale).refused(412, "stale_version")
    playing.exchange(0, "rd", **stale).refused(412, "stale_version")
    playing.pass_turn(0, **stale).refused(412, "stale_version")
    playing.resign(0, **stale).refused(412, "stale_version")
    playing.delete(**stale).refused(412, "stale_version")
    assert open_table.version == playing.version == 1


def test_a_deletion_takes_the_hosts_etag(table: Table) -> None:
    table.delete(match=table.look(0).etag).refused(412, "stale_version")
    table.delete(match=table.look(token=table.host).etag).ok(204)
    table.look().refused(404, "game_not_found")
    table.delete().refused(404, "game_not_found")


def test_a_joiner_may_state_what_a_watcher_saw(client: Client) -> None:
    table = waiting(client)
    joined = table.join(match=table.look().etag).ok(201)
    assert joined.etag == table.look(2).etag


def test_an_etag_cannot_be_guessed_from_what_it_names(client: Client) -> None:
    """Two games that look the same, down to hidden hands, share no ETag."""
    one, other = (client.position("ro rs", HAND, OTHER, seed="same") for _ in range(2))
    for seat in (0, 1, None):
        assert one.look(seat).etag != other.look(seat).etag


# After a rollback of the store


@pytest.fixture
def store(store_server: EmbeddedStore) -> Iterator[redis.Redis]:
    with redis.from_url(store_server.url) as client:
        yield client


class Copy:
    """All that the store keeps of a game at one moment."""

    def __init__(self, store: redis.Redis, game_id: str) -> None:
        self._store = store
        self._names = keys.game_keys(game_id)
        self._dumps = [store.dump(name) for name in self._names]

    def restore(self) -> None:
        for name, dump in zip(self._names, self._dumps, strict=True):
            self._store.delete(name)
            if dump is not None:
                self._store.restore(name, 0, dump)


def test_after_a_rollback_the_lost_branchs_etags_match_nothing(
    table: Table, store: redis.Redis
) -> None:
    copy = Copy(store, table.id)
    lost = table.play(0, "rd@2,0").ok(201)
    lost_watcher = table.look().etag
    copy.restore()
    assert table.version == 1
    kept = table.play(0, "rd@2,0").ok(201)
    assert kept.json["game"]["version"] == lost.json["game"]["version"]
    assert kept.etag != lost.etag
    table.look(headers={"If-None-Match": lost_watcher}).ok(200)
    table.resign(0, match=lost.etag).refused(412, "stale_version")
    assert table.version == 2
    table.resign(0, match=kept.etag).ok(201)


def test_after_a_rollback_a_lost_request_is_carried_out_anew(
    table: Table, store: redis.Redis
) -> None:
    copy = Copy(store, table.id)
    table.play(0, "rd@2,0", key="k").ok(201)
    copy.restore()
    assert not table.play(0, "rd@2,0", key="k").ok(201).replayed

"""One feed of all a tenant's games: nothing is missing, nothing is shown too much."""

import pytest

from tests.api.client import tiles_of
from tests.api.feeds import LAST_PLAY, Feed, feed_of_a_new_tenant, feed_stream, play_a_game
from tests.live.streams import meanwhile


def test_the_feed_tells_a_whole_game(feed: Feed) -> None:
    table = play_a_game(feed)
    events = feed.all()
    told = [(each["version"], each["type"], each["seat"], each["status"]) for each in events]
    assert told == [
        (1, "created", None, "waiting"),
        (2, "joined", 1, "bidding"),
        (3, "bid", 0, "bidding"),
        (4, "bid", 1, "playing"),
        (5, "played", 0, "playing"),
        (6, "resigned", 1, "finished"),
    ]
    to_act = [[each["ref"] for each in event["players"] if each["to_act"]] for event in events]
    assert to_act == [[], ["ada", "ben"], ["ben"], ["ada"], ["ben"], []]
    assert {each["game_id"] for each in events} == {table.id}
    last = events[-1]
    assert (last["end"], last["winners"]) == ("last_player", [0])
    assert [each["score"] for each in last["players"]] == [3, 0]
    log = table.look(rest="/events").ok(200).json["events"]
    assert [each["at"] for each in events] == [each["at"] for each in log]
    assert [each["id"] for each in events] == [f"{table.id}-{each['id']}" for each in log]


def test_the_feed_tells_who_has_come_to_a_rematch(feed: Feed) -> None:
    players = [{"name": "Ada", "ref": "ada"}, {"name": "Ben", "ref": "ben"}]
    table = feed.client.create(api_key=feed.key, players=players, setup=LAST_PLAY)
    table.play(0, "rs@1,0").ok(201)
    start = feed.page(after="now")["last"]
    asked = [table.act(seat, "rematch").ok(201).json["game"]["id"] for seat in (0, 1, 1)]
    events = feed.all(after=start)
    told = [each for each in events if each["type"] == "rematch"]
    assert [(each["game_id"], each["status"]) for each in told] == [(table.id, "finished")] * 2
    assert [each["rematch"] for each in told] == [
        {"game_id": asked[0], "seats": [0]},
        {"game_id": asked[0], "seats": [0, 1]},
    ]
    assert [each["ref"] for each in told[0]["players"]] == ["ada", "ben"]
    assert len({each["id"] for each in events}) == len(events)
    begun = [each for each in events if each["game_id"] == asked[0]]
    assert [each["type"] for each in begun] == ["created", "joined", "dealt"]
    assert {each["rematch"] for each in begun} == {None}


def test_the_feed_tells_who_left_and_who_was_removed(feed: Feed) -> None:
    players = [{"name": "Ada", "ref": "ada"}]
    table = feed.client.create(api_key=feed.key, players=players, seats=3)
    table.join("Ben", body={"ref": "ben"}).ok(201)
    table.join("Cat").ok(201)
    table.resign(1).ok(201)
    table.remove(0).ok(204)
    table.remove(2).ok(204)
    table.join("Dan", body={"ref": "dan"}).ok(201)
    events = feed.all()
    told = [(each["type"], each["seat"], each["ref"], each["removed"]) for each in events]
    assert told == [
        ("created", None, None, False),
        ("joined", 1, "ben", False),
        ("joined", 2, None, False),
        ("resigned", 1, "ben", False),
        ("resigned", 0, "ada", True),
        ("resigned", 2, None, True),
        ("joined", 0, "dan", False),
    ]
    assert [each["ref"] for each in events[-1]["players"]] == ["dan"]


def test_no_event_shows_a_tile(feed: Feed) -> None:
    play_a_game(feed)
    page = feed.page()
    assert not [name for name in tiles_of("ro rs rd b* bo go") if name in str(page)]


def test_pages_go_on_from_any_cursor(feed: Feed) -> None:
    for _ in range(3):
        play_a_game(feed)
    events = feed.all()
    assert len(events) == 18
    for number in (0, 7, 17):
        rest = feed.all(after=events[number]["cursor"], limit=4)
        assert [each["id"] for each in rest] == [each["id"] for each in events[number + 1 :]]


def test_from_now_on_skips_the_past(feed: Feed) -> None:
    play_a_game(feed)
    now = feed.page(after="now")
    assert (now["events"], now["resync"]) == ([], False)
    table = feed.client.create(api_key=feed.key)
    assert [each["game_id"] for each in feed.all(after=now["last"])] == [table.id]


def test_a_long_poll_is_answered_by_the_next_event(feed: Feed) -> None:
    start = feed.page(after="now")["last"]
    with meanwhile(lambda: feed.page(after=start, wait=20)) as (waiting,):
        table = feed.client.create(api_key=feed.key)
        (event,) = waiting.result(20)["events"]
    assert (event["type"], event["game_id"]) == ("created", table.id)
    quiet = feed.page(after=event["cursor"], wait=1)
    assert quiet["events"] == []


def test_a_stream_tells_what_happens_and_goes_on_where_it_broke_off(feed: Feed) -> None:
    with feed_stream(feed, after="now") as stream:
        table = play_a_game(feed)
        first = [next(stream) for _ in range(3)]
    assert [each.data["type"] for each in first] == ["created", "joined", "bid"]
    assert all(each.id == each.data["cursor"] for each in first)
    with feed_stream(feed, last=first[-1].id) as stream:
        rest = [next(stream) for _ in range(3)]
    assert [each.data["version"] for each in rest] == [4, 5, 6]
    assert rest[-1].data["game_id"] == table.id


def test_a_stream_that_breaks_off_before_its_first_event_is_resumed(feed: Feed) -> None:
    play_a_game(feed)
    with feed_stream(feed, after="now") as stream:
        assert stream.block() == {"id": stream.last_id}
    table = feed.client.create(api_key=feed.key)
    with feed_stream(feed, last=stream.last_id) as resumed:
        assert resumed.block() == {"id": stream.last_id}
        assert next(resumed).data["game_id"] == table.id


def test_a_tenant_hears_of_its_own_games_alone(feed: Feed) -> None:
    other = feed_of_a_new_tenant(feed.client, feed.url)
    mine, theirs = play_a_game(feed), play_a_game(other)
    assert {each["game_id"] for each in feed.all()} == {mine.id}
    assert {each["game_id"] for each in other.all()} == {theirs.id}
    # A place in another's feed is a place, not a key to it.
    assert feed.page(after=other.all()[0]["cursor"])["events"] == []


def test_nobody_but_a_tenant_may_ask(feed: Feed) -> None:
    table = play_a_game(feed)
    for path in ("/v1/events", "/v1/events/stream"):
        feed.client.get(path).refused(403, "api_key_required")
        for token in ("wrong", table.host, table.tokens[0]):
            feed.client.get(path, token=token).refused(401, "token_invalid")


@pytest.mark.parametrize("query", ["after=1", "limit=0", "limit=1001", "wait=31", "cursor=x"])
def test_a_malformed_query_is_refused(feed: Feed, query: str) -> None:
    answer = feed.client.get(f"/v1/events?{query}", token=feed.key)
    answer.refused(400, "malformed_request")


# Games that are gone


def test_a_deleted_game_is_told_as_deleted_alone(feed: Feed) -> None:
    table, kept = play_a_game(feed), play_a_game(feed)
    before = feed.all()[-1]["cursor"]
    table.delete().ok(204)
    (event,) = feed.all(after=before)
    assert (event["type"], event["game_id"], event["version"]) == ("deleted", table.id, 6)
    assert event["id"].endswith("-deleted")
    assert {each["game_id"] for each in feed.all() if each["type"] != "deleted"} == {kept.id}


def test_nobody_has_to_act_in_a_deleted_game(feed: Feed) -> None:
    players = [{"name": "Ada", "ref": "ada"}, {"name": "Ben", "ref": "ben"}]
    bidding = feed.client.create(api_key=feed.key, players=players)
    bidding.deal().ok(200)
    playing = feed.client.create(api_key=feed.key, players=players, setup=LAST_PLAY)
    start = feed.all()[-1]["cursor"]
    bidding.delete().ok(204)
    playing.delete().ok(204)
    told = {each["status"]: each for each in feed.all(after=start)}
    assert told.keys() == {"bidding", "playing"}
    for event in told.values():
        assert [each["to_act"] for each in event["players"]] == [False, False]
        assert event["turn"] is None


def test_a_refused_deletion_is_not_told(feed: Feed) -> None:
    table = play_a_game(feed)
    table.delete(match='"another"').refused(412, "stale_version")
    assert all(each["type"] != "deleted" for each in feed.all())

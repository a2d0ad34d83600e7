"""A worker killed beside a commit: between a join code and its game, or a rematch and its offer."""

from secrets import token_hex

import pytest
import redis

from service.store.redis_store import COMMIT, HOLD_JOIN_CODE, UPDATE_STATE
from service.store.scripts import Script
from tests.api.client import Answer, Client, Table
from tests.api.test_join_codes import ACTIVE_MS, join
from tests.api.test_rematches import ask, to_its_end
from tests.faults.conftest import Far
from tests.faults.test_lists import die
from tests.proxy import Fault

Moment = tuple[Script, Fault]

BESIDE_A_CODE: dict[str, Moment] = {
    "before the code is written": (HOLD_JOIN_CODE, Fault.SWALLOW),
    "between code and commit": (HOLD_JOIN_CODE, Fault.HOLD_ANSWER),
    "while the commit is on its way": (COMMIT, Fault.HOLD),
    "after the commit": (COMMIT, Fault.HOLD_ANSWER),
}
BESIDE_AN_OFFER: dict[str, Moment] = {
    "before the rematch is made": (COMMIT, Fault.SWALLOW),
    "between rematch and offer": (COMMIT, Fault.HOLD_ANSWER),
    "before the offer is written": (UPDATE_STATE, Fault.SWALLOW),
    "while the offer is on its way": (UPDATE_STATE, Fault.HOLD),
    "after the offer": (UPDATE_STATE, Fault.HOLD_ANSWER),
}


@pytest.fixture
def client(far: Far) -> Client:
    """The store knows the scripts: a worker sends the text of those that it does not know."""
    client = Client(far.address(), 60)
    ask(to_its_end(client), 0).ok(201)
    return client


@pytest.mark.parametrize("moment", BESIDE_A_CODE)
def test_a_creation_that_dies_leaves_one_game_and_one_code(
    far: Far, client: Client, moment: str
) -> None:
    key = token_hex(16)

    def create() -> Answer:
        return client.post("/v1/games", {"seats": 3}, key=key)

    die(far, *BESIDE_A_CODE[moment], create)
    table = Table.of(client, create().ok(201))
    assert table.created["game"]["version"] == 1
    taken = join(client, table.join_code).ok(201)
    assert taken.json["game"]["id"] == table.id
    assert Table.of(client, create().ok(201)).join_code == table.join_code


@pytest.mark.parametrize("moment", BESIDE_A_CODE)
def test_a_deal_that_dies_leaves_a_code_as_long_as_the_game_waits(
    far: Far, client: Client, moment: str
) -> None:
    table = Table.of(client, client.post("/v1/games", {"players": [{"name": "Ada"}], "seats": 2}))
    table.join("Ben").ok(201)
    die(far, *BESIDE_A_CODE[moment], lambda: table.deal(key="deal-it"))
    waiting = table.view()["status"] == "waiting"
    assert lifetime_of_code(far, table) > ACTIVE_MS or not waiting
    join(client, table.join_code).refused(*(FULL if waiting else BEGUN))
    assert table.deal(key="deal-it").ok(200).json["status"] == "bidding"
    join(client, table.join_code).refused(*BEGUN)


def lifetime_of_code(far: Far, table: Table) -> int:
    """For how many milliseconds the store keeps the code that leads to this table."""
    with redis.Redis.from_url(far.store.url) as store:
        (code,) = [
            key for key in store.scan_iter("qw:code:*") if store.get(key) == table.id.encode()
        ]
        return int(store.pttl(code))


FULL = (409, "table_full")
BEGUN = (404, "join_code_unknown")


@pytest.mark.parametrize("moment", BESIDE_AN_OFFER)
@pytest.mark.parametrize("asks", ["the same one asks again", "another one asks"])
def test_a_rematch_whose_asker_is_cut_off_is_offered_to_the_others(
    far: Far, client: Client, moment: str, asks: str
) -> None:
    table, key = to_its_end(client), token_hex(16)
    die(far, *BESIDE_AN_OFFER[moment], lambda: ask(table, 0, key=key))
    seats = [0] if asks == "the same one asks again" else [1]
    made = ask(table, seats[0], key=key if seats == [0] else None).ok(201).json["game"]
    came = [each["seat"] for each in made["players"]]
    first_came = 2 in came  # everybody moves down one, the first becomes the last
    assert first_came or BESIDE_AN_OFFER[moment][1] is Fault.SWALLOW
    offer = {"game_id": made["id"], "seats": sorted({*seats, *([0] if first_came else [])})}
    assert table.view()["rematch"] == offer
    for seat in (0, 1, 2):
        again = ask(table, seat, key=key if seat == 0 else None).ok(201)
        assert again.json["game"]["id"] == made["id"]
    assert table.view()["rematch"] == {"game_id": made["id"], "seats": [0, 1, 2]}
    assert client.get(f"/v1/games/{made['id']}").ok(200).json["status"] == "bidding"

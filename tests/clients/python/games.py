"""Games that the tests start from, played through the client."""

from typing import Any

from tests.api.client import tiles_of
from tests.api.positions import BAG, HAND, OTHER

OPENING: dict[str, Any] = {"hands": [tiles_of("ro rs rd b*"), tiles_of("bo go")], "bag": []}
"""At the bids: Ada's longest line has 3 tiles, Ben's 2."""


def seated(qwirkle: Any, **choices: Any) -> tuple[Any, Any, Any]:
    """The host, Ada and Ben of a new game."""
    created = qwirkle.create_game(players=[{"name": "Ada"}, {"name": "Ben"}], **choices)
    tokens = [created["host_token"], *(player["token"] for player in created["players"])]
    host, ada, ben = (qwirkle.game(created["game"]["id"], token) for token in tokens)
    return host, ada, ben


def in_play(qwirkle: Any) -> tuple[Any, Any, Any]:
    """A game with two red tiles on the table, Ada to move."""
    setup = {
        "board": laid((0, 0, "red-circle"), (1, 0, "red-square")),
        "hands": [tiles_of(HAND), tiles_of(OTHER)],
        "bag": tiles_of(BAG),
    }
    return seated(qwirkle, setup=setup)


def laid(*placed: tuple[int, int, str]) -> list[dict[str, Any]]:
    return [{"tile": tile, "x": x, "y": y} for x, y, tile in placed]


def exchanges(players: list[Any], count: int) -> None:
    """So many turns in which nothing is laid."""
    for _ in range(count):
        view = players[0].view()
        player = players[view["turn"]["seat"]]
        player.exchange(player.hand()["tiles"][:1])

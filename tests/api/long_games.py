"""Games as long as can be, written into a store in one go instead of by thousands of requests."""

from pathlib import Path

from service.config import Settings
from service.games.bootstrap import open_client, open_games
from service.games.fork import fork
from service.games.idempotency import new_game_id
from service.games.keyring import HOST, Viewer
from service.games.service import Games
from service.games.session import GameOptions, LogEntry
from service.rules.state import MOST_EVENTS
from tests.api.client import Client, Table
from tests.rules.long_games import long_game
from tests.servers import SHARED

TWO_PEOPLE = (None, None)


def write_long_game(
    games: Games,
    client: Client,
    length: int = MOST_EVENTS,
    bots: tuple[str | None, ...] = TWO_PEOPLE,
    turn_seconds: int | None = None,
) -> Table:
    """A seeded game of this many events; all its tokens are known."""
    steps = long_game(length, bots)
    entries = [LogEntry(games.clock(), step.event) for step in steps]
    entries[0] = LogEntry(games.clock(), steps[0].event, GameOptions(turn_seconds=turn_seconds))
    id_, _ = new_game_id(games, None)
    table = fork(games, entries, None, None, id_=id_).session
    host, *tokens = (
        games.keyring.token(id_, viewer, generation)
        for viewer, generation in zip(
            [HOST, *map(Viewer, range(len(bots)))], table.token_generations, strict=True
        )
    )
    return Table(client, id_, host, tokens)


def games_of_shared_servers(redis_url: str) -> Games:
    """The games of a store that the servers shared by the tests serve."""
    settings = Settings(redis_url=redis_url, data_dir=Path(), secrets=(SHARED["QWIRKLE_SECRET"],))
    return open_games(settings, open_client(settings))

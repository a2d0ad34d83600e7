"""Games in a store, made in process: what the benchmarks play on."""

from dataclasses import dataclass, replace
from secrets import token_bytes

from service.config import Settings
from service.games.bootstrap import unix_ms
from service.games.idempotency_key import IdempotencyKey
from service.games.keyring import Keyring, Viewer, game_id
from service.games.service import CommitResult, Games, LoadedGame
from service.games.session import GameOptions, GameSession
from service.rules import actions, host_actions
from service.rules.events import Entrant
from service.rules.plays import Play
from service.rules.record.write import placement_document
from service.rules.shuffle import secret_from
from service.rules.state import Game
from service.store.base import Commit
from service.store.client import connect
from service.store.redis_store import RedisGameStore

SECRET = "for-benchmarks-only-" + 32 * "0"


@dataclass(frozen=True)
class Turn:
    """A game in somebody's turn, with a good play and the token to make it with."""

    table: GameSession
    play: Play
    token: str

    @property
    def body(self) -> dict[str, object]:
        return {"placements": [placement_document(placed) for placed in self.play.placements]}


def games_in(redis_url: str) -> Games:
    """The use cases on this store, as the service has them."""
    settings = Settings()
    store = RedisGameStore(connect(redis_url, timeout=5, connections=4))
    day = settings.ttl_active * 1000
    return Games(store, Keyring([SECRET]), unix_ms, token_bytes, day, day)


def greedy_step(game: Game) -> actions.Step:
    """The best play by points, or the next best thing."""
    assert game.mover is not None
    best = actions.best_of(game, game.mover)
    if best:
        return actions.place(game, game.mover, best.placements)
    hand = game.player(game.mover).hand
    if game.bag:
        return actions.exchange(game, game.mover, hand[: len(game.bag)])
    return actions.pass_turn(game, game.mover)


def begin(games: Games, seed: str, players: int = 2) -> CommitResult:
    """A dealt game, every action under a retry key as clients do it."""
    entrants = [Entrant(name) for name in ("Ada", "Ben", "Cleo", "Dan")[:players]]
    step = actions.create(secret_from(seed), entrants, auto_bid=True)
    done = games.create(step, GameOptions(), _retry(), id_=game_id(token_bytes(16)))
    return _next(games, done, host_actions.deal(done.session.game))


def play_on(games: Games, done: CommitResult, tiles: int) -> CommitResult:
    """The game once at least so many tiles lie on the table, or at its end."""
    while done.session.game.phase == "playing" and len(done.session.game.board) < tiles:
        done = _next(games, done, greedy_step(done.session.game))
    return done


def turn_of(games: Games, done: CommitResult) -> Turn | None:
    """What the player in turn would do next, if it is a play."""
    game = done.session.game
    if game.mover is None or (play := actions.best_of(game, game.mover)) is None:
        return None
    generation = done.session.generations[game.mover + 1]
    token = games.keyring.token(done.session.id, Viewer(game.mover), generation)
    return Turn(done.session, play, token)


def copies(games: Games, turn: Turn, number: int) -> list[Turn]:
    """The same turn of so many new games."""
    stored, log = games.store.load(turn.table.id), tuple(games.store.load_log(turn.table.id))
    seat = turn.table.game.mover
    assert stored
    assert seat is not None
    made = []
    for _ in range(number):
        table = replace(turn.table, id=game_id(token_bytes(16)))
        games.store.commit(Commit(table.id, b"", stored.state, log, games.ttl_active_ms))
        token = games.keyring.token(table.id, Viewer(seat), table.generations[seat + 1])
        made.append(Turn(table, turn.play, token))
    return made


def _next(games: Games, done: CommitResult, step: actions.Step) -> CommitResult:
    return games.commit_step(LoadedGame(done.session, done.nonce), step, _retry())


def _retry() -> IdempotencyKey:
    return IdempotencyKey(token_bytes(16), token_bytes(8))

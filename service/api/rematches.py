"""Once more with the same players: one new game, whoever asks first."""

from flask import Blueprint, Response

from service.api import schemas
from service.api.asked import (
    SHORT_KEY,
    fingerprint,
    known_id,
    query,
    read_body,
    require_json_wanted,
    require_key_of,
    retry_key,
)
from service.api.caller import bearer, require, viewer_of
from service.api.conduct import require_fresh
from service.api.creation import player_token
from service.api.desk import admit_bots, answer, as_before, desk, etag_of, view
from service.api.problems import Problem
from service.keyring import HOST, Viewer
from service.rules import actions
from service.rules.draw import SEED_BYTES
from service.rules.events import Entrant
from service.rules.wording import told
from service.table import Particulars, Table
from service.usecases import Done, KeyReused, RetryId, persistently
from service.words import say

rematches = Blueprint("rematches", __name__, url_prefix="/v1/games")


@rematches.post("/<game_id>/rematch")
def rematch(game_id: str) -> Response:
    """Play again."""
    token = bearer()
    key = retry_key(token)
    seen = desk().games.find(known_id(game_id), key)
    viewer = viewer_of(seen.table, token, desk().keyring)
    if token is None:
        raise Problem("token_missing", say("token.rematch"))
    require(viewer, token, "anyone")
    require_json_wanted()
    query(schemas.NO_QUERY)
    read_body(None)
    require_key_of(SHORT_KEY)
    retry = RetryId(key, fingerprint()) if key else None
    if seen.retry is None:
        require_fresh(seen, viewer)
    elif retry and seen.retry.fingerprint != retry.fingerprint:
        raise KeyReused
    if seen.table.game.phase != "finished":
        now = told(f"phase.{seen.table.game.phase}")
        raise Problem("wrong_phase", say("game.rematch", now=now))
    done = persistently(lambda: _agreed(seen.table))
    repeated = desk().games.remember(seen, retry) if retry else False
    response = _answer(done, viewer, len(seen.table.game.players))
    return as_before(response) if repeated else response


def _agreed(old: Table) -> Done:
    """The one rematch of this game; its id follows from the old one's."""
    games = desk().games
    id_, earlier = games.successor(old.id)
    if earlier:
        return earlier
    players = [old.game.player(seat) for seat in _rotated(len(old.game.players))]
    admit_bots(id_, [player.bot for player in players], guest=old.particulars.guest)
    step = actions.create(
        games.entropy(SEED_BYTES),
        [Entrant(player.name, player.age, player.bot) for player in players],
        edition=old.game.edition,
        auto_bid=old.game.auto_bid,
    )
    chosen = old.particulars
    refs = (*chosen.refs, *[None] * (len(players) - len(chosen.refs)))
    particulars = Particulars(
        chosen.private,
        chosen.hints,
        tuple(refs[seat] for seat in _rotated(len(players))),
        chosen.metadata,
        chosen.turn_seconds,
        chosen.webhook_url,
        guest=chosen.guest,
    )
    return games.create(step, particulars, None, id_=id_)


def _rotated(seats: int) -> list[int]:
    """Who sits where: everybody moves down one seat, and the first becomes the last."""
    return [(seat + 1) % seats for seat in range(seats)]


def _answer(done: Done, viewer: Viewer, seats: int) -> Response:
    """The new game as it was made, and the caller's own token for it."""
    table = done.table
    if viewer.host:
        own, token = HOST, desk().keyring.token(table.id, HOST, table.token_generations[0])
    else:
        own = Viewer(((viewer.seat or 0) - 1) % seats)
        token = player_token(table, own.seat or 0)
    shape = {"game": view(table, own), "seat": own.seat, "token": token}
    response = answer(shape, 201, etag_of(table, own, done.mark))
    response.headers["Location"] = f"/v1/games/{table.id}"
    return response

"""The secret is changed step by step, and nobody is refused on the way."""

from collections.abc import Callable, Iterator

import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.config import Settings
from service.store.embedded import EmbeddedStore
from tests.servers import NewDir

OLD, NEW = "the old secret, long enough to be one", "the new secret, long enough to be one"
Serve = Callable[..., FlaskClient]


@pytest.fixture(scope="module")
def serve(new_dir: NewDir) -> Iterator[Serve]:
    """The service under these secrets, all on one store."""
    folder = new_dir()
    with EmbeddedStore(folder) as store:
        yield lambda *secrets: create_app(
            Settings(redis_url=store.url, secrets=secrets, data_dir=folder)
        ).test_client()


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def created(service: FlaskClient) -> tuple[str, str, dict[str, str]]:
    """A new game: where it is, a player's token, and everything else."""
    body = {"players": [{"name": "Ada"}, {"name": "Ben"}], "private": True, "seats": 3}
    made = service.post("/v1/games", json=body).json
    return f"/v1/games/{made['game']['id']}", made["players"][0]["token"], made


def test_tokens_codes_and_etags_count_through_every_step(serve: Serve) -> None:
    steps = [serve(OLD), serve(OLD, NEW), serve(NEW, OLD), serve(NEW)]
    for now, then in ((0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)):
        path, token, made = created(steps[now])
        seen = steps[now].get(path, headers=bearer(token))
        kept = bearer(token) | {"If-Match": seen.headers["ETag"]}
        joined = {"name": "Cleo", "join_code": made["join_code"]}
        assert steps[then].post(f"{path}/players", json=joined).status_code == 201, (now, then)
        assert steps[then].get(path, headers=bearer(token)).status_code == 200, (now, then)
        # The game has moved on since, so it is the version that is wrong, not the token.
        stale = steps[then].post(f"{path}/resignations", headers=kept)
        assert (stale.status_code, stale.json["code"]) == (412, "stale_version")
        fresh = steps[now].get(path, headers=bearer(token)).headers["ETag"]
        left = steps[then].post(f"{path}/resignations", headers=bearer(token) | {"If-Match": fresh})
        assert left.status_code == 201, (now, then)


def test_in_the_end_what_the_old_one_signed_is_void(serve: Serve) -> None:
    path, token, _ = created(serve(OLD))
    assert serve(NEW).get(path, headers=bearer(token)).status_code == 401
    assert serve(NEW).get(path).status_code == 200

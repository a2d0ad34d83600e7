"""The webhook of a tenant: every event of all its games, signed with a secret of its own."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from service.config import Settings, signing_secrets
from service.games.keyring import Keyring
from tests.api.client import client_of
from tests.contract.checker import check_message
from tests.servers import COMMAND, QwirkleServer, environment_for
from tests.worker.webhook_receiver import Receiver

KEY = "a-key-of-acme"


def settings_for(receiver: Receiver) -> dict[str, str]:
    return {
        "QWIRKLE_API_KEYS": f"acme:{KEY},zebra:another-key",
        "QWIRKLE_WEBHOOKS": f"acme={receiver.url}",
        "QWIRKLE_SECRET": "s" * 32,
    }


def secret_of(
    tenant: str, settings: dict[str, str], *options: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, "webhook-secret", tenant, *options],
        env=environment_for(**settings),
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_event_of_all_games_is_told_and_signed(
    start_qwirkle: Callable[..., QwirkleServer], receiver: Receiver
) -> None:
    settings = settings_for(receiver)
    client = client_of(start_qwirkle(workers=1, **settings))
    client.create(api_key="another-key")
    table = client.create(api_key=KEY, players=[{"name": "Ada", "ref": "ada"}], seats=2)
    table.join("Ben").ok(201)
    feed = client.get("/v1/events", token=KEY).ok(200).json["events"]
    # Messages about a game that no longer exists are not sent.
    came = sorted((receiver.next(20) for _ in range(2)), key=lambda each: each.data["version"])
    table.delete().ok(204)
    came.append(receiver.next(20))
    assert [each.data["type"] for each in came] == ["created", "joined", "deleted"]
    assert [each.data["id"] for each in came[:2]] == [each["id"] for each in feed]
    secret = secret_of("acme", settings)
    assert secret.returncode == 0, secret.stderr
    for each in came:
        check_message(each.body, each.headers)
        assert each.signed_with(secret.stdout.strip())
        assert each.data["players"][0]["ref"] == "ada"
    assert len({each.id for each in came}) == 3
    assert receiver.messages.empty()


def test_a_rematch_is_told_each_time_somebody_comes(
    start_qwirkle: Callable[..., QwirkleServer], receiver: Receiver
) -> None:
    client = client_of(start_qwirkle(workers=1, **settings_for(receiver)))
    table = client.create(api_key=KEY, players=[{"name": "Ada"}, {"name": "Ben"}], auto_bid=True)
    table.deal().ok(200)
    table.resign(0).ok(201)
    for seat in (0, 1):
        table.act(seat, "rematch").ok(201)
    came = [receiver.next(20) for _ in range(8)]
    told = [each for each in came if each.data["type"] == "rematch"]
    assert sorted(each.data["rematch"]["seats"] for each in told) == [[0], [0, 1]]
    assert len({each.id for each in came}) == len(came)
    for each in told:
        check_message(each.body, each.headers)


def test_a_tenant_without_a_webhook_has_no_secret(receiver: Receiver) -> None:
    done = secret_of("zebra", settings_for(receiver))
    assert (done.returncode, done.stdout) == (2, "")
    assert "zebra" in done.stderr


def test_the_secret_comes_from_the_data_folder_of_the_service(
    tmp_path: Path, receiver: Receiver
) -> None:
    folder, empty = tmp_path / "data", tmp_path / "empty"
    keyring = Keyring(signing_secrets(Settings(data_dir=folder)))
    settings = settings_for(receiver) | {"QWIRKLE_SECRET": "", "QWIRKLE_DATA_DIR": str(empty)}
    found = secret_of("acme", settings, "--data-dir", str(folder))
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.strip() == keyring.tenant_webhook_secret("acme")
    # Elsewhere there is none, and none is made: it would verify nothing.
    missing = secret_of("acme", settings)
    assert (missing.returncode, missing.stdout) == (2, "")
    assert f"no secret in {empty}: give --data-dir or QWIRKLE_SECRET" in missing.stderr
    assert not empty.exists()


@pytest.mark.parametrize(
    "value", ["acme", "acme=ftp://x", "Acme=https://x", "a=https://x,a=https://y"]
)
def test_a_wrong_setting_is_explained(value: str, receiver: Receiver) -> None:
    done = secret_of("acme", settings_for(receiver) | {"QWIRKLE_WEBHOOKS": value})
    assert done.returncode == 2
    assert "QWIRKLE_WEBHOOKS must" in done.stderr

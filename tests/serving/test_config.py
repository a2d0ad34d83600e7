"""What can be set, and what is said about what is set wrongly."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.config import Settings, SettingsError, signing_secrets, unknown_settings

HOME = {"HOME": "/home/ada"}


def settings_read() -> set[str]:
    """The names of all settings, by what is looked up in the environment."""
    read = set()

    class Environment(dict[str, str]):
        def get(self, name: str, default: str = "") -> str:
            read.add(name)
            return super().get(name, default)

    Settings.from_env(Environment(HOME))
    return {name for name in read if name.startswith("QWIRKLE_")}


def test_nothing_needs_to_be_set() -> None:
    settings = Settings.from_env(HOME)

    assert (settings.host, settings.port, settings.redis_url) == ("127.0.0.1", 8000, None)
    assert settings.data_dir == Path("/home/ada/.local/share/qwirkle")
    assert 2 <= settings.workers <= 8


def test_the_data_folder_follows_the_users_data_home() -> None:
    settings = Settings.from_env(HOME | {"XDG_DATA_HOME": "/data"})

    assert settings.data_dir == Path("/data/qwirkle")


def test_without_a_home_the_data_folder_must_be_named() -> None:
    assert Settings.from_env({"QWIRKLE_DATA_DIR": "/srv/q"}).data_dir == Path("/srv/q")
    with pytest.raises(SettingsError, match="QWIRKLE_DATA_DIR must be set"):
        Settings.from_env({})


def test_an_empty_value_counts_as_absent() -> None:
    assert Settings.from_env(HOME | {"QWIRKLE_PORT": "", "QWIRKLE_RATE_READ": " "}).port == 8000


def test_lists_are_separated_by_commas() -> None:
    settings = Settings.from_env(
        HOME
        | {
            "QWIRKLE_API_KEYS": "acme:one, acme:t:w:o,zebra-2:three",
            "QWIRKLE_CORS_ORIGINS": "https://a.example,http://localhost:3000",
        }
    )

    assert settings.api_keys == (("acme", "one"), ("acme", "t:w:o"), ("zebra-2", "three"))
    assert settings.cors_origins == ("https://a.example", "http://localhost:3000")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "http"),
        ("PORT", "65536"),
        ("PORT", "1_000"),
        ("WORKERS", "0"),
        ("TTL_ACTIVE", "-1"),
        ("MIN_REPLICAS", "-1"),
        ("MIN_REPLICAS", "one"),
        ("STORE_TIMEOUT", "nan"),
        ("STORE_TIMEOUT", "1e400"),
        ("EMBEDDED_FSYNC", "no"),
        ("RATE_CREATE", "20 a minute"),
        ("RATE_GUESS", "often"),
        ("RATE_ADDRESS", "0"),
        ("CORS_ORIGINS", "example.org"),
        ("CORS_ORIGINS", "https://example.org/path"),
        ("LOG_LEVEL", "loud"),
        ("LOG_FORMAT", "xml"),
        ("ACCESS_LOG", "perhaps"),
        ("METRICS", "9090"),
        ("METRICS_PORT", "0"),
        ("OTEL_ENDPOINT", "collector:4318"),
        ("TRUSTED_PROXIES", "all"),
    ],
)
def test_a_wrong_value_is_named_in_one_sentence(name: str, value: str) -> None:
    with pytest.raises(SettingsError) as raised:
        Settings.from_env(HOME | {f"QWIRKLE_{name}": value})

    text = str(raised.value)
    assert text.startswith(f"QWIRKLE_{name} must ")
    assert value in text
    assert "\n" not in text


def test_all_wrong_values_are_named_at_once() -> None:
    with pytest.raises(SettingsError) as raised:
        Settings.from_env(HOME | {"QWIRKLE_PORT": "x", "QWIRKLE_WORKERS": "y"})

    assert len(str(raised.value).splitlines()) == 2


def test_secrets_show_nowhere() -> None:
    secret, password = "s" * 40, "p" * 40
    settings = Settings.from_env(
        HOME
        | {
            "QWIRKLE_SECRET": secret,
            "QWIRKLE_API_KEYS": f"acme:{password}",
            "QWIRKLE_REDIS_URL": f"redis://:{password}@db/0",
        }
    )
    assert secret not in repr(settings)
    assert password not in repr(settings)

    with pytest.raises(SettingsError) as raised:
        Settings.from_env(HOME | {"QWIRKLE_SECRET": "too-short"})
    assert "too-short" not in str(raised.value)


@pytest.mark.parametrize(
    "pairs",
    ["hunter22", ":hunter22", "acme:", "Acme:hunter22", "a b:hunter22", f"{'a' * 33}:hunter22"],
)
def test_api_keys_come_with_their_tenants_and_a_mistake_shows_none(pairs: str) -> None:
    with pytest.raises(SettingsError) as raised:
        Settings.from_env(HOME | {"QWIRKLE_API_KEYS": f"acme:one,{pairs}"})
    assert str(raised.value).startswith("QWIRKLE_API_KEYS must list pairs like tenant:key")
    assert "hunter22" not in str(raised.value)


def test_no_two_tenants_have_the_same_key() -> None:
    with pytest.raises(SettingsError, match="must not list the same key twice"):
        Settings.from_env(HOME | {"QWIRKLE_API_KEYS": "acme:one,zebra:one"})


def test_a_webhook_is_of_a_tenant_with_a_key() -> None:
    hooks = {"QWIRKLE_WEBHOOKS": "acme=https://a.example,amce=https://b.example"}
    keyed = HOME | hooks | {"QWIRKLE_API_KEYS": "acme:one,amce:two,zebra:three"}
    assert len(Settings.from_env(keyed).webhooks) == 2
    for keys, missing in (("acme:one", "amce"), ("zebra:three", "acme, amce"), ("", "acme, amce")):
        with pytest.raises(SettingsError) as raised:
            Settings.from_env(HOME | hooks | {"QWIRKLE_API_KEYS": keys})
        assert str(raised.value) == (
            f"QWIRKLE_WEBHOOKS names tenants without a key in QWIRKLE_API_KEYS: {missing}."
        )


def test_given_secrets_are_used_as_they_are(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, secrets=("a" * 32, "b" * 32))

    assert signing_secrets(settings) == ("a" * 32, "b" * 32)
    assert not list(tmp_path.iterdir())


def test_the_secret_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "new")

    with ThreadPoolExecutor(16) as pool:
        secrets = set(pool.map(lambda _: signing_secrets(settings), range(64)))

    assert len(secrets) == 1
    assert [path.name for path in settings.data_dir.iterdir()] == ["secret"]
    assert stat.S_IMODE((settings.data_dir / "secret").stat().st_mode) == 0o600


def test_a_secret_file_that_is_too_short_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("short\n")

    with pytest.raises(SettingsError, match="shorter than 32"):
        signing_secrets(Settings(data_dir=tmp_path))


def test_what_looks_like_a_setting_but_is_none_is_found() -> None:
    given = ("QWIRKLE_PROT", "QWIRKLE_SECRETS", "QWIRKLE_SECRET", "QWIRKLE_PORT", "QWIRKLE_TOKEN")
    assert unknown_settings({**HOME, **dict.fromkeys(given, "1")}) == [
        "QWIRKLE_PROT",
        "QWIRKLE_SECRETS",
    ]


def test_no_setting_is_taken_for_a_misspelt_one() -> None:
    names = settings_read()
    assert len(names) > 15
    assert unknown_settings(dict.fromkeys(names, "")) == []

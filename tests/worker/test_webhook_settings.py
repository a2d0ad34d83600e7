"""The settings of webhooks."""

import pytest

from service.config import Settings, SettingsError


def test_webhooks_are_off_unless_hosts_are_named() -> None:
    settings = Settings.from_env({"HOME": "/home/ada"})
    assert settings.webhook_allow == frozenset()
    assert not settings.webhook_private


def test_hosts_are_names_whatever_their_case() -> None:
    allowed = {
        "QWIRKLE_WEBHOOK_ALLOW": "Hooks.Example.org., A.Example.org.:8443,10.0.0.1,::1,[::1]:80"
    }
    settings = Settings.from_env({"HOME": "/home/ada", "QWIRKLE_WEBHOOK_PRIVATE": "Yes"} | allowed)
    assert settings.webhook_allow == {
        *("hooks.example.org", "a.example.org:8443", "10.0.0.1", "::1", "[::1]:80")
    }
    assert settings.webhook_private


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WEBHOOK_ALLOW", "https://hooks.example.org"),
        ("WEBHOOK_ALLOW", "hooks.example.org:"),
        ("WEBHOOK_ALLOW", "hooks.example.org:0"),
        ("WEBHOOK_ALLOW", "hooks.example.org:65536"),
        ("WEBHOOK_ALLOW", "hooks.example.org:https"),
        ("WEBHOOK_ALLOW", "hooks.example.org:*"),
        ("WEBHOOK_ALLOW", "[hooks.example.org]:443"),
        ("WEBHOOK_ALLOW", ":443"),
        ("WEBHOOK_ALLOW", "*"),
        ("WEBHOOK_ALLOW", "*.example.org"),
        ("WEBHOOK_PRIVATE", "1"),
        ("WEBHOOK_PRIVATE", "maybe"),
        ("SERVE_WORKER", "never"),
    ],
)
def test_a_wrong_value_is_named(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"QWIRKLE_{name} must"):
        Settings.from_env({"HOME": "/home/ada", f"QWIRKLE_{name}": value})

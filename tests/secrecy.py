"""Every secret that a test run has to do with, and the search for them where none belongs.

The tests' client notes what it is handed and what it sends; every server is searched when it
closes. Only whole secrets are looked for, so that nothing matches by chance.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

LEAST = 16
"""Characters that a secret needs to be looked for anywhere; shorter ones only as whole words."""

_HANDED = re.compile(
    rb'"(?:host_token|token|webhook_secret)":"([^"]{16,})"|"join_code":"([2-9A-Z]{4}-[2-9A-Z]{4})"'
)
_WORD = re.compile(r"[\w+/=.~-]{16,}")

_known: set[str] = set()


def note_answer(body: bytes) -> None:
    """Remember the tokens and codes that an answer hands out."""
    for found in _HANDED.finditer(body):
        _known.add((found[1] or found[2]).decode())


def note_request(headers: Mapping[str, str]) -> None:
    """Remember the key of a request: where no token is needed it is as good as one."""
    key = headers.get("Idempotency-Key", "").strip('"')
    if len(key) >= LEAST:
        _known.add(key)


def known_to(data_dir: Path, environment: Mapping[str, str]) -> set[str]:
    """All secrets noted so far, and those of this server."""
    secrets = environment.get("QWIRKLE_SECRET", "").split(",")
    pairs = environment.get("QWIRKLE_API_KEYS", "").split(",")
    own = {secret.strip() for secret in secrets} | {pair.partition(":")[2] for pair in pairs}
    kept = data_dir / "secret"
    if kept.is_file():
        own.add(kept.read_text().strip())
    return _known | {secret for secret in own if len(secret) >= LEAST}


def found_in(text: str, secrets: Iterable[str]) -> list[str]:
    """The secrets that the text holds.

    A run has thousands of secrets and megabytes of logs, so that most secrets are ruled out by
    their beginnings before the whole text is searched for any of them.
    """
    beginnings = {
        word[at : at + LEAST]
        for word in set(_WORD.findall(text))
        for at in range(len(word) - LEAST + 1)
    }
    words = set(re.findall(r"\b[2-9A-Z]{4}-[2-9A-Z]{4}\b", text))

    def holds(secret: str) -> bool:
        if len(secret) < LEAST:
            return secret in words
        possible = secret[:LEAST] in beginnings or not _WORD.fullmatch(secret)
        return possible and secret in text

    return [secret for secret in secrets if holds(secret)]

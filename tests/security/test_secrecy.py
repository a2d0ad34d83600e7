"""The search for secrets in what servers write finds them, wherever they stand."""

from pathlib import Path
from secrets import token_urlsafe

import pytest

from tests.secrecy import found_in, known_to, note_answer, note_request

TOKEN = "qwp_0_" + "aB3-_" * 8 + "xyz"
LINES = [
    f"{TOKEN}",
    f'{{"time":"2026","authorization":"Bearer {TOKEN}"}}',
    f"GET /v1/games?token={TOKEN}&x=1",
    f"Authorization:{TOKEN}{TOKEN}",
]


@pytest.mark.parametrize("line", LINES)
def test_a_token_is_found_wherever_it_stands(line: str) -> None:
    assert found_in(f"before\n{line}\nafter", {TOKEN, TOKEN[:-1] + "!" * 3}) == [TOKEN]


def test_a_secret_with_blanks_and_a_short_code_are_found_and_others_are_not() -> None:
    words = "a secret with blanks in it"
    assert found_in(f"x{words}y", [words]) == [words]
    assert found_in('"join_code":"ABCD-EFG2"', ["ABCD-EFG2"]) == ["ABCD-EFG2"]
    assert found_in("xABCD-EFG2x", ["ABCD-EFG2"]) == []
    assert found_in("qwp_0_" + "b" * 43, [TOKEN, words, "ABCD-EFG2"]) == []


def test_what_is_handed_out_is_looked_for_from_then_on(tmp_path: Path) -> None:
    handed = token_urlsafe(32)
    key = token_urlsafe(16)
    note_answer(f'{{"host_token":"qwh_{handed}","join_code":"ZYXW-VUT2"}}'.encode())
    note_request({"Idempotency-Key": f'"{key}"'})
    known = known_to(tmp_path, {"QWIRKLE_API_KEYS": "acme:of-one-and-a-half, acme:short"})
    assert {f"qwh_{handed}", "ZYXW-VUT2", key, "of-one-and-a-half"} <= known
    assert "short" not in known


def test_one_of_thousands_of_secrets_is_found_in_megabytes_of_logs() -> None:
    secrets = [f"qwp_0_{token_urlsafe(32)}" for _ in range(5_000)]
    line = '{"time":"2026-11-17T06:00:03.542Z","game":"%s","request_id":"%016x","ms":1.5}\n'
    text = "".join(line % ("a2b3c4d5e6f7" * 2 + "gh", n) for n in range(20_000))
    assert found_in(text + secrets[7], secrets) == [secrets[7]]

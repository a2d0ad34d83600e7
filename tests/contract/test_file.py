"""The file itself: valid, lint clean, and complete."""

import json
import re

from openapi_spec_validator import validate

from service.rules.errors import ORDER_OF_CODES
from tests.contract.document import (
    FILE,
    ROOT,
    examples_of,
    media,
    operations,
    problems,
    resolved,
    written,
)
from tests.contract.npm import run_package

REDOCLY = "@redocly/cli@2.73.0"
SPECTRAL = "@stoplight/spectral-cli@6.15.0"
FREE = {"Metadata", "VerifyRecordRequest"}
SENT = FREE | {
    "AddBotRequest",
    "BidRequest",
    "CreateGameRequest",
    "DealRequest",
    "JoinByCodeRequest",
    "ExchangeRequest",
    "ForkRequest",
    "JoinRequest",
    "MatchRequest",
    "Placement",
    "PlayerRequest",
    "PlayRequest",
    "RematchRequest",
    "RenewTokenRequest",
    "UpdateGameRequest",
    "Setup",
    "SetupPlacement",
}
"""Schemas of requests; all others are of answers."""


def test_the_file_is_valid_openapi() -> None:
    validate(written())


def test_the_linter_finds_nothing() -> None:
    answer = run_package(
        REDOCLY,
        "redocly",
        "lint",
        str(FILE),
        "--extends=recommended",
        "--format=json",
        REDOCLY_TELEMETRY="off",
        REDOCLY_SUPPRESS_UPDATE_NOTICE="true",
    )
    report = json.loads(answer.stdout[answer.stdout.index("{") :])
    assert report["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}, report["problems"]


def test_the_other_linter_finds_nothing() -> None:
    rules = ROOT / "tests" / "contract" / "spectral.yaml"
    answer = run_package(
        SPECTRAL, "spectral", "lint", str(FILE), f"--ruleset={rules}", "--format=json", "--quiet"
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert json.loads(answer.stdout) == []


def test_operations_have_names_of_their_own() -> None:
    names = [operation.name for operation in operations()]
    assert len(names) == len(set(names))


def test_every_operation_can_succeed() -> None:
    without = {o.path for o in operations() if not any(s.startswith("2") for s in o.responses)}
    assert without == set()


def test_every_body_has_an_example() -> None:
    assert [label for o in operations() for label, kind in media(o) if not examples_of(kind)] == []


def test_every_operation_says_what_it_does_and_who_may() -> None:
    for operation in operations():
        for member in ("summary", "description", "security", "tags"):
            assert member in operation.statement, (operation.name, member)


def test_every_write_takes_an_idempotency_key_and_every_read_of_a_game_a_version() -> None:
    for operation in operations():
        taken = {parameter["name"] for parameter in operation.parameters}
        if operation.method == "post":
            assert "Idempotency-Key" in taken, operation.name
        if operation.name == "streamEvents":
            continue
        if operation.path.startswith("/v1/games/") and operation.method == "get":
            assert "If-None-Match" in taken, operation.name
            assert "304" in operation.responses, operation.name
        elif operation.path.startswith("/v1/games/"):
            assert "If-Match" in taken, operation.name
            assert "412" in operation.responses, operation.name


def test_requests_are_closed_and_answers_are_open_and_have_all_their_members() -> None:
    for name, schema in resolved()["components"]["schemas"].items():
        for part in schema.get("allOf", [schema]):
            if name in SENT:
                assert part["additionalProperties"] is (name in FREE), name
            elif "properties" in part:
                assert part["required"] == list(part["properties"]), name
                assert not {"additionalProperties", "unevaluatedProperties"} & part.keys(), name


def test_every_code_is_explained_and_is_given_by_some_operation() -> None:
    codes = written()["components"]["schemas"]["ProblemCode"]["enum"]
    assert list(problems()) == codes
    given = set()
    for operation in operations():
        for status, response in operation.responses.items():
            content = response.get("content", {}).get("application/problem+json")
            if content is None:
                continue
            here = list(content["examples"])
            listed = response["description"].partition("Codes: ")[2]
            assert re.findall(r"`(\w+)`", listed) == here, (operation.name, status)
            for code in here:
                assert status == str(problems()[code]["status"]), code
            given |= set(here)
    assert given == set(codes) - {"method_not_allowed"}  # what is not an operation


def test_the_codes_of_broken_rules_are_those_of_the_rules() -> None:
    broken = [code for code, about in problems().items() if about["status"] == 422]
    assert set(broken) == {*ORDER_OF_CODES, "idempotency_key_reused"}


def test_neither_the_file_nor_the_pages_name_a_foreign_host() -> None:
    pages = (ROOT / "service" / "web" / "docs").iterdir()
    for file in (FILE, *pages):
        hosts = re.findall(r"https?://[^\s\"'<>]+", file.read_text(encoding="utf-8"))
        assert set(hosts) <= {"http://www.w3.org/2000/svg"}, file.name

"""Schemathesis makes requests up from the contract, one after the other as its links and the ids
in its answers lead, and holds every answer against every promise of the contract.
"""

from collections import Counter
from contextlib import suppress
from copy import deepcopy
from random import Random
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import FlakyStrategyDefinition
from hypothesis.strategies import SearchStrategy
from schemathesis import Case, GenerationMode, Response
from schemathesis.config import SchemathesisConfig
from schemathesis.errors import FailureGroup
from schemathesis.schemas import BaseSchema

from tests import secrecy
from tests.contract.document import ROOT, Operation, operation, operations, written
from tests.fuzz.refusals import REASONS
from tests.servers import QwirkleServer

# A stream has no end. The contract as YAML is a text to us, and an object to whoever reads YAML.
STREAM = "/v1/games/{game_id}/events/stream"
ASKED = [each for each in operations() if each.path not in {STREAM, "/openapi.yaml"}]
CREATING = "POST /v1/games"
STEPS = 8
MANY = 3_000


def contract(
    server: QwirkleServer, mode: str = "all", document: dict[str, Any] | None = None
) -> BaseSchema:
    config = SchemathesisConfig.from_dict(
        {
            "seed": 6,
            "base-url": server.base_url,
            "request-timeout": 30,
            "generation": {
                "deterministic": True,
                "with-security-parameters": False,
                "mode": mode,
            },
            # `only_refused_for_a_reason` looks at the code, not only at the status.
            "checks": {"positive_data_acceptance": {"enabled": False}},
            # It is asked again without a token, when there is no such game any more: 404 is first.
            "operations": [
                {
                    "include-name": "DELETE /v1/games/{game_id}",
                    "checks": {"ignored_auth": {"enabled": False}},
                }
            ],
        }
    )
    # A copy: Schemathesis changes what it is given.
    schema = schemathesis.openapi.from_dict(deepcopy(document or written()), config=config)
    return schema.exclude(path=STREAM)


class Guests:
    """Who has which tokens; leads made-up requests to real games, most often with a token."""

    def __init__(self) -> None:
        self.answered: Counter[tuple[str, int]] = Counter()
        self.begin()
        body: Any = operation("createGame").body
        examples = body["content"]["application/json"]["examples"]
        self._creations = [each["value"] for each in examples.values()]

    def begin(self) -> None:
        """Forget all games, so that nothing depends on what was made up before."""
        self.tokens: dict[str, list[str]] = {}
        self._chance = Random(6)

    def lead(self, case: Case) -> dict[str, str]:
        """Give the request a real game if it is one about a game; the token to send with it."""
        if case.operation.label == CREATING and self._chance.random() < 0.8:
            case.body = self._chance.choice(self._creations) | {"seed": "made up"}
        where: Any = case.path_parameters
        if "game_id" not in (where or {}) or not self.tokens:
            return {}
        if where["game_id"] not in self.tokens and self._chance.random() < 0.9:
            where["game_id"] = self._chance.choice(list(self.tokens))
        known = self.tokens.get(where["game_id"])
        if not known or self._chance.random() < 0.1:
            return {}
        if self._chance.random() < 0.9:
            # Made up, it names no state there ever was: most requests are to get further.
            case.headers.pop("If-Match", None)
        return {"Authorization": f"Bearer {self._chance.choice(known)}"}

    def note(self, case: Case, response: Response) -> None:
        """Remember what was answered, and the tokens of a new game."""
        self.answered[case.operation.label, response.status_code] += 1
        secrecy.note_answer(response.content)
        if response.status_code == 201 and b'"host_token"' in response.content:
            made = response.json()
            players = [player["token"] for player in made["players"]]
            self.tokens[made["game"]["id"]] = [made["host_token"], *players]
        if response.status_code == 204 and case.method == "DELETE":
            self.tokens.pop(case.path_parameters["game_id"], None)


def quiet(examples: int, *, random: bool, **more: Any) -> settings:
    """Settings under which nothing is repeated, and nothing is random unless it is asked for."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=not random,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        **more,
    )


def run_statefully(server: QwirkleServer, examples: int, *, random: bool) -> Guests:
    """So many runs of a few requests each, most of which build on those before."""
    guests = Guests()
    base: Any = contract(server, "positive").as_state_machine()

    class Visit(base):  # type: ignore[misc]  # made from the contract
        def setup(self) -> None:
            guests.begin()

        def get_call_kwargs(self, case: Case) -> dict[str, Any]:
            return {"headers": guests.lead(case)}

        def after_call(self, response: Response, case: Case) -> None:
            guests.note(case, response)

    # A server has a state of its own, which Hypothesis minds when it meets the same beginning with
    # another end. What was answered up to then has been held against the contract all the same.
    with suppress(FlakyStrategyDefinition):
        Visit.run(settings=quiet(examples, random=random, stateful_step_count=STEPS))
    return guests


def test_requests_that_follow_from_each_other_are_answered_as_promised(
    server: QwirkleServer,
) -> None:
    answered = run_statefully(server, 12, random=False).answered
    assert answered[CREATING, 201], "no game was made"
    assert answered.total() > 30


@pytest.mark.soak
def test_requests_at_random_that_follow_from_each_other_are_answered_as_promised(
    server: QwirkleServer,
) -> None:
    answered: Counter[tuple[str, int]] = Counter()
    while answered.total() < MANY:
        answered += run_statefully(server, 100, random=True).answered
    assert len({label for label, _ in answered}) > 15


def pester(guests: Guests, cases: SearchStrategy[Case], how: settings, *, led: bool) -> None:
    """Requests made up for one operation, each answer held against the contract."""

    @how
    @given(case=cases)
    def ask(case: Case) -> None:
        headers = guests.lead(case) if led else {}
        response = case.call(headers=headers, timeout=30)
        guests.note(case, response)
        case.validate_response(response, headers=headers)

    ask()


def can_be_wrong(asked: Operation) -> bool:
    """Whether there is anything to send that it does not take; a header is hardly ever refused."""
    return asked.body is not None or any(it["in"] != "header" for it in asked.parameters)


def fuzz(server: QwirkleServer, examples: int, *, random: bool) -> Counter[tuple[str, int]]:
    """Every operation, with what it takes and with what it does not take."""
    guests = Guests()
    schema = contract(server)
    made = requests.post(f"{server.base_url}/v1/games", json={"seats": 3}, timeout=30).json()
    guests.tokens = {made["game"]["id"]: [made["host_token"]]}
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        for each in ASKED:
            if mode is GenerationMode.NEGATIVE and not can_be_wrong(each):
                continue
            strategy = schema[each.path][each.method].as_strategy(generation_mode=mode)

            led = mode is GenerationMode.POSITIVE and each.method != "delete"
            pester(guests, strategy, quiet(examples, random=random), led=led)
    return guests.answered


def test_whatever_is_sent_to_an_operation_is_answered_as_promised(server: QwirkleServer) -> None:
    answered = fuzz(server, 2, random=False)
    assert {label for label, _ in answered} == {
        f"{each.method.upper()} {each.path}" for each in ASKED
    }


def test_a_valid_request_that_is_refused_without_a_reason_is_noticed(server: QwirkleServer) -> None:
    document = deepcopy(written())
    document["components"]["schemas"]["CreateGameRequest"]["properties"]["seats"]["minimum"] = 0
    creation = contract(server, document=document)["/v1/games"]["post"]
    strategy = creation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    with pytest.raises(FailureGroup, match=r"refused with malformed_request: \['/seats "):
        pester(Guests(), strategy, quiet(50, random=False), led=False)


def test_every_reason_to_refuse_a_valid_request_is_documented() -> None:
    page = " ".join((ROOT / "docs" / "clients.md").read_text("utf-8").split())
    assert [each.why for each in REASONS if each.why not in page] == []


@pytest.mark.soak
def test_whatever_is_sent_at_random_is_answered_as_promised(server: QwirkleServer) -> None:
    fuzz(server, 100, random=True)

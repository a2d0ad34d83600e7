"""Holds a real answer of the service against `openapi.yaml`.

`check_answer` raises `ContractBroken` with every disagreement it finds, members that the contract
does not name included. Validators are compiled once, so thousands of answers can be checked.
"""

import gzip
import re
from collections.abc import Iterator, Mapping
from functools import cache
from http import HTTPStatus
from http.client import HTTPResponse
from typing import Any

import orjson
from jsonschema import Draft202012Validator, FormatChecker

from tests.contract.closed import closed
from tests.contract.document import operations, problems, resolved

PROBLEM = "application/problem+json"


class ContractBroken(AssertionError):
    """The answer is not one that the contract allows."""


def body_of(answer: HTTPResponse) -> bytes:
    """The whole body, unpacked if it is in gzip; of a stream, which has no end, the first line."""
    if answer.getheader("Content-Type", "").startswith("text/event-stream"):
        return answer.readline()
    body = answer.read()
    return gzip.decompress(body) if body and answer.getheader("Content-Encoding") else body


def check_answer(
    method: str, path: str, status: int, headers: Mapping[str, str], body: bytes
) -> None:
    """Check an answer to `method` on `path`, a template of the contract or a real path."""
    method, path = method.lower(), path.partition("?")[0]
    if method == "options":
        return
    sent = {name.lower(): value for name, value in headers.items()}
    response = _documented(method, path, status)
    faults = list(_header_faults(response, sent))
    if method != "head":
        faults += _body_faults(response, status, sent, body)
    if faults:
        raise ContractBroken(f"{method.upper()} {path} {status}: " + "; ".join(faults))


def check_message(body: bytes, headers: Mapping[str, str]) -> None:
    """Check a webhook message against the statement of its type."""
    message = orjson.loads(body)
    statements = {
        content["schema"]["properties"]["type"]["enum"][0]: (item["post"], content)
        for item in resolved()["webhooks"].values()
        for content in item["post"]["requestBody"]["content"].values()
    }
    statement, content = statements[message["type"]]
    faults = [each.message for each in _validator(content["schema"]).iter_errors(message)]
    faults += [it["name"] for it in statement["parameters"] if it["name"] not in headers]
    if faults:
        raise ContractBroken(f"{message['type']}: " + "; ".join(faults))


def _documented(method: str, path: str, status: int) -> dict[str, Any]:
    known = _operations_at(path)
    if not known or (method not in known and method != "head"):
        expected = 405 if known else 404
        if status != expected:
            raise ContractBroken(f"{method.upper()} {path}: {status} instead of {expected}")
        return _no_operation(expected)
    responses = known.get("get" if method == "head" else method, {"responses": {}})["responses"]
    response = responses.get(str(status))
    if response is None:
        raise ContractBroken(f"{method.upper()} {path}: the status {status} is not documented")
    return response


@cache
def _no_operation(status: int) -> dict[str, Any]:
    """The answer to what is no operation: the contract tells it in words, as none gives it."""
    found = resolved()["components"]["responses"]["Hidden"]
    if status == HTTPStatus.NOT_FOUND:
        return found
    content = found["content"][PROBLEM] | {"examples": {"method_not_allowed": {}}}
    allow = {"required": True, "schema": {"type": "string"}}
    return {"headers": found["headers"] | {"Allow": allow}, "content": {PROBLEM: content}}


@cache
def _templates() -> list[tuple[re.Pattern[str], dict[str, dict[str, Any]]]]:
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for each in operations():
        found.setdefault(each.path, {})[each.method] = each.statement
    return [(_pattern(path), statements) for path, statements in found.items()]


def _pattern(path: str) -> re.Pattern[str]:
    parts = re.split(r"(\{\w+\})", path)
    return re.compile("".join("[^/]+" if p.startswith("{") else re.escape(p) for p in parts))


@cache
def _operations_at(path: str) -> dict[str, dict[str, Any]]:
    for pattern, statements in _templates():
        if pattern.fullmatch(path):
            return statements
    return {}


def _header_faults(response: dict[str, Any], sent: Mapping[str, str]) -> Iterator[str]:
    for name, header in response.get("headers", {}).items():
        value = sent.get(name.lower())
        if value is None:
            if header.get("required"):
                yield f"the header {name} is missing"
            continue
        typed: Any = value
        if header["schema"]["type"] == "integer" and value.isdecimal():
            typed = int(value)
        for fault in _validator(header["schema"]).iter_errors(typed):
            yield f"the header {name}: {fault.message}"


def _body_faults(
    response: dict[str, Any], status: int, sent: Mapping[str, str], body: bytes
) -> Iterator[str]:
    content = response.get("content")
    if content is None:
        if body:
            yield f"a body of {len(body)} bytes where none is documented"
        return
    kind = sent.get("content-type", "none").partition(";")[0].strip()
    if kind not in content:
        yield f"the content type {kind} is not documented"
        return
    if not kind.endswith("json"):
        return
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as fault:
        yield f"the body is not JSON ({fault})"
        return
    for fault in _validator(content[kind]["schema"]).iter_errors(value):
        yield f"{fault.json_path}: {fault.message[:300]}"
    if kind == PROBLEM and isinstance(value, dict):
        yield from _problem_faults(value, status, sent)
        if value.get("code") not in content[kind]["examples"]:
            yield f"the code {value.get('code')} is not documented here"


def _problem_faults(problem: dict[str, Any], status: int, sent: Mapping[str, str]) -> Iterator[str]:
    code = problem.get("code")
    known = problems().get(code or "", {})
    expected = {
        "status": status,
        "type": f"/docs/problems#{code}",
        "title": known.get("title"),
        "request_id": sent.get("x-request-id"),
    }
    if sent.get("content-language", "en") != "en":
        del expected["title"]  # the contract tells the English ones
    for member, value in expected.items():
        if problem.get(member) != value:
            yield f"{member} is {problem.get(member)!r} instead of {value!r}"
    if known.get("status") != status:
        yield f"the code {code} belongs to another status than {status}"
    if (code == "malformed_request") != bool(problem.get("errors")):
        yield "errors must be given with malformed_request, and only then"
    violations = problem.get("violations")
    if violations is not None and (not violations or violations[0]["code"] != code):
        yield "code must be that of the first violation"


_VALIDATORS: dict[int, Draft202012Validator] = {}


def _validator(schema: dict[str, Any]) -> Draft202012Validator:
    """The compiled schema; schemas live as long as the document, so their identity is a key."""
    found = _VALIDATORS.get(id(schema))
    if found is None:
        found = Draft202012Validator(closed(schema), format_checker=FormatChecker())
        _VALIDATORS[id(schema)] = found
    return found

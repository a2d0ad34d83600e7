"""The requests of `examples/*.http`, each sent to the real server.

The file is for the extension "REST Client" of VS Code. This reads what it uses of that format:
`###` between requests, `# @name`, `@variable = value`, `{{variable}}`, `{{$guid}}`, and parts of
earlier answers, as in `{{create.response.body.$.game.id}}`.
"""

import http.client
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from tests.contract.checker import body_of, check_answer
from tests.contract.document import ROOT, operations
from tests.servers import QwirkleServer

EXAMPLES = ROOT / "examples"
FILE = (EXAMPLES / "requests.http").read_text(encoding="utf-8")
OF_TENANTS = (EXAMPLES / "tenant.http").read_text(encoding="utf-8")
REQUEST = re.compile(
    r"(?P<settings>(?:[@#].*\n)*)(?P<method>[A-Z]+) (?P<url>.+)\n"
    r"(?P<headers>(?:.+\n)*)(?P<body>(?s:.*))"
)


def part_of(answer: Any, path: str) -> str:
    """What a JSONPath made of names and positions selects, or `*` for everything."""
    for step in re.findall(r"[^.$\[\]*]+", path):
        answer = answer[int(step) if step.isdecimal() else step]
    return answer if isinstance(answer, str) else json.dumps(answer)


@dataclass
class Editor:
    """Sends requests one after the other, as somebody would from the editor."""

    connection: http.client.HTTPConnection
    variables: dict[str, str]
    answers: dict[str, Any] = field(default_factory=dict)
    sent: set[tuple[str, str]] = field(default_factory=set)

    def value(self, expression: str) -> str:
        if expression == "$guid":
            return str(uuid4())
        name, separator, path = expression.partition(".response.body.")
        return part_of(self.answers[name], path) if separator else self.variables[name]

    def filled(self, text: str) -> str:
        return re.sub(r"\{\{(.+?)\}\}", lambda found: self.value(found[1]), text)

    def send_all(self, file: str) -> None:
        for block in re.split(r"(?m)^###", file)[1:]:
            title, _, request = block.partition("\n")
            self.send(title.strip(), request)

    def send(self, title: str, request: str) -> None:
        parts = REQUEST.fullmatch(request)
        assert parts, f"{title}: not a request"
        for name, value in re.findall(r"(?m)^@(\w+) = (.+)$", parts["settings"]):
            self.variables[name] = self.filled(value)
        address, method = urlsplit(self.filled(parts["url"])), parts["method"]
        headers = dict(line.split(": ", 1) for line in self.filled(parts["headers"]).splitlines())
        target = f"{address.path}?{address.query}" if address.query else address.path
        self.connection.request(method, target, self.filled(parts["body"]).strip(), headers)
        answer = self.connection.getresponse()
        content = body_of(answer)
        check_answer(method, address.path, answer.status, dict(answer.getheaders()), content)
        assert 200 <= answer.status < 300, f"{title}: {content!r}"
        path = parts["url"].removeprefix("{{base}}").partition("?")[0]
        path = path.replace("{{bot_seat}}", "{seat}")
        self.sent.add((method.lower(), re.sub(r"\{\{\w+\}\}", "{game_id}", path)))
        if named := re.search(r"(?m)^# @name (\w+)$", parts["settings"]):
            self.answers[named[1]] = json.loads(content)
        if not answer.isclosed():
            self.connection.close()  # it was a stream, which has no end


@pytest.fixture
def editor(valkey_server: QwirkleServer) -> Editor:
    netloc = urlsplit(valkey_server.base_url).netloc
    connection = http.client.HTTPConnection(netloc, timeout=60)
    return Editor(connection, {"base": valkey_server.base_url})


@pytest.fixture
def tenants_editor(kept_qwirkle: Callable[..., QwirkleServer]) -> Editor:
    """As `editor`, on a service with the API key of the file."""
    (key,) = re.findall(r"(?m)^@api_key = (.+)$", OF_TENANTS)
    server = kept_qwirkle(QWIRKLE_API_KEYS=f"acme:{key}")
    assert f"`QWIRKLE_API_KEYS=acme:{key} make run`" in OF_TENANTS
    connection = http.client.HTTPConnection(urlsplit(server.base_url).netloc, timeout=60)
    return Editor(connection, {"base": server.base_url, "api_key": key})


def test_every_request_succeeds_and_no_operation_is_left_out(
    editor: Editor, tenants_editor: Editor
) -> None:
    editor.send_all(FILE)
    tenants_editor.send_all(OF_TENANTS)
    sent = editor.sent | tenants_editor.sent
    assert sent == {(each.method, each.path) for each in operations()}


def test_the_requests_go_to_where_make_run_serves() -> None:
    for file in (FILE, OF_TENANTS):
        assert "\n@base = http://127.0.0.1:8000\n" in file

"""The contract and its pages as they are served."""

import re

import pytest
import yaml
from flask import Flask
from flask.testing import FlaskClient

from service.api.openapi_file import contract, stated_problems
from service.api.views.docs import reference
from tests.contract.document import FILE, problems, written


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    app = Flask("service", static_folder=None)
    app.register_blueprint(reference)
    return app.test_client()


def test_the_contract_is_served_word_for_word(client: FlaskClient) -> None:
    answer = client.get("/openapi.yaml")
    assert answer.data == FILE.read_bytes()
    assert answer.mimetype == "text/yaml"


def test_the_contract_is_served_as_json_too(client: FlaskClient) -> None:
    answer = client.get("/openapi.json")
    assert answer.json == written() == yaml.safe_load(client.get("/openapi.yaml").data)
    assert answer.content_type == "application/json"


@pytest.mark.parametrize("path", ["/openapi.yaml", "/openapi.json", "/docs/assets/start.js"])
def test_a_document_that_has_not_changed_is_not_sent_again(client: FlaskClient, path: str) -> None:
    first = client.get(path)
    again = client.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]


@pytest.mark.parametrize("path", ["/docs", "/docs/problems"])
def test_everything_that_a_page_needs_is_served_here(client: FlaskClient, path: str) -> None:
    page = client.get(path)
    needed = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"', page.text)
    assert needed
    for address in needed:
        assert client.get("/docs/" + address.removeprefix("docs/")).status_code == 200, address


@pytest.mark.parametrize("path", ["/docs", "/docs/problems"])
def test_a_page_allows_no_inline_script_and_no_other_host(client: FlaskClient, path: str) -> None:
    page = client.get(path)
    policy = page.headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert re.findall(r"<script(?![^>]* src=)", page.text) == []
    assert re.findall(r"\son\w+=", page.text) == []


def test_every_problem_has_its_place_on_the_page(client: FlaskClient) -> None:
    page = client.get("/docs/problems").text
    for code, about in problems().items():
        assert f'<section id="{code}">' in page
        assert str(about["status"]) in page
    assert "`" not in page


def test_other_files_are_not_served(client: FlaskClient) -> None:
    for name in ("reference.html", "..%2f..%2fconfig.py", "swagger-ui.js.map", "LICENSE"):
        assert client.get(f"/docs/assets/{name}").status_code == 404


def test_the_problems_read_alone_are_those_of_the_whole_contract() -> None:
    assert stated_problems() == contract()["x-problems"]

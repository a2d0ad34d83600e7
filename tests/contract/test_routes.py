"""The application answers on exactly the paths and methods of the contract."""

import re

import pytest
from flask import Flask, Request
from werkzeug.exceptions import HTTPException
from werkzeug.test import EnvironBuilder

from service.app import create_app
from service.config import Settings
from tests.contract.document import operations

# Parts of pages that people look at; no client has a use for them.
NOT_IN_THE_CONTRACT = {
    ("get", "/docs/assets/{}"),
    ("get", "/g/{}"),
    ("get", "/icons/{}.png"),
    ("get", "/manifest.webmanifest"),
    ("get", "/sw.js"),
    ("get", "/table/{}/{}"),
    ("get", "/words/{}.json"),
}


METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
GAME = "a2b3c4d5e6f7abcdefghijklmn"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    environment = {
        "QWIRKLE_SECRET": "s" * 32,
        "QWIRKLE_DATA_DIR": str(tmp_path_factory.mktemp("data")),
        "QWIRKLE_REDIS_URL": "redis://127.0.0.1:1",  # never asked
    }
    return create_app(Settings.from_env(environment))


def test_the_routes_are_those_of_the_contract(app: Flask) -> None:
    routes = {
        (method.lower(), re.sub(r"<[^>]+>", "{}", rule.rule))
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    stated = {(each.method, re.sub(r"\{\w+\}", "{}", each.path)) for each in operations()}
    assert routes - NOT_IN_THE_CONTRACT == stated


def found(app: Flask, method: str, path: str) -> object:
    """What the application takes this request for."""
    with app.request_context(EnvironBuilder(path=path, method=method).get_environ()) as context:
        asked = context.request
        return asked.routing_exception or (asked.url_rule, asked.view_args)


def searched(app: Flask, method: str, path: str) -> object:
    """What Flask's own search takes this request for."""
    asked = Request(EnvironBuilder(path=path, method=method).get_environ())
    adapter = Flask.create_url_adapter(app, asked)
    assert adapter is not None
    try:
        return adapter.match(return_rule=True)
    except HTTPException as error:
        return error


def test_every_request_takes_the_route_that_a_search_would_find(app: Flask) -> None:
    stated = {re.sub(r"<game_id>", "{}", rule.rule) for rule in app.url_map.iter_rules()}
    names = (GAME, GAME.upper(), GAME[1:], "0" * 26, "é" * 26)
    about = {path.format(name) for path in stated if "{}" in path for name in names}
    others = {"/v1/games", "/v1/games/", f"/v1/games/{GAME}/", f"/v1/games/{GAME}/none", "/livez"}
    others |= {f"/v1/games//{GAME}", f"/v1/games/{GAME}/plays/", f"/v2/games/{GAME}/plays"}
    compared = 0
    for path in about | others:
        for method in METHODS:
            mine, theirs = found(app, method, path), searched(app, method, path)
            if isinstance(theirs, HTTPException):
                assert type(mine) is type(theirs), (method, path)
            else:
                assert mine == theirs, (method, path)
                compared += 1
    assert compared > len(about)

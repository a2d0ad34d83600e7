"""The application answers on exactly the paths and methods of the contract."""

import re
from pathlib import Path

from service.app import create_app
from service.config import Settings
from tests.contract.document import operations

# Parts of pages that people look at; no client has a use for them.
NOT_IN_THE_CONTRACT = {
    ("get", "/docs/assets/{}"),
    ("get", "/table/{}/{}"),
    ("get", "/words/{}.json"),
}


def test_the_routes_are_those_of_the_contract(tmp_path: Path) -> None:
    environment = {
        "QWIRKLE_SECRET": "s" * 32,
        "QWIRKLE_DATA_DIR": str(tmp_path),
        "QWIRKLE_REDIS_URL": "redis://127.0.0.1:1",  # never asked
    }
    settings = Settings.from_env(environment)
    routes = {
        (method.lower(), re.sub(r"<[^>]+>", "{}", rule.rule))
        for rule in create_app(settings).url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    stated = {(each.method, re.sub(r"\{\w+\}", "{}", each.path)) for each in operations()}
    assert routes - NOT_IN_THE_CONTRACT == stated

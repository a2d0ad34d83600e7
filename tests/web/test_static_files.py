"""The page and its files as they are served."""

import gzip
import json
import posixpath
import re
import struct
from importlib.resources import files
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.api.views.docs import reference
from service.api.views.web_app import app_files
from service.api.views.web_client import page
from service.i18n import LANGUAGES

FOLDER = Path(str(files("service") / "web" / "table"))
FIRST_LOAD_BYTES = 150_000
GAME_VIEW_BYTES = 90_000  # in gzip, as browsers ask for it


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    app = Flask("service", static_folder=None)
    app.register_blueprint(reference)
    app.register_blueprint(page)
    app.register_blueprint(app_files)
    return app.test_client()


def needed_by(markup: str) -> list[str]:
    return re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"', markup)


def imported_by(address: str, script: str) -> list[str]:
    """What a script imports at once, by URL."""
    names = re.findall(r'^(?:import|export)[^;]*?from "(\.[\w./]+)"', script, re.MULTILINE)
    return [posixpath.normpath(posixpath.join(posixpath.dirname(address), name)) for name in names]


def loaded_at_once(client: FlaskClient, *views: str) -> dict[str, bytes]:
    """Everything the browser loads before the page can be used, or one of its views, by URL."""
    front = client.get("/")
    found = {"": front.data}
    waiting = needed_by(front.text)
    (main,) = (address for address in waiting if address.endswith("/main.js"))
    waiting += [main.replace("main.js", view) for view in views]
    while waiting:
        address = waiting.pop()
        if address in found:
            continue
        answer = client.get("/" + address)
        assert answer.status_code == 200, address
        found[address] = answer.data
        if address.endswith(".js"):
            waiting += imported_by(address, answer.text)
    found["tiles.json"] = (FOLDER / "tiles.json").read_bytes()
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_load_is_small_in_every_language(client: FlaskClient, language: str) -> None:
    files_loaded = loaded_at_once(client)
    words = client.get(f"/words/{language}.json").data
    assert len(files_loaded) > 10
    assert sum(map(len, files_loaded.values())) + len(words) <= FIRST_LOAD_BYTES


def test_a_link_to_a_game_costs_little_on_the_wire(client: FlaskClient) -> None:
    sheets = (FOLDER / "game_styles.js").read_text().split("[")[1].split("]")[0]
    styles = [f"{name}.css" for name in json.loads(f"[{sheets}]")]
    files_loaded = loaded_at_once(client, "game_controller.js", "waiting_room.js", *styles)
    files_loaded["words"] = client.get("/words/ru.json").data
    assert sum(len(gzip.compress(each)) for each in files_loaded.values()) <= GAME_VIEW_BYTES


def test_no_script_of_the_first_view_has_to_wait_for_another(client: FlaskClient) -> None:
    at_once = {address for address in needed_by(client.get("/").text) if address.endswith(".js")}
    assert at_once == {address for address in loaded_at_once(client) if address.endswith(".js")}


def test_a_strict_policy_allows_only_what_is_served_here(client: FlaskClient) -> None:
    front = client.get("/")
    policy = front.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert front.headers["Referrer-Policy"] == "no-referrer"
    assert front.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert re.findall(r"<script(?![^>]* src=)|<style|\sstyle=|\son\w+=", front.text) == []
    assert re.findall(r'(?:src|href)="(?:https?:)?//', front.text) == []


def test_files_under_their_content_hash_are_cached_forever(client: FlaskClient) -> None:
    (script,) = (each for each in needed_by(client.get("/").text) if each.endswith("/main.js"))
    kept = client.get("/" + script)
    assert "immutable" in kept.headers["Cache-Control"]
    assert kept.mimetype == "text/javascript"
    older = client.get("/table/000000000000/main.js")
    assert (older.data, older.headers["Cache-Control"]) == (kept.data, "no-cache")


@pytest.mark.parametrize("path", ["/", "/table/now/theme.css", "/words/en.json"])
def test_unchanged_files_are_not_sent_again(client: FlaskClient, path: str) -> None:
    first = client.get(path)
    again = client.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/table/now/index.html",
        "/table/now/..%2fdocs%2flook.css",
        "/table/now/client",
        "/table/now/client/../index.html",
        "/table/now/client/package.json",
        "/words/xx.json",
    ],
)
def test_nothing_else_is_served(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_the_page_and_the_reference_link_to_each_other(client: FlaskClient) -> None:
    assert 'href="docs"' in (FOLDER / "lobby.js").read_text().replace("href: ", "href=")
    assert 'href="./"' in client.get("/docs").text


def test_every_text_of_the_scripts_is_in_the_catalogue(client: FlaskClient) -> None:
    words = json.loads(client.get("/words/en.json").data)
    used, prefixes = set(), set()
    for script in FOLDER.glob("*.js"):
        text = script.read_text()
        used |= set(re.findall(r'\bt\("([\w.]+)"', text))
        prefixes |= set(re.findall(r"\bt\(`([\w.]+)\$\{", text))
    assert len(used) > 100
    assert used - words.keys() == set()
    assert {start for start in prefixes if not any(key.startswith(start) for key in words)} == set()


def test_the_page_can_be_installed(client: FlaskClient) -> None:
    manifest = json.loads(client.get("/manifest.webmanifest").data)
    assert manifest["display"] == "standalone"
    for icon in manifest["icons"]:
        picture = client.get("/" + icon["src"])
        assert picture.mimetype == "image/png"
        width, height = struct.unpack(">II", picture.data[16:24])
        assert icon["sizes"] == f"{width}x{height}"
    assert client.get("/icons/13.png").status_code == 404


def test_the_service_worker_keeps_every_part_of_this_release(client: FlaskClient) -> None:
    script = client.get("/sw.js").text
    kept = json.loads(re.findall(r"^const PARTS = (.*);$", script, re.MULTILINE)[0])
    assert len(kept) > 50
    for path in kept:
        assert "immutable" in client.get("/" + path).headers["Cache-Control"], path


def test_a_link_to_a_game_has_a_picture_and_no_secret(client: FlaskClient) -> None:
    game_id = "abcdefghijklmnopqrstuvwxyz"
    preview = client.get(f"/g/{game_id}")
    picture = f"http://localhost/v1/games/{game_id}/board.png?size=600"
    assert f'<meta property="og:image" content="{picture}">' in preview.text
    assert "trusted-types" in preview.headers["Content-Security-Policy"]
    assert client.get("/g/abc").status_code == 404

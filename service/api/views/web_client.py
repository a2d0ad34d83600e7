"""The web client at `/`: a page to play on, which uses only the public API.

The path of its files contains a hash of all of them, so that browsers may cache them for ever and
never mix two releases.
"""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePath

import orjson
from flask import Blueprint, Response, abort

from service.api.static_files import MEDIA_TYPES, StaticFile, file_response

page = Blueprint("page", __name__)

LANGUAGES = ("cs", "de", "en", "fr", "hu", "it", "pl", "ro", "ru", "sk")

_INDEX = "index.html"
_DEVELOPMENT_PATH = b"table/now/"
_CACHE_FOREVER = "public, max-age=31536000, immutable"
_SECURITY = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}


@page.get("/")
def enter() -> Response:
    """The web client."""
    response = file_response(_index())
    response.headers.update(_SECURITY)
    return response


@page.get("/table/<release>/<name>")
def part(release: str, name: str) -> Response:
    """A script, a style sheet or an image of the page."""
    file = _parts().get(name)
    if file is None:
        abort(404)
    # A page from before an upgrade asks with the old hash: it gets the new file, uncached.
    response = file_response(file, caching=_CACHE_FOREVER if release == _release() else "no-cache")
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


@page.get("/words/<language>.json")
def words(language: str) -> Response:
    """Every text of the page in a language; what is not translated is in English."""
    if language not in LANGUAGES:
        abort(404)
    return file_response(_words(language))


def _files() -> Iterator[Traversable]:
    """All files of the page, by name."""
    folder = files("service") / "web" / "table"
    wanted = (each for each in folder.iterdir() if PurePath(each.name).suffix in MEDIA_TYPES)
    return iter(sorted(wanted, key=lambda each: each.name))


@cache
def _parts() -> dict[str, StaticFile]:
    kept = (each for each in _files() if each.name != _INDEX)
    return {each.name: StaticFile.named(each.name, each.read_bytes()) for each in kept}


@cache
def _release() -> str:
    """A hash of all parts together."""
    tags = "".join(file.etag for file in _parts().values())
    return hashlib.sha256(tags.encode()).hexdigest()[:12]


@cache
def _index() -> StaticFile:
    page_file = files("service") / "web" / "table" / _INDEX
    content = page_file.read_bytes().replace(_DEVELOPMENT_PATH, f"table/{_release()}/".encode())
    return StaticFile.named(_INDEX, content)


@cache
def _words(language: str) -> StaticFile:
    texts = _page_texts("en") | _page_texts(language)
    return StaticFile.of(orjson.dumps(texts), MEDIA_TYPES[".json"])


def _page_texts(language: str) -> dict[str, str | dict[str, str]]:
    file = files("service") / "i18n" / f"{language}.json"
    if not file.is_file():
        return {}
    texts: dict[str, str | dict[str, str]] = orjson.loads(file.read_bytes())["page"]
    return texts

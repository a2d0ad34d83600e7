"""The table at `/`: a page people can play on, which uses nothing but the public interface.

Its files are found under a mark that names the content of all of them together, so a browser may
keep each for good, and a new release is never mixed with an old one.
"""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePath

import orjson
from flask import Blueprint, Response, abort

from service.api.static_files import MEDIA_TYPES, Document, answer_document

page = Blueprint("page", __name__)

LANGUAGES = ("cs", "de", "en", "fr", "hu", "it", "pl", "ro", "ru", "sk")

_FRONT = "index.html"
_UNMARKED = b"table/now/"
_FOR_GOOD = "public, max-age=31536000, immutable"
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
    """The table page."""
    response = answer_document(_front())
    response.headers.update(_SECURITY)
    return response


@page.get("/table/<nonce>/<name>")
def part(nonce: str, name: str) -> Response:
    """A script, a style sheet or a drawing of the page."""
    document = _parts().get(name)
    if document is None:
        abort(404)
    # A page from before an upgrade asks under the old mark: it gets what there is, not for good.
    response = answer_document(document, caching=_FOR_GOOD if nonce == _mark() else "no-cache")
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


@page.get("/words/<language>.json")
def words(language: str) -> Response:
    """Every text of the page in a language; what is not translated is in English."""
    if language not in LANGUAGES:
        abort(404)
    return answer_document(_words(language))


def _files() -> Iterator[Traversable]:
    """Everything that belongs to the page, by name."""
    folder = files("service") / "web" / "table"
    wanted = (each for each in folder.iterdir() if PurePath(each.name).suffix in MEDIA_TYPES)
    return iter(sorted(wanted, key=lambda each: each.name))


@cache
def _parts() -> dict[str, Document]:
    kept = (each for each in _files() if each.name != _FRONT)
    return {each.name: Document.named(each.name, each.read_bytes()) for each in kept}


@cache
def _mark() -> str:
    """Names the content of all parts together."""
    tags = "".join(document.etag for document in _parts().values())
    return hashlib.sha256(tags.encode()).hexdigest()[:12]


@cache
def _front() -> Document:
    page_file = files("service") / "web" / "table" / _FRONT
    marked = page_file.read_bytes().replace(_UNMARKED, f"table/{_mark()}/".encode())
    return Document.named(_FRONT, marked)


@cache
def _words(language: str) -> Document:
    texts = _page_texts("en") | _page_texts(language)
    return Document.of(orjson.dumps(texts), MEDIA_TYPES[".json"])


def _page_texts(language: str) -> dict[str, str | dict[str, str]]:
    file = files("service") / "i18n" / f"{language}.json"
    if not file.is_file():
        return {}
    texts: dict[str, str | dict[str, str]] = orjson.loads(file.read_bytes())["page"]
    return texts

"""The web client at `/`: a page to play on, which uses only the public API.

The path of its files contains a hash of all of them, so that browsers may cache them for ever and
never mix two releases. Among them are the modules of the TypeScript client, as `client/<name>`.
"""

import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath

import orjson
from flask import Blueprint, Response, abort

from service.api.static_files import MEDIA_TYPES, file_response
from service.i18n import ENGLISH, LANGUAGES, catalogue

page = Blueprint("page", __name__)

_FOLDER = files("service") / "web" / "table"
_INDEX = "index.html"
_CACHE_FOREVER = "public, max-age=31536000, immutable"
SECURITY = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        "trusted-types worker"
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
    response = file_response(_INDEX, _index())
    response.headers.update(SECURITY)
    return response


@page.get("/table/<digest>/<path:name>")
def part(digest: str, name: str) -> Response:
    """A script, a style sheet or an image of the page."""
    content = _parts().get(name)
    if content is None:
        abort(404)
    # A page from before an upgrade asks with the old hash: it gets the new file, uncached.
    caching = _CACHE_FOREVER if digest == release() else "no-cache"
    response = file_response(name, content, caching=caching)
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


@page.get("/words/<language>.json")
def words(language: str) -> Response:
    """Every text of the page in a language; what is not translated is in English."""
    if language not in LANGUAGES:
        abort(404)
    return file_response("words.json", _words(language))


@cache
def _parts() -> dict[str, bytes]:
    """All files of the page but the first, by name."""
    parts = _contents(_FOLDER) | _contents(_client_folder(), "client/")
    del parts[_INDEX]
    return dict(sorted(parts.items()))


def _contents(folder: Traversable, prefix: str = "") -> dict[str, bytes]:
    """The files of a folder and its subfolders that are served, by name."""
    found: dict[str, bytes] = {}
    for each in folder.iterdir():
        if each.is_dir():
            found |= _contents(each, f"{prefix}{each.name}/")
        elif PurePath(each.name).suffix in MEDIA_TYPES:
            found[prefix + each.name] = each.read_bytes()
    return found


def _client_folder() -> Traversable:
    """The TypeScript client: in the package once installed, in the source tree before."""
    installed = files("service") / "web" / "client"
    in_source_tree = Path(__file__).parents[3] / "clients" / "typescript" / "src"
    return installed if installed.is_dir() else in_source_tree


@cache
def release() -> str:
    """A hash of all parts together."""
    return hashlib.sha256(b"".join(_parts().values())).hexdigest()[:12]


@cache
def _index() -> bytes:
    return (_FOLDER / _INDEX).read_bytes().replace(b"table/now/", f"table/{release()}/".encode())


@cache
def part_paths() -> list[str]:
    """All parts, as the page asks for them."""
    return [f"table/{release()}/{name}" for name in _parts()]


@cache
def _words(language: str) -> bytes:
    return orjson.dumps({**catalogue(ENGLISH, "page"), **catalogue(language, "page")})

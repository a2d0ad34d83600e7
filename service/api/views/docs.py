"""The API contract and its reference pages: `/openapi.yaml`, `/openapi.json` and `/docs`.

Everything is served from installed files, so the pages work offline.
"""

from functools import cache
from importlib.resources import files
from typing import Any

import orjson
from flask import Blueprint, Response, abort, render_template
from markupsafe import Markup, escape

from service.api.openapi_file import contract, contract_text, stated_problems
from service.api.static_files import file_response

reference = Blueprint("reference", __name__, template_folder="../../web/docs")

_SWAGGER_UI = ("swagger-ui-bundle.js", "swagger-ui.css")
_OUR_OWN = ("start.js", "look.css", "icon.svg")
# No inline scripts and no other hosts; Swagger UI has its icons in data URLs.
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@reference.get("/openapi.yaml")
def contract_as_yaml() -> Response:
    """This contract as YAML."""
    return file_response("openapi.yaml", contract_text())


@reference.get("/openapi.json")
def contract_as_json() -> Response:
    """This contract as JSON."""
    return file_response("openapi.json", _contract_in_json())


@reference.get("/docs")
def read_reference() -> Response:
    """The reference page."""
    return _page("reference.html")


@reference.get("/docs/problems")
def read_problems() -> Response:
    """The list of problems."""
    return _page("problems.html", problems=stated_problems(), marked=_marked)


@reference.get("/docs/assets/<name>")
def asset(name: str) -> Response:
    """A script, a style sheet or an icon of the pages."""
    if name not in _SWAGGER_UI + _OUR_OWN:
        abort(404)
    return file_response(name, _asset(name))


@cache
def _contract_in_json() -> bytes:
    return orjson.dumps(contract())


@cache
def _asset(name: str) -> bytes:
    swagger, ours = files("flask_swagger_ui") / "dist", files("service") / "web" / "docs"
    return ((swagger if name in _SWAGGER_UI else ours) / name).read_bytes()


def _page(template: str, **values: Any) -> Response:
    page = Response(render_template(template, **values), content_type="text/html; charset=utf-8")
    page.headers["Content-Security-Policy"] = _CONTENT_SECURITY_POLICY
    page.headers["Referrer-Policy"] = "no-referrer"
    page.headers["Cache-Control"] = "no-cache"
    page.headers["Vary"] = "Accept-Encoding"
    return page


def _marked(text: str) -> Markup:
    """The text, with everything between backticks as code."""
    parts = escape(text).split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if odd % 2 else part
        for odd, part in enumerate(parts)
    )

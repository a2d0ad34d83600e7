"""What makes the web client an app: manifest, icons, service worker, links with a preview."""

import json
import re
from functools import cache
from importlib.resources import files

from flask import Blueprint, Response, abort, request
from markupsafe import escape

from service.api.static_files import file_response
from service.api.views.web_client import SECURITY, part_paths, release
from service.images.svg_to_png import png_from

app_files = Blueprint("app_files", __name__)

_WEB = files("service") / "web"
_ICON_SIZES = (192, 512)
_GAME_ID = re.compile(r"[a-z2-7]{26}")


@app_files.get("/manifest.webmanifest")
def manifest() -> Response:
    """The web app's manifest."""
    return file_response("app.webmanifest", (_WEB / "app" / "manifest.webmanifest").read_bytes())


@app_files.get("/icons/<int:size>.png")
def icon(size: int) -> Response:
    """The app's icon in pixels."""
    if size not in _ICON_SIZES:
        abort(404)
    return file_response("icon.png", _icon(size))


@app_files.get("/sw.js")
def worker() -> Response:
    """The service worker, which keeps the files of this release."""
    return file_response("sw.js", _worker())


@app_files.get("/g/<game_id>")
def link(game_id: str) -> Response:
    """A link to a game, with a picture of its table for previews."""
    if not _GAME_ID.fullmatch(game_id):
        abort(404)
    page = (_WEB / "app" / "link.html").read_text()
    page = page.replace("table/now/", f"table/{release()}/")
    page = page.replace("ROOT", str(escape(request.url_root))).replace("GAME", game_id)
    return Response(page, headers=SECURITY, content_type="text/html; charset=utf-8")


@cache
def _icon(size: int) -> bytes:
    svg = (_WEB / "docs" / "icon.svg").read_text()
    return png_from(svg.replace("<svg ", f'<svg width="{size}" height="{size}" ', 1))


@cache
def _worker() -> bytes:
    script = (_WEB / "app" / "sw.js").read_text()
    script = script.replace('["PARTS"]', json.dumps(part_paths()))
    return script.replace("RELEASE", release()).encode()

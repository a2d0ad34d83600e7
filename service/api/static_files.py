"""Installed files as they are served, each with an ETag of its content."""

import hashlib
from functools import cache
from pathlib import PurePath

from flask import Response

from service.api import compression
from service.api.context import context

MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".yaml": "text/yaml; charset=utf-8",
}


def file_response(name: str, content: bytes, *, caching: str = "no-cache") -> Response:
    """The file, with the media type of its name's extension, or 304 if the client has it already.

    Its ETag and its compressed form are kept for ever, so this is for files of the package only.
    """
    headers = {"Cache-Control": caching, "Vary": "Accept-Encoding"}
    etag, media_type = _etag(content), MEDIA_TYPES[PurePath(name).suffix]
    known = compression.known_etag(etag)
    if known is not None:
        return Response(status=304, headers=headers | {"ETag": known})
    if len(content) > compression.MOST_UNCOMPRESSED and compression.accepts_gzip():
        headers |= {"ETag": compression.gzip_etag(etag), "Content-Encoding": "gzip"}
        return Response(_gzipped(content), headers=headers, content_type=media_type)
    return Response(content, headers=headers | {"ETag": etag}, content_type=media_type)


@cache
def _etag(content: bytes) -> str:
    return f'"{hashlib.sha256(content).hexdigest()[:16]}"'


@cache
def _gzipped(content: bytes) -> bytes:
    return compression.gzipped(content, context().games.pause)

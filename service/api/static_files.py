"""Installed files as they are served, each with an ETag of its content."""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath

from flask import Response

from service.api.compression import (
    MOST_UNCOMPRESSED,
    accepts_gzip,
    gzip_etag,
    gzipped,
    known_etag,
)
from service.api.context import context

MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file as it is served, with an ETag of its content."""

    content: bytes
    media_type: str
    etag: str

    @classmethod
    def of(cls, content: bytes, media_type: str) -> "StaticFile":
        """The file with this content."""
        return cls(content, media_type, f'"{hashlib.sha256(content).hexdigest()[:16]}"')

    @classmethod
    def named(cls, name: str, content: bytes) -> "StaticFile":
        """The file with this content, and the media type of its name's extension."""
        return cls.of(content, MEDIA_TYPES[PurePath(name).suffix])


def file_response(file: StaticFile, *, caching: str = "no-cache") -> Response:
    """The file, or 304 if the client has it already."""
    headers = {"Cache-Control": caching, "Vary": "Accept-Encoding"}
    known = known_etag(file.etag)
    if known is not None:
        return Response(status=304, headers=headers | {"ETag": known})
    if len(file.content) > MOST_UNCOMPRESSED and accepts_gzip():
        headers |= {"ETag": gzip_etag(file.etag), "Content-Encoding": "gzip"}
        return Response(_gzipped(file), headers=headers, content_type=file.media_type)
    headers["ETag"] = file.etag
    return Response(file.content, headers=headers, content_type=file.media_type)


@cache
def _gzipped(file: StaticFile) -> bytes:
    """The file's content in gzip, compressed once and kept."""
    return gzipped(file.content, context().games.pause)

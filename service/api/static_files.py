"""Installed files as they are served, each with an ETag of its content."""

import hashlib
from dataclasses import dataclass
from pathlib import PurePath

from flask import Response, request

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
        return cls(content, media_type, hashlib.sha256(content).hexdigest()[:16])

    @classmethod
    def named(cls, name: str, content: bytes) -> "StaticFile":
        """The file with this content, and the media type of its name's extension."""
        return cls.of(content, MEDIA_TYPES[PurePath(name).suffix])


def file_response(file: StaticFile, *, caching: str = "no-cache") -> Response:
    """The file, or 304 if the client has it already."""
    headers = {
        "ETag": f'"{file.etag}"',
        "Cache-Control": caching,
    }
    if request.if_none_match.contains_weak(file.etag):
        return Response(status=304, headers=headers)
    return Response(file.content, headers=headers, content_type=file.media_type)

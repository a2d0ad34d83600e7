"""Installed files as they are served: each with the tag that names its content."""

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
class Document:
    """A file as it is served, with the tag that names its content."""

    content: bytes
    media_type: str
    etag: str

    @classmethod
    def of(cls, content: bytes, media_type: str) -> "Document":
        """The document with this content."""
        return cls(content, media_type, hashlib.sha256(content).hexdigest()[:16])

    @classmethod
    def named(cls, name: str, content: bytes) -> "Document":
        """The document with this content, of the kind that its name's ending says."""
        return cls.of(content, MEDIA_TYPES[PurePath(name).suffix])


def answer_document(document: Document, *, caching: str = "no-cache") -> Response:
    """The document, or 304 if the caller has it already."""
    headers = {
        "ETag": f'"{document.etag}"',
        "Cache-Control": caching,
    }
    if request.if_none_match.contains_weak(document.etag):
        return Response(status=304, headers=headers)
    return Response(document.content, headers=headers, content_type=document.media_type)

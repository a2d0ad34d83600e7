"""The Lua scripts in this folder, with their digests for EVALSHA."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha1
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Script:
    """A script's source and the digest by which a server finds it in its cache."""

    source: bytes
    digest: str


_NAMES: dict[bytes | str, str] = {}


def operation_of(command: Sequence[Any]) -> str:
    """The name of a command in metrics and traces: itself, or the name of its script."""
    return _NAMES[command[1]] if command[0] in {"EVALSHA", "EVAL"} else str(command[0])


def script(name: str, *, after: str | None = None) -> Script:
    """The script in `name`.lua, after the functions in `after`.lua."""
    shebang, body = _text_of(name).split(b"\n", 1)
    source = b"\n".join([shebang, *([_text_of(after)] if after else []), body])
    digest = sha1(source, usedforsecurity=False).hexdigest()
    _NAMES[source] = _NAMES[digest] = name
    return Script(source, digest)


def _text_of(name: str) -> bytes:
    return files(__package__).joinpath(f"{name}.lua").read_bytes()

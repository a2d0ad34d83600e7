"""The Lua files beside this one, ready to be called by their digest."""

from dataclasses import dataclass
from hashlib import sha1
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Script:
    """A script's text and the digest under which a server remembers it."""

    source: bytes
    digest: str


def script(name: str) -> Script:
    """The script in the file `name`.lua."""
    source = files(__package__).joinpath(f"{name}.lua").read_bytes()
    digest = sha1(source, usedforsecurity=False).hexdigest()
    return Script(source, digest)


ADMIT = script("admit")
COMMIT = script("commit")
CONFIRM = script("confirm")
CONFIRM_RETRY = script("confirm_retry")
COUNT = script("count")
DELETE = script("delete")
FORK = script("fork")
LOAD_LOG = script("load_log")
LOAD_RETRY = script("load_retry")
REMEMBER = script("remember")
RENEW = script("renew")

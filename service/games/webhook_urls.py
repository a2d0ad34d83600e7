"""Which URLs webhook messages may be sent to: only those that the operator allows."""

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from service.i18n import say
from service.rules.messages import Message

LONGEST_URL = 2048

_URL = re.compile(r"[!-~]+")
_DEFAULT_PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True)
class Targets:
    """The hosts that messages may be sent to; with ``private`` also in private networks.

    An entry is a host, which means its default port, or a host and a port.
    """

    hosts: frozenset[str] = frozenset()
    private: bool = False

    def refusal(self, url: str) -> Message | None:
        """Why this URL is refused, as the end of a sentence; None if it is allowed."""
        if not self.hosts:
            return say("hook.none")
        parts = split_url(url)
        if parts is None:
            return say("field.address")
        schemes = ("https", "http") if self.private else ("https",)
        if parts.scheme not in schemes:
            either = say("hook.or", one="https://", other="http://")
            return say("hook.scheme", schemes=either if self.private else "https://")
        if "@" in parts.netloc or "#" in url:
            return say("hook.parts")
        if not self._is_listed(host_of(url), parts):
            return say("hook.host")
        return None

    def _is_listed(self, host: str, parts: SplitResult) -> bool:
        port, named = port_of(parts), f"[{host}]" if ":" in host else host
        usual = port == _DEFAULT_PORTS[parts.scheme] and host in self.hosts
        return usual or f"{named}:{port}" in self.hosts


def only(url: str) -> Targets:
    """Allows the host of this URL, which the operator has chosen, wherever it is."""
    parts = urlsplit(url)
    host = f"[{host_of(url)}]" if ":" in host_of(url) else host_of(url)
    return Targets(frozenset({f"{host}:{port_of(parts)}"}), private=True)


def split_url(url: str) -> SplitResult | None:
    """The parts of a URL that all software parses alike; None for any other URL."""
    try:
        parts = urlsplit(url)
        readable = _URL.fullmatch(url) and parts.hostname and parts.port != 0
    except ValueError:
        return None
    return parts if readable and "\\" not in url else None


def host_of(url: str) -> str:
    """The host of a URL, in lower case."""
    return (urlsplit(url).hostname or "").rstrip(".")


def port_of(parts: SplitResult) -> int:
    """The port in the URL, or the default port of its scheme."""
    return parts.port or _DEFAULT_PORTS[parts.scheme]

"""Checks of a server's INFO: version, replicas, persistence, memory, clock."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

MIN_VERSION: Final = (7, 0)
MAX_CLOCK_SKEW_SECONDS: Final = 2.0
NEARLY_FULL_SHARE: Final = 0.8

Status = Literal["ok", "warning", "problem"]
Info = dict[str, str]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check, and what to do about it."""

    check: str
    status: Status
    detail: str
    remedy: str | None = None


def read_info(raw: bytes) -> Info:
    """The fields of an INFO answer."""
    lines = raw.decode(errors="replace").splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line)


def all_checks(info: Info, replicas: int) -> tuple[Finding, ...]:
    """All checks of one server; ``replicas`` must confirm a move."""
    return version(info), role(info, replicas), persistence(info), memory(info)


def version(info: Info) -> Finding:
    """Whether the server is new enough."""
    kind = info.get("server_name", "redis").capitalize()
    speaks = info.get("redis_version", "0")
    own = info.get("valkey_version", speaks)
    numbers = tuple(int(part) for part in speaks.split(".")[:2] if part.isdigit())
    if numbers < MIN_VERSION:
        detail = f"{kind} {own} is too old: scripts and sharded channels need 7.0."
        return Finding("server", "problem", detail, "Use Redis 7.0 or newer, or any Valkey.")
    return Finding("server", "ok", f"{kind} {own}.")


def role(info: Info, wanted: int) -> Finding:
    """Whether it accepts writes, and has the replicas that must confirm them."""
    if info.get("role") != "master":
        detail = "It is a replica, which takes no moves."
        remedy = "Name the primary in QWIRKLE_REDIS_URL, or use redis+sentinel://."
        return Finding("replicas", "problem", detail, remedy)
    there = int(info.get("connected_slaves", "0"))
    if there < wanted:
        detail = f"It has {there} replicas, and QWIRKLE_MIN_REPLICAS={wanted}: no move is accepted."
        return Finding("replicas", "problem", detail, "Add replicas, or lower the setting.")
    if there and not wanted:
        detail = f"It has {there} replicas, but moves are acknowledged before any of them has one."
        remedy = "Set QWIRKLE_MIN_REPLICAS=1, so that a failover loses no acknowledged move."
        return Finding("replicas", "warning", detail, remedy)
    return Finding("replicas", "ok", f"It has {there} replicas; {wanted} must confirm a move.")


def persistence(info: Info) -> Finding:
    """Whether a crash would lose moves."""
    if info.get("aof_enabled") != "1":
        detail = (
            "The store keeps no append-only file (appendonly no): "
            "a crash loses every move since its last snapshot."
        )
        remedy = "CONFIG SET appendonly yes, and appendonly yes in its configuration file."
        return Finding("persistence", "problem", detail, remedy)
    if info.get("aof_last_write_status", "ok") != "ok":
        detail = "The store fails to write its append-only file: a crash would lose moves."
        return Finding("persistence", "problem", detail, "Make room on its disk; its log says why.")
    return Finding("persistence", "ok", "The store keeps an append-only file.")


def memory(info: Info) -> Finding:
    """Whether it would evict games when it is full, and how full it is."""
    most, used = int(info.get("maxmemory", "0")), int(info.get("used_memory", "0"))
    policy = info.get("maxmemory_policy", "noeviction")
    if policy != "noeviction" and most:
        evicted = info.get("evicted_keys", "0")
        detail = (
            f"The store throws games away when its memory is full ({policy}, {evicted} keys so "
            "far): set maxmemory-policy noeviction."
        )
        remedy = "CONFIG SET maxmemory-policy noeviction, and the same in its configuration file."
        return Finding("memory", "problem", detail, remedy)
    if not most:
        detail = "It has no limit: when the machine is full, the system kills something."
        remedy = (
            "Set maxmemory to what the machine can spare and maxmemory-policy to noeviction; "
            "a full store refuses moves instead."
        )
        return Finding("memory", "warning", detail, remedy)
    share = used / most
    if share > NEARLY_FULL_SHARE:
        detail = f"It is {share:.0%} full ({used} of {most} bytes); a full one refuses every move."
        remedy = "Give it more memory, add a shard, or keep games for less long (QWIRKLE_TTL_*)."
        return Finding("memory", "warning", detail, remedy)
    return Finding("memory", "ok", f"It is {share:.0%} full; a full one refuses moves.")


def clock(before: float, theirs: Sequence[float], after: float) -> Finding:
    """How far the servers' clocks differ from ours; they were read between two times of ours."""
    off = max(before - min(theirs), max(theirs) - after, 0.0)
    if off > MAX_CLOCK_SKEW_SECONDS:
        detail = f"This machine's clock and the store's are {off:.0f} seconds apart."
        remedy = "Let both follow a time server: deadlines and retries go by the machines' clocks."
        return Finding("clock", "warning", detail, remedy)
    return Finding("clock", "ok", "This machine's clock and the store's agree.")

"""The editions of the rule book. They differ only in who opens if bids are equal."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from service.rules.errors import Malformed


@dataclass(frozen=True, slots=True)
class Edition:
    """A printed edition, and who opens if the highest bids are equal."""

    id: str
    tie: Literal["youngest", "oldest"]


EDITIONS = {
    edition.id: edition
    for edition in (
        Edition("schmidt", "youngest"),
        Edition("travel", "youngest"),
        Edition("polish", "oldest"),
        Edition("english", "oldest"),
        Edition("russian", "oldest"),
    )
}
DEFAULT_EDITION = "schmidt"


def edition_named(name: object) -> Edition:
    """The edition with this id; Malformed if there is none."""
    edition = EDITIONS.get(name) if isinstance(name, str) else None
    if edition is None:
        raise Malformed(f"{name!r:.60} is not an edition; the editions are {', '.join(EDITIONS)}")
    return edition


def contenders(
    edition: Edition, bids: Mapping[int, int], ages: Mapping[int, int | None]
) -> list[int]:
    """The seats that may open, in ascending order; if there are several, lot decides.

    The highest bid opens. If bids are equal, age decides as the edition says. Age settles nothing
    among those tied if one of them did not give it; several stay tied if they share the deciding
    age.
    """
    highest = max(bids.values())
    tied = [seat for seat in sorted(bids) if bids[seat] == highest]
    known = {seat: age for seat in tied if (age := ages[seat]) is not None}
    if len(known) < len(tied):
        return tied
    deciding = (min if edition.tie == "youngest" else max)(known.values())
    return [seat for seat in tied if known[seat] == deciding]

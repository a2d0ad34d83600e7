"""Numbers that several processes keep side by side, and that outlive each of them.

The board is one file, mostly in memory alone, divided into slots. A process counts in a slot
of its own, so nobody waits for anybody. It holds a lock on the slot for as long as it lives:
when it dies, however it dies, the system frees the lock, and the next process takes the slot
over and counts on from where it stands. So no sum over all slots ever goes down.

A slot: its form and length, then ``CELLS`` numbers, then their names, each of ``NAME`` bytes.
"""

import fcntl
import mmap
import os
import struct
import tempfile
from collections.abc import Iterator
from typing import Final

FORM: Final = 1
CELLS: Final = 2048
NAME: Final = 184
HEAD: Final = 65_536
SLOT: Final = HEAD + CELLS * (8 + NAME)
"""Bytes; a multiple of every page size in use, and nearly all of it never touched."""

MOST_SLOTS: Final = 1024

_HEAD: Final = struct.Struct("=QQ")
LOST: Final = "metrics_lost_total"
"""The cell that counts what found no cell."""

OF_NOW: Final = "~"
"""Begins the name of a number that is its process's alone, and ends with it: how many are open."""


def new_file() -> int:
    """A board for this process's children: a file without a name, open for reading and writing."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("qwirkle-board")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


class Slot:
    """The numbers of this process, by name; in its own memory until they are shared."""

    def __init__(self) -> None:
        self._memory: bytearray | mmap.mmap = bytearray(SLOT)
        self._file: int | None = None
        self._number = -1
        self._places: dict[str, int] = {}
        self.cells = memoryview(self._memory)[HEAD : HEAD + CELLS * 8].cast("d")
        """The numbers themselves. `cells[place] += 1` is one step for other threads."""

    def share(self, path: str) -> bool:
        """Go on counting in a slot of the board at ``path``; False if it counts in one already."""
        if self._file is not None:
            return False
        counted = dict(_content(self._memory))
        self._places = {}
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._number = _claim(file)
        self._file = file  # closing it, or any other of this file, would free the lock
        self._memory = mmap.mmap(file, SLOT, offset=self._number * SLOT)
        self.cells = memoryview(self._memory)[HEAD : HEAD + CELLS * 8].cast("d")
        if _HEAD.unpack_from(self._memory)[0] != FORM:
            self._memory[:SLOT] = bytes(SLOT)
            _HEAD.pack_into(self._memory, 0, FORM, 0)
        for place, (name, _) in enumerate(_content(self._memory)):
            self._places[name] = place
            if name.startswith(OF_NOW):
                self.cells[place] = 0.0
        for name, value in counted.items():
            self.cells[self.place(name)] += value
        return True

    def place(self, name: str) -> int:
        """Where the number of this name is; it begins at 0."""
        known = self._places.get(name)
        if known is not None:
            return known
        place, text = len(self._places), name.encode()
        if len(text) > NAME or (place >= CELLS - 1 and name != LOST):
            return self.place(LOST)
        at = HEAD + CELLS * 8 + place * NAME
        self._memory[at : at + NAME] = text.ljust(NAME, b"\0")
        # Last: whoever reads meanwhile sees the cell only now that it is whole.
        _HEAD.pack_into(self._memory, 0, FORM, place + 1)
        self._places[name] = place
        return place

    def sums(self) -> dict[str, float]:
        """Every number of the board, added up over all processes, those that are gone included."""
        sums: dict[str, float] = {}
        for content, alive in self._everybody():
            for name, value in content:
                counts = alive or not name.startswith(OF_NOW)
                sums[name] = sums.get(name, 0.0) + (value if counts else 0.0)
        return sums

    def _everybody(self) -> Iterator[tuple[list[tuple[str, float]], bool]]:
        """What is in every slot, and whether the process that counts there lives."""
        if self._file is None:
            yield _content(self._memory), True
            return
        for number in range(os.fstat(self._file).st_size // SLOT):
            # Not by a map: to close one closes a copy of the file, and so frees our lock.
            content = _content(os.pread(self._file, SLOT, number * SLOT))
            yield content, number == self._number or _is_taken(self._file, number)


def _content(memory: bytes | bytearray | mmap.mmap) -> list[tuple[str, float]]:
    form, length = _HEAD.unpack_from(memory)
    if form != FORM:
        return []
    names = HEAD + CELLS * 8
    numbers = struct.unpack_from(f"={length}d", memory, HEAD)
    return [
        (memory[at : at + NAME].rstrip(b"\0").decode(), number)
        for at, number in zip(range(names, names + length * NAME, NAME), numbers, strict=True)
    ]


def _claim(file: int) -> int:
    """The first slot that nobody counts in, locked, and backed by the file."""
    for number in range(MOST_SLOTS):
        if _lock(file, number):
            # Writing never makes a file shorter, as setting its length at the same moment could.
            if os.fstat(file).st_size < (number + 1) * SLOT:
                os.pwrite(file, b"\0", (number + 1) * SLOT - 1)
            return number
    raise OSError(f"more than {MOST_SLOTS} processes count on one board")


def _lock(file: int, number: int) -> bool:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number * SLOT)
    except OSError:
        return False
    return True


def _is_taken(file: int, number: int) -> bool:
    if not _lock(file, number):
        return True
    fcntl.lockf(file, fcntl.LOCK_UN, 1, number * SLOT)
    return False

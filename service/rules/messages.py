"""Texts for people that remember what they say, so that they can be said in other languages."""

from collections.abc import Mapping
from typing import Self


class Message(str):
    """A text in English, with the key and the values that it was made of.

    It is the English text wherever a text is needed; ``key`` is empty if the words are
    somebody else's and have no translation. ``whole`` marks a clause that stands as a sentence.
    """

    __slots__ = ("key", "values", "whole")

    key: str
    values: Mapping[str, object]
    whole: bool

    def __new__(
        cls,
        text: str,
        key: str = "",
        values: Mapping[str, object] | None = None,
        *,
        whole: bool = False,
    ) -> Self:
        """The text, what it says, and whether it became a sentence."""
        said = super().__new__(cls, text)
        said.key = key
        said.values = values or {}
        said.whole = whole
        return said

    def format(self, *_: object, **__: object) -> Self:
        """Itself: nothing is left open, and libraries that try must not lose what it says."""
        return self

    def as_sentence(self) -> "Message":
        """The clause with a capital and a full stop."""
        return Message(as_sentence(self), self.key, self.values, whole=True)


def as_sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    return text[:1].upper() + text[1:].rstrip(".") + "."

"""Texts for people that keep their key and values, so that they can be translated."""

from collections.abc import Mapping
from typing import Self


class Message(str):
    """A text in English, with the key and the values that it was made from.

    As a string it is the English text; ``key`` is empty if the text comes from elsewhere and has
    no translation. ``whole`` says that the clause was made a sentence.
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
        """A text with its key, its values, and whether it is a sentence."""
        message = super().__new__(cls, text)
        message.key = key
        message.values = values or {}
        message.whole = whole
        return message

    def format(self, *_: object, **__: object) -> Self:
        """Itself: the text is complete, and libraries that format it must not lose the key."""
        return self

    def as_sentence(self) -> "Message":
        """The clause with a capital and a full stop."""
        return Message(as_sentence(self), self.key, self.values, whole=True)


def as_sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    return text[:1].upper() + text[1:].rstrip(".") + "."

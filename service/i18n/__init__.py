"""The message catalogue: every text for people, in ten languages, by key.

The page's texts are in each language's `page`, those of refusals in `problems`. Every English text
is in one place: those of the rules in service.rules.message_texts, those of the titles in the
contract, the rest in `en.json`.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import orjson

from service.i18n.plurals import form_for
from service.rules.messages import Message, as_sentence

ENGLISH = "en"
LANGUAGES = ("cs", "de", "en", "fr", "hu", "it", "pl", "ro", "ru", "sk")

Text = str | dict[str, str]


@cache
def problem_texts(language: str) -> Mapping[str, Text]:
    """The texts of refusals in a language, read once."""
    written: dict[str, Any] = orjson.loads((files(__name__) / f"{language}.json").read_bytes())
    texts: dict[str, Text] = written.get("problems", {})
    return texts


def say(key: str, **values: object) -> Message:
    """What the key says, with these values: in English, until somebody translates it."""
    return Message(_filled(problem_texts(ENGLISH)[key], ENGLISH, values), key, values)


def unsaid(text: str) -> Message:
    """Somebody else's words, which the catalogue does not have."""
    return Message(text)


def translated(text: str, language: str) -> str:
    """The text in another language, as far as the catalogue has it."""
    if language == ENGLISH or not isinstance(text, Message):
        return str(text)
    template = problem_texts(language).get(text.key)
    if template is None:
        return str(text)
    values = {
        name: translated(value, language) if isinstance(value, str) else value
        for name, value in text.values.items()
    }
    filled = _filled(template, language, values)
    return as_sentence(filled) if text.whole else filled


def _filled(template: Text, language: str, values: Mapping[str, Any]) -> str:
    if isinstance(template, dict):
        template = template[form_for(language, values["count"])]
    return template.format(**values)

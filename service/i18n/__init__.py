"""The message catalogue: every text for people, in ten languages, by key.

In each language file `page` has the texts of the web page, `problems` those of error responses.
Every English text is in one place: texts of the rules in service.rules.english_texts, titles of
problems in openapi.yaml, all others in `en.json`.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import orjson

from service.i18n.plurals import form_for
from service.rules.messages import Message, as_sentence

ENGLISH = "en"
LANGUAGES = ("cs", "de", "en", "fr", "hu", "it", "pl", "ro", "ru", "sk")

Text = str | dict[str, str]


@cache
def catalogue(language: str, part: Literal["page", "problems"]) -> Mapping[str, Text]:
    """The texts of the web page or of error responses in a language, read once."""
    written = orjson.loads((files(__name__) / f"{language}.json").read_bytes())
    texts: dict[str, Text] = written.get(part, {})
    return texts


def say(key: str, **values: object) -> Message:
    """The message with this key and these values, in English; ``translated`` translates it."""
    return Message(_filled(catalogue(ENGLISH, "problems")[key], ENGLISH, values), key, values)


def translated(text: str, language: str) -> str:
    """The text in a language, or in English if the catalogue has no translation."""
    if language == ENGLISH or not isinstance(text, Message):
        return str(text)
    template = catalogue(language, "problems").get(text.key)
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

"""The catalogue is whole in every language, and every text in the code has its key."""

import ast
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import orjson
import pytest

import service.i18n
from service.i18n import LANGUAGES, catalogue
from service.i18n.plurals import form_for
from service.rules.english_texts import ENGLISH as RULES
from tests.contract.document import problems

FOLDER = Path(service.i18n.__file__).parent
OTHERS = [language for language in LANGUAGES if language != "en"]
NUMBERS = [*range(130), 1000, 1001, 1_000_000, 2_000_000]
Text = str | dict[str, str]


def section(language: str, name: str) -> dict[str, Text]:
    return orjson.loads((FOLDER / f"{language}.json").read_bytes())[name]


TITLES: dict[str, Text] = {f"title.{code}": about["title"] for code, about in problems().items()}
ENGLISH: dict[str, dict[str, Text]] = {
    "page": section("en", "page"),
    "problems": {**TITLES, **RULES, **section("en", "problems")},
}
EACH = pytest.mark.parametrize("language", OTHERS)

# Names, keys of the keyboard, and words that are the same in both languages.
SAME_AS_ENGLISH = {
    "cs": {"level.expert", "help.enter_key", "help.back_key", "help.play_key"},
    "de": set(),
    "fr": {"nav.menu", "menu.title", "time.60", "time.120", "time.300", "colour.orange",
           "level.expert"},
    "hu": {"help.enter_key", "help.back_key", "help.play_key"},
    "it": {"replay.title", "help.back_key"},
    "pl": {"nav.menu", "menu.title", "help.enter_key", "help.back_key", "help.play_key"},
    "ro": {"level.expert", "help.enter_key", "help.back_key", "help.play_key"},
    "ru": {"help.enter_key", "help.back_key", "help.play_key"},
    "sk": {"level.expert", "help.enter_key", "help.back_key", "help.play_key"},
}  # fmt: skip
SAME_EVERYWHERE = {"sheet.qwirkle"}
WORD = re.compile(r"[^\W\d_]{3,}")


def placeholders(text: Text) -> set[str]:
    forms = text.values() if isinstance(text, dict) else [text]
    return {name for form in forms for name in re.findall(r"\{(\w+)\}", form)}


def test_every_language_has_its_file_and_the_page_offers_them_all() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(LANGUAGES)


@EACH
@pytest.mark.parametrize("part", ENGLISH)
def test_a_language_has_the_keys_and_placeholders_of_the_english_texts(
    language: str, part: str
) -> None:
    texts = section(language, part)
    assert set(texts) == set(ENGLISH[part])
    for key, text in texts.items():
        assert placeholders(text) == placeholders(ENGLISH[part][key]), key
        assert isinstance(text, dict) == isinstance(ENGLISH[part][key], dict), key


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", ENGLISH)
def test_a_text_that_counts_has_every_form_that_the_language_needs(
    language: str, part: str
) -> None:
    for key, text in section(language, part).items():
        if isinstance(text, dict):
            assert set(text) == {form_for(language, number) for number in NUMBERS}, key
            every = placeholders(text)
            assert all(placeholders(text[form]) == every for form in text if form != "one"), key


@EACH
def test_no_text_is_left_in_english_by_accident(language: str) -> None:
    same = {
        key
        for part, english in ENGLISH.items()
        for key, text in section(language, part).items()
        if text == english[key] and WORD.search(re.sub(r"\{\w+\}", "", str(text)))
    }
    assert same == SAME_AS_ENGLISH[language] | SAME_EVERYWHERE


@EACH
def test_texts_are_clean(language: str) -> None:
    for part in ENGLISH:
        for key, text in section(language, part).items():
            for form in text.values() if isinstance(text, dict) else [text]:
                assert form
                assert form.strip() == form or key == "where.on", key
                assert "  " not in form, key
                form.format(**dict.fromkeys(placeholders(text), 7))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_tile_and_every_colour_letter_has_a_name_of_its_own(language: str) -> None:
    texts = section(language, "page")
    for group, count in (("tile.", 36), ("letter.", 6), ("colour.", 6), ("shape.", 6)):
        named = [text for key, text in texts.items() if key.startswith(group)]
        assert len(named) == len(set(map(str, named))) == count


def test_forms_are_chosen_as_the_unicode_tables_say() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: plural forms are not compared")
    script = (
        "const [languages, numbers] = JSON.parse(process.argv[1]);"
        "console.log(JSON.stringify(languages.map((each) => {"
        "  const rules = new Intl.PluralRules(each); return numbers.map((n) => rules.select(n));"
        "})))"
    )
    told = subprocess.run(
        [node, "-e", script, json.dumps([LANGUAGES, NUMBERS])],
        check=True,
        capture_output=True,
        timeout=60,
    )
    for language, forms in zip(LANGUAGES, orjson.loads(told.stdout), strict=True):
        assert [form_for(language, number) for number in NUMBERS] == forms, language


# The code


@cache
def modules() -> dict[Path, list[ast.AST]]:
    """Everything in the modules that say anything."""
    speakers = ("say(", "message(", "ValidationError(")
    texts = {path: path.read_text() for path in sorted(FOLDER.parent.rglob("*.py"))}
    return {
        path: list(ast.walk(ast.parse(text)))
        for path, text in texts.items()
        if any(speaker in text for speaker in speakers)
    }


def calls(name: str) -> Iterator[tuple[Path, ast.Call]]:
    for path, nodes in modules().items():
        for node in nodes:
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) == name:
                yield path, node


def keys_of(path: Path, call: ast.Call) -> set[str]:
    """What a call says: its key, or, where that is handed in, every key that its module names."""
    named = [call.args[0]] if isinstance(call.args[0], ast.Constant) else modules()[path]
    texts = {str(node.value) for node in named if isinstance(node, ast.Constant)}
    if len(named) == 1:
        return texts
    given = {keyword.arg for keyword in call.keywords}
    known = catalogue("en", "problems")
    return {text for text in texts if text in known and placeholders(known[text]) == given}


def test_every_text_that_the_code_says_is_in_the_catalogue_with_its_placeholders() -> None:
    used = set()
    for path, call in calls("say"):
        given = {keyword.arg for keyword in call.keywords}
        keys = keys_of(path, call)
        assert keys, (path, call.lineno)
        for key in keys:
            assert given == placeholders(catalogue("en", "problems")[key]), (path, call.lineno, key)
        used |= keys
    assert used == set(catalogue("en", "problems")), "nothing in the catalogue is left unused"


def test_what_fields_refuse_is_said_by_key() -> None:
    for path, call in calls("ValidationError"):
        plain = isinstance(call.args[0], ast.JoinedStr | ast.Constant)
        swallowed = isinstance(call.args[0], ast.Constant) and call.args[0].value == "must be there"
        assert swallowed or not plain, (path, call.lineno)


def test_every_message_of_the_rules_is_in_their_table_with_its_placeholders() -> None:
    for path, call in calls("message"):
        first = call.args[0]
        if isinstance(first, ast.Constant):
            given = {keyword.arg for keyword in call.keywords}
            assert given == placeholders(RULES[str(first.value)]), (path, call.lineno)

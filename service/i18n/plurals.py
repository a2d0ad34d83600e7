"""The plural form that goes with an integer, named as in the Unicode CLDR."""

from collections.abc import Callable


def _one_or_other(count: int) -> str:
    return "one" if count == 1 else "other"


def _french(count: int) -> str:
    return "one" if count in (0, 1) else _many_millions(count)


def _italian(count: int) -> str:
    return "one" if count == 1 else _many_millions(count)


def _many_millions(count: int) -> str:
    return "many" if count and count % 1_000_000 == 0 else "other"


def _czech(count: int) -> str:
    return "one" if count == 1 else "few" if count in (2, 3, 4) else "other"


def _polish(count: int) -> str:
    return "one" if count == 1 else "few" if _ends_in_two_to_four(count) else "many"


def _russian(count: int) -> str:
    if count % 10 == 1 and count % 100 != 11:
        return "one"
    return "few" if _ends_in_two_to_four(count) else "many"


def _romanian(count: int) -> str:
    if count == 1:
        return "one"
    return "few" if count == 0 or 1 <= count % 100 <= 19 else "other"


def _ends_in_two_to_four(count: int) -> bool:
    return count % 10 in (2, 3, 4) and count % 100 not in (12, 13, 14)


_RULES: dict[str, Callable[[int], str]] = {
    "cs": _czech,
    "de": _one_or_other,
    "en": _one_or_other,
    "fr": _french,
    "hu": _one_or_other,
    "it": _italian,
    "pl": _polish,
    "ro": _romanian,
    "ru": _russian,
    "sk": _czech,
}


def form_for(language: str, count: int) -> str:
    """The plural form for an integer."""
    return _RULES[language](count)

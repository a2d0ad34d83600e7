"""Reading bodies and query strings: what is taken, and how faults are told."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import Schema, ValidationError

from service.api.fields import sized_list
from service.api.problems import MAX_ERRORS, FieldError, MalformedRequest
from service.api.schemas import (
    BidSchema,
    EmptySchema,
    LegalPlaysQuerySchema,
    NewGameSchema,
    PlaySchema,
    StreamQuerySchema,
)
from service.api.strict_json import MAX_DEPTH, MAX_VALUES, read_json
from service.api.validation import load, load_query
from tests.work import Work

NO_TILE = "must be a tile like red-circle"


def faults(call: object, *arguments: object) -> list[tuple[str, str]]:
    with pytest.raises(MalformedRequest) as refused:
        call(*arguments)  # type: ignore[operator]  # any of the readers
    return [(fault.pointer, fault.detail) for fault in refused.value.errors]


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(values, st.booleans())
def test_any_json_value_is_read_as_the_standard_library_reads_it(
    value: object, ascii_only: bool
) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_only)
    assert read_json(raw.encode()) == json.loads(raw)


@given(st.binary(max_size=60) | st.text('{}[]":,\\u0123abef.-+eE tnulrsfa', max_size=40))
def test_whatever_arrives_is_read_or_refused_with_a_reason(raw: bytes | str) -> None:
    raw = raw if isinstance(raw, bytes) else raw.encode()
    try:
        read_json(raw)
    except MalformedRequest:
        assert faults(read_json, raw)


@pytest.mark.parametrize(
    ("raw", "pointer", "words"),
    [
        (b"", "", "is empty"),
        (b" \n", "", "is empty"),
        (b"\xef\xbb\xbf{}", "", "byte order mark"),
        ("{}".encode("utf-16"), "", "byte order mark"),
        (b'{"name": "\xff"}', "", "not UTF-8: the byte at offset 10"),
        (b'{"a": 1', "", "line 1, column 8"),
        (b'{"a": 1} {}', "", "is not JSON"),
        (b"{'a': 1}", "", "is not JSON"),
        (b'{"a": 01}', "", "is not JSON"),
        (b'{"a": "\t"}', "", "is not JSON"),
        (b'{"a": NaN}', "/a", "is NaN"),
        (b'{"a": [1, -Infinity]}', "/a/1", "is -Infinity"),
        (b'{"a": 1e999}', "/a", "too large"),
        (b'{"a": 9223372036854775808}', "/a", "beyond 64 bits"),
        (b'{"a": -9223372036854775809}', "/a", "beyond 64 bits"),
        (b'{"a": ' + b"9" * 9000 + b"}", "/a", "beyond 64 bits"),
        (b'{"a": "\\ud800"}', "/a", "surrogate"),
        (b'{"\\udc00": 1}', "", "surrogate"),
        (b'{"a": {"b/~c": 1, "b/~c": 2}}', "/a/b~1~0c", "more than once"),
        (b'{"a": 1, "\\u0061": 2}', "/a", "more than once"),
        (b'{"a": ":", "a": 2}', "/a", "more than once"),
    ],
)
def test_a_broken_body_is_told_where_and_why(raw: bytes, pointer: str, words: str) -> None:
    ((where, why),) = faults(read_json, raw)
    assert where == pointer
    assert words in why


def test_the_widest_integers_are_read_exactly() -> None:
    assert read_json(b"[9223372036854775807, -9223372036854775808]") == [2**63 - 1, -(2**63)]


def test_colons_in_strings_are_no_members() -> None:
    assert read_json(b'{"a": "::", "b": {":": ":"}}') == {"a": "::", "b": {":": ":"}}


def test_nesting_is_taken_up_to_the_limit_and_not_beyond() -> None:
    assert read_json(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    deeper = MAX_DEPTH + 1
    assert faults(read_json, b"[" * deeper + b"]" * deeper) == [
        ("", f"is nested deeper than {MAX_DEPTH} levels")
    ]


def test_brackets_in_strings_are_no_nesting() -> None:
    assert read_json(b'["' + b"[" * 100 + b'\\"{"]')


def test_many_faults_are_told_up_to_a_limit() -> None:
    assert len(faults(read_json, b"[" + b"NaN," * 1000 + b"1]")) == MAX_ERRORS


@pytest.mark.parametrize("data", [[], None, 3, "x", True])
def test_a_body_must_be_an_object(data: object) -> None:
    assert faults(load, PlaySchema(), data) == [("", "must be a JSON object")]


def test_every_fault_of_a_play_is_told_at_once() -> None:
    placements = [{"tile": "red-circel", "x": 1.5, "z": 0}, 4, {"tile": None, "x": True, "y": 1001}]
    told = faults(load, PlaySchema(), {"placements": placements, "colour": "red"})
    assert [where for where, _ in told] == [
        "/placements/0/tile",
        "/placements/0/x",
        "/placements/0/z",
        "/placements/0/y",
        "/placements/1",
        "/placements/2/tile",
        "/placements/2/x",
        "/placements/2/y",
        "/colour",
    ]
    assert told[0][1].startswith(NO_TILE)
    assert told[2][1] == "is unknown; known are tile, x, y"
    assert told[3][1] == "is missing"
    assert told[8][1] == "is unknown; known are placements"


def test_a_misspelt_member_is_told_before_the_one_that_is_missing() -> None:
    assert [where for where, _ in faults(load, PlaySchema(), {"placement": []})] == [
        "/placement",
        "/placements",
    ]


def test_one_entry_and_one_choice_are_told_in_the_singular() -> None:
    with pytest.raises(ValidationError, match="has 1 entry; 2 to 4"):
        sized_list([0], 2, 4)
    assert faults(load_query, LegalPlaysQuerySchema(), [("sort", "x")]) == [
        ("query:sort", "must be points")
    ]


@pytest.mark.parametrize("length", ["3", True, 3.5, 1e300, 0, 7, None, [3]])
def test_a_bid_is_an_integer_from_one_to_six_and_nothing_like_one(length: object) -> None:
    ((where, _),) = faults(load, BidSchema(), {"length": length})
    assert where == "/length"


def test_an_integer_may_be_written_with_a_decimal_point() -> None:
    length = load(BidSchema(), {"length": 3.0})["length"]
    assert (length, type(length)) == (3, int)
    whole, pointed = (
        load(PlaySchema(), {"placements": [{"tile": "red-circle", "x": x, "y": y}]})
        for x, y in ((-2, 0), (-2.0, -0.0))
    )
    assert repr(pointed) == repr(whole)


@pytest.mark.parametrize("bid", [{}, {"length": 1, "tiles": ["red-star"]}])
def test_a_bid_is_a_length_or_tiles_but_not_both(bid: object) -> None:
    assert faults(load, BidSchema(), bid) == [
        ("", "must have exactly one of the members length and tiles")
    ]


def test_a_member_named_like_the_reserved_word_of_the_library_is_told_as_a_member() -> None:
    assert faults(load, BidSchema(), {"_schema": 1}) == [
        ("/_schema", "is unknown; known are length, tiles")
    ]


def test_a_creation_has_its_defaults() -> None:
    loaded = load(NewGameSchema(), {"players": [{"name": " Ada "}, {"name": "Ben", "age": 11}]})
    assert loaded["seats"] == 2
    assert loaded["players"][0] == {"name": "Ada", "age": None, "ref": None, "bot": None}
    assert (loaded["edition"], loaded["hints"], loaded["auto_bid"]) == ("schmidt", True, False)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/seats"),
        ({"players": [{"name": "Ada"}]}, "/seats"),
        ({"seats": 2, "players": [{"name": "Ada"}] * 3}, "/players"),
        ({"seats": 2, "players": [{"name": "a\u202eb"}]}, "/players/0/name"),
        ({"seats": 2, "players": [{"name": "\u200b\u2060"}]}, "/players/0/name"),
        ({"seats": 2, "players": [{"name": "a\nb"}]}, "/players/0/name"),
        ({"seats": 2, "players": [{"name": "  "}]}, "/players/0/name"),
        ({"seats": 2, "players": [{"name": "Robo", "bot": "oracle"}]}, "/players/0/bot"),
        ({"seats": 2, "turn_seconds": 9}, "/turn_seconds"),
        ({"seats": 2, "turn_seconds": 1_209_601}, "/turn_seconds"),
        ({"seats": 2, "webhook_url": "/"}, "/webhook_url"),
        ({"seats": 2, "seed": ""}, "/seed"),
        ({"seats": 2, "metadata": {"a": "x" * 2048}}, "/metadata"),
        ({"seats": 2, "setup": {"hands": [None] * 3}}, "/setup/hands"),
        ({"seats": 2, "setup": {"scores": [0] * 4}}, "/setup/scores"),
        ({"seats": 2, "setup": {"turn": 2}}, "/setup/turn"),
        (
            {"seats": 2, "setup": {"board": [{"tile": "red-star", "x": 501, "y": 0}]}},
            "/setup/board/0/x",
        ),
    ],
)
def test_a_creation_that_does_not_add_up_is_refused_there(body: object, pointer: str) -> None:
    assert [where for where, _ in faults(load, NewGameSchema(), body)] == [pointer]


@pytest.mark.parametrize("name", ["Zoë", "李小龍", "Łukasz 3", "👩‍🚀", "می‌خواهم", "x" * 40])
def test_names_of_all_the_world_are_taken(name: str) -> None:
    assert (
        load(NewGameSchema(), {"seats": 2, "players": [{"name": name}]})["players"][0]["name"]
        == name
    )


def test_a_query_string_is_read_into_values() -> None:
    assert load_query(StreamQuerySchema(), [("after", "7")]) == {"after": 7}
    assert load_query(StreamQuerySchema(), []) == {"after": 0}
    assert load_query(LegalPlaysQuerySchema(), []) == {"limit": 100, "sort": None}
    assert load_query(LegalPlaysQuerySchema(), [("limit", "5"), ("sort", "points")]) == {
        "limit": 5,
        "sort": "points",
    }


@pytest.mark.parametrize(
    ("pairs", "pointer"),
    [
        ([("limit", "0")], "query:limit"),
        ([("limit", "5001")], "query:limit"),
        ([("limit", "+5")], "query:limit"),
        ([("limit", "\u0665")], "query:limit"),
        ([("limit", "9" * 5000)], "query:limit"),
        ([("limit", "")], "query:limit"),
        ([("limit", "1"), ("limit", "1")], "query:limit"),
        ([("sort", "colour")], "query:sort"),
        ([("page", "2")], "query:page"),
    ],
)
def test_a_wrong_query_string_is_told_by_the_parameter(
    pairs: list[tuple[str, str]], pointer: str
) -> None:
    assert [where for where, _ in faults(load_query, LegalPlaysQuerySchema(), pairs)] == [pointer]


def test_an_operation_without_parameters_refuses_any() -> None:
    assert faults(load_query, EmptySchema(), [("a", "1")]) == [
        ("query:a", "is unknown; nothing can be given here")
    ]


def test_an_error_reads_as_a_sentence() -> None:
    assert str(MalformedRequest([FieldError("/x", "is missing")])) == "/x is missing."


LARGE = 1 << 20
MOST_CALLS = 300_000
"""Calls of functions that reading a body may take; they take some 30 ms."""


def filled(entry: bytes, size: int = LARGE) -> bytes:
    """A list of this entry, as often as it fits, beside a colon that makes the reader doubt."""
    return b'{":":[' + b",".join([entry] * ((size - 8) // (len(entry) + 1))) + b"]}"


HOSTILE = {
    "constants": filled(b"NaN"),
    "long integers": filled(b"9" * 20),
    "infinite fractions": filled(b"1e999"),
    "lists": filled(b"[]"),
    "deep lists": filled(b"[" * 29 + b"]" * 29),
    "objects": filled(b'{"":0}'),
    "the same member": b"{" + b",".join([b'"":1'] * (LARGE // 6)) + b"}",
    "integers": filled(b"1"),
    "strings": filled(b'":"'),
    "half pairs": filled(b'"\\ud800"'),
    "never closed": b"[1," * (LARGE // 3),
    "never unquoted": b'"\\' * (LARGE // 2),
    "never unquoted, and deep": b"[" * 40 + b'"' * LARGE,
}


@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE)
def test_no_body_takes_much_work_whatever_it_holds(raw: bytes) -> None:
    work = Work()
    work.of(lambda: faults(read_json, raw))
    assert work.most < MOST_CALLS


def test_the_largest_bodies_that_are_read_take_no_more_work_than_that() -> None:
    for entry in (b"1", b"1.5", b'":"', '"é"'.encode()):
        raw = b'{":":[' + b",".join([entry] * (MAX_VALUES - 2)) + b"]}"
        work = Work()
        assert work.of(lambda raw=raw: read_json(raw))
        assert work.most < MOST_CALLS


def test_a_large_body_is_searched_for_faults_with_pauses() -> None:
    """Each pass over 50,000 members takes some 20 ms, and a fault at the end takes two."""
    members = b",".join(b'"%d:":1.5' % number for number in range(MAX_VALUES - 3))
    work = Work()
    found = work.of(
        lambda: faults(lambda raw: read_json(raw, work.rest), b"{" + members + b',"0:":1}')
    )
    assert [pointer for pointer, _ in found] == ["/0:"]
    assert work.rests == 1
    assert work.most < MOST_CALLS


def test_no_more_faults_are_looked_for_than_are_told() -> None:
    few, many = Work(), Work()
    few.of(lambda: faults(read_json, filled(b"NaN", 200)))
    many.of(lambda: faults(read_json, filled(b"NaN", 180_000)))
    assert many.most < 2 * few.most


@pytest.mark.parametrize(
    ("schema", "data"),
    [
        (NewGameSchema(), dict.fromkeys(map(str, range(9_000)), 1)),
        (NewGameSchema(), {"players": [dict.fromkeys(map(str, range(2_000)), 1)] * 4}),
        (NewGameSchema(), {"setup": {"board": [dict.fromkeys(map(str, range(80)), 1)] * 108}}),
        (PlaySchema(), {"placements": [dict.fromkeys(map(str, range(1_500)), 1)] * 6}),
        (EmptySchema(), dict.fromkeys(map(str, range(1_300)), "")),
    ],
)
def test_no_more_unknown_members_are_looked_at_than_are_told(
    schema: Schema, data: dict[str, object]
) -> None:
    work = Work()
    assert len(work.of(lambda: faults(load, schema, data))) == MAX_ERRORS
    assert work.most < 15_000


def test_a_known_member_is_taken_however_many_unknown_ones_come_before() -> None:
    data: dict[str, object] = dict.fromkeys(map(str, range(1_000)), 1)
    told = faults(load, NewGameSchema(), data | {"seats": 99})
    assert ("/seats", "must be an integer from 2 to 4") in told


def test_a_refusal_is_short_however_long_the_names_are() -> None:
    raw = b'{"' + b"~" * 30_000 + b'":[' + b"NaN," * 8_000 + b"1]}"
    told = faults(read_json, raw)
    assert len(told) == MAX_ERRORS
    assert told[0][0] == "/" + "~0" * 80 + ".../0"
    ((where, _),) = faults(load, BidSchema(), {"a" * 60_000: 1})
    assert where == "/" + "a" * 80 + "..."


def test_a_broken_body_that_is_also_deep_is_refused() -> None:
    assert faults(read_json, b"[" * 9_000) == [("", f"is nested deeper than {MAX_DEPTH} levels")]
    deep = b"[" * (MAX_DEPTH + 1) + b"NaN" + b"]" * (MAX_DEPTH + 1)
    assert faults(read_json, deep) == [("", f"is nested deeper than {MAX_DEPTH} levels")]

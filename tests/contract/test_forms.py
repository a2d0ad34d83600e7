"""The contract keeps to forms that generators of clients understand."""

from collections.abc import Iterator
from typing import Any

from tests.contract.document import operations, written

NULL = {"type": "null"}
# Taken by languages or by what generators add: constructors of Go, types of Java, C# and others.
TAKEN = {"Error", "Event", "Events", "Null", "Object", "Record", "Response", "Result", "Type"}


def schemas(value: Any = None, path: str = "#") -> Iterator[tuple[str, Any]]:
    """Every part of the contract that may be a schema, and where it is; no examples."""
    value = written() if value is None else value
    inner = enumerate(value) if isinstance(value, list) else ()
    for name, each in value.items() if isinstance(value, dict) else inner:
        if name in ("example", "examples", "x-problems"):
            continue
        if isinstance(each, dict | list):
            yield f"{path}/{name}", each
            yield from schemas(each, f"{path}/{name}")


def test_null_stands_beside_another_type_and_never_among_the_entries_of_a_list() -> None:
    found = 0
    for path, each in schemas():
        if each != NULL:
            continue
        choice = written_at(path.rpartition("/")[0])
        assert len(choice) == 2, path
        assert choice[0].keys() == {"$ref"}, path
        assert "/items/" not in path, path
        found += 1
    assert found > 5


def test_an_optional_member_has_no_null_for_a_default() -> None:
    for path, each in schemas():
        if isinstance(each, dict):
            assert each.get("default", "") is not None, path


def test_an_operation_has_one_success_with_a_body_and_names_every_status() -> None:
    for each in operations():
        assert all(status.isdecimal() for status in each.responses), each.name
        bodies = [s for s, r in each.responses.items() if s < "300" and "content" in r]
        assert len(bodies) == 1 or each.method == "delete", each.name
        assert all(len(r.get("content", ["one"])) == 1 for r in each.responses.values()), each.name


def test_names_of_schemas_collide_with_nothing() -> None:
    names = written()["components"]["schemas"].keys()
    assert not TAKEN & names
    assert not [name for name in names if name.startswith("New")]
    assert len({name.lower() for name in names}) == len(names)


def test_schemas_that_stand_for_others_have_a_discriminator() -> None:
    found = 0
    for path, each in schemas():
        if not isinstance(each, dict) or "oneOf" not in each or NULL in each["oneOf"]:
            continue
        by = each["discriminator"]
        assert sorted(by["mapping"].values()) == sorted(one["$ref"] for one in each["oneOf"]), path
        for value, reference in by["mapping"].items():
            (stated,) = stated_types(written_at(reference), by["propertyName"])
            assert stated == value, path
        found += 1
    assert found == 2  # events of the log and of the record


def test_every_problem_is_the_one_problem() -> None:
    for name, response in written()["components"]["responses"].items():
        for content in response.get("content", {}).values():
            assert content["schema"] == {"$ref": "#/components/schemas/Problem"}, name


def stated_types(schema: dict[str, Any], member: str) -> list[str]:
    parts = [part for part in schema.get("allOf", [schema]) if "properties" in part]
    return [value for part in parts for value in part["properties"][member]["enum"]]


def written_at(path: str) -> Any:
    found: Any = written()
    # A path of the contract has slashes of its own: the longest name that fits is taken.
    rest = path.removeprefix("#/")
    while rest:
        if isinstance(found, list):
            step, _, rest = rest.partition("/")
            found = found[int(step)]
            continue
        step = max((name for name in found if f"{rest}/".startswith(f"{name}/")), key=len)
        rest = rest[len(step) + 1 :]
        found = found[step]
    return found

"""Closes the open schemas of answers, so that a member without a description is noticed.

Clients must ignore members that they do not know; our own tests must not.
"""

from typing import Any


def closed(schema: Any) -> Any:
    """The schema with no room for members that it does not name."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    shut = {
        name: {member: closed(inner) for member, inner in each.items()}
        if name == "properties"
        else closed(each)
        for name, each in schema.items()
    }
    if "allOf" in schema:
        return shut | {
            "allOf": [_left_open(part) for part in shut["allOf"]],
            "unevaluatedProperties": False,
        }
    if "properties" in schema and "additionalProperties" not in schema:
        shut["additionalProperties"] = False
    return shut


def _left_open(part: dict[str, Any]) -> dict[str, Any]:
    """A part of an `allOf`: what it does not name may be named by the other parts."""
    return {name: each for name, each in part.items() if name != "additionalProperties"}

"""Hold plain data against a JSON schema, and name the first place where it does not fit.

Covers the keywords that the published schemas use, so that reading a report back needs nothing
to be installed; the tests compare it with a whole validator.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

Schema = dict[str, Any]

_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: (
        (isinstance(value, int) and not isinstance(value, bool))
        or (isinstance(value, float) and value.is_integer())
    ),
}

#: Keywords that describe and do not restrict.
_WORDS = frozenset({"$schema", "$id", "$defs", "title", "description"})


def first_problem(value: Any, schema: Schema) -> str:
    """Return where and how a value does not keep to a schema; empty if it does.

    Parameters
    ----------
    value : object
        Strings, numbers, booleans, None, lists and dictionaries.
    schema : dict
        JSON Schema, draft 2020-12. A keyword that is not known here is an error.
    """
    return next(_problems(value, schema, schema, ""), "")


def _problems(value: Any, schema: Schema, root: Schema, place: str) -> Iterator[str]:
    for keyword, wanted in schema.items():
        if keyword in _WORDS or keyword in ("properties", "additionalProperties", "items"):
            continue
        if keyword == "$ref":
            yield from _problems(value, _referred(wanted, root), root, place)
        elif keyword == "oneOf":
            fitting = [one for one in wanted if not first_in(value, one, root, place)]
            if len(fitting) != 1:
                likely = [one for one in wanted if _is_of_type(value, one, root)] or wanted
                yield first_in(value, likely[0], root, place) or f"{_at(place)} is ambiguous"
        elif problem := _CHECKS[keyword](value, wanted):
            yield f"{_at(place)} {problem}"
    if isinstance(value, dict):
        yield from _inside_object(value, schema, root, place)
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            yield from _problems(item, schema["items"], root, f"{place}[{number}]")


def first_in(value: Any, schema: Schema, root: Schema, place: str) -> str:
    """Return the first problem of a part of a document."""
    return next(_problems(value, schema, root, place), "")


def _inside_object(
    value: dict[str, Any], schema: Schema, root: Schema, place: str
) -> Iterator[str]:
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for name, inner in value.items():
        where = f"{place}.{name}" if place else name
        if name in known:
            yield from _problems(inner, known[name], root, where)
        elif others is False:
            yield f"{where} is not known"
        elif isinstance(others, dict):
            yield from _problems(inner, others, root, where)


def _is_of_type(value: Any, schema: Schema, root: Schema) -> bool:
    if "$ref" in schema:
        schema = _referred(schema["$ref"], root)
    return not _type(value, schema.get("type", []))


def _referred(pointer: str, root: Schema) -> Schema:
    found: Any = root
    for part in pointer.removeprefix("#/").split("/"):
        found = found[part]
    return dict(found)


def _at(place: str) -> str:
    return place or "the document"


def _type(value: Any, wanted: Any) -> str:
    names = [wanted] if isinstance(wanted, str) else wanted
    if not names or any(_TYPES[name](value) for name in names):
        return ""
    return f"must be {' or '.join(names)}, not {_shown(value)}"


def _shown(value: Any) -> str:
    return f"{type(value).__name__} {str(value)[:40]!r}"


def _is_number(value: Any) -> bool:
    return _TYPES["number"](value)


def _required(value: Any, names: list[str]) -> str:
    missing = [name for name in names if isinstance(value, dict) and name not in value]
    return f"has no {missing[0]!r}" if missing else ""


_CHECKS: dict[str, Callable[[Any, Any], str]] = {
    "type": _type,
    "required": _required,
    "const": lambda value, wanted: "" if value == wanted else f"must be {wanted!r}, not {value!r}",
    "enum": lambda value, wanted: "" if value in wanted else f"must be one of {wanted}",
    "minimum": lambda value, low: (
        f"is below {low}" if _is_number(value) and value < low else ""
    ),
    "exclusiveMinimum": lambda value, low: (
        f"is not above {low}" if _is_number(value) and value <= low else ""
    ),
    "maximum": lambda value, high: (
        f"is above {high}" if _is_number(value) and value > high else ""
    ),
    "minItems": lambda value, n: (
        f"has fewer than {n} entries" if isinstance(value, list) and len(value) < n else ""
    ),
    "pattern": lambda value, pattern: (
        f"does not look like {pattern}"
        if isinstance(value, str) and not re.search(pattern, value)
        else ""
    ),
}  # fmt: skip

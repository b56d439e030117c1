"""The check of saved evaluations agrees with a whole validator of JSON schemas."""

import copy
import json

import jsonschema
import pytest

from honesteval.report import EvaluationReport, evaluation_schema
from honesteval.report._schema_check import first_problem


@pytest.fixture(scope="module")
def documents(compared, classified):
    """Two summaries, their long columns and lists cut to one entry."""
    return [shortened(json.loads(EvaluationReport(e).to_json())) for e in (compared, classified)]


def shortened(value):
    if isinstance(value, dict):
        return {name: shortened(inner) for name, inner in value.items()}
    return [shortened(item) for item in value[:1]] if isinstance(value, list) else value


def places(value, path=()):
    """Every place in a document."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, key))
        else:
            yield (*path, key)


def at(document, path):
    for step in path:
        document = document[step]
    return document


def test_agrees_with_a_validator_on_every_change(documents):
    """At every place: another type, a missing entry, one too many, a number out of range."""
    validator = jsonschema.Draft202012Validator(evaluation_schema())
    n_refused = n_accepted = 0
    for document in documents:
        assert first_problem(document, evaluation_schema()) == ""
        for number, path in enumerate(places(document)):
            if not path:
                continue
            for change in (CHANGES[number % 9], CHANGES[(number // 9 + 4) % 9]):
                changed = copy.copy(document)
                for depth in range(len(path) - 1):  # copy what lies on the way, not the rest
                    parent = at(changed, path[:depth])
                    parent[path[depth]] = copy.copy(parent[path[depth]])
                change(at(changed, path[:-1]), path[-1])
                refused = not validator.is_valid(changed)
                assert bool(first_problem(changed, evaluation_schema())) == refused, path
                n_refused, n_accepted = n_refused + refused, n_accepted + (not refused)
    assert n_refused > 300
    assert n_accepted > 100


def put(value):
    def change(parent, key):
        parent[key] = value

    return change


def remove(parent, key):
    del parent[key]


def add(parent, key):
    if isinstance(parent, dict):
        parent["one more"] = 1


CHANGES = (put(None), put("text"), put(-1), put(2.0), put([]), put({}), put(True), remove, add)


def test_names_the_place():
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "number"}}}}
    assert first_problem({"a": [1, "b"]}, schema) == "a[1] must be number, not str 'b'"
    assert first_problem([], schema) == "the document must be object, not list '[]'"
    assert first_problem({}, {"required": ["x"]}) == "the document has no 'x'"


def test_does_not_pass_over_a_keyword_that_it_does_not_know():
    with pytest.raises(KeyError, match="maxLength"):
        first_problem("text", {"maxLength": 2})

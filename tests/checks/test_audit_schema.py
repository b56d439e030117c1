"""The JSON of an audit keeps to its published schema."""

import copy
import json
from importlib import resources

import jsonschema
import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyRegressor

from honesteval.checks import audit_schema, audit_split
from honesteval.checks._split_audit import SCHEMA_VERSION


def audits(data):
    planted, _ = data.copy_rows(12)
    yield audit_split(data.X, data.y, data.split)
    yield audit_split(
        planted.X, planted.y, planted.split, groups=data.cluster, time=np.arange(240),
        levels=np.arange(240) % 2, estimator=DummyRegressor(), features=planted.X * 1.0,
    )  # fmt: skip
    yield audit_split(data.X, np.where(data.y > 0, "a", "b"), data.cluster % 5)
    yield audit_split(["CCO", "CC1", None, "OCC"], [1, 2, 3, np.nan], list("0101"), errors="drop",
                      similarity="molecule")  # fmt: skip
    pairs = pd.DataFrame({"a": list("xyzx"), "b": list("yzxy")})
    yield audit_split(None, [0, 1, 0, 1], ([0, 1], [2, 3]), pairs=pairs)
    yield audit_split(np.arange(4.0)[:, None], None, ([0, 1], [2, 3]))


def test_audits_of_every_kind_keep_to_the_schema(clean):
    for audit in audits(clean):
        written = json.loads(audit.to_json())
        jsonschema.Draft202012Validator(audit_schema()).validate(written)
        assert written == json.loads(json.dumps(audit.to_dict()))


def test_the_schema_refuses_what_it_does_not_describe(clean):
    jsonschema.Draft202012Validator.check_schema(audit_schema())
    good = audit_split(clean.X, clean.y, clean.split, checks=["HE101", "HE501"]).to_dict()

    def changed(change):
        other = copy.deepcopy(good)
        change(other)
        return other

    jsonschema.validate(good, audit_schema())
    for change in (
        lambda audit: audit.update(more=1),
        lambda audit: audit["findings"][0].update(status="fine"),
        lambda audit: audit["findings"][0].update(severity="error"),  # it passed
        lambda audit: audit["findings"][1].update(severity=None),  # it was found
        lambda audit: audit["findings"][0].pop("docs"),
        lambda audit: audit["manifest"].update(split_sha256="abc"),
        lambda audit: audit["comparisons"].clear(),
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(changed(change), audit_schema())


def test_the_schema_travels_with_the_package():
    assert resources.files("honesteval.checks").joinpath("audit.schema.json").is_file()
    assert audit_schema()["properties"]["schema_version"]["const"] == SCHEMA_VERSION

import numpy as np
import pytest

from honesteval.checks import audit_split


def groups_of(clean, groups, splits=None):
    return audit_split(clean.X, None, splits or clean.split, groups=groups, checks=["HE203"])[
        "HE203"
    ]


def test_flags_parted_groups_with_their_rows(clean):
    groups = clean.cluster.copy()
    groups[clean.test[:3]] = groups[clean.train[0]]
    finding = groups_of(clean, groups)
    assert finding.severity == "error"
    assert finding.evidence["test_row"].tolist() == clean.test[:3].tolist()
    assert set(groups[finding.evidence["train_row"]]) == {groups[clean.train[0]]}


@pytest.mark.parametrize("as_type", [int, str, object])
def test_silent_on_whole_groups(clean, as_type):
    assert groups_of(clean, clean.cluster.astype(as_type)).status == "passed"


def test_rows_without_a_group_stand_alone(clean):
    assert groups_of(clean, np.full(len(clean.X), np.nan)).status == "passed"


def test_not_applicable_without_groups(clean):
    assert groups_of(clean, None).status == "not_applicable"


@pytest.mark.data
def test_lung_institutions_are_parted_by_a_random_split(data_dir):
    import pandas as pd

    table = pd.read_csv(data_dir / "tabular" / "lung.csv")
    test = np.random.default_rng(0).random(len(table)) < 0.25
    audited = audit_split(
        table[["age", "sex", "ph.ecog"]], table["time"], test, groups=table["inst"],
        checks=["HE203"],
    )  # fmt: skip
    assert audited["HE203"].severity == "error"
    parted = set(table["inst"][test].dropna()) & set(table["inst"][~test].dropna())
    assert audited["HE203"].measured["n_test_rows"] == int(table["inst"][test].isin(parted).sum())

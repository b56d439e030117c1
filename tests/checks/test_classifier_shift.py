import numpy as np
import pandas as pd
import pytest

from honesteval.checks import audit_split

N = 240


def audit(X, test, groups=None):
    part = np.where(test, "test", "train")
    return audit_split(np.arange(N), None, part, similarity="identity", features=X,
                       groups=groups, checks=["HE603"])["HE603"]  # fmt: skip


@pytest.fixture(scope="module")
def table():
    X = np.random.default_rng(0).normal(size=(N, 4))
    return pd.DataFrame(X, columns=list("abcd"))


def test_flags_and_names_a_feature_that_shifts(table):
    test = table["c"].to_numpy() > 0.8
    finding = audit(table, test)
    assert finding.severity == "info"
    assert finding.measured["feature"] == "c"
    assert finding.measured["auc"] > 0.9


def test_random_sides_pass_at_the_stated_level(table):
    found = 0
    for seed in range(6):
        test = np.random.default_rng(seed).random(N) < 0.3
        found += bool(audit(table, test))
    assert found <= 1


def test_groups_that_are_recognised_are_no_shift():
    """Features tell the group, and groups are dealt at random: no more than 20 draws."""
    alarms = {True: 0, False: 0}
    for seed in range(6):
        random = np.random.default_rng(seed)
        group = np.repeat(np.arange(20), N // 20)
        X = pd.DataFrame(random.normal(size=(20, 4))[group] + 0.05 * random.normal(size=(N, 4)))
        test = (random.permutation(20) < 6)[group]
        for with_groups in alarms:
            alarms[with_groups] += bool(audit(X, test, group if with_groups else None))
    assert alarms[False] >= 5
    assert alarms[True] <= 1


def test_few_rows_are_said(table):
    assert audit(table, np.arange(N) < 10).status == "not_applicable"

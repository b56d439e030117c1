"""Tables of pandas and polars: the same answers as arrays, and results that are tables."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from honesteval import (
    SimilarityGroupKFold,
    audit_split,
    bootstrap_ci,
    bootstrap_difference,
    memorization_check,
    nested_cross_validate,
    similarity_split,
    task_report,
)
from honesteval.entities import parse_molecules, read_table

BITS = [f"bit{i}" for i in range(20)]
CV = SimilarityGroupKFold(3, on="smiles", n_init=1)


def _take_bits(X):
    """Return the columns to learn from; ColumnTransformer of scikit-learn 1.6 reads no polars."""
    return np.asarray(X[BITS])


MODEL = make_pipeline(FunctionTransformer(_take_bits), Ridge(alpha=10))


def _of_pandas(columns):
    # labels of rows that are not their positions, as after sorting or filtering
    rows = np.arange(len(next(iter(columns.values()))))[::-1] * 3
    return pd.DataFrame(columns, index=rows)


def _of_polars(columns):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    return polars.DataFrame({name: list(column) for name, column in columns.items()})


@pytest.fixture(params=[_of_pandas, _of_polars], ids=["pandas", "polars"])
def tables(request, assay):
    """``make`` a table of columns; ``X``, ``y``, ``smiles``, ``site`` and ``active`` of one."""
    columns = dict(zip(BITS, assay.bits.T, strict=False))
    site = np.repeat(["A", "B", "C", "D"], 24)
    columns |= {"smiles": assay.smiles, "y": assay.y, "active": assay.active, "site": site}
    whole = request.param(columns)
    series = {name: whole[name] for name in ("y", "smiles", "active", "site")}
    return SimpleNamespace(make=request.param, X=whole[[*BITS, "smiles"]], site_=site, **series)


def test_a_column_of_smiles_chooses_the_folds(tables, assay):
    folds = list(SimilarityGroupKFold(3, n_init=1).split(assay.smiles, assay.y))
    np.testing.assert_allclose(
        cross_val_score(MODEL, tables.X, tables.y, cv=CV),
        cross_val_score(Ridge(alpha=10), assay.bits[:, :20], assay.y, cv=folds),
    )
    by_groups = SimilarityGroupKFold(3, on="groups", n_init=1)
    np.testing.assert_allclose(
        cross_val_score(MODEL, tables.X, tables.y, groups=tables.smiles, cv=by_groups),
        cross_val_score(MODEL, tables.X, tables.y, cv=folds),
    )


def test_parts_of_a_split_are_tables_of_the_same_kind(tables, assay):
    parts = similarity_split(
        tables.X, tables.y, on="smiles", sizes={"train": 0.7, "test": 0.3}, n_init=1
    )
    X_train, X_test, y_train, y_test = parts
    assert type(X_train) is type(X_test) is type(tables.X)
    assert type(y_train) is type(tables.y)
    assert sorted([*X_train["smiles"], *X_test["smiles"]]) == sorted(assay.smiles)
    assert len(y_train) + len(y_test) == len(assay.y)


def test_molecules_are_read_from_a_column(tables, assay):
    np.testing.assert_array_equal(
        parse_molecules(tables.smiles).fingerprints(), parse_molecules(assay.smiles).fingerprints()
    )


def test_tuning_takes_tables(tables, assay):
    def tuned(model, X, y, cv, name):
        return nested_cross_validate(
            model, X, y, search_space={name: [1.0, 30.0]}, outer_cv=cv, inner_cv=2, n_trials=2,
            random_state=0,
        )  # fmt: skip

    folds = list(CV.split(tables.X, tables.y))
    found = tuned(MODEL, tables.X, tables.y, CV, "ridge__alpha")
    expected = tuned(Ridge(), assay.bits[:, :20], assay.y, folds, "alpha")
    np.testing.assert_allclose(found.predictions, expected.predictions)


def test_an_audit_takes_columns(tables, assay):
    part = np.where(np.arange(96) < 70, "train", "test")
    split = tables.make({"part": part})["part"]
    found = audit_split(tables.smiles, tables.y, split, groups=tables.site)
    expected = audit_split(assay.smiles, assay.y, part, groups=tables.site_)
    assert [f.status for f in found.findings] == [f.status for f in expected.findings]
    assert found["HE203"].status == "found"
    assert found["HE203"].measured == expected["HE203"].measured
    check = memorization_check(
        tables.smiles, tables.y, train=split == "train", test=split == "test", n_resamples=99,
        random_state=0,
    )  # fmt: skip
    assert check.n_test == 26


def test_statistics_take_columns(tables, assay):
    noisy = assay.y + np.random.default_rng(0).normal(size=96)
    given = tables.make({"score": noisy, "other": -noisy})
    options = {"n_resamples": 99, "random_state": 0}
    for found, expected in (
        (bootstrap_ci(tables.y, given["score"], metric="mae", **options),
         bootstrap_ci(assay.y, noisy, metric="mae", **options)),
        (bootstrap_ci(tables.active, given["score"], groups=tables.site, **options),
         bootstrap_ci(assay.active, noisy, groups=tables.site_, **options)),
        (bootstrap_difference(tables.active, given["score"], given["other"], **options),
         bootstrap_difference(assay.active, noisy, -noisy, **options)),
    ):  # fmt: skip
        assert (found.low, found.high) == (expected.low, expected.high)


def test_missing_labels_of_a_table_of_tasks_are_counted(tables, assay):
    first = [None if i % 7 == 0 else float(v) for i, v in enumerate(assay.active)]
    labels = tables.make({"first": first, "second": [float(v) for v in assay.active]})
    scores = tables.make({"first": assay.y, "second": -assay.y})
    report = task_report(labels, scores, n_resamples=99, random_state=0)
    assert report.index.tolist() == ["first", "second"]
    assert report["n"].tolist() == [82, 96]


def test_a_table_is_written_and_read_again(tables, tmp_path):
    path = tmp_path / "assay.parquet"
    pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    writer = getattr(tables.X, "write_parquet", None) or tables.X.to_parquet
    writer(path)
    table = read_table(path)
    assert next(CV.split(table))[1].tolist() == next(CV.split(tables.X))[1].tolist()


def test_results_become_tables_of_polars(assay):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    audit = audit_split(assay.smiles, assay.y, np.arange(96) % 3)
    nested = nested_cross_validate(Ridge(), assay.bits, assay.y, outer_cv=3, random_state=0)
    labels = np.column_stack([assay.active, assay.active])
    for frame in (
        audit.to_frame(),
        audit.worst_pairs(5),
        nested.to_frame(),
        SimilarityGroupKFold(3, n_init=1).partition(assay.smiles).to_frame(),
        task_report(labels, np.column_stack([assay.y, -assay.y]), n_resamples=99),
    ):
        assert polars.from_pandas(frame, include_index=True).height == len(frame) > 0

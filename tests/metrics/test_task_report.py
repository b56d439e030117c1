"""The per-task table: values, masks, reasons, and what may not change it."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics as sk

from honesteval.metrics import average_over_tasks, task_report
from honesteval.stats import bootstrap_ci, delong_ci

FAST = {"n_resamples": 60, "random_state": 0}


def _two_tasks(n=80, seed=0):
    rng = np.random.default_rng(seed)
    Y = pd.DataFrame({"hERG": rng.integers(0, 2, n), "AMES": rng.random(n) < 0.2}, dtype=float)
    scores = pd.DataFrame(
        1 / (1 + np.exp(-2 * Y.to_numpy() + 1 + rng.normal(size=(n, 2)))), columns=Y.columns
    )
    Y.loc[rng.choice(n, 15, replace=False), "AMES"] = np.nan
    return Y, scores


def test_values_are_those_of_each_task_alone():
    Y, scores = _two_tasks()
    report = task_report(Y, scores, **FAST)
    assert list(report.index) == ["hERG", "AMES"]
    for task in Y:
        known = Y[task].notna()
        y, p = Y[task][known].to_numpy(), scores[task][known].to_numpy()
        line = report.loc[task]
        assert (line["n"], line["n_missing"]) == (known.sum(), (~known).sum())
        assert line["n_positive"] == y.sum()
        assert_allclose(line["prevalence"], y.mean())
        assert_allclose(line["roc_auc"], sk.roc_auc_score(y, p))
        assert_allclose(line["average_precision"], sk.average_precision_score(y, p))
        assert_allclose(line["brier"], sk.brier_score_loss(y, p))
        assert_allclose(line["brier_baseline"], sk.brier_score_loss(y, np.full(len(y), y.mean())))
        assert_allclose(line["roc_auc_resolution"], 1 / (y.sum() * (1 - y).sum()))
        for score in ("roc_auc", "average_precision", "enrichment_factor", "bedroc", "brier"):
            assert line[f"{score}_low"] <= line[score] <= line[f"{score}_high"]
        assert line["reason"] == ""


def test_intervals_are_calibrated_ones():
    Y, scores = _two_tasks(n=300)
    report = task_report(Y, scores, n_resamples=1999, random_state=0)
    by_delong = delong_ci(Y["hERG"], scores["hERG"])
    assert_allclose(report.loc["hERG", "roc_auc_low"], by_delong.low, atol=0.01)
    assert_allclose(report.loc["hERG", "roc_auc_high"], by_delong.high, atol=0.01)


def test_a_task_does_not_depend_on_those_after_it():
    Y, scores = _two_tasks()
    both = task_report(Y, scores, **FAST)
    alone = task_report(Y[["hERG"]], scores[["hERG"]], **FAST)
    pd.testing.assert_series_equal(both.loc["hERG"], alone.loc["hERG"])


def test_columns_are_matched_by_name():
    Y, scores = _two_tasks()
    swapped = task_report(Y, scores[["AMES", "hERG"]], **FAST)
    pd.testing.assert_frame_equal(swapped, task_report(Y, scores, **FAST))


def test_arrays_lists_and_frames_mean_the_same():
    Y, scores = _two_tasks()
    expected = task_report(Y, scores, **FAST)
    got = task_report(Y.to_numpy(), scores.to_numpy(), tasks=["hERG", "AMES"], **FAST)
    pd.testing.assert_frame_equal(got, expected)
    p = scores.to_numpy()
    blocks = [np.column_stack([1 - p[:, k], p[:, k]]) for k in range(2)]
    from_blocks = task_report(Y, blocks, **FAST)
    pd.testing.assert_frame_equal(from_blocks, expected)
    signs = task_report(2 * Y - 1, scores, **FAST)
    pd.testing.assert_frame_equal(signs, expected)
    nullable = task_report(Y.astype("Float64"), scores, **FAST)
    pd.testing.assert_frame_equal(nullable, expected)


def test_one_task_may_be_a_single_column():
    Y, scores = _two_tasks()
    report = task_report(Y["hERG"], scores["hERG"], **FAST)
    assert list(report.index) == ["hERG"]
    assert list(task_report([0, 1, 1, 0], [0.1, 0.8, 0.3, 0.2], **FAST).index) == [0]


def test_undefined_scores_are_nan_with_a_reason():
    Y = np.array([[1, np.nan, 0], [1, np.nan, 1], [1, np.nan, 0], [1, np.nan, 1.0]])
    scores = np.array([[0.1, np.nan, 2.0], [0.4, 0.2, 3.0], [0.3, 0.1, 1.0], [0.2, 0.3, 5.0]])
    report = task_report(Y, scores, tasks=["one class", "empty", "no probability"], **FAST)
    assert np.isnan(report.loc["one class", "roc_auc"])
    assert report.loc["one class", "reason"] == (
        "roc_auc, average_precision, enrichment_factor, bedroc: one class only "
        "(4 positives of 4 rows)"
    )
    assert np.isfinite(report.loc["one class", "brier"])
    assert report.loc["empty", ["n", "n_missing"]].tolist() == [0, 4]
    assert report.loc["empty", "reason"].endswith(": no labels")
    assert report.loc["no probability", "roc_auc"] == 1.0
    assert np.isnan(report.loc["no probability", "ece"])
    assert report.loc["no probability", "reason"] == (
        "brier, ece: the scores are not probabilities in [0, 1]"
    )


def test_perfect_separation_is_not_reported_as_certain():
    report = task_report([0] * 20 + [1] * 5, np.arange(25) / 25, **FAST)
    assert report.loc[0, "roc_auc"] == 1.0
    assert_allclose(report.loc[0, "roc_auc_low"], 0.025 ** (1 / 5))


def test_rare_positives_are_counted_as_undefined_resamples():
    rng = np.random.default_rng(0)
    report = task_report(np.r_[1, 1, np.zeros(30)], rng.random(32), n_resamples=200,
                         random_state=0)  # fmt: skip
    assert 10 < report.loc[0, "n_undefined"] < 60
    assert np.isfinite(report.loc[0, "roc_auc_low"])


def test_ties_halve_the_resolution():
    report = task_report([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8], n_resamples=0)
    assert report.loc[0, "roc_auc_resolution"] == 1 / 8


def test_regression_tasks():
    rng = np.random.default_rng(0)
    y = rng.normal(6, 1, 60)
    prediction = y + 0.4 * rng.normal(size=60)
    y[:5] = np.nan
    report = task_report(y, prediction, tasks=["pKi"], assay_error=0.3, **FAST)
    line, known = report.loc["pKi"], ~np.isnan(y)
    assert (line["type"], line["n"], line["n_missing"]) == ("regression", 55, 5)
    assert_allclose(line["mae"], sk.mean_absolute_error(y[known], prediction[known]))
    assert_allclose(line["rmse"], sk.root_mean_squared_error(y[known], prediction[known]))
    assert_allclose(line["r2"], sk.r2_score(y[known], prediction[known]))
    assert_allclose(line["rmse_baseline"], np.std(y[known]))
    median = np.full(known.sum(), np.median(y[known]))
    assert_allclose(line["mae_baseline"], sk.mean_absolute_error(y[known], median))
    within = np.mean(np.abs(y[known] - prediction[known]) <= 0.3)
    assert_allclose(line["within_assay_error"], within)
    for score in ("mae", "rmse", "r2", "spearman", "kendall", "within_assay_error"):
        assert line[f"{score}_low"] < line[score] < line[f"{score}_high"]


def test_assay_error_may_differ_by_task():
    rng = np.random.default_rng(0)
    Y = pd.DataFrame({"a": rng.normal(size=30), "b": rng.normal(size=30)})
    report = task_report(Y, Y + 0.5, assay_error={"a": 1.0}, n_resamples=0)
    assert report.loc["a", "within_assay_error"] == 1.0
    assert np.isnan(report.loc["b", "within_assay_error"])


def test_tasks_of_both_kinds_share_one_table():
    rng = np.random.default_rng(0)
    Y = pd.DataFrame({"active": rng.integers(0, 2, 40), "pIC50": rng.normal(6, 1, 40)})
    report = task_report(Y, Y * 0.5 + 0.1, n_resamples=0)
    assert report["type"].tolist() == ["classification", "regression"]
    assert np.isnan(report.loc["active", "mae"])
    assert np.isnan(report.loc["pIC50", "roc_auc"])
    as_values = task_report(Y, Y * 0.5, task_type="regression", n_resamples=0)
    assert as_values["type"].tolist() == ["regression"] * 2


def test_groups_are_drawn_whole():
    Y, scores = _two_tasks(n=40)
    Y, scores = (table.loc[table.index.repeat(5)].reset_index(drop=True) for table in (Y, scores))
    groups = np.repeat(np.arange(40), 5)
    by_row = task_report(Y, scores, **FAST)
    by_group = task_report(Y, scores, groups=groups, **FAST)
    width = [report.loc["hERG", "roc_auc_high"] - report.loc["hERG", "roc_auc_low"]
             for report in (by_row, by_group)]  # fmt: skip
    assert width[1] > 1.5 * width[0]


def test_intervals_can_be_left_out():
    Y, scores = _two_tasks()
    report = task_report(Y, scores, n_resamples=0)
    assert report["roc_auc"].notna().all()
    assert report["roc_auc_low"].isna().all()


def test_seeds_and_generators():
    Y, scores = _two_tasks()
    for make in (np.random.default_rng, np.random.RandomState):
        first, second = (
            task_report(Y, scores, n_resamples=39, random_state=make(5)) for _ in range(2)
        )
        pd.testing.assert_frame_equal(first, second)


def test_settings_reach_the_scores():
    Y, scores = _two_tasks()
    base = task_report(Y, scores, n_resamples=0)
    other = task_report(Y, scores, n_resamples=0, enrichment_fraction=0.9, bedroc_alpha=80.0)
    assert base.loc["hERG", "enrichment_factor"] != other.loc["hERG", "enrichment_factor"]
    assert base.loc["hERG", "bedroc_random"] != other.loc["hERG", "bedroc_random"]
    percentile = task_report(Y, scores, method="percentile", confidence_level=0.5, **FAST)
    expected = bootstrap_ci(
        Y["hERG"], scores["hERG"], method="percentile", confidence_level=0.5, n_resamples=60,
        random_state=np.random.default_rng(np.random.SeedSequence(0).spawn(1)[0]),
    )  # fmt: skip
    assert_allclose(percentile.loc["hERG", "roc_auc_low"], expected.low)


@pytest.mark.parametrize(
    ("Y", "scores", "arguments", "message"),
    [
        ([[0, 1], [1, 0]], [[0.1, np.nan], [0.2, 0.3]], {}, "Task 1 has labels without a score"),
        ([[0, 1], [1, 0]], [[0.1], [0.2]], {}, "Y has 2 tasks and scores has 1"),
        ([[0], [1]], [[0.1], [0.2], [0.3]], {}, "Y has 2, scores has 3"),
        ([0, 1], [0.1, 0.2], {"tasks": ["a", "b"]}, "tasks names 2 tasks, and Y has 1"),
        ([0, 2], [0.1, 0.2], {"task_type": "classification"}, "not so for 0"),
        ([0, 1], [0.1, 0.2], {"task_type": "classifcation"}, "Did you mean 'classification'"),
        ([0, np.inf], [0.1, 0.2], {}, "Y holds infinite values in row 1"),
        (["a", "b"], [0.1, 0.2], {}, "Y must be numeric"),
        ([0, 1], [0.1, 0.2], {"groups": [1]}, "groups needs one label per row: 2 rows, got 1"),
        (np.zeros((2, 2, 2)), np.zeros((2, 2, 2)), {}, "one column per task"),
        ([[0], [1]], [np.ones((2, 3))], {}, "two columns per task"),
    ],
)
def test_errors_name_task_and_rows(Y, scores, arguments, message):
    with pytest.raises(ValueError, match=message):
        task_report(Y, scores, **arguments)


def test_inputs_are_not_modified():
    Y, scores = _two_tasks()
    copies = Y.copy(), scores.copy()
    task_report(Y, scores, **FAST)
    pd.testing.assert_frame_equal(Y, copies[0])
    pd.testing.assert_frame_equal(scores, copies[1])


@pytest.mark.data
def test_tox21_with_a_fingerprint_forest(data_dir):
    """The classic baseline: 12 tasks in one call; fitted on a half, scored on a quarter."""
    from rdkit import Chem, rdBase
    from rdkit.Chem import rdFingerprintGenerator
    from sklearn.ensemble import RandomForestClassifier

    table = pd.read_csv(data_dir / "molecules" / "tox21.csv.gz")
    table = table[np.arange(len(table)) % 4 < 3]
    with rdBase.BlockLogs():
        molecules = [Chem.MolFromSmiles(smiles) for smiles in table["smiles"]]
    table = table[[molecule is not None for molecule in molecules]]
    ecfp = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=512)
    X = np.array([ecfp.GetFingerprintAsNumPy(m) for m in molecules if m is not None])
    Y = table.drop(columns=["mol_id", "smiles"])
    is_test = np.arange(len(Y)) % 3 == 0
    scores = {}
    for task in Y:
        known = Y[task].notna().to_numpy() & ~is_test
        forest = RandomForestClassifier(20, max_depth=15, max_samples=0.5, random_state=0)
        scores[task] = forest.fit(X[known], Y[task][known]).predict_proba(X[is_test])[:, 1]
    tested = Y[is_test]
    report = task_report(tested, pd.DataFrame(scores), n_resamples=100, random_state=0)
    assert list(report.index) == list(Y.columns)
    assert len(report) == 12
    assert (report["n"] + report["n_missing"] == len(tested)).all()
    assert report["roc_auc"].between(0.6, 0.92).all()
    assert (report["roc_auc_low"] < report["roc_auc"]).all()
    assert (report["average_precision"] > report["average_precision_random"]).all()
    assert (report["brier"] < report["brier_baseline"]).all()
    assert (report["reason"] == "").all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"groups": [np.nan, 1, 2, 3]}, "missing labels in row 0"),
        ({"groups": [1, None, 2, 3]}, "missing labels in row 1"),
        ({"groups": [1, 2, 3]}, "4 rows, got 3"),
        ({"tasks": ["a", "a", "b"]}, "more than once: a"),
        ({"assay_error": {"logS ": 0.5}}, "Did you mean 'logS'"),
        ({"assay_error": {"hERG": 0.5}}, "must be one of 'logS'"),
        ({"assay_error": {"logS": -0.5}}, "assay_error of logS must be a number"),
        ({"assay_error": {"logS": None}}, "assay_error of logS must be a number"),
    ],
)
def test_what_would_pass_in_silence_is_refused(arguments, message):
    Y = np.array([[0, 1, 0.5], [1, 0, 1.5], [np.nan, 1, 2.5], [1, 0, 0.1]])
    given = {"tasks": ["hERG", "AMES", "logS"], "n_resamples": 0, **arguments}
    with pytest.raises(ValueError, match=message):
        task_report(Y, np.nan_to_num(Y), **given)


def test_a_group_is_named_by_its_row_in_the_table():
    Y = np.array([[np.nan, 0, 1, 0, 1]]).T
    with pytest.raises(ValueError, match="missing labels in row 3"):
        task_report(Y, np.zeros((5, 1)), groups=["a", "b", "c", None, "e"])


def test_an_assay_error_needs_a_task_of_measured_values():
    with pytest.raises(ValueError, match="every task here has classes"):
        task_report([0, 1, 1, 0], [0.1, 0.8, 0.7, 0.2], assay_error=0.3)
    as_values = task_report(
        [0, 1, 1, 0], [0.1, 0.8, 0.7, 0.2], assay_error=0.35, task_type="regression", n_resamples=0
    )
    assert as_values.loc[0, "within_assay_error"] == 1


@pytest.mark.parametrize("shape", [(0, 2), (3, 0), (0,)])
def test_an_empty_table_is_refused(shape):
    for call in (task_report, average_over_tasks):
        with pytest.raises(ValueError, match="at least one row and one task"):
            call(np.empty(shape), np.empty(shape))

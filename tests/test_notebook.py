"""What a notebook shows: results with their words and tables, escaped; displays that draw."""

import dataclasses
import importlib
import inspect
import re

import numpy as np
import pandas as pd
import pytest

from honesteval._notebook import MOST_ROWS, ShownInNotebook

PACKAGES = (
    "entities", "similarity", "partition", "model_selection", "metrics", "stats", "tuning",
    "checks", "report", "datasets",
)  # fmt: skip

#: Data classes that nobody looks at by themselves: what is handed in, or a part of a result.
PLAIN_DATA = {
    "checks.Comparison", "checks.FilePart", "checks.LeakageOfSplit", "checks.LevelScores",
    "checks.ScoreOnParts", "checks.SplitRows", "partition.ClassTable", "partition.Effort",
    "partition.Leakage", "partition.LeakageBound", "partition.Shortfall", "report.FoldMap",
    "report.ScoreRow",
    "similarity.MinHashSketch", "stats.Metric", "stats.Sample", "tuning.OuterFold",
}  # fmt: skip

HOSTILE = "<script>alert(1)</script>"


def public_classes():
    for package in PACKAGES:
        module = importlib.import_module(f"honesteval.{package}")
        for name in module.__all__:
            found = getattr(module, name)
            if inspect.isclass(found) and not issubclass(found, Exception):
                yield f"{package}.{name}", found


CLASSES = dict(public_classes())
DISPLAYS = [name for name in CLASSES if name.endswith("Display")]
RESULTS = [
    name
    for name, found in CLASSES.items()
    if dataclasses.is_dataclass(found) and name not in PLAIN_DATA
]


@pytest.mark.parametrize("name", RESULTS)
def test_results_have_words_and_are_shown(name):
    found = CLASSES[name]
    assert callable(found.summary)
    assert callable(found._repr_html_)


def test_plain_data_is_listed_and_exists():
    plain = {
        name
        for name, found in CLASSES.items()
        if dataclasses.is_dataclass(found) and not hasattr(found, "_repr_html_")
    }
    assert plain == PLAIN_DATA


@pytest.mark.parametrize("name", DISPLAYS)
def test_displays_draw_on_given_axes_and_return_themselves(name):
    found = CLASSES[name]
    (ax,) = list(inspect.signature(found.plot).parameters.values())[1:2]
    assert (ax.name, ax.default) == ("ax", None)
    assert found.plot.__annotations__["return"] == found.__name__
    assert any(word.startswith("from_") for word in dir(found))


def test_displays_were_found():
    assert len(DISPLAYS) >= 16


class Result(ShownInNotebook):
    """A result whose words and cells are markup."""

    def summary(self):
        return f"{HOSTILE}\nsecond line"

    def to_frame(self):
        return pd.DataFrame({HOSTILE: [HOSTILE] * 100, "number": np.arange(100) / 3})


def test_words_and_cells_are_escaped_and_long_tables_cut():
    shown = Result()._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;<br>second line" in shown
    assert shown.count("<tr") <= MOST_ROWS + 3
    assert "0.3333" in shown


def hostile_results():
    """Results that hold text of the user's, each of it markup."""
    from honesteval.checks import audit_split
    from honesteval.entities import guess_smiles_column, parse_molecules, parse_sequences
    from honesteval.metrics import task_report
    from honesteval.report import resolve_target, similarity_folds
    from honesteval.stats import compare_models

    smiles = ["CCO", "CCN", "CCCO", "CCCN", "c1ccccc1", "Cc1ccccc1"]
    yield guess_smiles_column(pd.DataFrame({HOSTILE: smiles}))
    yield parse_molecules([*smiles, HOSTILE], errors="drop")
    yield parse_molecules([*smiles, HOSTILE], errors="drop").excluded
    yield parse_sequences(["ACDEFGHIKL", HOSTILE], errors="drop")
    yield resolve_target([HOSTILE, "b", HOSTILE, "b"], name=HOSTILE)
    yield similarity_folds([*smiles, HOSTILE], n_splits=2, errors="drop")
    yield audit_split(
        smiles, pd.Series([1.0, 2.5, 3.5, 4.5, 1.5, 2.25], name=HOSTILE), ["train", "test"] * 3,
        levels=[HOSTILE, "b"] * 3, groups=[HOSTILE, HOSTILE, *"abcd"],
    )  # fmt: skip
    scores = np.random.default_rng(0).normal(size=(5, 2))
    yield compare_models({HOSTILE: scores[:, 0], "b": scores[:, 1]}, n_train=80, n_test=20)
    rng = np.random.default_rng(0)
    y = pd.DataFrame({HOSTILE: rng.integers(0, 2, 40), "b": rng.integers(0, 2, 40)})
    yield task_report(y, rng.random((40, 2)), n_resamples=99)


def test_text_of_the_user_stays_text():
    n = 0
    for result in hostile_results():
        shown = result._repr_html_()
        assert "<script" not in shown, type(result)
        assert re.search(r"<(p|table|pre|br)\b", shown), type(result)
        n += 1
    assert n == 9


def test_evaluations_and_their_parts_are_shown():
    from honesteval.report import EvaluationReport, evaluate, verdict_of

    smiles = [c * n + end for end in ("O", "N", "Cl") for n in range(2, 9) for c in "C"]
    found = evaluate(
        smiles, pd.DataFrame({HOSTILE: [len(s) + n % 3 + n / 50 for n, s in enumerate(smiles)]}),
        estimator="linear", n_splits=2, n_inner_splits=2, n_trials=1, n_permutations=0,
        n_resamples=99, deployment=smiles[:4], title=HOSTILE, progress=False,
    )  # fmt: skip
    task = found.tasks[0]
    parts = (
        found, EvaluationReport(found), task, task.target, task.predictors[0], found.splits[1],
        found.deployment, verdict_of(task, found),
    )  # fmt: skip
    for part in parts:
        shown = part._repr_html_()
        assert "<script" not in shown, type(part)
    assert [len(table) for table in (found.to_frame(), task.to_frame())] == [16, 16]
    assert found.to_frame().columns[0] == "task"
    assert found.splits[1].to_frame()["n_rows"].sum() == len(smiles)
    assert "highest similarity to the data 1.000 on average" in found.deployment.summary()
    assert "21 of 21 rows have a value" in task.target.summary()
    assert "random split" in task.predictors[0].summary()
    assert "ridge regression, similarity split: MAE" in task.summary()

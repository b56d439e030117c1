"""Plans: the number of fits said is the number of fits done."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, RandomizedSearchCV

from honesteval.tuning import OptunaSearchCV, nested_cross_validate, plan
from honesteval.tuning._plan import shown_seconds
from honesteval.tuning._progress import FitProgress

X, Y = make_classification(60, 4, random_state=0)


class Counted(ClassifierMixin, BaseEstimator):
    """Counts its fits in a file."""

    def __init__(self, log="", depth=1):
        self.log = log
        self.depth = depth

    def fit(self, X, y):
        with Path(self.log).open("a") as stream:
            stream.write(".")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.resize(self.classes_, len(X))


def _n_fits(log):
    return log.stat().st_size if log.exists() else 0


@pytest.mark.parametrize("case", ["optuna", "grid", "random", "none", "tasks"])
def test_the_fits_said_are_the_fits_done(tmp_path, case):
    log = tmp_path / "fits"
    model = Counted(str(log))
    space = {"depth": [1, 2, 3]}
    labels = Y
    arguments = {"outer_cv": 3, "inner_cv": 2, "n_repeats": 2, "train_sizes": (0.5,)}
    if case == "optuna":
        model = OptunaSearchCV(model, space, n_trials=4, refit=False)
    elif case == "grid":
        model = GridSearchCV(model, space)
    elif case == "random":
        model = RandomizedSearchCV(model, space, n_iter=2)
    elif case == "tasks":
        labels = np.column_stack([Y, 1 - Y])
    planned = plan(model, X, labels, measure=False, **arguments)
    assert _n_fits(log) == 0, "a plan without a measurement fits nothing"
    nested_cross_validate(model, X, labels, **arguments)
    assert _n_fits(log) == planned.n_fits


def test_one_fit_is_measured_and_the_time_estimated(tmp_path):
    log = tmp_path / "fits"
    planned = plan(Counted(str(log)), X, Y, search_space={"depth": [1, 2]}, n_trials=10, n_jobs=2)
    assert 1 <= _n_fits(log) <= 5
    assert planned.n_fits == 5 * 10 * 5 + 5
    assert planned.seconds == planned.seconds_per_fit * 255 / 2
    assert "5 outer folds x 10 trials x 5 inner folds + 5 refits = 255 fits" in planned.summary()
    assert "2 workers" in planned.summary()
    assert planned.to_frame()["fits"][0] == 255


def test_a_search_that_may_stop_early_says_at_most():
    pruned = OptunaSearchCV(Counted(), {"depth": [1, 2]}, n_trials=8, pruner="median")
    assert "= at most 205 fits" in plan(pruned, X, Y, measure=False).summary()
    halving = HalvingGridSearchCV(Counted(), {"depth": [1, 2, 3]})
    assert plan(halving, X, Y, measure=False).fits.is_bound


def test_a_plan_does_the_checks_of_the_call():
    with pytest.raises(ValueError, match="Did you mean 'depth'"):
        plan(Counted(), X, Y, search_space={"dept": [1]})
    assert "nothing to tune" in plan(Counted(), X, Y, measure=False).summary()


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.5, "0.5 s"), (59, "59.0 s"), (90, "1.5 min"), (5400, "1.5 h")]
)
def test_durations_are_said_as_people_say_them(seconds, text):
    assert shown_seconds(seconds) == text


def test_progress_is_shown_on_a_terminal_only(capfd, monkeypatch):
    with FitProgress(3, "counting") as progress:
        progress.advance(2)
    assert progress.n_done == 2
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    with FitProgress(3, "counting", show=True) as progress:
        progress.advance(3)
    assert "counting" in capfd.readouterr().err

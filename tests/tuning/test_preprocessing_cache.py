"""Steps that no tuned parameter touches: fitted once per fold, and nothing else changes."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from honesteval.tuning import OptunaSearchCV, nested_cross_validate
from honesteval.tuning import _optuna_search as optuna_search
from honesteval.tuning import _trials as trials
from honesteval.tuning._fitting import PreparedFold
from honesteval.tuning._preprocessing_cache import PreprocessingCache, n_shared_steps
from tests.tuning.recording_models import numbered_rows

X, Y = make_classification(90, 12, n_informative=4, random_state=0)


class CountingScaler(TransformerMixin, BaseEstimator):
    """Centres, and counts its fits in a file."""

    def __init__(self, log=None):
        self.log = log

    def fit(self, X, y=None):
        with Path(self.log).open("a") as stream:
            stream.write(".")
        self.mean_ = X.mean(axis=0)
        return self

    def transform(self, X):
        return X - self.mean_


def _pipeline(log=None):
    first = StandardScaler() if log is None else CountingScaler(str(log))
    return Pipeline([("scale", first), ("select", SelectKBest(k=5)), ("svc", SVC())])


def _search(pipeline, space=None, **arguments):
    return OptunaSearchCV(
        pipeline,
        {"svc__C": [0.1, 1.0, 10.0]} if space is None else space,
        **{"n_trials": 6, "cv": 3, "random_state": 0, "scoring": "roc_auc", **arguments},
    )


def _scores(search):
    names = [f"split{f}_{part}_score" for f in range(3) for part in ("test", "train")]
    return np.array([search.cv_results_[n] for n in names if n in search.cv_results_])


@pytest.fixture
def without_cache(monkeypatch):
    """Return a function after whose call nothing is shared."""
    return lambda: monkeypatch.setattr(trials, "n_shared_steps", lambda *_, **__: 0)


@pytest.mark.parametrize(
    ("space", "expected"),
    [(None, 2), ({"select__k": [2, 5], "svc__C": [1.0]}, 1), ({"scale": ["passthrough"]}, 0)],
)
def test_only_the_steps_before_the_first_tuned_one_are_shared(space, expected):
    tuned = {"svc__C": 1} if space is None else space
    assert n_shared_steps(_pipeline(), tuned, {}, routed=False) == expected


def test_what_cannot_be_shared_is_not():
    pipeline = _pipeline()
    assert n_shared_steps(SVC(), ["C"], {}, routed=False) == 0
    with_memory = Pipeline(pipeline.steps, memory="somewhere")
    assert n_shared_steps(with_memory, ["svc__C"], {}, routed=False) == 0
    assert n_shared_steps(pipeline, ["svc__C"], {"select__w": 1}, routed=False) == 1
    assert n_shared_steps(pipeline, ["svc__C"], {"svc__sample_weight": 1}, routed=False) == 2
    idle = Pipeline([("a", "passthrough"), ("svc", SVC())])
    assert n_shared_steps(idle, ["svc__C"], {}, routed=False) == 0
    kernel = make_pipeline(StandardScaler(), SVC(kernel="precomputed"))
    assert n_shared_steps(kernel, ["svc__C"], {}, routed=False) == 1

    class Own(Pipeline):
        pass

    assert n_shared_steps(Own(pipeline.steps), ["svc__C"], {}, routed=False) == 0


def test_the_shared_steps_are_fitted_once_per_fold(tmp_path, without_cache):
    search = _search(_pipeline(tmp_path / "shared"), refit=False).fit(X, Y)
    assert (tmp_path / "shared").stat().st_size == search.n_splits_ == search.preprocessing_fits_
    without_cache()
    _search(_pipeline(tmp_path / "alone"), refit=False).fit(X, Y)
    assert (tmp_path / "alone").stat().st_size == 6 * 3


def test_every_trial_of_a_nested_search_shares_too(tmp_path):
    log = tmp_path / "fits"
    nested_cross_validate(
        _pipeline(log), X, Y, search_space={"svc__C": [0.1, 1.0, 10.0]}, n_trials=5, outer_cv=3,
        inner_cv=4, random_state=0,
    )  # fmt: skip
    assert log.stat().st_size == 3 * (4 + 1)


@pytest.mark.parametrize(("rows", "pruner"), [(np.asarray, None), (sparse.csr_array, "median")])
def test_the_numbers_are_the_same_without(without_cache, rows, pruner):
    pipeline = Pipeline(
        [("scale", StandardScaler(with_mean=False)), ("select", SelectKBest(k=5)), ("svc", SVC())]
    )
    arguments = {"pruner": pruner, "return_train_score": True, "store_predictions": True}
    shared = _search(pipeline, **arguments).fit(rows(X), Y)
    without_cache()
    alone = _search(pipeline, **arguments).fit(rows(X), Y)
    assert shared.preprocessing_fits_ == 3
    assert alone.preprocessing_fits_ == 0
    np.testing.assert_array_equal(_scores(shared), _scores(alone))
    np.testing.assert_array_equal(shared.oof_predictions_, alone.oof_predictions_)
    np.testing.assert_array_equal(shared.predict(rows(X)), alone.predict(rows(X)))


def test_a_scorer_of_ones_own_sees_the_whole_pipeline_and_the_rows_as_they_were(without_cache):
    def scorer(model, rows, y):
        assert rows.shape[1] == 12
        assert len(model.steps) == 3
        assert model.named_steps["scale"].n_features_in_ == 12
        return model.score(rows, y)

    shared = _search(_pipeline(), scoring=scorer, return_train_score=True).fit(X, Y)
    without_cache()
    alone = _search(_pipeline(), scoring=scorer, return_train_score=True).fit(X, Y)
    np.testing.assert_array_equal(_scores(shared), _scores(alone))


def test_a_failing_step_fails_the_trials_with_its_own_error():
    class Broken(CountingScaler):
        def fit(self, X, y=None):
            raise RuntimeError("the scaler is broken")

    with pytest.raises(ValueError, match="the scaler is broken"):
        _search(make_pipeline(Broken(), SVC()), {"svc__C": [1.0, 2.0]}).fit(X, Y)


def test_pipelines_made_by_the_space_share_what_they_have_in_common(tmp_path):
    log = tmp_path / "fits"

    def space(trial):
        if trial.suggest_categorical("kind", ["svc", "logistic"]) == "svc":
            model = SVC(C=trial.suggest_float("C", 0.1, 1.0))
        else:
            model = LogisticRegression()
        return make_pipeline(CountingScaler(str(log)), model)

    search = OptunaSearchCV(SVC(), space, n_trials=8, cv=3, refit=False, random_state=0).fit(X, Y)
    assert len(set(search.cv_results_["param_kind"])) == 2
    assert log.stat().st_size == 3


def test_a_tuned_transformer_of_a_space_is_fitted_anew_each_time(tmp_path):
    log = tmp_path / "fits"

    def space(trial):
        return {"pca__n_components": trial.suggest_int("n", 1, 4)}

    pipeline = Pipeline([("scale", CountingScaler(str(log))), ("pca", PCA()), ("svc", SVC())])
    search = OptunaSearchCV(pipeline, space, n_trials=6, cv=3, refit=False, random_state=0)
    search.fit(X, Y)
    assert log.stat().st_size == 3


def test_weights_reach_the_last_step_of_prepared_folds():
    rows, y, _, weights = numbered_rows()

    class Checking(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            np.testing.assert_array_equal(sample_weight, X[:, 0] + 1)
            return super().fit(X, y, sample_weight)

    class Same(TransformerMixin, BaseEstimator):
        def fit(self, X, y=None):
            return self

        def transform(self, X):
            return X

    search = OptunaSearchCV(
        make_pipeline(Same(), Checking()), {"checking__C": [0.1, 1.0]}, n_trials=2, cv=3,
        random_state=0,
    ).fit(rows, y, sample_weight=weights)  # fmt: skip
    assert search.preprocessing_fits_ == 3


def _prepared(n_rows):
    return PreparedFold(np.zeros((n_rows, 1)), np.zeros((1, 1)), ())


def test_rows_beyond_the_limit_are_given_up():
    cache = PreprocessingCache(limit_bytes=2000)
    cache.put("a", 0, _prepared(100))
    assert cache.has("a", 0)
    cache.put("a", 1, _prepared(200))
    assert not cache.has("a", 0)
    assert not cache.has("a", 1)
    assert cache.n_bytes == 0
    pipeline = make_pipeline(StandardScaler(), SVC())
    key = cache.key(pipeline, 1, is_own=True)
    cache.put(key, 0, _prepared(1000))
    assert cache.key(pipeline, 1, is_own=True) is None


def test_other_steps_make_room_first():
    cache = PreprocessingCache(limit_bytes=2000)
    cache.put("a", 0, _prepared(100))
    cache.put("b", 0, _prepared(190))
    assert not cache.has("a", 0)
    assert cache.has("b", 0)


def test_a_search_without_room_gives_the_same(monkeypatch):
    shared = _search(_pipeline()).fit(X, Y)
    monkeypatch.setattr(
        optuna_search, "PreprocessingCache", lambda _: PreprocessingCache(limit_bytes=100)
    )
    tight = _search(_pipeline()).fit(X, Y)
    assert tight.preprocessing_fits_ < 6 * 3
    np.testing.assert_array_equal(_scores(shared), _scores(tight))

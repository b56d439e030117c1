"""The models that are tuned when the caller brings none: two usual ones on fingerprints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sklearn.feature_selection import VarianceThreshold
from sklearn.pipeline import make_pipeline

from honesteval._validation import check_option
from honesteval.report._target import TaskKind

MODELS = ("random_forest", "linear")

#: Columns whose variance on the training rows is lower are left out of forests, where they cost
#: time and change nothing: a bit that is set in fewer than 1 of 100 molecules, for example.
FOREST_MIN_VARIANCE = 0.01

#: The same for linear models, which use rare bits.
LINEAR_MIN_VARIANCE = 0.002

N_TREES = 50


@dataclass(frozen=True, eq=False)
class Model:
    """A model with what there is to tune.

    Parameters
    ----------
    label : str
        Name in running text, such as ``"random forest"``.
    estimator : estimator
    search_space : dict, callable or None
        As for :func:`honesteval.tuning.nested_cross_validate`; None tunes nothing.
    """

    label: str
    estimator: Any
    search_space: Any = None


def default_model(name: str, kind: TaskKind, *, random_state: int, bits: bool = True) -> Model:
    """Return one of the usual models.

    Parameters
    ----------
    name : {"random_forest", "linear"}
        ``"linear"`` is ridge regression, or logistic regression for classes.
    kind : {"binary", "multiclass", "regression"}
    random_state : int
    bits : bool, default=True
        Whether features are bits of fingerprints, of which the rare ones are left out; of others
        only constant columns are, and linear models bring them to one scale.

    Returns
    -------
    model : Model
        A pipeline that first leaves out the columns that hardly vary.
    """
    check_option(name, "model", MODELS)
    regression = kind == "regression"
    make = _random_forest if name == "random_forest" else _linear
    return make(regression, random_state, bits)


def resolve_model(
    model: Any,
    search_space: Any,
    kind: TaskKind,
    *,
    random_state: int,
    bits: bool = True,
    label: str | None = None,
) -> Model:
    """Return a model from its name, an estimator, or a pair of estimator and search space."""
    if isinstance(model, str):
        found = default_model(model, kind, random_state=random_state, bits=bits)
    elif isinstance(model, tuple) and len(model) == 2:
        found = own_model(*model)
    else:
        found = own_model(model, search_space)
    return found if label is None else replace(found, label=label)


def own_model(estimator: Any, search_space: Any) -> Model:
    """Return the caller's model, named by the last step of its pipeline."""
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    return Model(type(last).__name__, estimator, search_space)


def _random_forest(regression: bool, random_state: int, bits: bool) -> Model:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    forest = RandomForestRegressor if regression else RandomForestClassifier
    estimator = make_pipeline(
        VarianceThreshold(FOREST_MIN_VARIANCE if bits else 0.0),
        forest(n_estimators=N_TREES, random_state=random_state),
    )
    step = forest.__name__.lower()
    shares = [0.1, 0.3] if regression else ["sqrt", 0.1]
    space = {f"{step}__max_features": shares, f"{step}__min_samples_leaf": [1, 2, 4]}
    return Model("random forest", estimator, space)


def _linear(regression: bool, random_state: int, bits: bool) -> Model:
    from scipy.stats import loguniform
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.preprocessing import StandardScaler

    keep = (
        [VarianceThreshold(LINEAR_MIN_VARIANCE)]
        if bits
        else [
            VarianceThreshold(),
            StandardScaler(),
        ]
    )
    if regression:
        space = {"ridge__alpha": loguniform(1e0, 1e3)}
        return Model("ridge regression", make_pipeline(*keep, Ridge()), space)
    logistic = LogisticRegression(max_iter=2000, random_state=random_state)
    space = {"logisticregression__C": loguniform(1e-3, 1e1)}
    return Model("logistic regression", make_pipeline(*keep, logistic), space)

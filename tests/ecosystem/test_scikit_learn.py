"""Everything in scikit-learn that takes ``cv=`` takes our folds, and does use them.

What holds for every splitter (groups, routing, containers, nesting) is in
tests/model_selection/test_splitter_contract.py; here one splitter meets every tool.
"""

import inspect
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.stats import loguniform
from sklearn import calibration, feature_selection, linear_model, model_selection, multioutput
from sklearn.compose import make_column_transformer
from sklearn.covariance import GraphicalLassoCV
from sklearn.decomposition import PCA
from sklearn.ensemble import StackingClassifier, StackingRegressor
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, TargetEncoder
from sklearn.utils.discovery import all_displays, all_estimators, all_functions

from honesteval import SimilarityGroupKFold

ALPHA = {"alpha": [0.3, 1.0, 10.0]}
# a seed, since stacking would put a random one in the place of None
OPTIONS = {
    "n_splits": 3, "similarity": "rbf", "n_init": 1, "stratify": None, "random_state": 0,
}  # fmt: skip
#: Not tools: check_cv makes a splitter of an integer.
NO_TOOLS = {"check_cv"}


def _search(tool, grid=ALPHA, **options):
    def run(cv, X, y, active):
        search = getattr(model_selection, tool)(BernoulliNB(), grid, cv=cv, **options)
        return search.fit(X, active).cv_results_["mean_test_score"]

    return run


def _path(tool, scores, **options):
    def run(cv, X, y, active):
        return scores(getattr(linear_model, tool)(cv=cv, **options).fit(X, y))

    return run


def _several_targets(tool):
    def run(cv, X, y, active):
        model = getattr(linear_model, tool)(cv=cv, alphas=[0.01, 0.1, 1.0])
        return model.fit(X, np.column_stack([y, y**2])).mse_path_

    return run


def _logistic(cv, X, y, active):
    options = {"Cs": [0.1, 1.0, 10.0], "scoring": "accuracy", "l1_ratios": (0.0,)}
    if "use_legacy_attributes" in inspect.signature(linear_model.LogisticRegressionCV).parameters:
        options["use_legacy_attributes"] = False
    else:
        del options["l1_ratios"]
    scores = linear_model.LogisticRegressionCV(cv=cv, **options).fit(X, active).scores_
    return scores[1] if isinstance(scores, dict) else scores


def _target_encoder(cv, X, y, active):
    return TargetEncoder(cv=cv, target_type="continuous").fit_transform(X, y)


#: Each returns numbers that depend on which rows were trained on.
TOOLS = {
    "cross_val_score": lambda cv, X, y, active: model_selection.cross_val_score(
        Ridge(), X, y, cv=cv),
    "cross_validate": lambda cv, X, y, active: model_selection.cross_validate(
        Ridge(), X, y, cv=cv, return_train_score=True)["train_score"],
    "cross_val_predict": lambda cv, X, y, active: model_selection.cross_val_predict(
        Ridge(), X, y, cv=cv),
    "learning_curve": lambda cv, X, y, active: model_selection.learning_curve(
        Ridge(), X, y, cv=cv, train_sizes=[0.5, 1.0])[2],
    "validation_curve": lambda cv, X, y, active: model_selection.validation_curve(
        Ridge(), X, y, param_name="alpha", param_range=[1, 100], cv=cv)[1],
    "permutation_test_score": lambda cv, X, y, active: model_selection.permutation_test_score(
        Ridge(), X, y, cv=cv, n_permutations=2, random_state=0)[1],
    "LearningCurveDisplay": lambda cv, X, y, active:
        model_selection.LearningCurveDisplay.from_estimator(
            Ridge(), X, y, cv=cv, train_sizes=[0.5, 1.0]).test_scores,
    "ValidationCurveDisplay": lambda cv, X, y, active:
        model_selection.ValidationCurveDisplay.from_estimator(
            Ridge(), X, y, param_name="alpha", param_range=[1, 100], cv=cv).test_scores,
    "GridSearchCV": _search("GridSearchCV"),
    "RandomizedSearchCV": _search(
        "RandomizedSearchCV", {"alpha": loguniform(1e-2, 1e1)}, n_iter=4, random_state=0),
    "HalvingGridSearchCV": _search("HalvingGridSearchCV", min_resources=24, random_state=0),
    "HalvingRandomSearchCV": _search(
        "HalvingRandomSearchCV", {"alpha": loguniform(1e-2, 1e1)}, min_resources=24,
        random_state=0),
    "TunedThresholdClassifierCV": lambda cv, X, y, active:
        model_selection.TunedThresholdClassifierCV(
            BernoulliNB(), cv=cv, thresholds=9, store_cv_results=True
        ).fit(X, active).cv_results_["scores"],
    "CalibratedClassifierCV": lambda cv, X, y, active: calibration.CalibratedClassifierCV(
        BernoulliNB(), cv=cv).fit(X, active).predict_proba(X),
    "RFECV": lambda cv, X, y, active: feature_selection.RFECV(
        LogisticRegression(), step=0.5, cv=cv).fit(X, active).cv_results_["mean_test_score"],
    "StackingClassifier": lambda cv, X, y, active: StackingClassifier(
        [("nb", BernoulliNB())], LogisticRegression(), cv=cv).fit(X, active).predict_proba(X),
    "StackingRegressor": lambda cv, X, y, active: StackingRegressor(
        [("ridge", Ridge())], Ridge(), cv=cv).fit(X, y).predict(X),
    "ClassifierChain": lambda cv, X, y, active: multioutput.ClassifierChain(
        LogisticRegression(), cv=cv
    ).fit(X, np.column_stack([active, X[:, 0] > 0])).predict_proba(X),
    "RegressorChain": lambda cv, X, y, active: multioutput.RegressorChain(
        Ridge(), cv=cv).fit(X, np.column_stack([y, y**2])).predict(X),
    "LassoCV": _path("LassoCV", lambda m: m.mse_path_, alphas=[0.01, 0.1, 1.0]),
    "ElasticNetCV": _path("ElasticNetCV", lambda m: m.mse_path_, alphas=[0.01, 0.1, 1.0]),
    "LarsCV": _path("LarsCV", lambda m: m.mse_path_.mean(axis=0)),
    "LassoLarsCV": _path("LassoLarsCV", lambda m: m.mse_path_.mean(axis=0)),
    "MultiTaskLassoCV": _several_targets("MultiTaskLassoCV"),
    "MultiTaskElasticNetCV": _several_targets("MultiTaskElasticNetCV"),
    "OrthogonalMatchingPursuitCV": _path(
        "OrthogonalMatchingPursuitCV", lambda m: m.coef_),
    "RidgeCV": _path("RidgeCV", lambda m: m.best_score_, alphas=[0.1, 1.0, 10.0]),
    "RidgeClassifierCV": lambda cv, X, y, active: linear_model.RidgeClassifierCV(
        alphas=[0.1, 1.0, 10.0], cv=cv).fit(X, active).best_score_,
    "LogisticRegressionCV": _logistic,
    "GraphicalLassoCV": lambda cv, X, y, active: GraphicalLassoCV(
        alphas=[0.1, 0.3, 0.6], cv=cv).fit(X).cv_results_["mean_test_score"],
    "TargetEncoder": _target_encoder,
}  # fmt: skip


def _names_with_cv():
    """Return the names of everything public in scikit-learn with a parameter ``cv``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # modules that scikit-learn is about to remove
        found = [(name, kind.__init__) for name, kind in all_estimators()]
        found += all_functions()
        found += [
            (name, kind.from_estimator)
            for name, kind in all_displays()
            if hasattr(kind, "from_estimator")
        ]
    return {name for name, call in found if "cv" in inspect.signature(call).parameters}


@pytest.fixture(scope="module")
def rows(assay):
    """60 molecules by their principal components, with the folds of these."""
    X = PCA(6, random_state=0).fit_transform(assay.bits)[:60]
    return X, assay.y[:60], assay.active[:60], list(SimilarityGroupKFold(**OPTIONS).split(X))


def test_no_tool_is_missing():
    assert _names_with_cv() - NO_TOOLS == {*TOOLS, "SequentialFeatureSelector"}


@pytest.mark.parametrize("tool", TOOLS)
def test_tool_uses_the_folds(tool, rows, same_folds):
    if tool == "TargetEncoder" and TargetEncoder._parameter_constraints["cv"] != ["cv_object"]:
        pytest.skip(f"TargetEncoder of scikit-learn {sklearn.__version__} takes numbers only")
    X, y, active, folds = rows
    same_folds(lambda cv: TOOLS[tool](cv, X, y, active), SimilarityGroupKFold(**OPTIONS), folds)


def test_stepwise_selection_takes_the_molecules_as_groups(assay, same_folds):
    """The selector splits the columns it tries, so that these would decide the folds."""
    X = PCA(4, random_state=0).fit_transform(assay.bits)
    cv = SimilarityGroupKFold(3, on="groups", n_init=1)

    def run(cv):
        groups = {"groups": assay.smiles} if hasattr(cv, "split") else {}
        selector = feature_selection.SequentialFeatureSelector(
            Ridge(), n_features_to_select=2, cv=cv
        )
        return selector.fit(X, assay.y, **groups).support_

    with sklearn.config_context(enable_metadata_routing=True):
        same_folds(run, cv, list(cv.split(X, assay.y, assay.smiles)))


def test_check_cv_passes_it_through():
    cv = SimilarityGroupKFold(3)
    assert model_selection.check_cv(cv, classifier=True) is cv


def test_rows_of_a_frame_with_the_molecules_in_a_column(assay):
    """The column of SMILES chooses the folds and is dropped before the model."""
    X = pd.DataFrame(assay.bits[:, :20]).add_prefix("bit").assign(smiles=assay.smiles)
    model = make_pipeline(
        make_column_transformer((StandardScaler(), [f"bit{i}" for i in range(20)])), Ridge()
    )
    cv = SimilarityGroupKFold(3, on="smiles", n_init=1)
    search = model_selection.GridSearchCV(model, {"ridge__alpha": [0.1, 10.0]}, cv=cv)
    result = model_selection.cross_validate(search, X, assay.y, cv=cv, return_indices=True)
    expected = [test for _, test in SimilarityGroupKFold(3, n_init=1).split(assay.smiles, assay.y)]
    for found, fold in zip(result["indices"]["test"], expected, strict=True):
        np.testing.assert_array_equal(found, fold)


def test_groups_are_routed_through_a_nested_search(assay):
    """With metadata routing, SMILES given as groups choose the outer and the inner folds."""
    cv = SimilarityGroupKFold(3, on="groups", n_init=1)
    search = model_selection.GridSearchCV(Ridge(), ALPHA, cv=cv)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = model_selection.cross_validate(
            search, assay.bits, assay.y, cv=cv, params={"groups": assay.smiles},
            return_estimator=True, return_indices=True,
        )  # fmt: skip
    for fitted, train in zip(routed["estimator"], routed["indices"]["train"], strict=True):
        rows = assay.bits[train], assay.y[train], assay.smiles[train]
        by_hand = model_selection.GridSearchCV(Ridge(), ALPHA, cv=list(cv.split(*rows)))
        by_hand.fit(rows[0], rows[1])
        np.testing.assert_allclose(
            fitted.cv_results_["mean_test_score"], by_hand.cv_results_["mean_test_score"]
        )

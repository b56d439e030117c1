"""One small real assay for all tools: SMILES, fingerprints, pIC50 and a binary label."""

from functools import wraps
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.model_selection import cross_val_predict

from honesteval import SimilarityGroupKFold, nested_cross_validate
from honesteval.datasets import load_nav17
from honesteval.entities import parse_molecules
from honesteval.tuning import EarlyStoppingRefit


@pytest.fixture(scope="session")
def assay():
    """96 molecules of the embedded assay: ``smiles``, ``bits`` (0/1), ``y`` and ``active``."""
    nav17 = load_nav17()
    rows = np.random.default_rng(0).permutation(len(nav17.data))[:96]
    smiles, y = nav17.data[rows], nav17.target[rows]
    bits = np.unpackbits(parse_molecules(smiles).fingerprints(), axis=1)
    bits = bits[:, (bits.mean(axis=0) > 0.1) & (bits.mean(axis=0) < 0.9)].astype(float)
    active = (y > np.median(y)).astype(int)
    return SimpleNamespace(smiles=smiles, bits=bits, y=y, active=active)


@pytest.fixture
def same_folds(monkeypatch):
    """Assert that a tool splits with the splitter, and does what it does with these very folds."""

    def check(run, cv, folds):
        explicit = run(folds)
        calls, split = [], type(cv).split

        @wraps(split)
        def recorded(self, *arguments, **keywords):
            calls.append(arguments)
            return split(self, *arguments, **keywords)

        with monkeypatch.context() as patched:
            patched.setattr(type(cv), "split", recorded)
            given = run(cv)
        assert calls
        np.testing.assert_allclose(given, explicit)
        return given

    return check


@pytest.fixture
def check_booster(assay):
    """Assert what holds for every gradient boosting: scored, stopped and tuned inside folds."""
    cv, inner = SimilarityGroupKFold(3, n_init=1), SimilarityGroupKFold(2, n_init=1)

    def by_hand(make):
        """Fit and predict fold by fold, without any tool."""
        predicted = np.empty(len(assay.y))
        for fold, (train, test) in enumerate(cv.split(assay.bits, assay.y)):
            model = make(fold).fit(assay.bits[train], assay.y[train])
            predicted[test] = model.predict(assay.bits[test])
        return predicted

    def check(make, depth):
        def stopped(**parameters):
            return EarlyStoppingRefit(
                make(**parameters), max_iterations=20, patience=4, random_state=0
            )

        np.testing.assert_allclose(
            cross_val_predict(make(), assay.bits, assay.y, cv=cv), by_hand(lambda fold: make())
        )
        result = nested_cross_validate(
            stopped(), assay.bits, assay.y, search_space={f"estimator__{depth}": [2, 3]},
            outer_cv=cv, inner_cv=inner, n_trials=2, scoring="neg_mean_absolute_error",
            random_state=0,
        )  # fmt: skip
        chosen = [params[f"estimator__{depth}"] for params in result.best_params]
        np.testing.assert_allclose(
            result.predictions, by_hand(lambda fold: stopped(**{depth: chosen[fold]}))
        )

    return check

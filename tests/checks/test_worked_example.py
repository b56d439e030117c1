"""The worked example of near duplicates and mixed levels: every number, through public names.

1,500 bit vectors from 120 cores, a linear target, a random split into 1,000 and 500. The numbers
were computed independently. They count neighbours *above* 9/10: 79 vectors whose closest partner
has a Tanimoto coefficient of exactly 9/10 are near duplicates for ``>= 0.9``, and are not in them.
"""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from honesteval.checks import NEAR_DUPLICATE_SIMILARITY, level_check, memorization_check
from honesteval.datasets import make_near_duplicates
from honesteval.similarity import resolve_similarity

ABOVE_NINE_TENTHS = 0.9 + 1e-9


@pytest.fixture(scope="module")
def made():
    return make_near_duplicates()


@pytest.fixture(scope="module")
def ridge():
    """Ridge with lambda 1 whose intercept is a penalised feature."""
    return make_pipeline(PolynomialFeatures(degree=1), Ridge(alpha=1.0, fit_intercept=False))


@pytest.fixture(scope="module")
def result(made, ridge):
    ridge.fit(made.data[made.train], made.target[made.train])
    return memorization_check(
        made.data,
        made.target,
        train=made.train,
        test=made.test,
        y_pred=ridge.predict(made.data[made.test]),
        near_duplicate_threshold=ABOVE_NINE_TENTHS,
        method="percentile",
        n_resamples=2000,
        random_state=1,
    )


def test_exact_duplicates(made):
    keys = resolve_similarity(made.data).content_keys()
    assert len(keys) - len(set(keys)) == 497


@pytest.mark.parametrize(
    ("threshold", "n_rows"), [(ABOVE_NINE_TENTHS, 805), (NEAR_DUPLICATE_SIMILARITY, 884)]
)
def test_rows_with_a_near_duplicate(made, threshold, n_rows):
    first, second, _ = resolve_similarity(made.data).pairs_at_least(threshold)
    assert len(np.union1d(first, second)) == n_rows


def test_share_of_test_rows_with_a_near_duplicate_in_training(result):
    assert (result.n_test, result.n_near, result.share_near) == (500, 260, 0.52)


def test_nearest_neighbour_on_all_and_on_clean_rows(result):
    assert result.metric == "mae"
    assert round(result.neighbor.all, 3) == 0.518
    assert round(result.neighbor.clean, 3) == 0.829
    assert round(result.neighbor.inflation, 1) == 1.6
    assert result.neighbor.inflation_low > 1.4


def test_ridge_on_all_and_on_clean_rows(result):
    assert round(result.models["model"].all, 3) == 0.091
    assert round(result.models["model"].clean, 3) == 0.093


def test_difference_on_the_clean_rows(result):
    difference = result.differences["model"]
    assert (difference.n, difference.n_resamples) == (240, 2000)
    assert [round(x, 3) for x in (difference.estimate, difference.low, difference.high)] == [
        0.736, 0.655, 0.817,
    ]  # fmt: skip


def test_two_levels_mixed_and_one_alone(ridge):
    """The levels and new noise continue the generator of the example."""
    rng = np.random.default_rng(0)
    made = make_near_duplicates(random_state=rng)
    levels = rng.integers(0, 2, 1500)
    y = made.data @ made.coef + 3.0 * levels + 0.1 * rng.normal(size=1500)
    result = level_check(
        ridge, made.data, y, levels, train=made.train, test=made.test, random_state=0
    )
    assert round(result.mixed, 3) == 1.498
    assert round(result.level(0).alone, 3) == 0.098
    assert result.level(0).mixing_hurts

"""Expected maximum of several scores: known answers, simulation, refusals."""

import numpy as np
import pytest
from scipy.stats import binom, expon, norm, uniform

from honesteval.stats import expected_maximum


@pytest.mark.parametrize(
    ("m", "expected"), [(1, 0.0), (10, 1.538753), (36, 2.118123), (100, 2.507594)]
)
def test_standard_normal(m, expected):
    assert expected_maximum(m) == pytest.approx(expected, abs=5e-7)


def test_ten_students_guessing_a_hundred_questions():
    assert expected_maximum(10, binom(100, 0.5)) == pytest.approx(57.678, abs=5e-4)
    drawn = np.random.default_rng(0).binomial(100, 0.5, size=(4000, 10)).max(axis=1)
    assert expected_maximum(10, binom(100, 0.5)) == pytest.approx(drawn.mean(), abs=0.2)


@pytest.mark.parametrize(
    ("distribution", "m", "expected"),
    [
        (uniform(), 4, 4 / 5),
        (expon(), 3, 1 + 1 / 2 + 1 / 3),
        (norm(0.7, 0.05), 10, 0.7 + 0.05 * 1.538753),
        (binom(1, 0.5), 3, 1 - 0.5**3),
    ],
)
def test_closed_forms(distribution, m, expected):
    assert expected_maximum(m, distribution) == pytest.approx(expected, abs=1e-6)


def test_grows_with_the_number_tried():
    values = [expected_maximum(m) for m in (1, 2, 5, 20, 1000)]
    assert values == sorted(values)


def test_refuses():
    with pytest.raises(ValueError, match="n_models must be an integer"):
        expected_maximum(0)
    with pytest.raises(ValueError, match=r"frozen scipy\.stats distribution"):
        expected_maximum(3, "normal")

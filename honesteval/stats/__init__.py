"""Uncertainty of scores, and fair comparison of models.

Works on arrays of labels and scores; knows nothing of molecules, splits or reports.
"""
from __future__ import annotations


from honesteval.stats._permutation import PermutationTestResult, permutation_test
from honesteval.stats._permutation_p_value import permutation_p_value

__all__ = [
    # permutation tests
    "PermutationTestResult",
    "permutation_p_value",
    "permutation_test",
]

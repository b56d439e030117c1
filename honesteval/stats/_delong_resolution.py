"""How finely a ROC-AUC can be told apart at all."""

from __future__ import annotations

from honesteval._validation import check_number

__all__ = ["auc_resolution"]


def auc_resolution(n_positive: int, n_negative: int, *, ties: bool = False) -> float:
    """Return the smallest step between two values that a ROC-AUC can take.

    The ROC-AUC counts pairs of a positive and a negative, so it moves in steps of one pair:
    differences below the resolution do not exist, and of a few steps mean a few pairs.

    Parameters
    ----------
    n_positive, n_negative : int
        Rows of each class, at least 0.
    ties : bool, default=False
        Whether scores of a positive and a negative can be equal, which counts half a pair.

    Returns
    -------
    resolution : float
        ``1 / (n_positive n_negative)``, half of it with ties; NaN if a class is empty.

    Examples
    --------
    >>> from honesteval.stats import auc_resolution
    >>> auc_resolution(4, 6) == 1 / 24, auc_resolution(4, 6, ties=True) == 1 / 48
    (True, True)
    """
    check_number(n_positive, "n_positive", low=0, integer=True)
    check_number(n_negative, "n_negative", low=0, integer=True)
    pairs = n_positive * n_negative
    return (0.5 if ties else 1.0) / pairs if pairs else float("nan")

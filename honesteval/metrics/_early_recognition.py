"""Early recognition in a ranking: enrichment factor, RIE, BEDROC, whatever the row order."""

from __future__ import annotations

from numpy.typing import ArrayLike

from honesteval.stats import get_metric

__all__ = ["bedroc", "enrichment_factor", "robust_initial_enhancement"]


def enrichment_factor(
    y: ArrayLike,
    score: ArrayLike,
    *,
    fraction: float = 0.01,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return how many times more positives the top of a ranking holds than a random share.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels 0/1, -1/1 or bool.
    score : array-like of shape (n,)
        Predictions, high for positives.
    fraction : float in (0, 1], default=0.01
        Share of the rows that counts as the top: the first ``ceil(fraction n)``.
    sample_weight : array-like of shape (n,), default=None
        A whole weight w is the same as the row repeated w times.

    Returns
    -------
    enrichment : float
        From 0 to ``min(1/fraction, n/n_positive)``; 1 for a random ranking; NaN with one class.

    Raises
    ------
    ValueError
        If labels are not binary or ``fraction`` leaves (0, 1].

    Notes
    -----
    Rows with equal scores have no order. A block of them across the cut counts with the mean
    over all its orders, so that the value does not depend on the order of the rows; without
    ties it equals RDKit's ``CalcEnrichment``.

    Examples
    --------
    >>> from honesteval.metrics import enrichment_factor
    >>> enrichment_factor([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], range(10, 0, -1), fraction=0.2)
    5.0
    >>> enrichment_factor([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], [0.5] * 10, fraction=0.2)
    1.0
    """
    metric = get_metric("enrichment_factor", fraction=fraction)
    return metric(y, score, sample_weight=sample_weight)


def robust_initial_enhancement(
    y: ArrayLike, score: ArrayLike, *, alpha: float = 20.0, sample_weight: ArrayLike | None = None
) -> float:
    """Return robust initial enhancement (RIE): exponentially weighted early recognition.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels 0/1, -1/1 or bool.
    score : array-like of shape (n,)
        Predictions, high for positives.
    alpha : float, default=20.0
        Weight of the early ranks, above 0: a rank r counts ``exp(-alpha r/n)``.
    sample_weight : array-like of shape (n,), default=None

    Returns
    -------
    enhancement : float
        Not negative; 1 for a random ranking; NaN with one class. Its largest value depends on
        the number of positives, which :func:`bedroc` takes out.

    Raises
    ------
    ValueError
        If labels are not binary or ``alpha`` is not above 0.

    References
    ----------
    .. [1] Sheridan, R. P. et al. (2001). Protocols for bridging the peptide to nonpeptide gap
       in topological similarity searches. J. Chem. Inf. Comput. Sci. 41, 1395-1406.

    Examples
    --------
    >>> from honesteval.metrics import robust_initial_enhancement
    >>> round(robust_initial_enhancement([1, 0, 0, 0, 0], [5, 4, 3, 2, 1]), 4)
    4.9084
    """
    return get_metric("rie", alpha=alpha)(y, score, sample_weight=sample_weight)


def bedroc(
    y: ArrayLike, score: ArrayLike, *, alpha: float = 20.0, sample_weight: ArrayLike | None = None
) -> float:
    """Return BEDROC: robust initial enhancement scaled to [0, 1].

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels 0/1, -1/1 or bool.
    score : array-like of shape (n,)
        Predictions, high for positives.
    alpha : float, default=20.0
        Weight of the early ranks, above 0. With 20, the first 8 % of the ranking make up 80 %
        of the score. Values for different alpha, and for very different shares of positives,
        cannot be compared.
    sample_weight : array-like of shape (n,), default=None

    Returns
    -------
    bedroc : float
        1 if all positives come first, 0 if all come last; NaN with one class. A random ranking
        scores :func:`bedroc_of_random`, not one half.

    Raises
    ------
    ValueError
        If labels are not binary or ``alpha`` is not above 0.

    Notes
    -----
    A block of equal scores counts with the mean over all its orders, so that the order of the
    rows does not matter; without ties it equals RDKit's ``CalcBEDROC``.

    References
    ----------
    .. [1] Truchon, J.-F. and Bayly, C. I. (2007). Evaluating virtual screening methods: good
       and bad metrics for the "early recognition" problem. J. Chem. Inf. Model. 47, equation 36.

    Examples
    --------
    >>> from honesteval.metrics import bedroc
    >>> bedroc([1, 1, 0, 0, 0], [5, 4, 3, 2, 1]), bedroc([0, 0, 0, 1, 1], [5, 4, 3, 2, 1])
    (1.0, 0.0)
    """
    return get_metric("bedroc", alpha=alpha)(y, score, sample_weight=sample_weight)

"""A whole procedure beside the same procedure on permuted labels."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import get_scorer_names

from honesteval._validation import check_number, name_rows
from honesteval.checks._estimate_input import require_instance
from honesteval.checks._finding import CheckInfo, Finding
from honesteval.stats import PermutationTestResult, permutation_test

__all__ = ["PermutationCheckResult", "permutation_check"]

#: Scores of a model that has learned nothing, whatever the data.
CHANCE_SCORES = {"roc_auc": 0.5, "balanced_accuracy": 0.5, "r2": 0.0, "matthews_corrcoef": 0.0}

#: The mean permuted score is off chance when it differs by more than this many standard errors
#: and by more than CHANCE_TOLERANCE.
CHANCE_STANDARD_ERRORS = 4.0
CHANCE_TOLERANCE = 0.05

INFO = CheckInfo(
    code="HE701",
    name="permuted-labels",
    title="Score on permuted labels",
    why=(
        "On permuted labels there is nothing to learn. A procedure that scores as well there has "
        "shown nothing; one that scores above chance there leaks labels into its own evaluation."
    ),
    advice=(
        "If the score is not better than on permuted labels, do not report it as learning. If "
        "permuted labels score above chance, move every step that sees labels (feature "
        "selection, tuning, resampling) inside the folds."
    ),
    concerns="reliability",
)


@dataclass(frozen=True, eq=False)
class PermutationCheckResult:
    """Result of :func:`permutation_check`.

    Attributes
    ----------
    test : PermutationTestResult
        Score, permuted scores, p-values, and how labels were exchanged.
    chance : float or None
        Expected score without any information, where it is known.
    alpha : float
        Level of the test.
    finding : Finding
        The verdict, code HE701.
    """

    test: PermutationTestResult
    chance: float | None
    alpha: float
    finding: Finding

    @property
    def p_value(self) -> float:
        """``(b + 1) / (m + 1)`` for b of m permutations that score at least as well."""
        return self.test.p_value

    @property
    def score(self) -> float:
        """The score on the true labels."""
        return self.test.score

    @property
    def permuted_mean(self) -> float:
        """Mean score on permuted labels."""
        return float(np.nanmean(self.test.permuted_scores))

    @property
    def is_better_than_permuted(self) -> bool:
        """Whether the p-value reaches ``alpha``."""
        return self.p_value <= self.alpha

    @property
    def permuted_off_chance(self) -> bool:
        """Whether permuted labels score better than chance, so that the procedure leaks."""
        return _off_chance(self.test, self.chance)

    def to_frame(self) -> pd.DataFrame:
        """Return one row with every number of the test."""
        return self.test.to_frame().assign(
            chance=np.nan if self.chance is None else self.chance, alpha=self.alpha
        )

    def summary(self) -> str:
        """Return the test and the verdict in a few lines of text."""
        return f"{self.test.summary()}\n{self.finding.summary()}"

    def _repr_html_(self) -> str:
        lines = "<br>".join(escape(line) for line in self.summary().splitlines())
        return f"<p>{lines}</p>"


def permutation_check(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    scoring: Any = None,
    groups: Any = None,
    n_permutations: int = 199,
    permute: Any = "auto",
    chance: float | None = None,
    alpha: float = 0.05,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> PermutationCheckResult:
    """Repeat a whole procedure on permuted labels and judge what it scores there.

    Two things are asked. Is the score on the true labels better than on permuted ones
    (``p = (b + 1) / (m + 1)``)? And do permuted labels score at chance, as they must when no
    label leaks into the evaluation?

    Parameters
    ----------
    estimator : estimator or callable
        A scikit-learn estimator, scored over the folds of ``cv``; or the whole procedure,
        ``procedure(X, y) -> score``, with everything that sees the labels inside (selecting
        features, tuning, splitting). Labels permuted after such a step cannot show its leak.
    X : array-like with n rows
    y : array-like of shape (n,) or (n, n_outputs)
    cv : int, splitter or iterable, default=None
        Folds for an estimator: 5 by default.
    scoring : str or callable, default=None
        Any scikit-learn scoring, for an estimator.
    groups : array-like of shape (n,), default=None
        Rows that belong together. Labels of whole groups are exchanged when they are constant
        inside each.
    n_permutations : int, default=199
    permute : {"auto", "rows", "groups", "within"}, default="auto"
        As in :func:`honesteval.stats.permutation_test`.
    chance : float or None, default=None
        Expected score without information. Known for ROC-AUC (0.5), R2 (0), Matthews'
        correlation (0) and, of two classes, balanced accuracy (0.5) when ``scoring`` names it.
    alpha : float, default=0.05
    random_state : int, RandomState instance or None, default=None
    n_jobs : int, default=None

    Returns
    -------
    result : PermutationCheckResult

    Raises
    ------
    ValueError
        If labels are missing, and as :func:`honesteval.stats.permutation_test`.

    See Also
    --------
    honesteval.stats.permutation_test : The test with all its options.

    References
    ----------
    T. Hastie, R. Tibshirani and J. Friedman, The Elements of Statistical Learning, 2nd edition,
    section 7.10.2.

    Examples
    --------
    Features selected on all rows, before the folds: labels without any information score far
    above chance.

    >>> import numpy as np
    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from honesteval.checks import permutation_check
    >>> random = np.random.default_rng(0)
    >>> X, y = random.normal(size=(40, 1000)), np.repeat([0, 1], 20)
    >>> def select_then_score(X, y):
    ...     chosen = SelectKBest(k=20).fit_transform(X, y)
    ...     return cross_val_score(GaussianNB(), chosen, y).mean()
    >>> result = permutation_check(
    ...     select_then_score, X, y, n_permutations=19, chance=0.5, random_state=0
    ... )
    >>> result.permuted_off_chance, result.is_better_than_permuted
    (True, False)
    """
    require_instance(estimator)
    _check_labels(y)
    _check_scoring(scoring)
    if chance is not None:
        check_number(chance, "chance")
    elif isinstance(scoring, str):
        chance = _known_chance(scoring, y)
    test = permutation_test(
        estimator,
        X,
        y,
        groups=groups,
        cv=cv,
        scoring=scoring,
        permute=permute,
        n_permutations=n_permutations,
        alpha=alpha,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return PermutationCheckResult(test, chance, float(alpha), _finding(test, chance, alpha))


def _check_labels(y: Any) -> None:
    if y is None:
        raise ValueError("permutation_check needs labels to permute. Got y=None.")
    missing = pd.DataFrame(np.asarray(y)).isna().any(axis=1).to_numpy()
    if missing.any():
        raise ValueError(
            f"y is missing in {name_rows(np.flatnonzero(missing))}: a procedure cannot be scored "
            "on rows without a label. Leave them out of X, y and groups."
        )


def _check_scoring(scoring: Any) -> None:
    if isinstance(scoring, str):
        names = get_scorer_names()
        if scoring not in names:
            near = get_close_matches(scoring, names, n=3)
            hint = f"Did you mean {', '.join(near)}?" if near else "See get_scorer_names() there."
            raise ValueError(f"scoring={scoring!r} is no scorer of sklearn.metrics. {hint}")


def _known_chance(scoring: str, y: Any) -> float | None:
    if scoring == "balanced_accuracy" and len(np.unique(np.asarray(y))) != 2:
        return None
    return CHANCE_SCORES.get(scoring)


def _off_chance(test: PermutationTestResult, chance: float | None) -> bool:
    permuted = test.permuted_scores[~np.isnan(test.permuted_scores)]
    if chance is None or len(permuted) < 2:
        return False
    excess = float(permuted.mean()) - chance
    standard_error = float(permuted.std(ddof=1)) / np.sqrt(len(permuted))
    return excess > max(CHANCE_TOLERANCE, CHANCE_STANDARD_ERRORS * standard_error)


def _finding(test: PermutationTestResult, chance: float | None, alpha: float) -> Finding:
    mean = float(np.nanmean(test.permuted_scores))
    measured = {
        "score": test.score,
        "permuted_mean": mean,
        "chance": chance,
        "p_value": test.p_value,
        "n_permutations": test.n_permutations,
        "alpha": alpha,
    }
    scores = (
        f"Score {test.score:.3f}; on permuted labels {mean:.3f} on average, p = {test.p_value:.3g} "
        f"({test.n_exceeding} of {test.n_permutations} permutations score as well)."
    )
    if _off_chance(test, chance):
        return INFO.found(
            "error",
            f"{scores} Chance is {chance:g}: the procedure finds {mean - (chance or 0.0):.3f} "
            "in labels that hold nothing.",
            measured=measured,
        )
    if test.p_value > alpha:
        return INFO.found("warning", f"{scores} That is not better than chance.", measured=measured)
    return INFO.passed(scores, measured=measured)

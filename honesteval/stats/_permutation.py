"""Is a score better than chance? Permute the labels and repeat everything."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from honesteval._validation import check_number, check_option, check_same_length
from honesteval.exceptions import HonestevalWarning
from honesteval.stats._exchangeability import (
    LabelPermutation,
    Permute,
    plan_label_permutation,
)
from honesteval.stats._fast_permutation import LinearFolds, why_not_linear
from honesteval.stats._permutation_p_value import (
    DEFAULT_ALPHA,
    permutation_p_value,
    sequential_p_value,
    warn_if_unreachable,
)
from honesteval.stats._permutation_procedure import (
    CrossValidatedEstimator,
    Scored,
    WholeProcedure,
    make_procedure,
    relabelled,
)
from honesteval.stats._random_state import RandomState, as_random_state, draw_seed

TIE_TOLERANCE = 1e-9
"""Permuted scores this close to the observed one (relatively) count as reaching it."""

ENGINES = ("auto", "loop", "linear")

_BATCHES_PER_JOB = 8
_Procedure = WholeProcedure | CrossValidatedEstimator


@dataclass(frozen=True)
class PermutationTestResult:
    """Result of :func:`permutation_test`.

    Attributes
    ----------
    score : float
        The observed score.
    permuted_scores : ndarray of shape (n_permutations,)
        The scores on permuted labels, in the order drawn; NaN where a permutation failed.
    p_value : float
        ``(n_exceeding + 1) / (n_permutations + 1)``, or ``n_exceeding / n_permutations`` when
        sampling stopped early; in (0, 1].
    p_value_exact : float or None
        The exact p-value for draws with replacement from ``n_distinct`` relabellings; None
        when sampling was sequential.
    n_exceeding : int
        Permutations whose score reaches the observed one. Failed permutations count as
        reaching it, which keeps the test valid.
    n_permutations : int
        Permutations that were drawn.
    n_distinct : float
        Number of distinct relabellings, the observed one included; ``inf`` above 1e15.
    permuted : {"rows", "groups", "within"}
        What exchanged labels.
    why_permuted : str
        The reason in one sentence.
    n_units : int
        How many rows or groups exchanged labels.
    n_failed : int
        Permutations in which the procedure raised an error or gave NaN.
    failures : dict of str to int
        Their messages and how often each came.
    n_undefined_folds : int
        Folds left out of a mean because the score is undefined there, over all permutations
        and the observed labels.
    stopped_early : bool
        Whether sequential sampling reached its number of exceedances.
    greater_is_better : bool
        Direction of the score.
    alpha : float
        The level the test was to be able to reach.
    statistic : str
        What the score is, in words.
    engine : {"loop", "linear"}
        Whether each permutation was refitted or all were computed at once.
    """

    score: float
    permuted_scores: NDArray[np.float64] = field(repr=False)
    p_value: float
    p_value_exact: float | None
    n_exceeding: int
    n_permutations: int
    n_distinct: float
    permuted: str
    why_permuted: str
    n_units: int
    n_failed: int
    failures: dict[str, int] = field(repr=False)
    n_undefined_folds: int
    stopped_early: bool
    greater_is_better: bool
    alpha: float
    statistic: str
    engine: str

    def to_frame(self) -> pd.DataFrame:
        """Return one row with every number of the test."""
        permuted = self.permuted_scores[~np.isnan(self.permuted_scores)]
        row = {
            "score": self.score,
            "permuted_mean": float(permuted.mean()) if permuted.size else np.nan,
            "permuted_sd": float(permuted.std(ddof=1)) if permuted.size > 1 else np.nan,
            "p_value": self.p_value,
            "p_value_exact": np.nan if self.p_value_exact is None else self.p_value_exact,
            "n_exceeding": self.n_exceeding,
            "n_permutations": self.n_permutations,
            "n_distinct": self.n_distinct,
            "permuted": self.permuted,
            "n_units": self.n_units,
            "n_failed": self.n_failed,
            "n_undefined_folds": self.n_undefined_folds,
            "stopped_early": self.stopped_early,
            "engine": self.engine,
        }
        return pd.DataFrame([row])

    def summary(self) -> str:
        """Return the result in a few lines of text."""
        frame = self.to_frame().iloc[0]
        side = "high" if self.greater_is_better else "low"
        lines = [
            f"Permutation test of {self.statistic}",
            f"  observed {self.score:.4g}; permuted labels {frame.permuted_mean:.4g} "
            f"(SD {frame.permuted_sd:.2g})",
            f"  {self.n_exceeding} of {self.n_permutations} permutations score as {side} or "
            f"better: p = {self.p_value:.4g}"
            + ("" if self.p_value_exact is None else f" (exact {self.p_value_exact:.4g})"),
            f"  {self.why_permuted}",
        ]
        if self.stopped_early:
            lines.append("  stopped early: enough permutations reached the observed score")
        if self.n_failed:
            lines.append(f"  {self.n_failed} permutations failed and count as reaching the score")
        if self.n_undefined_folds:
            lines.append(f"  {self.n_undefined_folds} folds had no defined score and were left out")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return str(self.to_frame().to_html(index=False))


def permutation_test(
    procedure: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    cv: Any = None,
    scoring: str | Callable[..., float] | None = None,
    fit_params: dict[str, Any] | None = None,
    greater_is_better: bool = True,
    permute: Permute = "auto",
    n_permutations: int = 999,
    stop_after: int | None = None,
    alpha: float = DEFAULT_ALPHA,
    engine: str = "auto",
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> PermutationTestResult:
    """Test whether a score is better than on labels that carry no information.

    Labels are exchanged in the way their dependence allows, and everything that saw the
    labels is repeated on each permuted copy. An estimator is refitted in every fold. If
    features, hyper-parameters or the model itself were chosen with the labels, give the
    whole procedure as a callable: permuting labels *after* such a choice cannot show what
    the choice leaked.

    Parameters
    ----------
    procedure : estimator or callable
        A scikit-learn estimator, scored by its mean over the folds of ``cv``; or a callable
        ``procedure(X, y)`` that does everything (selection, splitting, fitting) and returns
        one number. Fixed scores are tested with a metric as the procedure:
        ``permutation_test(lambda score, y: roc_auc_score(y, score), score, y)``.
    X : array-like, data frame or sparse matrix with n rows
        Passed on as it is; never permuted.
    y : array-like of shape (n,) or (n, n_outputs)
        Labels. Rows of a two-dimensional ``y`` move as a whole. A pandas index stays with
        its rows.
    groups : array-like of shape (n,), default=None
        Rows that belong together (one molecule's replicates, one patient). If ``y`` is
        constant inside each group, whole groups exchange their labels. Also given to ``cv``.
    cv : int, splitter or iterable of (train, test), default=None
        Folds for an estimator: 5 (stratified for a classifier) by default, whole groups when
        ``groups`` are given. Folds that depend on ``y`` are drawn anew on each permutation.
    scoring : str or callable, default=None
        Any scikit-learn scoring; the estimator's own by default. A fold where it is undefined
        is left out of the mean and counted.
    fit_params : dict, default=None
        Given to ``fit`` (rows are selected per fold).
    greater_is_better : bool, default=True
        Direction of the score a callable returns. Scikit-learn scorers are always greater is
        better.
    permute : {"auto", "rows", "groups", "within"}, default="auto"
        What exchanges labels. ``"within"`` permutes inside groups, which is valid only where
        rows of a group are exchangeable, and so has to be asked for.
    n_permutations : int, default=999
        Permutations drawn, at most when ``stop_after`` is given.
    stop_after : int, default=None
        Stop at this many exceedances (Besag and Clifford): a hopeless score then costs a few
        dozen permutations, and p-values near ``alpha`` keep their precision. 10 is usual.
    alpha : float, default=0.05
        Level the test should be able to reach; a warning is given when it cannot.
    engine : {"auto", "loop", "linear"}, default="auto"
        ``"linear"`` computes all permutations at once for learners whose prediction is linear
        in ``y`` (see Notes); ``"auto"`` uses it where it applies.
    random_state : int, Generator, RandomState or None, default=None
        Seeds the permutations, and every ``random_state`` the estimator or ``cv`` leaves open.
    n_jobs : int, default=None
        Parallel permutations (joblib). The result does not depend on it.

    Returns
    -------
    result : PermutationTestResult
        Score, permuted scores, p-values, how labels were exchanged, failures.

    Raises
    ------
    ValueError
        If no valid exchange of labels exists for the groups, the observed score is undefined,
        every permutation fails, or an argument is out of range.

    Warns
    -----
    HonestevalWarning
        If ``alpha`` cannot be reached, or permutations failed.

    See Also
    --------
    permutation_p_value : The p-value from its counts.

    Notes
    -----
    The linear engine covers ``LinearRegression``, ``Ridge``, ``KernelRidge``,
    ``KNeighborsRegressor`` and ``KNeighborsClassifier``, alone or after scalers and other
    transformers that ignore ``y``, with folds that do not depend on ``y`` and a common
    score. It gives the same score for every permutation as refitting does.

    References
    ----------
    B. Phipson and G. K. Smyth, "Permutation P-values should never be zero", Statistical
    Applications in Genetics and Molecular Biology 9 (2010), article 39.

    J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78 (1991) 301-304.

    M. Ojala and G. C. Garriga, "Permutation tests for studying classifier performance",
    Journal of Machine Learning Research 11 (2010) 1833-1863.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import KFold
    >>> from honesteval.stats import permutation_test
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(60, 5))
    >>> y = X[:, 0] + random.normal(size=60)
    >>> result = permutation_test(Ridge(), X, y, cv=KFold(5), scoring="r2", random_state=0)
    >>> result.p_value, result.permuted, result.engine
    (0.001, 'rows', 'linear')
    """
    check_same_length(X=X, y=y, groups=groups)
    check_number(n_permutations, "n_permutations", low=1, integer=True)
    check_number(alpha, "alpha", low=0, high=1, closed="neither")
    check_option(engine, "engine", ENGINES)
    if stop_after is not None:
        check_number(stop_after, "stop_after", low=1, high=n_permutations, integer=True)
    if hasattr(procedure, "fit") and not greater_is_better:
        raise ValueError(
            "Scikit-learn scorers are always greater is better (errors are negated). "
            "greater_is_better=False is for a callable procedure."
        )
    plan = plan_label_permutation(y, groups, permute=permute)
    warn_if_unreachable(n_permutations, plan.n_distinct, alpha=alpha)
    random = as_random_state(random_state)
    seeds = np.random.SeedSequence(draw_seed(random)).spawn(n_permutations)
    repeatable = make_procedure(
        procedure, X, y, groups=groups, cv=cv, scoring=scoring, fit_params=fit_params,
        random_state=random,
    )  # fmt: skip
    observed = _observed_score(repeatable, y)
    linear = _linear_folds(engine, repeatable, y, observed)
    if linear is None:
        permuted = _loop_scores(repeatable, y, plan, seeds, stop_after=stop_after, n_jobs=n_jobs)
    else:
        permuted = linear.scores(plan, seeds)
    scored, n_exceeding = _count_until(permuted, observed.score, greater_is_better, stop_after)
    return _result(
        repeatable, plan, observed, scored, n_exceeding,
        stop_after=stop_after, greater_is_better=greater_is_better, alpha=alpha,
        engine="loop" if linear is None else "linear",
    )  # fmt: skip


def _observed_score(procedure: _Procedure, y: Any) -> Scored:
    observed = procedure.score(y)
    if np.isnan(observed.score):
        raise ValueError(
            f"The observed score is undefined ({observed.error or 'the procedure gave NaN'}): "
            "there is nothing to compare permuted labels with. Check the metric, and that each "
            "fold holds every class."
        )
    return observed


def _linear_folds(
    engine: str, procedure: _Procedure, y: Any, observed: Scored
) -> LinearFolds | None:
    """Prepare the linear engine where it was asked for or applies."""
    if engine == "loop":
        return None
    reason = why_not_linear(procedure, y)
    if reason is None and isinstance(procedure, CrossValidatedEstimator):
        linear = LinearFolds.from_procedure(procedure, y)
        if linear.repeats(observed):
            return linear
        reason = "it does not repeat the score that fitting gives on the observed labels"
    if engine == "linear":
        raise ValueError(f"engine='linear' does not apply: {reason}. Use engine='auto'.")
    return None


def _score_permuted(
    procedure: _Procedure, y: Any, plan: LabelPermutation, seed: np.random.SeedSequence
) -> Scored:
    labels = relabelled(y, plan.draw(np.random.default_rng(seed)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return procedure.score(labels)
        except Exception as error:
            lines = str(error).strip().splitlines() or [""]
            shown = lines[0] if len(lines) == 1 else f"{lines[0]} ... {lines[-1]}"
            return Scored(np.nan, 0, f"{type(error).__name__}: {shown}")


def _loop_scores(
    procedure: _Procedure, y: Any, plan: LabelPermutation, seeds: list[np.random.SeedSequence],
    *, stop_after: int | None, n_jobs: int | None,
) -> Iterator[Scored]:  # fmt: skip
    """Refit on every permutation; in batches when sampling may stop early."""
    batch = len(seeds) if stop_after is None else _BATCHES_PER_JOB * effective_n_jobs(n_jobs)
    for start in range(0, len(seeds), batch):
        yield from Parallel(n_jobs=n_jobs)(
            delayed(_score_permuted)(procedure, y, plan, seed)
            for seed in seeds[start : start + batch]
        )


def _count_until(
    permuted: Iterator[Scored], observed: float, greater_is_better: bool, stop_after: int | None
) -> tuple[list[Scored], int]:
    """Collect scores in order and count those that reach the observed one."""
    sign = 1.0 if greater_is_better else -1.0
    reached = sign * observed - TIE_TOLERANCE * abs(observed)
    scored: list[Scored] = []
    n_exceeding = 0
    for one in permuted:
        scored.append(one)
        n_exceeding += bool(np.isnan(one.score) or sign * one.score >= reached)
        if n_exceeding == stop_after:
            break
    return scored, n_exceeding


def _failures(scored: list[Scored]) -> dict[str, int]:
    messages = [one.error or "the procedure gave NaN" for one in scored if np.isnan(one.score)]
    counted = dict(Counter(messages).most_common())
    if len(messages) == len(scored):
        raise ValueError(f"Every permutation failed. Most often: {next(iter(counted))}")
    if messages:
        warnings.warn(
            f"{len(messages)} of {len(scored)} permutations failed and count as reaching the "
            f"observed score (result.failures lists why). Most often: {next(iter(counted))}",
            HonestevalWarning,
            stacklevel=4,
        )
    return counted


def _result(
    procedure: _Procedure, plan: LabelPermutation, observed: Scored, scored: list[Scored],
    n_exceeding: int, *, stop_after: int | None, greater_is_better: bool, alpha: float,
    engine: str,
) -> PermutationTestResult:  # fmt: skip
    failures = _failures(scored)
    n_drawn = len(scored)
    exact = None
    if stop_after is None:
        p_value = permutation_p_value(n_exceeding, n_drawn)
        exact = permutation_p_value(n_exceeding, n_drawn, n_distinct=plan.n_distinct)
    else:
        p_value = sequential_p_value(n_exceeding, n_drawn, stop_after=stop_after)
    return PermutationTestResult(
        score=observed.score,
        permuted_scores=np.array([one.score for one in scored]),
        p_value=p_value,
        p_value_exact=exact,
        n_exceeding=n_exceeding,
        n_permutations=n_drawn,
        n_distinct=plan.n_distinct,
        permuted=plan.how,
        why_permuted=plan.why,
        n_units=plan.n_units,
        n_failed=sum(failures.values()),
        failures=failures,
        n_undefined_folds=observed.n_undefined + sum(one.n_undefined for one in scored),
        stopped_early=stop_after is not None and n_exceeding >= stop_after,
        greater_is_better=greater_is_better,
        alpha=alpha,
        statistic=procedure.statistic,
        engine=engine,
    )

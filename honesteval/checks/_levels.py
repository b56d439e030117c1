"""What it costs to mix measurement levels (assays, sites, batches) in one training set."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._validation import check_1d, check_number, check_same_length, n_rows, name_rows
from honesteval.checks._estimate_input import require_instance
from honesteval.checks._labels import LabelColumn, single_label_column
from honesteval.checks._model_scores import DEFAULT_METRICS, predict_for
from honesteval.checks._split_rows import check_parts
from honesteval.stats import BootstrapDifference, Metric, bootstrap_difference, get_metric

__all__ = ["LevelMixingResult", "LevelScores", "level_check"]

#: Levels with fewer labelled training or test rows than this are not scored by themselves.
FEWEST_ROWS = 10


@dataclass(frozen=True, eq=False)
class LevelScores:
    """One measurement level: the model of all levels beside the model of this one alone.

    Attributes
    ----------
    level : object
    n_train, n_test : int
        Labelled rows of the level.
    mean_label : float
        Mean training label of the level (for classes NaN).
    mixed : float
        Score, on the test rows of the level, of the model trained on all levels.
    alone : float
        Score, on the same rows, of the model trained on this level alone.
    difference : BootstrapDifference
        Score of the mixed model minus score of the model of the level alone, paired by row.
    """

    level: Any
    n_train: int
    n_test: int
    mean_label: float
    mixed: float
    alone: float
    difference: BootstrapDifference

    @property
    def mixing_hurts(self) -> bool:
        """Whether the interval of the difference says that the level alone is better."""
        if self.difference.greater_is_better:
            return self.difference.high < 0
        return self.difference.low > 0


@dataclass(frozen=True, eq=False)
class LevelMixingResult:
    """Result of :func:`level_check`.

    Attributes
    ----------
    metric, label : str
        Name of the metric, and the name shown.
    greater_is_better : bool
    n_train, n_test : int
        Labelled rows.
    mixed : float
        Score on all test rows of the model trained on all levels.
    levels : tuple of LevelScores
        The levels with enough rows, most training rows first.
    left_out : tuple
        Levels with too few training or test rows to be scored by themselves.
    """

    metric: str
    label: str
    greater_is_better: bool
    n_train: int
    n_test: int
    mixed: float
    levels: tuple[LevelScores, ...] = field(repr=False)
    left_out: tuple[Any, ...] = ()

    def level(self, level: Any) -> LevelScores:
        """Return the scores of one level."""
        for scores in self.levels:
            if scores.level == level:
                return scores
        known = ", ".join(repr(scores.level) for scores in self.levels)
        raise ValueError(f"No scores for level {level!r}. There are scores for {known}.")

    @property
    def mixing_hurts(self) -> bool:
        """Whether some level is better predicted by its own rows alone."""
        return any(scores.mixing_hurts for scores in self.levels)

    def to_frame(self) -> pd.DataFrame:
        """Return one line per level."""
        return pd.DataFrame(
            [
                {
                    "level": scores.level,
                    "n_train": scores.n_train,
                    "n_test": scores.n_test,
                    "mean_label": scores.mean_label,
                    "mixed": scores.mixed,
                    "alone": scores.alone,
                    "difference": scores.difference.estimate,
                    "low": scores.difference.low,
                    "high": scores.difference.high,
                    "mixing_hurts": scores.mixing_hurts,
                }
                for scores in self.levels
            ]
        )

    def summary(self) -> str:
        """Return the result in a few lines of text."""
        lines = [
            f"Trained on all levels: {self.label} {self.mixed:.3f} on all {self.n_test} test rows."
        ]
        for scores in self.levels:
            difference = scores.difference
            lines.append(
                f"Level {scores.level}: {scores.alone:.3f} trained on its {scores.n_train} rows "
                f"alone, {scores.mixed:.3f} trained on all {self.n_train} (difference "
                f"{difference.estimate:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}])."
            )
        if self.left_out:
            lines.append(f"Too few rows by themselves: {', '.join(map(str, self.left_out))}.")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        lines = "<br>".join(escape(line) for line in self.summary().splitlines())
        return f"<p>{lines}</p>" + self.to_frame().to_html(
            index=False, float_format="{:.3f}".format
        )


def level_check(
    estimator: Any,
    X: Any,
    y: Any,
    levels: Any,
    *,
    train: Any,
    test: Any,
    metric: Any = "auto",
    method: str = "bca",
    n_resamples: int = 1999,
    confidence_level: float = 0.95,
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
) -> LevelMixingResult:
    """Measure what mixing measurement levels in the training set costs.

    Values from different assays, sites or batches may differ by an offset or a scale that no
    feature knows. A model trained on the mix then predicts between the levels. The check trains
    on all training rows and on those of each level alone, and scores both on the test rows of
    that level.

    Parameters
    ----------
    estimator : estimator
        Cloned and fitted once on everything and once per level.
    X : array-like or data frame with n rows
        Features.
    y : array-like of shape (n,)
        Labels; rows without one are left out.
    levels : array-like of shape (n,)
        Level of each row.
    train, test : array-like of int or bool
        Row positions (or boolean masks) of the two parts.
    metric : str, Metric or callable, default="auto"
        ``"auto"`` is ROC-AUC for two classes, accuracy for more, and MAE for numbers.
    method, n_resamples, confidence_level, random_state
        As in :func:`honesteval.stats.bootstrap_difference`.

    Returns
    -------
    result : LevelMixingResult

    Raises
    ------
    ValueError
        If there is one level only, no level has 10 labelled training and test rows, a level is
        missing, or an argument does not fit.

    Examples
    --------
    Two levels that differ by an offset of 3:

    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from honesteval.checks import level_check
    >>> from honesteval.datasets import make_near_duplicates
    >>> made = make_near_duplicates()
    >>> levels = np.arange(1500) % 2
    >>> result = level_check(
    ...     Ridge(), made.data, made.target + 3 * levels, levels,
    ...     train=made.train, test=made.test, random_state=0,
    ... )
    >>> result.mixing_hurts, round(result.mixed, 1), round(result.level(0).alone, 1)
    (True, 1.5, 0.1)
    """
    check_same_length(X=X, y=y, levels=levels)
    require_instance(estimator)
    check_number(n_resamples, "n_resamples", low=1, integer=True)
    n = n_rows(X)
    labels = single_label_column(y, n)
    chosen = get_metric(DEFAULT_METRICS[labels.kind] if metric == "auto" else metric)
    train_rows, test_rows = check_parts(train, test, n)
    train_rows = train_rows[labels.measured[train_rows]]
    test_rows = test_rows[labels.measured[test_rows]]
    codes, names = _level_codes(levels)
    if len(names) < 2:
        raise ValueError(f"There is one level only ({names[0]!r}): nothing is mixed.")
    mixed = predict_for(estimator, X, labels, train=train_rows, test=test_rows, metric=chosen)
    bootstrap = {
        "method": method,
        "n_resamples": n_resamples,
        "confidence_level": confidence_level,
        "random_state": random_state,
    }
    scores, left_out = [], []
    for code in np.argsort(-np.bincount(codes[train_rows], minlength=len(names)), kind="stable"):
        own_train = train_rows[codes[train_rows] == code]
        in_level = codes[test_rows] == code
        if min(len(own_train), in_level.sum()) < FEWEST_ROWS:
            left_out.append(names[code])
            continue
        own_test = test_rows[in_level]
        alone = predict_for(estimator, X, labels, train=own_train, test=own_test, metric=chosen)
        scores.append(
            _level_scores(
                names[code],
                labels,
                train=own_train,
                test=own_test,
                mixed=mixed[in_level],
                alone=alone,
                metric=chosen,
                bootstrap=bootstrap,
            )
        )
    if not scores:
        raise ValueError(
            f"No level has {FEWEST_ROWS} labelled training rows and {FEWEST_ROWS} test rows."
        )
    return LevelMixingResult(
        metric=chosen.name,
        label=chosen.label,
        greater_is_better=chosen.greater_is_better,
        n_train=len(train_rows),
        n_test=len(test_rows),
        mixed=chosen(labels.values[test_rows], mixed),
        levels=tuple(scores),
        left_out=tuple(left_out),
    )


def _level_scores(
    level: Any,
    labels: LabelColumn,
    *,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    mixed: NDArray[np.float64],
    alone: NDArray[np.float64],
    metric: Metric,
    bootstrap: dict[str, Any],
) -> LevelScores:
    y = labels.values[test]
    difference = bootstrap_difference(y, mixed, alone, metric=metric, **bootstrap)
    is_number = labels.kind == "continuous"
    return LevelScores(
        level=level,
        n_train=len(train),
        n_test=len(test),
        mean_label=float(labels.values[train].mean()) if is_number else np.nan,
        mixed=difference.estimate_a,
        alone=difference.estimate_b,
        difference=difference,
    )


def _level_codes(levels: Any) -> tuple[NDArray[np.intp], list[Any]]:
    codes, names = pd.factorize(check_1d(levels, "levels"), sort=False)
    missing = np.flatnonzero(codes < 0)
    if len(missing):
        raise ValueError(f"levels are missing in {name_rows(missing)}.")
    return codes.astype(np.intp), list(names)

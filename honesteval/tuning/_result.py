"""What nested cross-validation found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honesteval._validation import check_option
from honesteval.tuning._out_of_fold import align_rows, most_frequent, over_repeats
from honesteval.tuning._pooled_interval import FoldRankings, pooled_interval
from honesteval.tuning._score_interval import ScoreInterval, corrected_t_interval
from honesteval.tuning._scorer_metric import scorer_limits

if TYPE_CHECKING:
    import pandas as pd

    from honesteval.tuning._deployable import DeployableModel

INTERVAL_METHODS = ("corrected_t", "bootstrap")


@dataclass(frozen=True, eq=False)
class OuterFold:
    """One outer fold of one task.

    Parameters
    ----------
    repeat, fold, task : int
        Which repeat, which fold of it, which column of ``Y``.
    train_size, test_size : int
        Labelled rows in the two parts.
    test_indices : ndarray of int
        Positions of the test rows in the data.
    predictions : ndarray of shape (test_size,)
        Labels or values.
    predicted_scores : ndarray of shape (test_size,) or (test_size, n_classes), or None
        Of a classifier: probability of the second class (or its decision value), or one column
        per class.
    scores : dict of str to float
        Outer scores by metric; NaN where undefined.
    best_params : dict
        What the inner search chose; empty without one.
    inner_best_score : float
        Mean inner score of that choice, NaN without a search.
    n_trials, n_failed_trials : int
        Settings that the inner search tried, and how many of them failed.
    first_error : str or None
        The first error of a failed trial.
    search_seconds, refit_seconds : float
    learning_curve : tuple of (int, float)
        Training rows and outer score with the chosen setting, where asked for.
    """

    repeat: int
    fold: int
    task: int
    train_size: int
    test_size: int
    test_indices: NDArray[np.intp] = field(repr=False)
    predictions: NDArray[Any] = field(repr=False)
    predicted_scores: NDArray[np.float64] | None = field(repr=False)
    scores: dict[str, float]
    best_params: dict[str, Any] = field(default_factory=dict)
    inner_best_score: float = float("nan")
    n_trials: int = 0
    n_failed_trials: int = 0
    first_error: str | None = None
    search_seconds: float = 0.0
    refit_seconds: float = 0.0
    learning_curve: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, eq=False)
class NestedCVResult:
    """Scores, predictions and choices of every outer fold.

    Parameters
    ----------
    folds : tuple of OuterFold
        By repeat, fold and task.
    y : ndarray of shape (n_rows,) or (n_rows, n_tasks)
        The labels; NaN where missing.
    metric : str
        The score that the inner search maximised.
    task_names : tuple of str
    n_splits, n_repeats : int
        Outer folds per repeat, and repeats.
    classes : tuple
        Per task the sorted classes, or None for regression.
    groups : ndarray of int of shape (n_rows,), or None
        Group of each row, as a number.
    model, outer_cv, inner_cv : str
        What was evaluated, and how it was split.
    random_state : int
    notes : tuple of str
        What the reader should know: failed trials, a fitted model that was cloned.
    seconds : float
        Wall time of the whole run.
    """

    folds: tuple[OuterFold, ...] = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    metric: str
    task_names: tuple[str, ...]
    n_splits: int
    n_repeats: int
    classes: tuple[NDArray[Any] | None, ...]
    groups: NDArray[np.intp] | None = field(default=None, repr=False)
    model: str = ""
    outer_cv: str = ""
    inner_cv: str = ""
    random_state: int = 0
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    deploy: Callable[[int], DeployableModel] | None = field(default=None, repr=False)

    # ------------------------------------------------------------------ shape

    @property
    def n_rows(self) -> int:
        """Number of rows of the data."""
        return len(self.y)

    @property
    def n_tasks(self) -> int:
        """Number of columns of ``Y``."""
        return len(self.task_names)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of all outer scores; the first is the one that was maximised."""
        others = [name for name in self.folds[0].scores if name != self.metric]
        return (self.metric, *others)

    def task(self, name: str) -> NestedCVResult:
        """Return the result of one task alone.

        Parameters
        ----------
        name : str
            One of ``task_names``.
        """
        check_option(name, "name", self.task_names)
        number = self.task_names.index(name)
        deploy = self.deploy
        return replace(
            self,
            folds=tuple(replace(f, task=0) for f in self.folds if f.task == number),
            y=self.y[:, number] if self.y.ndim == 2 else self.y,
            task_names=(name,),
            classes=(self.classes[number],),
            deploy=None if deploy is None else lambda _: deploy(number),
        )

    # ------------------------------------------------------------------ per fold

    @property
    def outer_scores(self) -> NDArray[np.float64]:
        """Scores on the outer test folds, shape (n_folds,) or (n_folds, n_tasks)."""
        return self.scores_of(self.metric)

    def scores_of(self, metric: str) -> NDArray[np.float64]:
        """Return the outer scores of one metric, shape (n_folds,) or (n_folds, n_tasks)."""
        check_option(metric, "metric", self.metrics)
        return self._by_fold([fold.scores[metric] for fold in self.folds])

    @property
    def inner_best_scores(self) -> NDArray[np.float64]:
        """Best inner scores, shape (n_folds,) or (n_folds, n_tasks); NaN without a search."""
        return self._by_fold([fold.inner_best_score for fold in self.folds])

    @property
    def optimism(self) -> NDArray[np.float64]:
        """Inner best minus outer score of each fold: what reporting the former would hide."""
        return self.inner_best_scores - self.outer_scores

    @property
    def train_sizes(self) -> NDArray[np.intp]:
        """Labelled training rows of each fold, shape (n_folds,) or (n_folds, n_tasks)."""
        return self._by_fold([fold.train_size for fold in self.folds])

    @property
    def test_sizes(self) -> NDArray[np.intp]:
        """Labelled test rows of each fold, shape (n_folds,) or (n_folds, n_tasks)."""
        return self._by_fold([fold.test_size for fold in self.folds])

    @property
    def test_indices(self) -> tuple[NDArray[np.intp], ...]:
        """Positions of the test rows of each fold (of one task)."""
        self._need_one_task("test_indices")
        return tuple(fold.test_indices for fold in self.folds)

    @property
    def best_params(self) -> tuple[dict[str, Any], ...]:
        """Chosen parameters of each fold (of one task)."""
        self._need_one_task("best_params")
        return tuple(fold.best_params for fold in self.folds)

    # ------------------------------------------------------------------ per row

    @property
    def predictions(self) -> NDArray[Any]:
        """Out-of-fold labels or values, aligned with the rows of the data.

        Shape (n_rows,) or (n_rows, n_tasks). Over repeats: the mean of values, the most frequent
        label. NaN (None for labels that are no numbers) where a row was in no test fold.
        """
        columns = []
        for number in range(self.n_tasks):
            table = self.predictions_by_repeat(task=number)
            labels = self.classes[number] is not None
            columns.append(most_frequent(table) if labels else over_repeats(table))
        return columns[0] if self.n_tasks == 1 else np.column_stack(columns)

    @property
    def predicted_scores(self) -> NDArray[np.float64]:
        """What ranking metrics look at, aligned with the rows; the mean over repeats.

        Shape (n_rows,) for a binary task (probability of the second class or decision value) and
        for regression (the predicted values), (n_rows, n_classes) for more classes, and
        (n_rows, n_tasks) for several tasks.

        Raises
        ------
        ValueError
            If the model has neither probabilities nor decision values.
        """
        columns = []
        for number in range(self.n_tasks):
            scored = self.classes[number] is not None
            table = self.predictions_by_repeat(task=number, scores=scored)
            columns.append(over_repeats(table))
        return columns[0] if self.n_tasks == 1 else np.column_stack(columns)

    def predictions_by_repeat(self, *, task: int = 0, scores: bool = False) -> NDArray[Any]:
        """Return the out-of-fold predictions of each repeat, shape (n_repeats, n_rows[, ...]).

        Parameters
        ----------
        task : int, default=0
        scores : bool, default=False
            Whether to return scores in place of labels.
        """
        folds = [fold for fold in self.folds if fold.task == task]
        values = [fold.predicted_scores if scores else fold.predictions for fold in folds]
        if any(value is None for value in values):
            raise ValueError(
                f"{self.model} has neither predict_proba nor decision_function, so there are no "
                "scores; use predictions."
            )
        return align_rows(folds, values, self.n_rows, self.n_repeats)

    # ------------------------------------------------------------------ in words and tables

    def interval(
        self,
        *,
        method: str = "corrected_t",
        metric: str | None = None,
        confidence_level: float = 0.95,
    ) -> ScoreInterval:
        """Return the score of one task with an interval.

        Parameters
        ----------
        method : {"corrected_t", "bootstrap"}, default="corrected_t"
            "corrected_t" is about the mean of the fold scores (Nadeau and Bengio). "bootstrap"
            draws rows, or whole groups where groups were given: about the score of all
            out-of-fold predictions together (with repeats, of the mean or most frequent one), of
            a ranking about the mean over folds, whose models need not be on one scale.
        metric : str, default=None
            None is the maximised one.
        confidence_level : float, default=0.95

        Returns
        -------
        interval : ScoreInterval
            It names its method.
        """
        self._need_one_task("interval")
        check_option(method, "method", INTERVAL_METHODS)
        name = metric or self.metric
        if method == "bootstrap":
            return self._pooled_interval(name, confidence_level)
        return corrected_t_interval(
            self.scores_of(name),
            test_to_train_ratio=float(np.mean(self.test_sizes / self.train_sizes)),
            confidence_level=confidence_level,
            limits=scorer_limits(name),
        )

    def _pooled_interval(self, metric: str, confidence_level: float) -> ScoreInterval:
        predictions = self.predictions
        known = ~(_is_missing(predictions) | _is_missing(self.y))
        return pooled_interval(
            metric,
            self.y[known],
            predictions[known],
            self._rankings(known),
            classes=self.classes[0],
            groups=None if self.groups is None else self.groups[known],
            confidence_level=confidence_level,
            n_folds=len(self.folds),
            random_state=self.random_state,
        )

    def _rankings(self, known: NDArray[np.bool_]) -> FoldRankings | None:
        """Return the scores of the known rows, numbered among themselves, with their models."""
        scores = [fold.predicted_scores for fold in self.folds]
        one_each = [some for some in scores if some is not None and some.ndim == 1]
        if len(one_each) < len(scores):
            return None
        number = np.cumsum(known) - 1
        rows = np.concatenate([fold.test_indices for fold in self.folds])
        model = np.repeat(np.arange(len(scores)), [len(some) for some in one_each])
        here = known[rows]
        return FoldRankings(number[rows[here]], model[here], np.concatenate(one_each)[here])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per outer fold and task, chosen parameters in columns ``param_...``."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "task": self.task_names[fold.task],
                    "repeat": fold.repeat,
                    "fold": fold.fold,
                    "train_size": fold.train_size,
                    "test_size": fold.test_size,
                    **fold.scores,
                    "inner_best_score": fold.inner_best_score,
                    "optimism": fold.inner_best_score - fold.scores[self.metric],
                    "n_trials": fold.n_trials,
                    "n_failed_trials": fold.n_failed_trials,
                    "search_seconds": fold.search_seconds,
                    "refit_seconds": fold.refit_seconds,
                    **{f"param_{name}": value for name, value in fold.best_params.items()},
                }
                for fold in self.folds
            ]
        )

    def task_frame(self, *, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row per task: mean outer score, its interval, inner best score, optimism."""
        import pandas as pd

        rows = []
        for name in self.task_names:
            one = self.task(name)
            interval = one.interval(confidence_level=confidence_level)
            rows.append(
                {
                    "task": name,
                    "n_labelled": int(np.sum(~_is_missing(one.y))),
                    self.metric: interval.estimate,
                    "low": interval.low,
                    "high": interval.high,
                    "inner_best_score": _mean(one.inner_best_scores),
                    "optimism": _mean(one.optimism),
                    "folds_with_a_score": interval.n_folds,
                }
            )
        return pd.DataFrame(rows)

    def parameter_stability(self) -> pd.DataFrame:
        """Return one row per tuned parameter (of one task): how much the folds agree on it.

        ``agreement`` is the share of folds that chose the most frequent value; for numbers there
        are the median and the range as well.
        """
        from honesteval.tuning._stability import parameter_stability

        return parameter_stability(self.best_params)

    def learning_curve(self) -> pd.DataFrame:
        """Return one row per outer fold and training size: ``train_size`` and outer ``score``.

        The largest size is the whole training part; the smaller ones are those of
        ``train_sizes``, fitted with the setting chosen on the whole of it.
        """
        import pandas as pd

        self._need_one_task("learning_curve")
        return pd.DataFrame(
            [
                {"repeat": fold.repeat, "fold": fold.fold, "train_size": size, "score": score}
                for fold in self.folds
                for size, score in (
                    *fold.learning_curve,
                    (fold.train_size, fold.scores[self.metric]),
                )
            ]
        )

    def summary(self) -> str:
        """Return the result in a few lines of text."""
        folds = f"{self.n_splits} outer folds"
        if self.n_repeats > 1:
            folds += f" x {self.n_repeats} repeats"
        lines = [f"{self.model}: {folds}, {self.n_rows} rows"]
        for name in self.task_names:
            one = self.task(name)
            start = f"{name}: " if self.n_tasks > 1 else ""
            lines.append(f"{start}{self.metric} {one.interval().summary()}")
            if np.isfinite(one.optimism).any():
                lines.append(
                    f"{start}best inner score {_mean(one.inner_best_scores):.3f}, so reporting it "
                    f"would have been {_mean(one.optimism):+.3f} off"
                )
        return "\n".join([*lines, *(f"Note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        frame = self.task_frame() if self.n_tasks > 1 else self.to_frame()
        lines = "<br>".join(escape(line) for line in self.summary().splitlines())
        return f"<p>{lines}</p>{frame.to_html(index=False, float_format='{:.3f}'.format)}"

    # ------------------------------------------------------------------ beyond this session

    def refit(self) -> DeployableModel:
        """Return the model tuned and fitted on all labelled rows (of one task).

        It comes with the statement of which score belongs to it: the outer one.

        Raises
        ------
        ValueError
            If the result was read from a file, which holds neither model nor data.
        """
        self._need_one_task("refit")
        if self.deploy is None:
            raise ValueError(
                "A result that was read from a file holds neither the model nor the data. Fit the "
                "search on all rows yourself; the score that belongs to it is the outer one, "
                f"{self.interval().summary()}."
            )
        return self.deploy(0)

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the result as JSON, and write it to ``path`` if there is one."""
        from honesteval.tuning._result_json import encode_result

        text = encode_result(self)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    @classmethod
    def from_json(cls, source: str | Path) -> NestedCVResult:
        """Read a result from JSON text, or from a file.

        Parameters
        ----------
        source : str or path
            JSON text (it starts with a brace) or the path of a file.
        """
        from honesteval.tuning._result_json import decode_result

        text = str(source)
        if not text.lstrip().startswith("{"):
            text = Path(source).read_text(encoding="utf-8")
        return decode_result(text)

    def _by_fold(self, values: list[Any]) -> NDArray[Any]:
        array = np.asarray(values)
        return array if self.n_tasks == 1 else array.reshape(-1, self.n_tasks)

    def _need_one_task(self, what: str) -> None:
        if self.n_tasks > 1:
            raise ValueError(
                f"{what} is for one task; choose it with .task(name), one of "
                f"{', '.join(self.task_names)}."
            )


def _mean(values: NDArray[np.float64]) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")


def _is_missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    import pandas as pd

    return np.asarray(pd.isna(values), dtype=bool)

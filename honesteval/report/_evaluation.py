"""What an evaluation found: folds, scores, comparisons, and what they were computed from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from honesteval._notebook import ShownInNotebook
from honesteval.entities import ExcludedRows
from honesteval.report._target import Target

if TYPE_CHECKING:
    import pandas as pd

    from honesteval.checks import SplitAudit
    from honesteval.metrics import ReweightedScore, ScoreBySimilarity
    from honesteval.report._deployment import Deployment
    from honesteval.report._fold_map import FoldMap
    from honesteval.stats import (
        BootstrapDifference,
        BootstrapResult,
        ModelComparison,
        PermutationTestResult,
    )
    from honesteval.tuning import NestedCVResult

SplitName = Literal["random", "similarity"]
Predictor = Literal["model", "nearest"]

SPLITS: tuple[SplitName, ...] = ("random", "similarity")


@dataclass(frozen=True, eq=False)
class FoldedSplit(ShownInNotebook):
    """One way of cutting the rows into folds, and how much it leaks.

    Parameters
    ----------
    name : {"random", "similarity"}
    description : str
        How the folds were made, in words.
    fold : ndarray of int, shape (n_rows,)
        The fold in which each row is tested.
    nearest_similarity : ndarray of shape (n_rows,)
        Highest similarity of each row to a row it is trained on.
    nearest_row : ndarray of int, shape (n_rows,)
        The first such row.
    scaled_leakage : float
        Similarity between folds over the similarity of all pairs, in [0, 1].
    relative_leakage : float
        Scaled leakage over that of folds that know nothing of similarity; about 1 for random.
    audit : SplitAudit or None, default=None
        The findings.
    """

    name: SplitName
    description: str
    fold: NDArray[np.intp]
    nearest_similarity: NDArray[np.float64]
    nearest_row: NDArray[np.intp]
    scaled_leakage: float
    relative_leakage: float
    audit: SplitAudit | None = None

    @property
    def n_splits(self) -> int:
        """Number of folds."""
        return int(self.fold.max()) + 1

    def summary(self) -> str:
        """Return how the folds were made and how much leaks between them."""
        return (
            f"{self.name} split: {self.description}. Mean highest similarity to training "
            f"{self.nearest_similarity.mean():.3f}; scaled leakage {self.scaled_leakage:.3f}, "
            f"{self.relative_leakage:.3f} of that of folds that know nothing of similarity."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per fold: its size, and how close its rows are to training."""
        import pandas as pd

        rows = pd.DataFrame({"fold": self.fold, "nearest": self.nearest_similarity})
        found = rows.groupby("fold")["nearest"].agg(["size", "mean", "max"]).reset_index()
        found.columns = ["fold", "n_rows", "mean_nearest_similarity", "highest_similarity"]
        return found

    def splits(self, rows: NDArray[np.intp]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield training and test positions within some rows, fold by fold."""
        fold = self.fold[rows]
        for number in range(self.n_splits):
            yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)

    def closest_pairs(self, n_pairs: int) -> list[tuple[int, int, float]]:
        """Return the most similar pairs of a test row and a row it was trained on.

        Each pair of rows comes once, and a row comes once where there are enough pairs.

        Parameters
        ----------
        n_pairs : int

        Returns
        -------
        pairs : list of (test row, training row, similarity)
            The most similar first; equal ones by row.
        """
        order = np.lexsort((np.arange(len(self.fold)), -self.nearest_similarity))
        seen: set[int] = set()
        fresh: list[tuple[int, int, float]] = []
        for row in order.tolist():
            other = int(self.nearest_row[row])
            if row in seen or other in seen:
                continue
            seen |= {row, other}
            fresh.append((row, other, float(self.nearest_similarity[row])))
            if len(fresh) == n_pairs:
                break
        return fresh


@dataclass(frozen=True, eq=False)
class PredictorScores(ShownInNotebook):
    """Out-of-fold predictions of one predictor under one split, with their scores.

    Parameters
    ----------
    predictor : {"model", "nearest"}
        The tuned model, or the label of the most similar training row.
    split : {"random", "similarity"}
    predictions : ndarray of shape (n_labelled,)
        Values, or positions of classes.
    ranking : ndarray of shape (n_labelled,) or None
        For two classes: what ranks rows for the positive class.
    scores : dict of str to BootstrapResult
        Each metric that is defined, with its interval: of a ranking (ROC-AUC, average precision)
        the mean over folds, of predictions that of all rows.
    undefined : dict of str to str
        The other metrics, with the reason.
    fold_scores : ndarray of shape (n_folds,)
        The first metric on each fold; NaN where it is undefined.
    fold : ndarray of int, shape (n_labelled,)
        The fold in which each row is tested.
    nested : NestedCVResult or None
        The nested cross-validation of the model.
    """

    predictor: Predictor
    split: SplitName
    predictions: NDArray[np.float64]
    ranking: NDArray[np.float64] | None
    scores: dict[str, BootstrapResult]
    undefined: dict[str, str]
    fold_scores: NDArray[np.float64]
    fold: NDArray[np.intp]
    nested: NestedCVResult | None = None

    def summary(self) -> str:
        """Return every score with its interval, one line each."""
        lines = [f"{self.predictor}, {self.split} split, {len(self.predictions):,} rows"]
        lines += [found.summary() for found in self.scores.values()]
        lines += [f"{name}: undefined, {reason}" for name, reason in self.undefined.items()]
        return "\n".join(lines)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per metric, with the interval."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "split": self.split,
                    "predictor": self.predictor,
                    "metric": metric,
                    "estimate": result.estimate,
                    "low": result.low,
                    "high": result.high,
                }
                for metric, result in self.scores.items()
            ]
        )


@dataclass(frozen=True, eq=False)
class TaskEvaluation(ShownInNotebook):
    """Everything about one column of labels.

    Parameters
    ----------
    target : Target
        The labels of the rows below.
    rows : ndarray of int, shape (n_labelled,)
        Positions, among the evaluated rows, of those with a label.
    model_label : str
        Name of the model in words.
    metrics : tuple of str
        The first one is what the model was tuned for and what sentences quote.
    predictors : tuple of PredictorScores
        Every predictor under every split.
    between_splits : BootstrapDifference
        Score of the model under the random split minus that under the similarity split.
    over_nearest : dict of str to BootstrapDifference
        Score of the model minus that of the nearest neighbour, by split.
    permutation : PermutationTestResult or None
        The model refitted on permuted labels, on the similarity folds.
    chance : dict of str to dict of str to float
        Expected value of each metric, by split, for a predictor that has learned nothing: for
        values the best constant by that metric (median or mean of the training labels).
    over_nothing : dict of str to BootstrapDifference
        Score of the model minus that of such a predictor on the same rows, by split; a split is
        missing where that score is undefined.
    by_similarity : dict of str to ScoreBySimilarity
        Score of the model against the similarity of test rows to training, by split.
    others : dict of str to PredictorScores
        Other models on the same similarity folds, by name.
    comparison : ModelComparison or None
        The model against the others, fold by fold.
    """

    target: Target
    rows: NDArray[np.intp]
    model_label: str
    metrics: tuple[str, ...]
    predictors: tuple[PredictorScores, ...]
    between_splits: BootstrapDifference
    over_nearest: dict[str, BootstrapDifference]
    permutation: PermutationTestResult | None
    chance: dict[str, dict[str, float]]
    over_nothing: dict[str, BootstrapDifference] = field(default_factory=dict)
    by_similarity: dict[SplitName, ScoreBySimilarity] = field(default_factory=dict)
    others: dict[str, PredictorScores] = field(default_factory=dict)
    comparison: ModelComparison | None = None

    @property
    def metric(self) -> str:
        """The metric that sentences quote."""
        return self.metrics[0]

    @property
    def for_deployment(self) -> tuple[SplitName, ReweightedScore] | None:
        """The score reweighted to the deployment set, from the split that carries it better."""
        found = [(split, by.deployment) for split, by in self.by_similarity.items()]
        known = [(split, score) for split, score in found if score is not None]
        return max(known, key=lambda entry: entry[1].effective_n, default=None)

    def summary(self) -> str:
        """Return what the labels are, and the quoted score of every predictor."""
        lines = [self.target.summary()]
        for scores in self.predictors:
            name = self.model_label if scores.predictor == "model" else "nearest neighbour"
            lines.append(f"{name}, {scores.split} split: {scores.scores[self.metric].summary()}")
        return "\n".join(lines)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per split, predictor and metric, with the interval."""
        import pandas as pd

        return pd.concat([scores.to_frame() for scores in self.predictors], ignore_index=True)

    def of(self, predictor: Predictor, split: SplitName) -> PredictorScores:
        """Return the scores of one predictor under one split."""
        return next(
            scores
            for scores in self.predictors
            if scores.predictor == predictor and scores.split == split
        )


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A model evaluated on random folds and on similarity folds, beside its baselines.

    Returned by :func:`honesteval.report.evaluate`; shown by
    :class:`honesteval.report.EvaluationReport`.

    Parameters
    ----------
    title : str
        Name of the data.
    tasks : tuple of TaskEvaluation
    splits : tuple of FoldedSplit
        The random one, then the similarity one.
    n_input : int
        Rows that were handed over.
    rows : ndarray of int, shape (n_rows,)
        Positions of the evaluated rows in the input.
    excluded : ExcludedRows
        Rows of the input that were left out, with reasons.
    smiles : ndarray of str, shape (n_rows,), or None
        The molecules, where there are any.
    groups : ndarray of int, shape (n_rows,)
        Rows with the same number are the same entity and share a fold.
    similarity_name : str
        The measure in words.
    settings : dict
        Everything needed to run it again: numbers of folds, trials and permutations, seed.
    provenance : dict
        Versions of the packages, and hashes of the data and of the folds.
    map : FoldMap or None
        Places of rows on a flat map.
    notes : tuple of str
        What the reader should know: resamples without a score, classes that could not be spread.
    deployment : Deployment or None
        The entities that the model will meet, where they were given.
    """

    title: str
    tasks: tuple[TaskEvaluation, ...]
    splits: tuple[FoldedSplit, ...]
    n_input: int
    rows: NDArray[np.intp]
    excluded: ExcludedRows
    smiles: NDArray[np.object_] | None
    groups: NDArray[np.intp]
    similarity_name: str
    settings: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
    map: FoldMap | None = None
    notes: tuple[str, ...] = ()
    deployment: Deployment | None = None

    @property
    def n_rows(self) -> int:
        """Number of evaluated rows."""
        return len(self.rows)

    def split(self, name: SplitName) -> FoldedSplit:
        """Return one of the two splits by name."""
        return next(split for split in self.splits if split.name == name)

    def summary(self) -> str:
        """Return the verdict on every task, and what was left out, as text."""
        from honesteval.report._verdict import verdict_of

        lines = []
        for task in self.tasks:
            start = f"{task.target.name}: " if len(self.tasks) > 1 else ""
            lines.append(start + verdict_of(task, self).text())
        lines += [f"Note: {note}" for note in self.notes]
        if len(self.excluded):
            lines.append(self.excluded.summary())
        return "\n".join(lines)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per task, split, predictor and metric, with the interval."""
        import pandas as pd

        frames = [task.to_frame().assign(task=task.target.name) for task in self.tasks]
        found = pd.concat(frames, ignore_index=True)
        return found[["task", *(name for name in found if name != "task")]]

    def predictions_frame(self) -> pd.DataFrame:
        """Return one row per evaluated row: folds, similarity to training, out-of-fold predictions.

        Columns ``row`` (position in the input), ``smiles`` where there are molecules; for each
        split ``<split>_fold`` (from 0) and ``<split>_nearest_similarity``; for each task its
        label and ``<task>_<split>``, the prediction of the model (for two classes the score of
        the positive one), missing where there is no label.
        """
        import pandas as pd

        columns: dict[str, Any] = {"row": self.rows}
        if self.smiles is not None:
            columns["smiles"] = self.smiles
        for split in self.splits:
            columns[f"{split.name}_fold"] = split.fold
            columns[f"{split.name}_nearest_similarity"] = split.nearest_similarity
        for task in self.tasks:
            columns[task.target.name] = self._spread(task, task.target.values, named=True)
            for split in self.splits:
                scores = task.of("model", split.name)
                ranked = scores.ranking is not None
                shown = scores.ranking if ranked else scores.predictions
                columns[f"{task.target.name}_{split.name}"] = self._spread(
                    task, shown, named=not ranked
                )
        return pd.DataFrame(columns)

    def _spread(self, task: TaskEvaluation, values: Any, *, named: bool) -> NDArray[Any]:
        """Return values of the labelled rows, for all rows; classes by name."""
        if named and task.target.classes:
            spread = np.full(self.n_rows, None, dtype=object)
            names = np.array(task.target.classes, dtype=object)
            spread[task.rows] = names[np.asarray(values).astype(np.intp)]
            return spread
        spread = np.full(self.n_rows, np.nan)
        spread[task.rows] = values
        return spread

    def _repr_html_(self) -> str:
        from honesteval.report._summarise import summarise
        from honesteval.report._text import summary_html

        return summary_html(summarise(self))

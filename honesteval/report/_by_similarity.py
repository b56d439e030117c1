"""The score of a model against the similarity of test rows to its training rows."""

from __future__ import annotations

import warnings

from honesteval.exceptions import HonestevalWarning
from honesteval.metrics import ScoreBySimilarity, score_by_similarity
from honesteval.report._deployment import Deployment
from honesteval.report._evaluation import FoldedSplit, PredictorScores
from honesteval.report._metrics import prediction_for, ranks
from honesteval.report._predictors import Effort, TaskRows, clusters
from honesteval.stats._fold_means import ranks_within_folds

#: Bins of similarity, with equal counts.
N_SIMILARITY_BINS = 5


def model_by_similarity(
    task: TaskRows,
    split: FoldedSplit,
    model: PredictorScores,
    effort: Effort,
    deployment: Deployment | None,
) -> ScoreBySimilarity:
    """Return the score of the model in bins of similarity, smoothly, and for a deployment set.

    Rows of several folds meet in a bin: a ranking is then that of the ranks within folds.
    """
    metric = task.metrics[0]
    used = prediction_for(metric, model.predictions, model.ranking)
    with warnings.catch_warnings():
        # Bins with few positives: the table of bins counts resamples without a score.
        warnings.simplefilter("ignore", HonestevalWarning)
        return score_by_similarity(
            task.target.values,
            ranks_within_folds(used, model.fold) if ranks(metric) else used,
            split.nearest_similarity[task.rows],
            metric=metric,
            bins=N_SIMILARITY_BINS,
            deployment_similarity=None if deployment is None else deployment.nearest_similarity,
            groups=clusters(task),
            n_resamples=effort.n_resamples,
            confidence_level=effort.confidence_level,
            random_state=effort.random_state,
        )

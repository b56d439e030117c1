"""The score of a model against the similarity of test rows to its training rows."""

from __future__ import annotations

import warnings

from honesteval.exceptions import HonestevalWarning
from honesteval.metrics import ScoreBySimilarity, score_by_similarity
from honesteval.report._deployment import Deployment
from honesteval.report._evaluation import FoldedSplit, PredictorScores
from honesteval.report._metrics import prediction_for
from honesteval.report._predictors import Effort, TaskRows, clusters

#: Bins of similarity, with equal counts.
N_SIMILARITY_BINS = 5


def model_by_similarity(
    task: TaskRows,
    split: FoldedSplit,
    model: PredictorScores,
    effort: Effort,
    deployment: Deployment | None,
) -> ScoreBySimilarity:
    """Return the score of the model in bins of similarity, smoothly, and for a deployment set."""
    metric = task.metrics[0]
    with warnings.catch_warnings():
        # Bins with few positives: the table of bins counts resamples without a score.
        warnings.simplefilter("ignore", HonestevalWarning)
        return score_by_similarity(
            task.target.values,
            prediction_for(metric, model.predictions, model.ranking),
            split.nearest_similarity[task.rows],
            metric=metric,
            bins=N_SIMILARITY_BINS,
            deployment_similarity=None if deployment is None else deployment.nearest_similarity,
            groups=clusters(task),
            n_resamples=effort.n_resamples,
            confidence_level=effort.confidence_level,
            random_state=effort.random_state,
        )

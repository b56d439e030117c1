"""Splitters for scikit-learn that keep similar samples together."""

from __future__ import annotations

from honesteval.model_selection._blocked_time_series import BlockedTimeSeriesKFold
from honesteval.model_selection._deployment_kfold import DeploymentKFold
from honesteval.model_selection._hold_out import SplitArrays, similarity_split
from honesteval.model_selection._lead_optimization_split import LeadOptimizationSplit
from honesteval.model_selection._pair_partition import PairPartition
from honesteval.model_selection._repeated_kfold import RepeatedSimilarityGroupKFold
from honesteval.model_selection._repeats import RepeatedPartition
from honesteval.model_selection._shuffle_split import SimilarityGroupShuffleSplit
from honesteval.model_selection._similarity_group_kfold import SimilarityGroupKFold
from honesteval.model_selection._similarity_pair_kfold import SimilarityPairKFold

__all__ = [
    "BlockedTimeSeriesKFold",
    "DeploymentKFold",
    "LeadOptimizationSplit",
    "PairPartition",
    "RepeatedPartition",
    "RepeatedSimilarityGroupKFold",
    "SimilarityGroupKFold",
    "SimilarityGroupShuffleSplit",
    "SimilarityPairKFold",
    "SplitArrays",
    "similarity_split",
]

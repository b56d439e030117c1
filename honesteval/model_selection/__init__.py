"""Splitters for scikit-learn that keep similar samples together."""

from __future__ import annotations

from honesteval.model_selection._similarity_group_kfold import SimilarityGroupKFold

__all__ = ["SimilarityGroupKFold"]

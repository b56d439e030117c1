"""What counts as a search: an estimator with inner folds that chooses among settings."""

from __future__ import annotations

from typing import Any

from sklearn.model_selection._search import BaseSearchCV

__all__ = ["is_search"]

_SPACES = {"param_distributions", "param_grid", "search_space"}


def is_search(model: Any) -> bool:
    """Whether the model is a search with inner folds.

    Those of other packages need not inherit from scikit-learn's: that of optuna-integration only
    has the same parameters.
    """
    if isinstance(model, BaseSearchCV):
        return True
    if not hasattr(model, "get_params") or isinstance(model, type):
        return False
    names = set(model.get_params(deep=False))
    return {"estimator", "cv", "scoring", "refit"} <= names and bool(_SPACES & names)

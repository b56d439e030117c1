"""How many fits a nested cross-validation does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.model_selection import ParameterGrid

from honesteval.tuning._outer_run import OuterPlace


@dataclass(frozen=True)
class FitCount:
    """Fits by what they are for.

    Parameters
    ----------
    search : int
        Outer folds x tasks x trials x inner folds.
    refit : int
        One per outer fold and task, and one more per learning-curve point.
    is_bound : bool
        Whether the search may do fewer (pruning, successive halving, a time limit).
    """

    search: int
    refit: int
    is_bound: bool = False

    @property
    def total(self) -> int:
        """All fits."""
        return self.search + self.refit


def count_fits(model: Any, places: Sequence[OuterPlace]) -> FitCount:
    """Return the number of fits for these outer folds."""
    candidates, is_bound = n_candidates(model)
    return FitCount(
        search=sum(candidates * len(place.inner or ()) for place in places),
        refit=sum(1 + len(place.curve) for place in places),
        is_bound=is_bound,
    )


def n_candidates(model: Any) -> tuple[int, bool]:
    """Return how many settings a search tries, and whether that is an upper bound only."""
    if hasattr(model, "n_trials"):  # ours, or that of optuna-integration
        prunes = getattr(model, "pruner", None) is not None or getattr(
            model, "enable_pruning", False
        )
        return int(model.n_trials or 0), prunes or model.timeout is not None
    halving = hasattr(model, "factor")
    if hasattr(model, "param_grid"):
        return len(ParameterGrid(model.param_grid)) * (2 if halving else 1), halving
    if hasattr(model, "n_iter"):
        return int(model.n_iter), False
    candidates = getattr(model, "n_candidates", 0)
    return (candidates * 2 if isinstance(candidates, int) else 0), True

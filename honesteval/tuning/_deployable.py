"""The model to use, with the statement of which score belongs to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from honesteval._notebook import ShownInNotebook
from honesteval.tuning._score_interval import ScoreInterval


@dataclass(frozen=True)
class DeployableModel(ShownInNotebook):
    """A model tuned and fitted on all labelled rows.

    Parameters
    ----------
    estimator : estimator
        Fitted; call ``predict`` on it.
    best_params : dict
        The setting that the search on all rows chose.
    expected_score : ScoreInterval
        The outer score of nested cross-validation: of the procedure that made this model.
    metric : str
    inner_best_score : float
        The best score of the search on all rows. It is not an estimate of anything.
    n_rows : int
        Rows that the model was fitted on.
    """

    estimator: Any
    best_params: dict[str, Any]
    expected_score: ScoreInterval
    metric: str
    inner_best_score: float
    n_rows: int

    @property
    def statement(self) -> str:
        """Which score belongs to the model, in words."""
        chosen = ", ".join(f"{name}={value}" for name, value in self.best_params.items())
        text = (
            f"Fitted on all {self.n_rows} labelled rows"
            + (f" with {chosen}" if chosen else "")
            + f". Expected {self.metric} on rows like the outer test folds: "
            f"{self.expected_score.summary()}."
        )
        if self.best_params:
            text += (
                f" The best score of its own search, {self.inner_best_score:.3f}, was chosen for "
                "being high and must not be reported."
            )
        return text

    def summary(self) -> str:
        """Return the statement."""
        return self.statement

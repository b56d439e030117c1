"""What an estimate on folds is handed: entities beside features, a model, rows enough."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from honesteval._validation import n_rows

__all__ = ["compared", "require_instance", "require_rows"]

T = TypeVar("T")

FEWEST_ROWS = 4


def compared(entities: Any, X: Any, compare: Callable[[Any], T]) -> T:
    """Return ``compare(entities)``, or of X without entities; then an error says that it was X."""
    if entities is not None:
        return compare(entities)
    try:
        return compare(X)
    except ValueError as error:
        reason = str(error).split(". ")[0].rstrip(".")
        raise ValueError(
            "Without entities= the rows of X are compared, and that does not work. Pass entities= "
            "(SMILES, sequences or fingerprints, one per row of X, of the kind of X_deploy where "
            "that is asked for), or name the similarity= of the rows of X ('cosine', 'rbf', "
            "'tanimoto'). "
            f"The reason was: {reason}."
        ) from error


def require_rows(y: Any) -> None:
    """Refuse data of no or hardly any rows before they look like a wrong number of folds."""
    n = n_rows(y)
    if n < FEWEST_ROWS:
        raise ValueError(f"{n} rows are too few to cut into folds: at least {FEWEST_ROWS}.")


def require_instance(estimator: Any) -> None:
    """Refuse the class of an estimator in place of an instance."""
    if isinstance(estimator, type) and hasattr(estimator, "fit"):
        raise ValueError(
            f"estimator is the class {estimator.__name__}. Give an instance: "
            f"{estimator.__name__}()."
        )

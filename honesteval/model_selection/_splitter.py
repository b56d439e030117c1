"""What all splitters share, beside the rule by which they split."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator

__all__ = ["Splitter", "rows_of_fold"]


class Splitter(BaseCrossValidator):
    """Base of the splitters: groups are routed, and the number of splits is ``n_splits``."""

    # with metadata routing enabled, groups reach split without a request of the caller's
    __metadata_request__split = {"groups": True}  # noqa: RUF012

    n_splits: int

    @property
    def shuffle(self) -> bool:
        """Whether another call to :meth:`split` may give other folds (as scikit-learn asks)."""
        return isinstance(getattr(self, "random_state", None), np.random.RandomState)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits.

        Parameters
        ----------
        X, y, groups : object
            Ignored.

        Returns
        -------
        n_splits : int
        """
        return self.n_splits


def rows_of_fold(labels: NDArray[np.intp], fold: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return training and test rows of a fold; rows labelled -1 are in neither."""
    test = labels == fold
    return np.flatnonzero(~test & (labels >= 0)), np.flatnonzero(test)

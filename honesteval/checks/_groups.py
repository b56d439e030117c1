"""Groups (patients, series, sources) that are parted by the split."""

from __future__ import annotations

import numpy as np
import pandas as pd

from honesteval.checks._code_matches import compare_codes
from honesteval.checks._data import AuditData
from honesteval.checks._finding import CheckInfo, Finding

__all__ = ["check_groups"]

INFO = CheckInfo(
    code="HE203",
    name="parted-groups",
    title="Groups on both sides",
    why=(
        "Rows of a group share more than their features tell. A model that recognises the group "
        "predicts its test rows from its training rows, which it cannot do for a new group."
    ),
    advice="Keep groups whole: pass them as groups to SimilarityGroupKFold or GroupKFold.",
)


def check_groups(data: AuditData) -> Finding:
    """Look for test rows whose group is also in training."""
    if data.groups is None:
        return INFO.not_applicable("No groups were given.")
    codes = np.asarray(pd.factorize(data.groups)[0], dtype=np.intp)
    missing = np.flatnonzero(codes < 0)
    codes[missing] = codes.max(initial=-1) + 1 + np.arange(len(missing))
    return compare_codes(data, INFO, codes, severity="error", what="the same group")

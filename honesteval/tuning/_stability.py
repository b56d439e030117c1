"""How much the outer folds agree on the chosen parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("parameter", "n_folds", "most_frequent", "agreement", "median", "low", "high")


def parameter_stability(chosen: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return one row per parameter.

    Parameters
    ----------
    chosen : sequence of dict
        The chosen parameters of each fold. A parameter of a conditional space may be missing in
        some.

    Returns
    -------
    table : DataFrame
        ``agreement`` is the share of all folds that chose the most frequent value. ``median``,
        ``low`` and ``high`` are NaN unless all values are numbers.

    Examples
    --------
    >>> parameter_stability([{"C": 1.0}, {"C": 10.0}, {"C": 10.0}]).iloc[0].to_dict()
    {'parameter': 'C', 'n_folds': 3, 'most_frequent': '10.0', 'agreement': 0.666..., 'median': 10.0,
    'low': 1.0, 'high': 10.0}
    """
    import pandas as pd

    rows = []
    for name in dict.fromkeys(name for params in chosen for name in params):
        values = [params[name] for params in chosen if name in params]
        most, count = Counter(_shown(value) for value in values).most_common(1)[0]
        numbers = [float(v) for v in values if type(v) in (int, float)]
        known = numbers if len(numbers) == len(values) else [float("nan")]
        rows.append(
            (name, len(values), most, count / len(chosen), float(np.median(known)), min(known),
             max(known))
        )  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _shown(value: Any) -> str:
    return " ".join(str(value).split())

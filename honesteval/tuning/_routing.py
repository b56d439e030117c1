"""Which columns (weights, groups, anything else) go to the fit, the scorers and the splitter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sklearn
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import _check_method_params, has_fit_parameter

from honesteval._validation import check_1d, check_groups, n_rows, name_rows
from honesteval.tuning._scoring import Scoring

Columns = dict[str, Any]


@dataclass(frozen=True)
class RoutedColumns:
    """Full columns for each consumer; they are sliced with the rows later."""

    fit: Columns = field(default_factory=dict)
    score: Columns = field(default_factory=dict)
    groups: Any = None
    routed: bool = False


def check_columns(columns: Columns, X: Any) -> Columns:
    """Return the columns if groups are complete and weights can be weights.

    Raises
    ------
    ValueError
        Before anything is fitted, with the rows that are at fault.
    """
    n, checked = n_rows(X), dict(columns)
    if "groups" in checked:
        check_groups(checked["groups"], n)
    for name, column in checked.items():
        if name == "sample_weight" or name.endswith("__sample_weight"):
            _check_weights(column, name, n)
    return checked


def _check_weights(column: Any, name: str, n: int) -> None:
    weights = check_1d(column, name, numeric=True)
    if len(weights) != n:
        raise ValueError(f"{name} needs one weight per row: {n} rows, got {len(weights)}.")
    bad = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
    if len(bad):
        raise ValueError(
            f"{name} must be finite and not negative: see {name_rows(bad)}. Weight 0 leaves a row "
            "out."
        )
    if not weights.any():
        raise ValueError(f"{name} is 0 in every row: nothing is left to learn from.")


def routing_is_on() -> bool:
    """Whether scikit-learn's metadata routing is enabled."""
    return bool(sklearn.get_config()["enable_metadata_routing"])


def route_search_columns(
    search: Any, X: Any, params: Mapping[str, Any], scoring: Scoring
) -> RoutedColumns:
    """Return who gets what in the fit of a search.

    With metadata routing the objects' requests decide. Without it, ``groups`` go to the splitter
    (and to the estimator, if its ``fit`` has a parameter of that name), ``sample_weight`` goes to
    the estimator or the last step of a pipeline, and to every scorer that takes it; everything
    else goes to the estimator's ``fit``.
    """
    given = check_columns({n: value for n, value in params.items() if value is not None}, X)
    columns = dict(_check_method_params(X, params=given))
    if routing_is_on():
        routed = process_routing(search, "fit", **columns)
        return RoutedColumns(
            fit=dict(routed.estimator.fit),
            score=dict(routed.scorer.score),
            groups=dict(routed.splitter.split).get("groups"),
            routed=True,
        )
    groups = columns.pop("groups", None)
    weights = columns.pop("sample_weight", None)
    if groups is not None:
        columns.update(as_fit_column(search.estimator, "groups", groups, needed=False))
    if weights is None:
        return RoutedColumns(fit=columns, groups=groups)
    columns.update(as_fit_column(search.estimator, "sample_weight", weights, needed=True))
    score = {"sample_weight": weights} if scoring.weighted else {}
    return RoutedColumns(fit=columns, score=score, groups=groups)


def as_fit_column(estimator: Any, name: str, values: Any, *, needed: bool) -> Columns:
    """Return the keyword under which an estimator's ``fit`` takes a column.

    Parameters
    ----------
    estimator : estimator
        For a ``Pipeline`` the last step takes the column, as ``step__name``.
    name : str
    values : array-like
    needed : bool
        Whether the column is passed even to a ``fit`` that does not name it (scikit-learn then
        says so itself); otherwise it is left out there.
    """
    if isinstance(estimator, Pipeline):
        step, last = estimator.steps[-1]
        inner = as_fit_column(last, name, values, needed=needed)
        return {f"{step}__{key}": value for key, value in inner.items()}
    if needed or has_fit_parameter(estimator, name):
        return {name: values}
    return {}

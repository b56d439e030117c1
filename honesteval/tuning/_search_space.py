"""Search spaces: a dictionary of distributions, or a function of the trial.

Inside, every space speaks Optuna's language of plain numbers, strings and booleans, so that a
trial can be stored in any database. Values that Optuna cannot store (estimators, tuples, arrays)
are kept here and stored by a label; SciPy distributions without an Optuna counterpart are drawn
through their quantile function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sklearn.base import clone

from honesteval.tuning._parameter_names import unknown_name

Params = dict[str, Any]

QUANTILE_MARGIN = 1e-6


class SearchSpace(Protocol):
    """What a search needs to know about its space."""

    def suggest(self, trial: Any) -> Any:
        """Return the parameters to set, or the estimator to use, for a trial."""

    def encode(self, params: Mapping[str, Any]) -> Params:
        """Return known settings in the form in which the study stores them."""

    def names(self) -> tuple[str, ...] | None:
        """Return the names of the tuned parameters, or None when they depend on the trial."""

    def describe(self) -> str:
        """Return a text that changes when the space changes."""


@dataclass(frozen=True)
class _Plain:
    """A parameter that the study stores as it is."""

    distribution: Any

    def decode(self, stored: Any) -> Any:
        return stored

    def encode(self, value: Any) -> Any:
        if not self._holds(value):
            raise ValueError(f"{value!r} is not in {self.distribution!r}.")
        return value

    def _holds(self, value: Any) -> bool:
        try:
            inside = self.distribution._contains(self.distribution.to_internal_repr(value))
        except (TypeError, ValueError):
            return False
        return bool(inside)


@dataclass(frozen=True)
class _Labelled:
    """A choice among values that a database cannot hold, stored by position and name."""

    distribution: Any
    choices: tuple[Any, ...]

    def decode(self, stored: str) -> Any:
        value = self.choices[int(stored.partition(":")[0])]
        return clone(value, safe=False)

    def encode(self, value: Any) -> str:
        for label, choice in zip(self.distribution.choices, self.choices, strict=True):
            if choice is value or _same(choice, value):
                return str(label)
        raise ValueError(f"{value!r} is not among the choices {list(self.choices)!r}.")


@dataclass(frozen=True)
class _Quantile:
    """A SciPy distribution, stored as the quantile in (0, 1)."""

    distribution: Any
    frozen: Any

    def decode(self, stored: float) -> Any:
        value = self.frozen.ppf(stored)
        return int(value) if hasattr(self.frozen.dist, "pmf") else float(value)

    def encode(self, value: Any) -> float:
        return float(np.clip(self.frozen.cdf(value), QUANTILE_MARGIN, 1 - QUANTILE_MARGIN))


_Parameter = _Plain | _Labelled | _Quantile


@dataclass(frozen=True)
class DistributionSpace:
    """A dictionary from parameter name to distribution."""

    parameters: Mapping[str, _Parameter]

    def suggest(self, trial: Any) -> Params:
        """Return the parameters to set for a trial."""
        return {
            name: parameter.decode(_suggest(trial, name, parameter.distribution))
            for name, parameter in self.parameters.items()
        }

    def encode(self, params: Mapping[str, Any]) -> Params:
        """Return known settings in the form in which the study stores them."""
        unknown = [name for name in params if name not in self.parameters]
        if unknown:
            raise ValueError(unknown_name("initial_params", unknown[0], self.parameters))
        encoded = {}
        for name, value in params.items():
            try:
                encoded[name] = self.parameters[name].encode(value)
            except ValueError as error:
                raise ValueError(f"initial_params cannot set {name!r}: {error}") from None
        return encoded

    def names(self) -> tuple[str, ...]:
        """Return the names of the tuned parameters."""
        return tuple(self.parameters)

    def describe(self) -> str:
        """Return a text that changes when the space changes."""
        return "; ".join(f"{n}: {p.distribution!r}" for n, p in sorted(self.parameters.items()))


@dataclass(frozen=True)
class FunctionSpace:
    """A function of the trial that returns parameters to set, or an estimator."""

    function: Callable[[Any], Any]

    def suggest(self, trial: Any) -> Any:
        """Return the parameters to set, or the estimator to use, for a trial."""
        value = self.function(trial)
        if isinstance(value, Mapping):
            return dict(value)
        if hasattr(value, "fit"):
            return value
        raise ValueError(
            "A search space function must return a dictionary of parameters or an estimator. "
            f"Got {value!r}."
        )

    def encode(self, params: Mapping[str, Any]) -> Params:
        """Return the names and values that the function suggests, unchanged."""
        return dict(params)

    def names(self) -> None:
        """Return None: which parameters there are depends on the trial."""

    def describe(self) -> str:
        """Return the function's name."""
        name = getattr(self.function, "__qualname__", type(self.function).__name__)
        return f"function {name}"


def resolve_search_space(space: Any) -> SearchSpace:
    """Return the space that a dictionary or a function of the trial means.

    Parameters
    ----------
    space : dict or callable
        Values of a dictionary are Optuna distributions, frozen SciPy distributions, or
        sequences of choices.

    Raises
    ------
    ValueError
        If the space is empty, or a value is none of these.
    """
    if isinstance(space, Mapping):
        if not space:
            raise ValueError("search_space is empty: name at least one parameter to tune.")
        return DistributionSpace({str(n): _parameter(str(n), v) for n, v in space.items()})
    if callable(space):
        return FunctionSpace(space)
    raise ValueError(
        "search_space must be a dictionary from parameter name to a distribution, or a function "
        f"of the trial. Got {space!r}."
    )


def estimator_choices(space: SearchSpace) -> Params:
    """Return the choices of the parameters that choose among estimators."""
    if not isinstance(space, DistributionSpace):
        return {}
    return {n: list(p.choices) for n, p in space.parameters.items() if isinstance(p, _Labelled)}


def stored_suggestion(space: SearchSpace, stored: Any) -> Any:
    """Return what the space suggested for a trial that a study has stored."""
    import optuna

    return space.suggest(optuna.trial.FixedTrial(stored.params, number=stored.number))


def _suggest(trial: Any, name: str, distribution: Any) -> Any:
    import optuna.distributions as od

    if isinstance(distribution, od.CategoricalDistribution):
        return trial.suggest_categorical(name, distribution.choices)
    if isinstance(distribution, od.IntDistribution):
        return trial.suggest_int(
            name, distribution.low, distribution.high, step=distribution.step, log=distribution.log
        )
    return trial.suggest_float(
        name, distribution.low, distribution.high, step=distribution.step, log=distribution.log
    )


def _parameter(name: str, value: Any) -> _Parameter:
    import optuna.distributions as od

    if isinstance(value, od.CategoricalDistribution):
        return _choice(value.choices)
    if isinstance(value, od.BaseDistribution):
        return _Plain(value)
    if hasattr(value, "dist") and hasattr(value, "ppf"):
        return _from_scipy(value)
    if isinstance(value, range) and len(value) > 0:
        low, high = sorted((value[0], value[-1]))
        return _Plain(od.IntDistribution(low, high, step=abs(value.step)))
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) and len(value) > 0:
        return _choice(tuple(value))
    raise ValueError(
        f"search_space[{name!r}] must be an Optuna distribution, a frozen SciPy distribution "
        f"(such as scipy.stats.loguniform(1e-3, 1e3)) or a list of choices. Got {value!r}."
    )


def _choice(choices: Sequence[Any]) -> _Plain | _Labelled:
    import optuna.distributions as od

    values = tuple(v.item() if isinstance(v, np.generic) else v for v in choices)
    if all(v is None or isinstance(v, bool | int | float | str) for v in values):
        return _Plain(od.CategoricalDistribution(values))
    labels = [f"{i}: {' '.join(repr(v).split())[:60]}" for i, v in enumerate(values)]
    return _Labelled(od.CategoricalDistribution(labels), values)


def _from_scipy(frozen: Any) -> _Plain | _Quantile:
    import optuna.distributions as od

    name = getattr(frozen.dist, "name", "")
    low, high = (float(edge) for edge in frozen.support())
    if name == "uniform":
        return _Plain(od.FloatDistribution(low, high))
    if name in ("loguniform", "reciprocal") and low > 0:
        return _Plain(od.FloatDistribution(low, high, log=True))
    if name == "randint":
        return _Plain(od.IntDistribution(int(low), int(high)))
    return _Quantile(od.FloatDistribution(QUANTILE_MARGIN, 1 - QUANTILE_MARGIN), frozen)


def _same(first: Any, second: Any) -> bool:
    if type(first) is not type(second):
        return False
    if hasattr(first, "get_params"):
        return repr(first) == repr(second)
    return bool(np.all(first == second))

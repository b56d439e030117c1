"""Which parameters an estimator has, so that a name that it has not is one clear error."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any


def check_parameter_names(
    estimator: Any, names: Sequence[str], choices: Mapping[str, Any], *, where: str
) -> None:
    """Raise when the estimator has no such parameter, and name the nearest one it has.

    Parameters
    ----------
    estimator : estimator
    names : sequence of str
    choices : dict
        Values that the space can give to a parameter that is itself an estimator; their
        parameters are known as ``step__parameter``.
    where : str
        Which argument holds the names.
    """
    known = _names_of(estimator)
    for step, candidates in choices.items():
        for candidate in candidates:
            if _has_parameters(candidate):
                known |= {f"{step}__{inner}" for inner in _names_of(candidate)}
    for name in names:
        if name not in known:
            sentence = unknown_name(where, name, known, owner=f" of {type(estimator).__name__}")
            part = estimator.get_params(deep=True).get(name.rpartition("__")[0], estimator)
            if _passes_keywords_on(part):
                sentence += (
                    f" {type(part).__name__} passes other keywords on: to tune one, give it a "
                    "value in the constructor first."
                )
            raise ValueError(sentence)


def unknown_name(where: str, name: str, known: Iterable[str], *, owner: str = "") -> str:
    """Return the sentence about a name that is not among the known ones."""
    of_a_step = sorted(one for one in known if one.endswith(f"__{name}"))
    near = of_a_step or get_close_matches(name, sorted(known), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else f" It has {', '.join(sorted(known))}."
    return f"{where} names {name!r}, which is not a parameter{owner}.{hint}"


def _has_parameters(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _passes_keywords_on(estimator: Any) -> bool:
    parameters = inspect.signature(type(estimator)).parameters.values()
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)


def _names_of(estimator: Any) -> set[str]:
    """Return all names that ``set_params`` takes, those of its parts as ``part__name``.

    ``get_params`` of CatBoost has only what was set; its constructor names the others.
    """
    found = estimator.get_params(deep=True)
    parts = {"": estimator, **{f"{n}__": v for n, v in found.items() if _has_parameters(v)}}
    named = {
        prefix + name
        for prefix, part in parts.items()
        for name, parameter in inspect.signature(type(part)).parameters.items()
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    }
    return named | set(found)

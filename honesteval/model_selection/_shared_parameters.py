"""Splitters that take the parameters of another splitter, shown in their own signature."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["adopt_parameters", "rebuild", "takes_parameters_of"]

Taker = TypeVar("Taker", bound=Callable[..., Any])


def takes_parameters_of(owner: type, *, without: tuple[str, ...]) -> Callable[[Taker], Taker]:
    """Show, in place of ``**parameters``, the parameters of another splitter.

    ``help``, editors and scikit-learn's repr read the signature; what is passed is still checked
    by the other splitter itself.
    """

    def decorate(function: Taker) -> Taker:
        own = inspect.signature(function).parameters
        kept = [p for p in own.values() if p.kind is not p.VAR_KEYWORD]
        adopted = [
            p
            for name, p in inspect.signature(owner).parameters.items()
            if name not in own and name not in without
        ]
        keyword_only = [p.replace(kind=p.KEYWORD_ONLY) for p in adopted]
        function.__signature__ = inspect.Signature(kept + keyword_only)  # type: ignore[attr-defined]
        return function

    return decorate


def adopt_parameters(splitter: Any, owner: Any) -> None:
    """Set on a splitter the parameters in its signature that another splitter holds."""
    for name in inspect.signature(type(splitter)).parameters:
        if not hasattr(splitter, name):
            setattr(splitter, name, getattr(owner, name))


def rebuild(owner: Callable[..., Any], splitter: Any, **fixed: Any) -> Any:
    """Make the splitter whose parameters another one has adopted."""
    names = [name for name in inspect.signature(owner).parameters if name not in fixed]
    return owner(**{name: getattr(splitter, name) for name in names}, **fixed)

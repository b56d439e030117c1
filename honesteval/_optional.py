"""Import optional packages with a message that names the extra to install."""

from __future__ import annotations

import importlib
from types import ModuleType

from honesteval.exceptions import MissingDependencyError


def import_optional(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Return the module, or explain which extra provides it.

    Parameters
    ----------
    module : str
        Dotted name of the module to import.
    extra : str
        Name of the honesteval extra that installs it.
    purpose : str
        What it is needed for; the start of the error sentence.

    Returns
    -------
    module : ModuleType

    Raises
    ------
    MissingDependencyError
        If the module cannot be imported.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingDependencyError(
            f"{purpose} needs the package {package!r}. "
            f"Install it with: pip install 'honesteval[{extra}]'"
        ) from error

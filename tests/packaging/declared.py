"""What the package declares to need, and everything that comes with it."""

import re
from importlib import metadata

from packaging.requirements import Requirement


def declared_distributions(name="honesteval"):
    """Return the distributions that an installation without extras brings, ``name`` included."""
    found, pending = set(), [name]
    while pending:
        distribution = _normalised(pending.pop())
        if distribution in found:
            continue
        found.add(distribution)
        for text in metadata.requires(distribution) or []:
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                pending.append(requirement.name)
    return found


def undeclared_modules():
    """Return the importable top-level names that belong to none of these distributions."""
    declared = declared_distributions()
    return {
        module
        for module, owners in metadata.packages_distributions().items()
        if not {_normalised(owner) for owner in owners} & declared
    }


def _normalised(name):
    return re.sub(r"[-_.]+", "-", name).lower()

"""Say in words why a string is not written in SMILES.

RDKit answers ``None`` and writes the reason to a process-wide log. Redirecting that log would
change the caller's settings, so the reason is found here, from the grammar.

References
----------
.. [1] Weininger D., J. Chem. Inf. Comput. Sci. 1988, 28, 31. :doi:`10.1021/ci00057a005`
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_TOKEN = re.compile(
    r"(?P<bracket>\[[^\[\]]*\])"
    r"|(?P<atom>Cl|Br|[BCNOPSFI]|[bcnops]|\*)"
    r"|(?P<ring>%\(\d+\)|%\d\d|\d)"
    r"|(?P<bond>->|<-|\\\\|[-=#$:/\\~])"
    r"|(?P<open>\()"
    r"|(?P<close>\))"
    r"|(?P<dot>\.)"
)

# What remains when each sign is in its place
NO_FAULT_FOUND = "a ring closure joins an atom to itself or to a neighbour"

_ENDS_AN_ATOM = {"atom", "bracket", "ring", "close"}


def explain_syntax(smiles: str) -> str:
    """Return the first thing that is wrong with the way ``smiles`` is written.

    Parameters
    ----------
    smiles : str
        A string that RDKit could not read, without white space around it.

    Returns
    -------
    reason : str
        Positions count characters from 1.

    Examples
    --------
    >>> explain_syntax("CC(C")
    'a branch is opened with ( and never closed'
    >>> explain_syntax("CHEMBL25")
    "'H' at character 2 is not SMILES"
    """
    depth = 0
    open_rings: set[str] = set()
    before = "start"
    for kind, text, position in _tokens(smiles):
        if kind == "unknown":
            return _unknown(smiles, position)
        fault = _misplaced(kind, text, position, before)
        if fault:
            return fault
        depth += (kind == "open") - (kind == "close")
        if depth < 0:
            return f"the ) at character {position} closes no branch"
        if kind == "ring":
            open_rings ^= {text.strip("%()").lstrip("0") or "0"}
        before = "first bond" if kind == "bond" and before == "open" else kind
    if depth:
        return "a branch is opened with ( and never closed"
    if open_rings:
        number = min(open_rings, key=lambda ring: (len(ring), ring))
        return f"ring closure {number} is opened and never closed"
    if before not in _ENDS_AN_ATOM:
        return "it ends before the next atom"
    return _bracket_fault(smiles)


def _tokens(smiles: str) -> Iterator[tuple[str, str, int]]:
    """Yield kind, text and position (from 1) of every token; one ``unknown`` ends the stream."""
    start = 0
    while start < len(smiles):
        match = _TOKEN.match(smiles, start)
        if match is None:
            yield "unknown", smiles[start], start + 1
            return
        yield str(match.lastgroup), match.group(), start + 1
        start = match.end()


def _unknown(smiles: str, position: int) -> str:
    character = smiles[position - 1]
    if character == "[":
        return f"the [ at character {position} is never closed"
    return f"{character!r} at character {position} is not SMILES"


def _misplaced(kind: str, text: str, position: int, before: str) -> str:
    """Return what is wrong with a token after the one before it, or an empty string."""
    needs_atom = kind in {"ring", "bond", "open", "close", "dot"}
    if needs_atom and before == "start":
        return f"it begins with {text!r} instead of an atom"
    if kind in {"open", "close", "dot"} and before in {"bond", "first bond", "open", "dot"}:
        return f"{text!r} at character {position} has no atom before it"
    if kind == "bond" and before in {"bond", "first bond", "dot"}:
        return f"{text!r} at character {position} has no atom before it"
    if kind == "ring" and before in {"open", "first bond", "dot"}:
        return f"ring closure {text!r} at character {position} has no atom before it"
    return ""


def _bracket_fault(smiles: str) -> str:
    """Name the bracket atom RDKit does not know, else blame the ring closures."""
    from rdkit import Chem, rdBase

    as_is: Any = Chem.SmilesParserParams()
    as_is.sanitize = False
    with rdBase.BlockLogs():
        for kind, text, position in _tokens(smiles):
            if kind == "bracket" and Chem.MolFromSmiles(text, as_is) is None:
                return f"{text} at character {position} is not an atom"
    return NO_FAULT_FOUND

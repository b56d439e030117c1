"""A molecule in a few hundred bytes, from which the page draws it when somebody points at it."""

from __future__ import annotations

from typing import Any

from honesteval.report._molecule_drawing import laid_out

#: Units per bond length (1.5 on RDKit's scale) in the sketch.
UNITS_PER_LENGTH = 10.0

#: Bond codes besides the orders 1, 2 and 3.
WEDGE, DASH = 5, 6


def sketch(smiles: str) -> dict[str, Any]:
    """Return a drawing as plain numbers.

    Parameters
    ----------
    smiles : str

    Returns
    -------
    drawing : dict
        ``p``: x and y of each atom in turn, whole numbers from 0, y downward; ``t``: text of
        the atoms that are no plain carbon, by number; ``b``: first atom, second atom and code of
        each bond in turn (1 to 3 the order, 5 a wedge, 6 a dashed wedge, from the first atom).

    Examples
    --------
    >>> from honesteval.report._molecule_sketch import sketch
    >>> sketch("CO")
    {'p': [0, 0, 10, 0], 't': {'1': 'OH'}, 'b': [0, 1, 1]}
    """
    from rdkit import Chem

    mol = laid_out(smiles)
    Chem.Kekulize(mol, clearAromaticFlags=True)
    Chem.WedgeMolBonds(mol, mol.GetConformer())
    scale = UNITS_PER_LENGTH / 1.5
    positions = mol.GetConformer().GetPositions()[:, :2] * (scale, -scale)
    places = (positions - positions.min(axis=0)).round().astype(int)
    texts = {str(atom.GetIdx()): text for atom in mol.GetAtoms() if (text := _text(atom))}
    bonds = [number for bond in mol.GetBonds() for number in _bond(bond)]
    return {"p": places.ravel().tolist(), "t": texts, "b": bonds}


def _text(atom: Any) -> str:
    charge, isotope = atom.GetFormalCharge(), atom.GetIsotope()
    if atom.GetSymbol() == "C" and not charge and not isotope and atom.GetDegree():
        return ""
    hydrogens = atom.GetTotalNumHs()
    shown_h = "" if not hydrogens else "H" if hydrogens == 1 else f"H{hydrogens}"
    size = str(abs(charge)) if abs(charge) > 1 else ""
    sign = "" if not charge else "+" if charge > 0 else "\N{MINUS SIGN}"
    return f"{isotope or ''}{atom.GetSymbol()}{shown_h}{size}{sign}"


def _bond(bond: Any) -> tuple[int, int, int]:
    from rdkit.Chem import BondDir

    code = int(bond.GetBondTypeAsDouble())
    direction = bond.GetBondDir()
    if direction == BondDir.BEGINWEDGE:
        code = WEDGE
    elif direction == BondDir.BEGINDASH:
        code = DASH
    return bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), max(code, 1)

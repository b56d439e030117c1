"""Molecules drawn as SVG that follows the theme of the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from honesteval.report._svg import embed_svg

WIDTH, HEIGHT = 250, 180

_ATOM_COLORS: dict[str, tuple[str, tuple[int, ...]]] = {
    "ink": ("#1b2631", (6, 1)),
    "atom-n": ("#2a52be", (7,)),
    "atom-o": ("#c0262d", (8,)),
    "atom-s": ("#8a6d00", (16,)),
    "atom-halogen": ("#1d7a3a", (9, 17)),
    "atom-br": ("#8c3a1a", (35,)),
    "atom-i": ("#6a1b9a", (53,)),
    "atom-p": ("#b85c00", (15,)),
}
_HIGHLIGHT = "#f3c969"


def pair_svgs(first: str, second: str, *, name: str, titles: tuple[str, str]) -> tuple[str, str]:
    """Draw two molecules the same way round, and mark what only one of them has.

    Marked are atoms that stand, with their neighbours, in a way that does not occur in the other
    molecule: what a circular fingerprint of radius 1 tells apart (radius 2 if that is nothing).

    Parameters
    ----------
    first, second : str
        SMILES.
    name : str
        Unique in the page.
    titles : tuple of two str
        Alternative texts.

    Returns
    -------
    svgs : tuple of two str
    """
    a, b = (laid_out(smiles) for smiles in (first, second))
    of_a, of_b = _environments(a), _environments(b)
    _turn_like(a, b, of_a, of_b)
    for radius in (1, 2):
        marked = _alone(of_a, of_b, radius), _alone(of_b, of_a, radius)
        if marked[0] or marked[1]:
            break
    return (
        _draw(a, name=f"{name}-a", title=titles[0], highlight=marked[0]),
        _draw(b, name=f"{name}-b", title=titles[1], highlight=marked[1]),
    )


def laid_out(smiles: str) -> Any:
    """Return the molecule with coordinates for a drawing; RDKit's remarks are kept quiet."""
    from rdkit import Chem, rdBase
    from rdkit.Chem import rdDepictor

    with rdBase.BlockLogs():
        mol = Chem.MolFromSmiles(smiles)
        if mol is None:
            raise ValueError(f"{smiles!r} cannot be read as a molecule.")
        rdDepictor.Compute2DCoords(mol)
        rdDepictor.StraightenDepiction(mol)
    return mol


def _environments(mol: Any) -> list[tuple[int, ...]]:
    """Return for each atom a number for its surroundings within 0, 1 and 2 bonds."""
    from rdkit.Chem import rdFingerprintGenerator

    generator = rdFingerprintGenerator.GetMorganGenerator(
        radius=2, includeRedundantEnvironments=True
    )
    found = rdFingerprintGenerator.AdditionalOutput()
    found.AllocateAtomToBits()
    generator.GetSparseCountFingerprint(mol, additionalOutput=found)
    return [tuple(bits) for bits in found.GetAtomToBits()]


def _alone(
    environments: list[tuple[int, ...]], others: list[tuple[int, ...]], radius: int
) -> list[int]:
    known = {bits[: radius + 1][-1] for bits in others}
    return [atom for atom, bits in enumerate(environments) if bits[: radius + 1][-1] not in known]


def _turn_like(
    reference: Any, mol: Any, of_reference: list[tuple[int, ...]], of_mol: list[tuple[int, ...]]
) -> None:
    """Turn (and mirror) the drawing of ``mol`` so that atoms alike in both come close."""
    from rdkit.Geometry import Point3D

    first, second = _unique(of_reference), _unique(of_mol)
    shared = sorted(first.keys() & second.keys(), key=lambda bits: first[bits])
    if len(shared) < 2:
        return
    fixed = reference.GetConformer().GetPositions()[[first[bits] for bits in shared], :2]
    conformer = mol.GetConformer()
    positions = conformer.GetPositions()[:, :2]
    moving = positions[[second[bits] for bits in shared]]
    centre = moving.mean(axis=0)
    left, _, right = np.linalg.svd((moving - centre).T @ (fixed - fixed.mean(axis=0)))
    turned = (positions - centre) @ (left @ right) + fixed.mean(axis=0)
    for atom, (x, y) in enumerate(turned.tolist()):
        conformer.SetAtomPosition(atom, Point3D(x, y, 0.0))


def _unique(environments: list[tuple[int, ...]]) -> dict[tuple[int, ...], int]:
    counts = Counter(environments)
    return {bits: atom for atom, bits in enumerate(environments) if counts[bits] == 1}


def _draw(mol: Any, *, name: str, title: str, highlight: Sequence[int]) -> str:
    from rdkit.Chem.Draw import rdMolDraw2D

    drawer = rdMolDraw2D.MolDraw2DSVG(WIDTH, HEIGHT)
    options: Any = drawer.drawOptions()
    options.clearBackground = False
    options.padding = 0.06
    options.bondLineWidth = 1.6
    options.fixedBondLength = 26
    options.setHighlightColour(_rgb(_HIGHLIGHT))
    options.highlightBondWidthMultiplier = 12
    options.updateAtomPalette(
        {number: _rgb(colour) for colour, numbers in _ATOM_COLORS.values() for number in numbers}
    )
    rdMolDraw2D.PrepareAndDrawMolecule(drawer, mol, highlightAtoms=list(highlight))
    drawer.FinishDrawing()
    themed = {variable: colour for variable, (colour, _) in _ATOM_COLORS.items()}
    return embed_svg(
        drawer.GetDrawingText(), name=name, title=title, themed={**themed, "mark": _HIGHLIGHT}
    )


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue

"""Read one molecule at a time, or say in words why it cannot be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from honesteval.entities._rows import is_missing, show_value
from honesteval.entities._smiles_syntax import explain_syntax

# A molecule in RDKit's binary form and its canonical SMILES, or None and the reason.
Reading = tuple[bytes | None, str]

_END_OF_MOL_BLOCK = "M  END"


def read_strings(texts: Sequence[str]) -> list[Reading]:
    """Read SMILES strings and mol blocks with RDKit's log silenced."""
    from rdkit import rdBase

    with rdBase.BlockLogs():
        return [_finish(_read_string(text)) for text in texts]


def read_other(value: Any) -> Reading:
    """Read a value that is not a string: an RDKit molecule, or not a molecule at all."""
    from rdkit import Chem, rdBase

    if isinstance(value, Chem.Mol):
        with rdBase.BlockLogs():
            return _finish(_read_mol(value))
    if is_missing(value):
        return None, "missing value"
    kind = type(value).__name__
    return None, f"a value of type {kind}, not a SMILES string or an RDKit molecule"


def _finish(mol: Any) -> Reading:
    """Pack what was read; a reason is passed on."""
    from rdkit import Chem

    if isinstance(mol, str):
        return None, mol
    if mol.GetNumAtoms() == 0:
        return None, "a molecule without atoms"
    return mol.ToBinary(), Chem.MolToSmiles(mol)


def _read_string(text: str) -> Any:
    """Return the molecule, or the reason why there is none."""
    from rdkit import Chem

    if _END_OF_MOL_BLOCK in text:
        return _read_mol_block(text)
    text = text.strip()
    if not text:
        return "empty string"
    smiles, *rest = text.split(maxsplit=1)
    if rest and not rest[0].startswith("|"):
        return f"text after the SMILES: {show_value(rest[0])}"
    if "\0" in text or not smiles.isascii():
        return explain_syntax(smiles)
    mol: Any = Chem.MolFromSmiles(text)
    return _why_not_smiles(smiles, *rest) if mol is None else mol


def _read_mol_block(text: str) -> Any:
    from rdkit import Chem

    mol: Any = Chem.MolFromMolBlock(text)
    if mol is not None:
        return mol
    as_is: Any = Chem.MolFromMolBlock(text, sanitize=False, removeHs=False)
    if as_is is None:
        return "a mol block whose counts, atom or bond lines cannot be read"
    return _chemistry_fault(as_is)


def _read_mol(value: Any) -> Any:
    """Return a sanitised copy without explicit hydrogens, or the reason why there is none."""
    from rdkit import Chem

    mol: Any = Chem.Mol(value)
    if any(atom.HasQuery() and atom.GetAtomicNum() for atom in mol.GetAtoms()):
        return "a query (SMARTS), not a molecule"
    try:
        mol = Chem.RemoveHs(mol)
    except Chem.MolSanitizeException:
        return _chemistry_fault(mol)
    Chem.AssignStereochemistry(mol, cleanIt=True, force=True)
    return mol


def _why_not_smiles(smiles: str, extension: str = "") -> str:
    """Say why RDKit reads no molecule: the way it is written, or the chemistry."""
    from rdkit import Chem

    if smiles.startswith("InChI="):
        return "an InChI, not SMILES"
    parameters: Any = Chem.SmilesParserParams()
    parameters.sanitize = False
    parameters.removeHs = False
    as_is: Any = Chem.MolFromSmiles(smiles, parameters)
    if as_is is None:
        return explain_syntax(smiles)
    fault = _chemistry_fault(as_is)
    if extension and not fault:
        return f"unreadable extension after the SMILES: {show_value(extension)}"
    return fault or "RDKit cannot make a molecule of it"


def _chemistry_fault(mol: Any) -> str:
    """Return the first problem RDKit finds in an unsanitised molecule, in words."""
    from rdkit import Chem

    for problem in Chem.DetectChemistryProblems(mol):
        kind, message = problem.GetType(), problem.Message()
        if kind == "AtomValenceException":
            index = problem.GetAtomIdx()
            valence = re.search(r", (\d+), is greater", message)
            number = f" {valence[1]}" if valence else ""
            symbol = mol.GetAtomWithIdx(index).GetSymbol()
            return f"impossible valence: {symbol} atom {index} has valence{number}"
        if kind == "KekulizeException":
            atoms = [str(index) for index in problem.GetAtomIndices()]
            return (
                f"aromatic atom{'s' * (len(atoms) > 1)} {', '.join(atoms)} cannot be given "
                "single and double bonds (kekulization); a hydrogen as in [nH] may be missing"
            )
        if kind == "AtomKekulizeException":
            return f"atom {problem.GetAtomIdx()} is marked aromatic but is in no ring"
        return str(message)
    return ""

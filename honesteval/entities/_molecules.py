"""Molecules from SMILES strings and RDKit molecules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from honesteval._validation import check_option
from honesteval.entities._excluded import ExcludedRows
from honesteval.entities._fingerprints import FingerprintKind, packed_fingerprints
from honesteval.entities._rows import as_rows, is_missing, show_value
from honesteval.entities._smiles_syntax import explain_syntax
from honesteval.exceptions import InvalidEntityError

KeyKind = Literal["canonical", "flat"]

# looks_like_smiles: how many distinct values are tried, what share of them has to be readable,
# and the size one of them has to reach ("CO", "NO" and "I" are SMILES, but also abbreviations).
TRIED_VALUES = 200
READABLE_SHARE = 0.5
TELLING_ATOMS = 3

_SHOWN_ROWS = 5


@dataclass(frozen=True, eq=False)
class Molecules:
    """Molecules that were read, and the rows that were not.

    Returned by :func:`parse_molecules`.

    Parameters
    ----------
    mols : tuple of rdkit.Chem.Mol, length n_molecules
        Sanitised molecules without explicit hydrogens.
    smiles : ndarray of str, shape (n_molecules,), dtype object
        Their canonical SMILES, with stereo and isotopes. Equal exactly for equal molecules,
        as RDKit writes them (other tautomers and salts differ).
    rows : ndarray of int, shape (n_molecules,)
        Zero-based position of each molecule in the input, ascending.
    excluded : ExcludedRows
        The rows that were left out, with reasons.

    Examples
    --------
    >>> from honesteval.entities import parse_molecules
    >>> molecules = parse_molecules(["OCC", "C[C@H](N)C(=O)[O-].[Na+]"])
    >>> molecules.smiles.tolist()
    ['CCO', 'C[C@H](N)C(=O)[O-].[Na+]']
    >>> molecules.keys("flat").tolist()
    ['CCO', 'CC(N)C(=O)[O-]']
    >>> molecules.fingerprints().shape
    (2, 256)
    """

    mols: tuple[Any, ...]
    smiles: NDArray[np.object_]
    rows: NDArray[np.intp]
    excluded: ExcludedRows

    def __len__(self) -> int:
        return len(self.mols)

    def keys(self, kind: KeyKind = "canonical") -> NDArray[np.object_]:
        """Return one string per molecule that is equal for molecules taken to be the same.

        Parameters
        ----------
        kind : {"canonical", "flat"}, default="canonical"
            ``"canonical"`` is the canonical SMILES. ``"flat"`` is the canonical SMILES of the
            largest fragment (most heavy atoms; ties go to the heavier atoms, then to the first
            SMILES in alphabetical order) without stereo, isotopes and atom-map numbers, so that
            salts and stereoisomers of a molecule share a key.

        Returns
        -------
        keys : ndarray of str, shape (n_molecules,), dtype object
        """
        check_option(kind, "kind", ("canonical", "flat"))
        return (self.smiles if kind == "canonical" else self._flat).copy()

    def fingerprints(
        self,
        *,
        radius: int = 2,
        n_bits: int = 2048,
        kind: FingerprintKind = "ecfp",
        n_jobs: int | None = None,
    ) -> NDArray[np.uint8]:
        """Return binary fingerprints as packed bits.

        Parameters
        ----------
        radius : int, default=2
            Radius in bonds of the circular fingerprints (``"ecfp"`` and ``"fcfp"``); the default
            is ECFP4. The other kinds do not use it.
        n_bits : int, default=2048
            Length in bits, a multiple of 8.
        kind : {"ecfp", "fcfp", "rdkit", "atom_pair", "torsion"}, default="ecfp"
            Circular (Morgan) fingerprints of atoms or of pharmacophore features [1]_, RDKit's
            path fingerprint, atom pairs, or topological torsions. Chirality is not used.
        n_jobs : int or None, default=None
            Number of threads; None is 1, -1 all cores. The result does not depend on it.

        Returns
        -------
        packed : ndarray of uint8, shape (n_molecules, n_bits / 8)
            ``numpy.unpackbits(packed, axis=1)`` gives the bits in RDKit's order.

        References
        ----------
        .. [1] Rogers D., Hahn M., J. Chem. Inf. Model. 2010, 50, 742.
               :doi:`10.1021/ci100050t`
        """
        return packed_fingerprints(
            self.mols, radius=radius, n_bits=n_bits, kind=kind, n_jobs=n_jobs
        )

    def scaffolds(self) -> NDArray[np.object_]:
        """Return the Bemis-Murcko scaffold of each molecule as canonical SMILES.

        Rings and the chains between them, without side chains and stereo [1]_. Molecules
        without a ring have an empty string.

        Returns
        -------
        scaffolds : ndarray of str, shape (n_molecules,), dtype object

        References
        ----------
        .. [1] Bemis G. W., Murcko M. A., J. Med. Chem. 1996, 39, 2887.
               :doi:`10.1021/jm9602928`

        Examples
        --------
        >>> from honesteval.entities import parse_molecules
        >>> parse_molecules(["CCc1ccccc1", "CCO"]).scaffolds().tolist()
        ['c1ccccc1', '']
        """
        from rdkit.Chem.Scaffolds import MurckoScaffold

        scaffold_of: Any = MurckoScaffold.MurckoScaffoldSmiles
        return _strings([scaffold_of(mol=mol) for mol in self.mols])

    @cached_property
    def _flat(self) -> NDArray[np.object_]:
        pairs = zip(self.mols, self.smiles, strict=True)
        return _strings([_flat_key(mol, smiles) for mol, smiles in pairs])


def parse_molecules(
    values: Any,
    *,
    errors: Literal["raise", "drop"] = "raise",
    column: str | None = None,
) -> Molecules:
    """Read one molecule per row.

    Parameters
    ----------
    values : array-like of str or rdkit.Chem.Mol, shape (n_rows,)
        SMILES strings, RDKit molecules, or both mixed. White space around a string is ignored.
        Molecules are copied, sanitised and freed of explicit hydrogens; the caller's are not
        modified.
    errors : {"raise", "drop"}, default="raise"
        What to do about rows that hold no molecule: raise one error that names them, or leave
        them out and list them in ``excluded``.
    column : str or None, default=None
        Name of the column the values come from, for the error message.

    Returns
    -------
    molecules : Molecules

    Raises
    ------
    InvalidEntityError
        If a row holds no molecule and ``errors="raise"``, or if no row holds one. The message
        names rows by their zero-based position; all of them are in the attribute ``rows``.

    Examples
    --------
    >>> from honesteval.entities import parse_molecules
    >>> parse_molecules(["CCO", "CN(C)(C)C"])
    Traceback (most recent call last):
        ...
    honesteval.exceptions.InvalidEntityError: 1 of 2 values cannot be read as a molecule (row
    numbers count from 0): row 1, 'CN(C)(C)C': impossible valence: N atom 1 has valence 4.
    Correct the values, or pass errors='drop' to leave these rows out.
    >>> parse_molecules(["CCO", "CN(C)(C)C"], errors="drop").smiles.tolist()
    ['CCO']
    """
    check_option(errors, "errors", ("raise", "drop"))
    listed = as_rows(values, "SMILES strings or RDKit molecules")
    parsed = [_read(value) for value in listed]
    kept = [row for row, (mol, _) in enumerate(parsed) if mol is not None]
    left_out = [row for row, (mol, _) in enumerate(parsed) if mol is None]
    excluded = ExcludedRows(
        rows=np.array(left_out, dtype=np.intp),
        values=tuple(listed[row] for row in left_out),
        reasons=tuple(parsed[row][1] for row in left_out),
    )
    if not kept or (len(excluded) and errors == "raise"):
        raise _invalid(excluded, len(listed), column, errors)
    return Molecules(
        mols=tuple(parsed[row][0] for row in kept),
        smiles=_strings([parsed[row][1] for row in kept]),
        rows=np.array(kept, dtype=np.intp),
        excluded=excluded,
    )


def looks_like_smiles(values: Any) -> bool:
    """Whether a column of strings holds SMILES rather than names, identifiers or labels.

    Up to 200 distinct strings, spread over the column, are read. It is taken for SMILES if at
    least half of them are molecules and one of these has three heavy atoms or more: short
    labels such as "CO", "NO" or "I" happen to be SMILES, too.

    Parameters
    ----------
    values : array-like, shape (n_rows,)

    Returns
    -------
    is_smiles : bool
        False as well if a value is neither a string nor missing.

    Examples
    --------
    >>> from honesteval.entities import looks_like_smiles
    >>> looks_like_smiles(["CCO", "c1ccccc1", "not measured"])
    True
    >>> looks_like_smiles(["CHEMBL25", "CHEMBL112"])
    False
    """
    present = [value for value in as_rows(values, "strings") if not is_missing(value)]
    if not all(isinstance(value, str) for value in present):
        return False
    distinct = list(dict.fromkeys(text for value in present if (text := value.strip())))
    if not distinct:
        return False
    spread = np.linspace(0, len(distinct) - 1, min(TRIED_VALUES, len(distinct)))
    tried = [distinct[position] for position in spread.round().astype(int)]
    mols = [mol for text in tried if (mol := _read_smiles(text)[0]) is not None]
    if len(mols) < READABLE_SHARE * len(tried):
        return False
    return any(mol.GetNumHeavyAtoms() >= TELLING_ATOMS for mol in mols)


def _strings(texts: Sequence[str]) -> NDArray[np.object_]:
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array


def _read(value: Any) -> tuple[Any, str]:
    """Return the molecule and its canonical SMILES, or None and the reason."""
    from rdkit import Chem

    if isinstance(value, str):
        return _read_smiles(value.strip())
    if isinstance(value, Chem.Mol):
        return _read_mol(value)
    if is_missing(value):
        return None, "missing value"
    return None, f"a {type(value).__name__}, not a SMILES string or an RDKit molecule"


def _read_smiles(text: str) -> tuple[Any, str]:
    from rdkit import Chem, rdBase

    if not text:
        return None, "empty string"
    smiles, *rest = text.split(maxsplit=1)
    if rest and not rest[0].startswith("|"):
        return None, f"text after the SMILES: {show_value(rest[0])}"
    if not smiles.isascii():
        return None, explain_syntax(smiles)
    with rdBase.BlockLogs():
        mol: Any = Chem.MolFromSmiles(text)
        if mol is None:
            return None, _why_no_molecule(text, smiles)
    return _finished(mol)


def _read_mol(value: Any) -> tuple[Any, str]:
    from rdkit import Chem, rdBase

    mol = Chem.Mol(value)
    with rdBase.BlockLogs():
        try:
            mol = Chem.RemoveHs(mol)
        except Chem.MolSanitizeException:
            return None, _chemistry_fault(mol)
        Chem.AssignStereochemistry(mol, cleanIt=True, force=True)
    return _finished(mol)


def _finished(mol: Any) -> tuple[Any, str]:
    from rdkit import Chem

    if mol.GetNumAtoms() == 0:
        return None, "a molecule without atoms"
    return mol, Chem.MolToSmiles(mol)


def _why_no_molecule(text: str, smiles: str) -> str:
    """Say why RDKit reads no molecule: the way it is written, or the chemistry."""
    from rdkit import Chem

    as_is: Any = Chem.SmilesParserParams()
    as_is.sanitize = False
    as_is.removeHs = False
    mol: Any = Chem.MolFromSmiles(smiles, as_is)
    if mol is None:
        return explain_syntax(smiles)
    if smiles != text and Chem.MolFromSmiles(smiles) is not None:
        return f"unreadable extension after the SMILES: {show_value(text[len(smiles) :].strip())}"
    return _chemistry_fault(mol)


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
        return message
    return "RDKit cannot make a molecule of it"


def _flat_key(mol: Any, smiles: str) -> str:
    """Return the canonical SMILES of the largest fragment without stereo and isotopes."""
    from rdkit import Chem

    if ":" in smiles:
        mol = Chem.Mol(mol)
        for atom in mol.GetAtoms():
            atom.SetAtomMapNum(0)
    if "." not in smiles:
        return str(Chem.MolToSmiles(mol, isomericSmiles=False))
    fragments = Chem.GetMolFrags(mol, asMols=True, sanitizeFrags=False)
    return min(_fragment_order(fragment) for fragment in fragments)[-1]


def _fragment_order(fragment: Any) -> tuple[int, float, str]:
    """Sort key of a fragment, the largest first; its last part is the flat SMILES."""
    from rdkit.Chem import GetPeriodicTable, MolToSmiles

    table = GetPeriodicTable()
    weight = sum(table.GetAtomicWeight(atom.GetAtomicNum()) for atom in fragment.GetAtoms())
    flat = MolToSmiles(fragment, isomericSmiles=False)
    return -fragment.GetNumHeavyAtoms(), -round(weight, 3), str(flat)


def _invalid(
    excluded: ExcludedRows, n_rows: int, column: str | None, errors: str
) -> InvalidEntityError:
    """Return the error that names the rows which hold no molecule."""
    place = f" in column {column!r}" if column else ""
    if n_rows == 0:
        return InvalidEntityError(f"There are no values{place}: at least one molecule is needed.")
    listed = "; ".join(
        f"row {row}, {show_value(value)}: {reason}"
        for row, value, reason in list(
            zip(excluded.rows, excluded.values, excluded.reasons, strict=True)
        )[:_SHOWN_ROWS]
    )
    more = len(excluded) - _SHOWN_ROWS
    listed += f"; and {more:,} more" if more > 0 else ""
    if len(excluded) == n_rows:
        advice = "No row holds a molecule: name the column of SMILES strings, not of identifiers."
    else:
        advice = "Correct the values, or pass errors='drop' to leave these rows out."
    return InvalidEntityError(
        f"{len(excluded):,} of {n_rows:,} values{place} cannot be read as a molecule "
        f"(row numbers count from 0): {listed}. {advice}",
        rows=[int(row) for row in excluded.rows],
    )

"""Molecules from SMILES strings, mol blocks and RDKit molecules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from honesteval._validation import check_option
from honesteval.entities._chunks import map_chunks
from honesteval.entities._excluded import ExcludedRows
from honesteval.entities._fingerprints import (
    FingerprintKind,
    check_fingerprint,
    packed_fingerprints,
)
from honesteval.entities._flat_keys import flat_key, is_flat
from honesteval.entities._molecule_reader import Reading, read_other, read_strings
from honesteval.entities._packed_mols import PackedMols
from honesteval.entities._rows import as_rows
from honesteval.entities._scaffolds import murcko_smiles
from honesteval.exceptions import InvalidEntityError

if TYPE_CHECKING:
    import pandas as pd

KeyKind = Literal["canonical", "flat"]

_SHOWN_ROWS = 5


@dataclass(frozen=True, eq=False)
class Molecules:
    """Molecules that were read, and the rows that were not.

    Returned by :func:`parse_molecules`.

    Parameters
    ----------
    mols : sequence of rdkit.Chem.Mol, length n_molecules
        Sanitised molecules without explicit hydrogens. They are held packed (about 400 bytes
        each); every access gives a fresh copy.
    smiles : ndarray of str, shape (n_molecules,), dtype object
        Their canonical SMILES, with stereo and isotopes: equal exactly for equal molecules as
        drawn (other salts and tautomers of a compound differ).
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

    mols: Sequence[Any]
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
            a molecule shares its key with its stereoisomers and with most of its salts (charges
            stay as they are: an acid and its anion differ).

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
            Radius in bonds, 0 or more, of the circular fingerprints (``"ecfp"``, ``"fcfp"``);
            the default is ECFP4. The other kinds do not use it.
        n_bits : int, default=2048
            Length in bits, a multiple of 8.
        kind : {"ecfp", "fcfp", "rdkit", "atom_pair", "torsion"}, default="ecfp"
            Circular (Morgan) fingerprints of atoms or of pharmacophore features [1]_, RDKit's
            path fingerprint, atom pairs, or topological torsions. Chirality is not used.
        n_jobs : int or None, default=None
            Number of processes for 10,000 molecules or more (joblib's rules: None is 1 unless a
            ``parallel_config`` says otherwise, -1 is all cores). It does not change the result.

        Returns
        -------
        packed : ndarray of uint8, shape (n_molecules, n_bits / 8)
            ``numpy.unpackbits(packed, axis=1)`` gives the bits in RDKit's order.

        References
        ----------
        .. [1] Rogers D., Hahn M., J. Chem. Inf. Model. 2010, 50, 742.
               :doi:`10.1021/ci100050t`
        """
        check_fingerprint(radius, n_bits, kind)
        blocks = map_chunks(
            packed_fingerprints, self.mols, n_jobs=n_jobs, radius=radius, n_bits=n_bits, kind=kind
        )
        return np.concatenate(blocks)

    def scaffolds(self, *, n_jobs: int | None = None) -> NDArray[np.object_]:
        """Return the Bemis-Murcko scaffold of each molecule as canonical SMILES.

        Rings and the chains between them [1]_, with the atoms double-bonded to these (RDKit's
        definition), without side chains and stereo. Molecules without a ring have an empty
        string.

        Parameters
        ----------
        n_jobs : int or None, default=None
            As in :meth:`fingerprints`.

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
        return _strings(list(chain(*map_chunks(murcko_smiles, self.mols, n_jobs=n_jobs))))

    def summary(self) -> str:
        """Return how many molecules were read and which rows were left out, in words."""
        total = len(self) + len(self.excluded)
        read = f"{len(self):,} of {total:,} rows hold a molecule."
        return f"{read} {self.excluded.summary()}" if len(self.excluded) else read

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with the columns ``row`` and ``smiles``, one row per molecule."""
        import pandas as pd

        return pd.DataFrame({"row": self.rows, "smiles": self.smiles})

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.summary())}</pre>"

    @cached_property
    def _flat(self) -> NDArray[np.object_]:
        pairs = zip(self.smiles, range(len(self)), strict=True)
        return _strings([s if is_flat(s) else flat_key(self.mols[i]) for s, i in pairs])


def parse_molecules(
    values: Any,
    *,
    errors: Literal["raise", "drop"] = "raise",
    column: str | None = None,
    n_jobs: int | None = None,
) -> Molecules:
    """Read one molecule per row.

    Parameters
    ----------
    values : array-like of str or rdkit.Chem.Mol, shape (n_rows,)
        SMILES strings, mol blocks as text, RDKit molecules, or these mixed. White space around
        SMILES is ignored. RDKit molecules are copied, sanitised and freed of explicit
        hydrogens; the caller's are not modified.
    errors : {"raise", "drop"}, default="raise"
        What to do about rows that hold no molecule: raise one error that names them, or leave
        them out and list them in ``excluded``.
    column : str or None, default=None
        Name of the column the values come from, for the error message.
    n_jobs : int or None, default=None
        Number of processes for 10,000 distinct strings or more (joblib's rules: None is 1
        unless a ``parallel_config`` says otherwise, -1 is all cores).

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
    readings = _read_rows(listed, n_jobs)
    kept = [row for row, (packed, _) in enumerate(readings) if packed is not None]
    left_out = [row for row, (packed, _) in enumerate(readings) if packed is None]
    excluded = ExcludedRows(
        rows=np.array(left_out, dtype=np.intp),
        values=tuple(listed[row] for row in left_out),
        reasons=tuple(readings[row][1] for row in left_out),
    )
    if not kept or (left_out and errors == "raise"):
        raise _invalid(excluded, len(listed), column)
    return Molecules(
        mols=PackedMols(packed for packed, _ in readings if packed is not None),
        smiles=_strings([readings[row][1] for row in kept]),
        rows=_frozen(np.array(kept, dtype=np.intp)),
        excluded=excluded,
    )


def _read_rows(listed: Sequence[Any], n_jobs: int | None) -> list[Reading]:
    """Read every row; a string that occurs several times is read once."""
    texts = list(dict.fromkeys(str(value) for value in listed if isinstance(value, str)))
    readings = chain.from_iterable(map_chunks(read_strings, texts, n_jobs=n_jobs))
    reading_of = dict(zip(texts, readings, strict=True))
    return [reading_of[value] if isinstance(value, str) else read_other(value) for value in listed]


def _strings(texts: Sequence[str]) -> NDArray[np.object_]:
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return _frozen(array)


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array


def _invalid(excluded: ExcludedRows, n_rows: int, column: str | None) -> InvalidEntityError:
    """Return the error that names the rows which hold no molecule."""
    place = f" in column {column!r}" if column else ""
    if n_rows == 0:
        return InvalidEntityError(f"There are no values{place}: at least one molecule is needed.")
    advice = "Correct the values, or pass errors='drop' to leave these rows out."
    if len(excluded) == n_rows:
        advice = "No row holds a molecule. SMILES are needed, not names or identifiers."
    return InvalidEntityError(
        f"{len(excluded):,} of {n_rows:,} values{place} cannot be read as a molecule "
        f"(row numbers count from 0): {excluded.described()}. {advice}",
        rows=excluded.rows.tolist(),
    )

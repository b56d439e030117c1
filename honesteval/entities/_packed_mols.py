"""A sequence of RDKit molecules that holds them packed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, overload


class PackedMols(Sequence[Any]):
    """RDKit molecules, held in RDKit's binary form and unpacked one by one when asked for.

    An RDKit molecule takes about 30 kB of memory, its binary form about 400 bytes: 93,000
    molecules are 35 MB instead of 3 GB. Each access gives a fresh molecule, so that nothing
    done to it changes this sequence.

    Parameters
    ----------
    packed : iterable of bytes
        What ``mol.ToBinary()`` returns, one per molecule.

    Examples
    --------
    >>> from honesteval.entities import parse_molecules
    >>> mols = parse_molecules(["CCO", "c1ccccc1"]).mols
    >>> [mol.GetNumAtoms() for mol in mols]
    [3, 6]
    >>> len(mols[:1])
    1
    """

    __slots__ = ("_packed",)

    def __init__(self, packed: Iterable[bytes]) -> None:
        self._packed = tuple(packed)

    def __len__(self) -> int:
        return len(self._packed)

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> PackedMols: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return PackedMols(self._packed[index])
        from rdkit import Chem

        unpack: Any = Chem.Mol
        return unpack(self._packed[index])

    def __repr__(self) -> str:
        return f"<{len(self)} packed RDKit molecules>"

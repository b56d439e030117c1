"""The real assay that comes with RDKit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from honesteval.entities import read_table
from honesteval.exceptions import MissingDependencyError

if TYPE_CHECKING:
    import pandas as pd

_FOLDER = ("FreeWilson", "data")
_MOLECULES = "CHEMBL2321810.smi"
_ACTIVITIES = "CHEMBL2321810_act.csv"

_DESCRIPTION = """\
Sodium-channel blockers (CHEMBL2321810)
---------------------------------------
{n} aryl sulfonamides and related compounds of one chemical series with one measured activity
each.

Source       Two files that come with RDKit, in Contrib/FreeWilson/data: CHEMBL2321810.smi
             (SMILES and compound number) and CHEMBL2321810_act.csv (compound number and
             activity). They are joined by the compound number; each number occurs once in
             either file. Nothing is downloaded.
Licence      RDKit, including its Contrib folder, is distributed under the BSD licence. The data
             come from ChEMBL (CC BY-SA 3.0), document CHEMBL2321810.
data         SMILES as in the file, one per compound; all distinct as canonical SMILES.
target       pIC50 = -log10(IC50 in mol/L), without unit, from {low:.2f} to {high:.2f}; higher is
             more potent. 6.00 ({n6} times) and 5.00 ({n5} times) stand out and may be limits of
             measurement rather than values.
names        Compound numbers, as text.

The files name neither the target nor the unit. Aryl sulfonamides with a thiadiazole or thiazole
on the nitrogen, as here, are known blockers of the voltage-gated sodium channel Nav1.7; the unit
follows from the values and from RDKit's Free-Wilson example, which asks for pIC50.
"""


def load_nav17(*, as_frame: bool = False, return_X_y: bool = False) -> Any:
    """Load the real assay that comes with RDKit: sodium-channel blockers with pIC50.

    ======================  ==================================
    Compounds                                            1,017
    Target                         pIC50, real, 4.27 to 9.22
    Input                                               SMILES
    ======================  ==================================

    Parameters
    ----------
    as_frame : bool, default=False
        Whether ``data`` and ``target`` are pandas Series, and ``frame`` a data frame.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of the Bunch.

    Returns
    -------
    data : sklearn.utils.Bunch
        With the attributes

        data : ndarray of str, shape (1017,), dtype object, or Series
            SMILES.
        target : ndarray of float, shape (1017,), or Series
            pIC50 = -log10(IC50 in mol/L).
        names : ndarray of str, shape (1017,), dtype object
            Compound numbers.
        feature_names, target_names : list of str
            ``["smiles"]`` and ``["pIC50"]``.
        frame : None or DataFrame
            Columns ``name``, ``smiles`` and ``pIC50``, if ``as_frame``.
        DESCR : str
            Source, licence and caveats.

    Raises
    ------
    MissingDependencyError
        If RDKit was installed without its Contrib folder.

    Examples
    --------
    >>> from honesteval.datasets import load_nav17
    >>> assay = load_nav17()
    >>> len(assay.data), assay.names[0], float(assay.target[0])
    (1017, '1520012', 5.48)
    >>> X, y = load_nav17(return_X_y=True)
    >>> round(float(y.mean()), 2)
    6.55
    """
    from sklearn.utils import Bunch

    table = _joined_table(_contrib_folder())
    data, target = table["smiles"], table["pIC50"]
    if not as_frame:
        data, target = np.array(data, dtype=object), np.array(target, dtype=np.float64)
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        names=np.array(table["name"], dtype=object),
        feature_names=["smiles"],
        target_names=["pIC50"],
        frame=table if as_frame else None,
        DESCR=_description(table["pIC50"].to_numpy()),
    )


def _contrib_folder() -> Path:
    """Return the folder that holds the two files."""
    from rdkit import RDConfig

    folder = Path(RDConfig.RDContribDir, *_FOLDER)
    if not all((folder / name).is_file() for name in (_MOLECULES, _ACTIVITIES)):
        raise MissingDependencyError(
            f"This RDKit has no {_MOLECULES} and {_ACTIVITIES} in {folder}: it was built or "
            "packaged without its Contrib folder. The wheel has it: pip install rdkit"
        )
    return folder


def _joined_table(folder: Path) -> pd.DataFrame:
    """Join molecules and activities by name, in the order of the molecules."""
    molecules = read_table(folder / _MOLECULES)
    activities = read_table(folder / _ACTIVITIES, as_text=["Name"])
    activities = activities.rename(columns={"Name": "name", "Act": "pIC50"})
    for table, file in ((molecules, _MOLECULES), (activities, _ACTIVITIES)):
        repeated = table["name"][table["name"].duplicated()].unique().tolist()
        if repeated:
            raise ValueError(f"{file} of this RDKit has compounds more than once: {repeated}.")
    unpaired = sorted(set(molecules["name"]) ^ set(activities["name"]))
    if unpaired:
        raise ValueError(
            f"{_MOLECULES} and {_ACTIVITIES} of this RDKit do not name the same compounds: "
            f"{', '.join(unpaired[:10])} ({len(unpaired)} in all) are in one of them only."
        )
    joined = molecules.merge(activities, on="name", how="left", validate="one_to_one")
    return joined[["name", "smiles", "pIC50"]]


def _description(target: Any) -> str:
    return _DESCRIPTION.format(
        n=f"{len(target):,}",
        low=target.min(),
        high=target.max(),
        n5=int((target == 5.0).sum()),
        n6=int((target == 6.0).sum()),
    )

"""Draw the figures of the pages from the real assay: ``python docs/figures.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from sklearn.model_selection import KFold

from honesteval import SimilarityGroupKFold
from honesteval.datasets import load_nav17
from honesteval.report import SimilarityHistogramDisplay
from honesteval.similarity import resolve_similarity

STATIC = Path(__file__).with_name("_static")


def nearest_similarities() -> dict[str, np.ndarray]:
    """Return the highest similarity of each molecule to its training rows, by kind of folds."""
    smiles, _ = load_nav17(return_X_y=True)
    similarity = resolve_similarity(smiles)
    found = {}
    splitters = {
        "random": KFold(5, shuffle=True, random_state=0),
        "similarity": SimilarityGroupKFold(5),
    }
    for name, cv in splitters.items():
        folds = [similarity.nearest(test, train)[0] for train, test in cv.split(smiles)]
        found[name] = np.concatenate(folds)
    return found


def main() -> None:
    """Write the figures."""
    mpl.use("svg")
    display = SimilarityHistogramDisplay(nearest_similarities()).plot()
    display.figure_.patch.set_facecolor("white")
    with mpl.rc_context({"svg.hashsalt": "honesteval", "svg.fonttype": "path"}):
        display.figure_.savefig(
            STATIC / "nav17-similarity.svg", bbox_inches="tight", metadata={"Date": None}
        )


if __name__ == "__main__":
    main()

"""Draw the folds of several splitters on a map of the real assay: ``python docs/fold_maps.py``."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from sklearn.model_selection import KFold

from honesteval import (
    LeadOptimizationSplit,
    RepeatedSimilarityGroupKFold,
    SimilarityGroupKFold,
    similarity_split,
)
from honesteval.datasets import load_nav17
from honesteval.report._fold_map import make_map
from honesteval.report._palette import FOLD_COLORS
from honesteval.similarity import resolve_similarity

PICTURE = Path(__file__).parent / "_static" / "fold-maps.png"
GREY, PALE = "#b8b8b8", "#e9e9e9"
SMILES = load_nav17().data
SIMILARITY = resolve_similarity(SMILES)


def nearest(splits) -> float:
    """Return the mean over tested molecules of the highest similarity to a training molecule."""
    found = [SIMILARITY.nearest(test, train)[0] for train, test in splits]
    return float(np.concatenate(found).mean())


def panels():
    """Yield title, colour of each molecule, and the splits."""
    similar = SimilarityGroupKFold(5)
    for title, cv in {
        "KFold(5, shuffle=True)": KFold(5, shuffle=True, random_state=0),
        'SimilarityGroupKFold(5, similarity="scaffold")': SimilarityGroupKFold(
            5, similarity="scaffold"
        ),
        "SimilarityGroupKFold(5)": similar,
        "RepeatedSimilarityGroupKFold(5), 2nd repeat": RepeatedSimilarityGroupKFold(5, n_repeats=2),
    }.items():
        splits = list(cv.split(SMILES))[-5:]
        colours = np.empty(len(SMILES), dtype=object)
        for fold, (_, test) in enumerate(splits):
            colours[test] = FOLD_COLORS[fold]
        yield title, colours, splits
    rows = similarity_split(SMILES).indices
    colours = np.full(len(SMILES), GREY, dtype=object)
    colours[rows["val"]], colours[rows["test"]] = FOLD_COLORS[0], FOLD_COLORS[1]
    yield "similarity_split: validation, test", colours, [(rows["train"], rows["test"])]
    leads = LeadOptimizationSplit(threshold=0.7)
    ((train, test),) = leads.split(SMILES)
    colours = np.full(len(SMILES), PALE, dtype=object)
    colours[train] = GREY
    for row in leads.cluster_frame(SMILES).itertuples():
        colours[row.analogues] = FOLD_COLORS[row.cluster % len(FOLD_COLORS)]
    yield "LeadOptimizationSplit(threshold=0.7)", colours, [(train, test)]


def main() -> None:
    """Write the picture."""
    mpl.use("agg")
    places = make_map(SIMILARITY, random_state=0)
    figure, axes = plt.subplots(2, 3, figsize=(10.5, 7.4), layout="constrained")
    for ax, (title, colours, splits) in zip(axes.flat, panels(), strict=True):
        ax.scatter(places.x, places.y, s=7, c=list(colours[places.rows]), linewidths=0)
        ax.set_title(f"{title}\nnearest in training {nearest(splits):.2f}", fontsize=8.5)
        ax.set_axis_off()
        ax.set_aspect("equal")
    drawn = BytesIO()
    figure.savefig(drawn, dpi=110)
    Image.open(drawn).convert("RGB").quantize(48).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()

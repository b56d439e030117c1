"""Draw the figures of the pages from the real assay: ``python docs/figures.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold

from honesteval import SimilarityGroupKFold, adaptive_score, learning_curve_extrapolation
from honesteval.datasets import load_nav17
from honesteval.report import SimilarityHistogramDisplay
from honesteval.similarity import resolve_similarity
from honesteval.stats import LearningCurveExtrapolationDisplay

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


def curve_and_adaptive_score() -> LearningCurveExtrapolationDisplay:
    """Return what the page on few rows draws: 160 rows of the diabetes data."""
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:160], y[:160]
    curve = learning_curve_extrapolation(
        LinearRegression(), X, y, target_size=350, loss="absolute_percentage", random_state=0
    )
    score = adaptive_score(LinearRegression(), X, y, random_state=0)
    return LearningCurveExtrapolationDisplay.from_extrapolation(curve, adaptive=score)


def save(display: Any, name: str) -> None:
    """Draw a display into a file that is the same each time."""
    figure = display.plot().figure_
    figure.patch.set_facecolor("white")
    with mpl.rc_context({"svg.hashsalt": "honesteval", "svg.fonttype": "path"}):
        figure.savefig(STATIC / name, bbox_inches="tight", metadata={"Date": None})


def main() -> None:
    """Write the figures."""
    mpl.use("svg")
    save(SimilarityHistogramDisplay(nearest_similarities()), "nav17-similarity.svg")
    save(curve_and_adaptive_score(), "adaptive-score.svg")


if __name__ == "__main__":
    main()

"""The colours of all pictures, each with the name of the CSS variable that carries it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: Colours on white. Each is used for one thing, so that a picture inside a web page can follow
#: the page's light or dark theme: ``var(--random)`` takes the place of ``#b3540a``.
COLORS = {
    "ink": "#1b2631",
    "muted": "#566370",
    "line": "#d3d9df",
    "random": "#b3540a",
    "similarity": "#0b6b83",
    "chance": "#7d8791",
    "deployment": "#6b4fa0",
    "marker": "#fefefe",
}

#: Colours of folds on a map, told apart with every common colour vision; they repeat after 8.
FOLD_COLORS = (
    "#2a6fb0", "#d9892b", "#3f9a6b", "#b5478f", "#8c6d3f", "#5fb3d4", "#c9473f", "#6c6fbf",
)  # fmt: skip

FONT_SIZE = 9.0

_STYLE = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": FONT_SIZE,
    "axes.labelsize": FONT_SIZE,
    "xtick.labelsize": FONT_SIZE,
    "ytick.labelsize": FONT_SIZE,
    "legend.fontsize": FONT_SIZE,
    "text.color": COLORS["ink"],
    "axes.edgecolor": COLORS["muted"],
    "axes.labelcolor": COLORS["ink"],
    "xtick.color": COLORS["muted"],
    "ytick.color": COLORS["muted"],
    "xtick.labelcolor": COLORS["ink"],
    "ytick.labelcolor": COLORS["ink"],
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "legend.handlelength": 1.4,
}


@contextmanager
def drawing_style() -> Iterator[None]:
    """Draw in the style of the report, and leave the caller's style as it was."""
    import matplotlib as mpl

    style: Any = _STYLE
    with mpl.rc_context(style):
        yield


def new_axes(ax: Any, *, width: float, height: float) -> Any:
    """Return ``ax``, or the axes of a new figure of this size in inches."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]

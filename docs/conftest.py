"""The pages' examples are tests; the scripts that build the pages are not."""

import matplotlib as mpl
import pytest

mpl.use("Agg")

# the pictures are computed and drawn by the build itself, which fails where one cannot be
collect_ignore = ["_build", "api/generated", "pictures.rst"]
collect_ignore_glob = ["*.py"]


@pytest.fixture(autouse=True)
def _close_figures():
    """Leave no figure of one page open for the next: matplotlib warns of many."""
    yield
    import matplotlib.pyplot as plt

    plt.close("all")

"""The page about deployment shows what the benchmark measured."""

from pathlib import Path

import pandas as pd
import pytest

from tests.scripts import load_script

ROOT = Path(__file__).parents[1]


def test_page_is_what_the_benchmark_stored():
    page = load_script("docs/deployment_page.py")
    written = (ROOT / "docs/deployment.rst").read_text(encoding="utf-8")
    assert written == page.page(), "Run python docs/deployment_page.py and commit the page."
    for part in page.load("deployment").values():
        assert f"{part['n_tasks']} tasks" in written
        for line in part["estimates"]:
            assert f"{line['bias']:+.3f}" in written


def test_summary_of_the_benchmark_by_hand():
    benchmark = load_script("benchmarks/deployment.py")
    names = list(benchmark.ESTIMATES)
    rows = []
    for truth, error in ((1.0, 0.2), (2.0, -0.1)):
        row = {"collection": "chembl", "truth": truth, "later_similarity": truth / 4}
        row |= dict.fromkeys(names, truth + error)
        row |= dict.fromkeys(("distance", "distance_before", "distance_random"), 0.1)
        row |= {"low_0.8": truth, "high_0.8": truth + 1, "low_0.95": 1.5, "high_0.95": 2.5}
        rows.append(row)
    part = benchmark.summarise(pd.DataFrame(rows))["chembl"]
    assert part["n_tasks"] == 2
    assert part["estimates"][0]["bias"] == pytest.approx(0.05)
    assert part["estimates"][0]["mean_absolute_error"] == pytest.approx(0.15)
    assert part["coverage"]["80%"] == {"share": 1.0, "mean_width": 1.0}
    assert part["coverage"]["95%"]["share"] == 0.5
    assert part["later_similarity"] == [0.25, 0.5]

"""The pages of the benchmarks show what was stored, and `make bench` knows every page."""

import json
import re
from pathlib import Path

import pytest

from tests.scripts import load_script

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "benchmarks"


@pytest.fixture(scope="module")
def pages():
    return load_script("docs/benchmark_pages.py")


@pytest.fixture(scope="module")
def run():
    return load_script("benchmarks/run.py")


NAMES = ("honest-splits", "search", "pairs", "selection", "calibration", "speed",
         "adaptive-score", "claims", "index")  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_page_is_what_the_benchmark_stored(pages, name):
    written = (RESULTS / f"{name}.rst").read_text(encoding="utf-8")
    assert written == pages.PAGES[name](), "Run python docs/benchmark_pages.py, commit the page."


def test_no_page_is_left_out(pages):
    assert set(NAMES) == set(pages.PAGES)
    shown = re.findall(r"^   ([\w./-]+)$", pages.index(), flags=re.MULTILINE)
    assert {path.stem for path in RESULTS.glob("*.rst")} - {"index"} <= set(shown)
    for page in shown:
        assert (RESULTS / f"{page}.rst").exists(), page


def test_every_result_is_made_by_a_step(run):
    made = {step.result for step in run.STEPS.values()}
    made |= {"run.json"}
    assert {path.name for path in RESULTS.glob("*.json")} <= made
    for step in run.STEPS.values():
        assert (ROOT / "benchmarks" / f"{step.script}.py").exists()


def test_commands_of_both_modes(run):
    peers = {"datasail": "there/python"}
    quick = run.STEPS["partition"].command("quick", peers)
    assert quick[-1] == str(ROOT / "build" / "benchmarks" / "partition.json")
    assert quick[quick.index("--peer") + 1] == "datasail=there/python"
    assert quick[quick.index("--sets") + 1 : quick.index("--quick")] == ["esol"]
    full = run.STEPS["partition"].command("full", {})
    assert "--peer" not in full
    assert "tox21" in full
    assert full[-2:] == ["--json", str(RESULTS / "partition.json")]
    honest = run.STEPS["honest-splits"].command("quick", peers)
    assert honest[honest.index("--peer") + 1] == "datasail=there/python"
    assert str(ROOT / "build" / "benchmarks" / "honest-splits.jsonl") in honest


def _rows(scores):
    """Return rows of one model on ESOL (smaller is better), split: (L, score)."""
    return [
        {"set": "ESOL", "model": "forest", "metric": "RMSE", "split": split, "scaled L": leakage,
         "score": score, "low": score - 0.05, "high": score + 0.05}
        for split, (leakage, score) in scores.items()
    ]  # fmt: skip


def test_trend_counts_both_ways(pages):
    expected = _rows({"random": (0.8, 1.0), "Butina": (0.7, 1.3), "honesteval": (0.6, 1.5)})
    text = pages._trend(expected)
    assert text.startswith("in 1 of 1 pairs")
    assert "in 1 of the 1 with intervals these do not meet" in text
    assert "in 2 of 2 steps" in text
    against = _rows({"random": (0.8, 1.5), "Butina": (0.7, 1.3), "honesteval": (0.6, 1.0)})
    text = pages._trend(against)
    assert text.startswith("in 0 of 1 pairs")
    assert "in 0 of the 1 with intervals" in text
    assert "in 0 of 2 steps" in text


def test_what_balanced_classes_change_is_said(pages):
    rows = _rows(
        {"random": (0.8, 0.9), "honesteval": (0.6, 0.5), "honesteval, stratified": (0.61, 0.57)}
    )
    text = pages._trend([row | {"metric": "ROC-AUC"} for row in rows])
    assert "by +0.070 in the mean (higher in 1 of 1 pairs)" in text
    assert "Balanced" not in pages._trend(rows[:2])


def test_claims_name_a_command_and_a_limit_each(pages):
    text = pages.claims()
    commands = re.findall(r"^\*Again:\* ``python benchmarks/run.py --full --only (\S+)``$", text,
                          flags=re.MULTILINE)  # fmt: skip
    assert len(commands) == text.count("*Weak:*") >= 8
    assert set(commands) <= set(load_script("benchmarks/run.py").STEPS)


def test_claims_are_the_numbers_stored(pages):
    rows = json.loads((RESULTS / "partition.json").read_text(encoding="utf-8"))
    text = pages.claims()
    for row in rows:
        if row["method"] == "DataSAIL":
            assert f"beside {row['scaled L']:.4f}" in text


def test_tables_leave_missing_numbers_empty():
    tables = load_script("docs/page_tables.py")
    assert tables.number(None, ".2f") == tables.number(float("nan"), ".2f") == ""
    assert tables.number(0.5, ".2f") == "0.50"
    text = tables.formatted([{"a": "x", "b": 1.0}, {"a": "y"}], {"a": "", "b": ".1f"})
    assert "   * - x\n     - 1.0\n   * - y\n     -\n" in text

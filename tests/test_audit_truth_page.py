"""The page about planted leaks shows what the benchmarks measured, and what it claims is there."""

from pathlib import Path

import pytest

from honesteval.checks import available_checks
from tests.scripts import load_script

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def page():
    return load_script("docs/audit_truth_page.py")


@pytest.fixture(scope="module")
def found(page):
    return page.load("audit-truth")


def test_page_is_what_the_benchmarks_stored(page):
    written = page.PAGE.read_text(encoding="utf-8")
    assert written == page.page(), "Run python docs/audit_truth_page.py and commit the page."


def test_every_check_has_a_plant_and_a_strength_at_which_it_is_always_found(found):
    """Three seeds of five sets at least; the procedure's own check (HE701) is planted, too."""
    stated = {line["code"] for line in found["stated"] if line["strength"] is not None}
    assert set(available_checks().index) | {"HE701"} == stated
    assert all(line["strength"] is not None for line in found["stated"])
    assert found["seeds"] >= 3
    assert len(found["sets"]["molecules"]) >= 5


def test_stated_strengths_are_the_weakest_from_which_all_is_found(found):
    for stated in found["stated"]:
        plants = [
            line for line in found["planted"]
            if (line["code"], line["leak"]) == (stated["code"], stated["leak"])
        ]  # fmt: skip
        strengths = [line["strength"] for line in plants]
        at = strengths.index(stated["strength"])
        assert all(line["recall"] == 1 for line in plants[at:])
        assert at == 0 or plants[at - 1]["recall"] < 1


def test_no_error_where_nothing_leaks(found):
    assert sum(line["error"] * line["runs"] for line in found["silent"]) == 0


def test_what_was_missed_is_explained(page, found):
    missed = {line["code"] for line in found["planted"] if line["recall"] < 1}
    assert missed <= set(page.WHY)


def test_peers_are_named_with_versions_and_sets(page):
    peers = page.load("audit-peers")
    assert len(peers["sets"]) >= 4
    own, *others = peers["tools"]
    assert own["tool"] == "honesteval"
    for tool in others:
        assert tool["version"]
        assert max(tool["sets"].values()) >= 4
        assert f"{tool['tool']} {tool['version']}" in page.page()

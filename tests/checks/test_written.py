import json

import numpy as np
import pytest

from honesteval.checks import audit_split


@pytest.fixture(scope="module")
def audited(clean):
    planted, _ = clean.copy_rows(12)
    return audit_split(planted.X, planted.y, planted.split)


def test_markdown_shows_every_check_and_the_evidence(audited, tmp_path):
    text = audited.to_markdown(tmp_path / "audit.md")
    assert (tmp_path / "audit.md").read_text(encoding="utf-8") == text
    for finding in audited.findings:
        assert f"| {finding.code} |" in text
    assert "## HE101 The same entity on both sides" in text
    assert "and 7 more" in text


def test_markdown_escapes_markup(clean):
    part = np.where(np.isin(np.arange(240), clean.test), "<b>|*x*", "other 1")
    text = audit_split(clean.X, None, part, checks=["HE113"]).to_markdown()
    assert "<b>" not in text
    assert r"&lt;b&gt;\|\*x\*" in text


def test_sarif_has_a_result_per_finding_with_lines(audited, tmp_path):
    log = json.loads(audited.to_sarif(tmp_path / "a.sarif", artifact="data/assay.csv"))
    assert log == json.loads((tmp_path / "a.sarif").read_text(encoding="utf-8"))
    run = log["runs"][0]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [
        finding.code for finding in audited.findings
    ]
    assert {result["ruleId"] for result in run["results"]} == {
        finding.code for finding in audited.found()
    }
    first = next(result for result in run["results"] if result["ruleId"] == "HE101")
    place = first["locations"][0]["physicalLocation"]
    assert first["level"] == "error"
    assert place["artifactLocation"]["uri"] == "data/assay.csv"
    assert place["region"]["startLine"] == audited["HE101"].evidence["test_row"][0] + 2


def test_manifest_changes_with_what_was_audited(audited, clean):
    again = audit_split(*_planted(clean), checks=["HE201"])
    assert again.manifest == audited.manifest
    X, y, split = _planted(clean)
    assert _changed(audited, audit_split(~X, y, split, checks=["HE201"])) == {
        "entities_sha256", "features_sha256",
    }  # fmt: skip
    assert _changed(audited, audit_split(X, -y, split, checks=["HE201"])) == {"labels_sha256"}
    assert _changed(audited, audit_split(X, y, split[::-1], checks=["HE201"])) == {"split_sha256"}


def _planted(clean):
    planted, _ = clean.copy_rows(12)
    return planted.X, planted.y, planted.split


def _changed(first, second):
    return {key for key in first.manifest if first.manifest[key] != second.manifest[key]}

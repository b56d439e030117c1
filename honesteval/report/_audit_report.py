"""The report of an audit as HTML, Markdown and JSON."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval.report._alignment import alignment_blocks
from honesteval.report._figures import WIDTH, draw_pairs
from honesteval.report._render import render_html
from honesteval.report._similarity_display import SimilarityHistogramDisplay
from honesteval.report._summarise import N_EVIDENCE, as_plain, excluded_rows
from honesteval.report._svg import figure_svg
from honesteval.report._text import excluded_lines
from honesteval.report._writing import write_as, written

if TYPE_CHECKING:
    from honesteval.checks import Finding, SplitAudit, SplitFiles

#: Pairs of test and training rows that are drawn.
N_PAIRS = 6

#: By the gravest finding of something that makes scores too good.
LEAKAGE_HEADLINES = {
    "error": "This split leaks",
    "warning": "This split may flatter a model",
}
NO_LEAK = "No leak was found by the checks that could be made"
LIMITED = "No leak was found; what was found limits what a score on this split says"


def headline(audit: SplitAudit) -> str:
    """Return what an audit found in one clause: a leak is only called one where one was found."""
    leaks, _ = by_concern(audit)
    if leaks:
        return LEAKAGE_HEADLINES[str(leaks[0].severity)]
    return LIMITED if audit.found("warning") else NO_LEAK


def by_concern(audit: SplitAudit) -> tuple[list[Finding], list[Finding]]:
    """Return warnings and errors about leaks, and those about how far a score can be trusted."""
    found = audit.found("warning")
    leaks = [finding for finding in found if finding.concerns == "leakage"]
    return leaks, [finding for finding in found if finding.concerns != "leakage"]


class AuditReport:
    """Show an audit of a split to people (HTML, Markdown) and to programs (JSON).

    Parameters
    ----------
    audit : SplitAudit
        As :func:`honesteval.checks.audit_split` returns it. Nothing is computed anew.
    smiles : array-like of str, shape (n_rows,), default=None
        The molecules of the audited rows as they were written. The worst pairs are drawn
        without it, too: molecules from their canonical SMILES, sequences aligned.
    target_name : str, default="label"
        What the labels are called.
    title : str, default="Audit"
        Name of the data.
    files : SplitFiles, default=None
        The files that the rows come from (:func:`honesteval.checks.read_split_files`), so that
        rows are also named by their file.

    Attributes
    ----------
    summary : dict
        Everything that is shown, as plain data.

    Examples
    --------
    >>> from honesteval.checks import audit_split
    >>> from honesteval.report import AuditReport
    >>> smiles = ["CCO", "CCN", "CCO", "c1ccccc1"]
    >>> audit = audit_split(smiles, splits=["train", "train", "test", "test"])
    >>> AuditReport(audit, smiles=smiles).summary["headline"]
    'This split leaks'
    """

    def __init__(
        self,
        audit: SplitAudit,
        *,
        smiles: Any = None,
        target_name: str = "label",
        title: str = "Audit",
        files: SplitFiles | None = None,
    ) -> None:
        self.audit = audit
        self.smiles = None if smiles is None else np.asarray(smiles, dtype=object)
        self.target_name = target_name
        self.title = title
        self.files = files

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Everything that is shown, as plain data."""
        leakage = self.audit.leakage
        leaks, others = by_concern(self.audit)
        plain: dict[str, Any] = as_plain(
            {
                **self.audit.to_dict(max_evidence=N_EVIDENCE),
                "title": self.title,
                "headline": headline(self.audit),
                "sentences": [
                    *(finding.message for finding in leaks),
                    *(
                        f"Besides: {finding.message}" if leaks and not number else finding.message
                        for number, finding in enumerate(others)
                    ),
                ],
                "files": [] if self.files is None else self.files.to_frame().to_dict("records"),
                "excluded": excluded_rows(self.audit.excluded),
                "pairs": self._pairs(),
                "nearest": self._nearest(),
                "leakage": None
                if leakage is None
                else {
                    "scaled": leakage.scaled,
                    "random": leakage.random,
                    "relative": leakage.relative,
                },
            }
        )
        return plain

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the report as one HTML page that stands alone, and write it if told where."""
        figures = {
            "pairs": draw_pairs(self.summary["pairs"], name="pair"),
            "similarity": self._histogram(),
        }
        return written(render_html("audit.html.jinja", self.summary, figures), path)

    def to_markdown(self, path: str | Path | None = None) -> str:
        """Return the audit as Markdown, as ``SplitAudit.to_markdown`` does."""
        return self.audit.to_markdown(path)

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the audit as JSON, as :meth:`honesteval.checks.SplitAudit.to_json` does."""
        return self.audit.to_json(path)

    def to_sarif(self, path: str | Path | None = None) -> str:
        """Return the findings in the format of code review tools (``SplitAudit.to_sarif``)."""
        if self.files is not None:
            return self.audit.to_sarif(path, files=self.files)
        return self.audit.to_sarif(path, artifact=self.title)

    def text(self) -> str:
        """Return the report for a terminal; its last line says what was found."""
        summary = self.summary
        last = " ".join([f"{summary['headline']}.", *summary["sentences"]])
        files = [] if self.files is None else [self.files.summary()]
        lines = [self.audit.summary(), *files, *excluded_lines(summary["excluded"]), "", last]
        return "\n".join(lines)

    def write(self, path: str | Path) -> None:
        """Write the report as its name asks for: .html, .md, .json or .sarif."""
        write_as(
            path,
            {
                ".html": self.to_html,
                ".md": self.to_markdown,
                ".json": self.to_json,
                ".sarif": self.to_sarif,
            },
        )

    def _repr_html_(self) -> str:
        return self.audit._repr_html_()

    def _pairs(self) -> list[dict[str, Any]]:
        if self.audit.nearest.empty:
            return []
        return [
            self._pair(row._asdict())
            for row in self.audit.worst_pairs(N_PAIRS).itertuples(index=False)
        ]

    def _pair(self, row: dict[str, Any]) -> dict[str, Any]:
        test, train = (
            self._row(row[f"{side}_row"], row.get(f"{side}_label")) for side in ("test", "train")
        )
        sequences = test.pop("sequence"), train.pop("sequence")
        return {
            "comparison": row["split"],
            "similarity": row["similarity"],
            "test": test,
            "train": train,
            "alignment": None if None in sequences else alignment_blocks(*sequences),
        }

    def _row(self, row: Any, label: Any) -> dict[str, Any]:
        entity = self.audit.entity(int(row))
        smiles = entity if self.audit.entity_kind == "molecule" else None
        if self.smiles is not None:
            smiles = str(self.smiles[int(row)])
        place = None
        if self.files is not None:
            file, number = self.files.locate(int(row))
            place = f"{file.name}, row {number}"
        return {
            "row": int(row),
            "place": place,
            "smiles": smiles,
            "sequence": entity if self.audit.entity_kind == "sequence" else None,
            "labels": self._labels(label),
        }

    def _labels(self, label: Any) -> dict[str, Any]:
        if label is None or pd.isna(label):
            return {}
        return {self.target_name: as_plain(label)}

    def _nearest(self) -> dict[str, Any] | None:
        """Return the mean highest similarity of the split and of random ones."""
        values, random = self._similarities()
        if not len(values):
            return None
        return {"mean": float(values.mean()), "random_mean": float(random.mean())}

    def _similarities(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        nearest = self.audit.nearest
        if nearest.empty:
            return np.empty(0), self.audit.random_nearest
        final = [part.name for part in self.audit.split.comparisons if part.is_final]
        values = nearest.loc[nearest["split"].isin(final), "similarity"].to_numpy(np.float64)
        return values[np.isfinite(values)], self.audit.random_nearest

    def _histogram(self) -> str:
        values, random = self._similarities()
        if not len(values) or not len(random):
            return ""
        return figure_svg(
            SimilarityHistogramDisplay({"random": random, "this": values}, as_share=True),
            name="similarity-histogram", width=WIDTH, height=2.6,
            title="Histograms of the highest similarity of test rows to training rows, for this "
            "split and for random splits of the same sizes",
        )  # fmt: skip

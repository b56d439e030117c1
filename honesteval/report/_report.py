"""The report of an evaluation as HTML, Markdown and JSON."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any

from honesteval.report._evaluation import Evaluation
from honesteval.report._figures import draw_figures
from honesteval.report._map_data import map_data
from honesteval.report._methods import methods_paragraph
from honesteval.report._render import render_html, render_markdown
from honesteval.report._saved import read_evaluation
from honesteval.report._summarise import summarise
from honesteval.report._text import evaluation_text, summary_html
from honesteval.report._writing import write_as, written

#: Parts of the summary with an entry for every row.
LONG = ("rows", "map")


class EvaluationReport:
    """Show an evaluation to people (HTML, Markdown) and to programs (JSON).

    Parameters
    ----------
    evaluation : Evaluation or dict
        As :func:`evaluate` returns it, or its summary (:func:`summarise`, :meth:`from_json`).
        Nothing is computed anew.

    Attributes
    ----------
    evaluation : Evaluation or None
        None where the report was made from a summary.
    summary : dict
        Everything that is shown, as plain data; see :func:`summarise`.

    Examples
    --------
    >>> from honesteval.report import EvaluationReport, evaluate
    >>> smiles = [chain + end for end in ("O", "N", "Cl", "C#N") for chain in map("C".__mul__,
    ...           range(2, 12))]
    >>> report = EvaluationReport(evaluate(
    ...     smiles, [len(s) for s in smiles], estimator="linear", n_splits=2,
    ...     n_inner_splits=2, n_trials=1, n_permutations=0, n_resamples=99,
    ...     target_names=["length"], title="Chains"))
    >>> report.to_markdown().splitlines()[0]
    '# Chains: honest evaluation'
    """

    def __init__(self, evaluation: Evaluation | dict[str, Any]) -> None:
        self.evaluation = evaluation if isinstance(evaluation, Evaluation) else None
        if not isinstance(evaluation, Evaluation):
            self.summary = evaluation

    @classmethod
    def from_json(cls, path: str | Path) -> EvaluationReport:
        """Return the report of an evaluation that :meth:`to_json` has written.

        All of its forms are the same, to the letter, as those of the report that wrote it.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        report : EvaluationReport

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If it does not hold an evaluation; the message names the place.
        """
        return cls(read_evaluation(path))

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Everything that is shown, as plain data."""
        assert self.evaluation is not None
        return summarise(self.evaluation)

    @property
    def methods(self) -> str:
        """The methods paragraph, ready to paste into a paper."""
        return methods_paragraph(self.summary)

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the report as one HTML page that stands alone, and write it if told where.

        The page holds its style and its pictures, asks for nothing from elsewhere (a
        content-security policy forbids it), follows the light or dark theme of the reader and
        prints well.

        Parameters
        ----------
        path : str or Path, default=None

        Returns
        -------
        html : str
        """
        page = render_html(
            "evaluation.html.jinja", self.summary, draw_figures(self.summary),
            methods=self.methods, rows_map=map_data(self.summary),
        )  # fmt: skip
        return written(page, path)

    def to_markdown(self, path: str | Path | None = None) -> str:
        """Return the report as Markdown, without pictures, and write it if told where."""
        return written(
            render_markdown("evaluation.md.jinja", self.summary, methods=self.methods), path
        )

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the report as JSON, and write it if told where."""
        return written(_dumped(self.summary), path)

    def text(self) -> str:
        """Return the report for a terminal; its last line says what was found."""
        return evaluation_text(self.summary)

    def write(self, path: str | Path) -> None:
        """Write the report in the form that the file's name asks for.

        Parameters
        ----------
        path : str or Path
            Ends in ``.html``, ``.md`` or ``.json``.

        Raises
        ------
        ValueError
            If it ends otherwise.
        """
        write_as(path, {".html": self.to_html, ".md": self.to_markdown, ".json": self.to_json})

    def _repr_html_(self) -> str:
        return summary_html(self.summary)


def _dumped(summary: dict[str, Any]) -> str:
    """Return JSON for people, but for the long columns, which stand in one line each."""
    parts = [
        f" {json.dumps(name)}: " + json.dumps(
            value, indent=None if name in LONG else 1, ensure_ascii=False, allow_nan=False
        ).replace("\n", "\n ")
        for name, value in summary.items()
    ]  # fmt: skip
    return "{\n" + ",\n".join(parts) + "\n}\n"

"""The report of an evaluation as HTML, Markdown and JSON."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any

from honesteval.report._evaluation import Evaluation
from honesteval.report._molecule_drawing import pair_svgs
from honesteval.report._optimism_display import OptimismDisplay
from honesteval.report._render import render_html, render_markdown
from honesteval.report._scores_display import ScoresDisplay
from honesteval.report._similarity_display import SimilarityHistogramDisplay
from honesteval.report._summarise import summarise
from honesteval.report._svg import figure_svg
from honesteval.report._text import evaluation_text
from honesteval.report._writing import write_as, written


class EvaluationReport:
    """Show an evaluation to people (HTML, Markdown) and to programs (JSON).

    Parameters
    ----------
    evaluation : Evaluation
        As :func:`evaluate` returns it. Nothing is computed anew.

    Attributes
    ----------
    summary : dict
        Everything that is shown, as plain data; see :func:`summarise`.

    Examples
    --------
    >>> from honesteval.report import EvaluationReport, evaluate
    >>> smiles = [chain + end for end in ("O", "N", "Cl", "C#N") for chain in map("C".__mul__,
    ...           range(2, 12))]
    >>> report = EvaluationReport(evaluate(
    ...     smiles, [len(s) for s in smiles], estimator="linear", n_trials=2, n_permutations=0,
    ...     n_resamples=99, target_names=["length"], title="Chains"))
    >>> report.to_markdown().splitlines()[0]
    '# Chains: honest evaluation'
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Everything that is shown, as plain data."""
        return summarise(self.evaluation)

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
        page = render_html("evaluation.html.jinja", self.summary, self._figures())
        return written(page, path)

    def to_markdown(self, path: str | Path | None = None) -> str:
        """Return the report as Markdown, without pictures, and write it if told where."""
        return written(render_markdown("evaluation.md.jinja", self.summary), path)

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the report as JSON, and write it if told where."""
        text = json.dumps(self.summary, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        return written(text, path)

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
        return self.evaluation._repr_html_()

    def _figures(self) -> dict[str, Any]:
        evaluation = self.evaluation
        scores, optimism = [], []
        for number, task in enumerate(evaluation.tasks):
            name = task.target.name
            shown = ScoresDisplay.from_evaluation(evaluation, task=number)
            scores.append(
                figure_svg(
                    shown, name=f"scores-{number}", width=7.2, height=0.7 + 0.36 * len(shown.rows),
                    title=f"Scores for {name} with intervals, as in the table below",
                )
            )  # fmt: skip
            promised = OptimismDisplay.from_evaluation(evaluation, task=number)
            lines = sum(len(values) for values in promised.inner.values())
            optimism.append(
                figure_svg(
                    promised, name=f"optimism-{number}", width=7.2, height=0.8 + 0.22 * lines,
                    title=f"Best inner score and outer score for {name}, as in the table below",
                )
            )  # fmt: skip
        similarity = figure_svg(
            SimilarityHistogramDisplay.from_evaluation(evaluation),
            name="similarity", width=7.2, height=2.6,
            title="Histograms of the highest similarity of test rows to training rows",
        )  # fmt: skip
        return {
            "scores": scores,
            "optimism": optimism,
            "similarity": similarity,
            "pairs": {split["name"]: _drawn_pairs(split) for split in self.summary["splits"]},
        }


def _drawn_pairs(split: dict[str, Any]) -> list[tuple[str, str]]:
    drawn = []
    for number, pair in enumerate(split["closest_pairs"]):
        rows = pair["test"], pair["train"]
        if rows[0]["smiles"] is None:
            return []
        titles = (f"Molecule of row {rows[0]['row']}", f"Molecule of row {rows[1]['row']}")
        drawn.append(
            pair_svgs(
                rows[0]["smiles"], rows[1]["smiles"], name=f"pair-{split['name']}-{number}",
                titles=titles,
            )
        )  # fmt: skip
    return drawn

"""The report of an evaluation for a terminal: a small table, what was left out, the verdict."""

from __future__ import annotations

from html import escape
from typing import Any

from honesteval.report._words import (
    count,
    entity_count,
    fold_means,
    label,
    overall,
    predictor_names,
    score,
    score_of,
)

#: Excluded rows that are listed on a terminal; the other forms list more.
N_LISTED = 20


def evaluation_text(summary: dict[str, Any]) -> str:
    """Return the report as text; the last line says what was found.

    Parameters
    ----------
    summary : dict
        As :func:`summarise` returns it.
    """
    data = summary["data"]
    lines = [
        f"{summary['title']}: {count(data['n_rows'])} of {count(data['n_input'])} rows, "
        f"{entity_count(data)}",
        *excluded_lines(data["excluded"]),
    ]
    for task in summary["tasks"]:
        lines += ["", task["reason"], *_score_table(task, summary)]
        lines.append(f"  {fold_means(task, summary['splits'])}")
    lines += ["", *(f"Note: {note}" for note in summary["notes"])]
    if len(summary["tasks"]) > 1:
        lines.append(overall(summary["tasks"]))
    for task in summary["tasks"]:
        start = f"{task['name']}: " if len(summary["tasks"]) > 1 else ""
        verdict = task["verdict"]
        lines.append(" ".join([f"{start}{verdict['headline']}.", *verdict["sentences"]]))
    return "\n".join(lines)


def excluded_lines(excluded: dict[str, Any]) -> list[str]:
    """Return which rows were left out and why, one line each."""
    n = excluded["n"]
    if not n:
        return []
    word = "row was" if n == 1 else "rows were"
    listed = excluded["rows"][:N_LISTED]
    lines = [f"{count(n)} {word} left out (row numbers count from 0):"]
    width = max(len(str(row["row"])) for row in listed)
    for row in listed:
        held = "" if row["value"] is None else f" ({label(row['value'])})"
        lines.append(f"  row {row['row']:>{width}}: {row['reason']}{held}")
    if n > len(listed):
        lines.append(
            f"  ... and {count(n - len(listed))} more; the JSON and HTML reports list them"
        )
    return lines


def _score_table(task: dict[str, Any], summary: dict[str, Any]) -> list[str]:
    level = f"{100 * summary['settings']['confidence_level']:g} % interval"
    metric = task["metrics"][0]
    head = [f"{metric['label']} [{level}]", *(split["label"] for split in summary["splits"])]
    rows = [head]
    for predictor, words in predictor_names(task):
        cells = [words]
        for split in summary["splits"]:
            found = score_of(task["scores"], predictor, split["name"], metric["name"])
            shown = [score(found[key], metric["name"]) for key in ("estimate", "low", "high")]
            cells.append(f"{shown[0]} [{shown[1]}, {shown[2]}]")
        rows.append(cells)
    if task["permutation"] is not None:
        permuted = task["permutation"]["permuted_scores"]
        known = [value for value in permuted if value is not None]
        mean = score(sum(known) / len(known), metric["name"])
        rows.append(["permuted labels", "", f"{mean} (mean of {len(permuted)})"])
    for other in task["others"]:
        found = other["scores"][0]
        shown = [score(found[key], metric["name"]) for key in ("estimate", "low", "high")]
        rows.append([other["model"], "", f"{shown[0]} [{shown[1]}, {shown[2]}]"])
    nothing = (
        score(metric["chance"][split["name"]], metric["name"]) for split in summary["splits"]
    )
    rows.append(["learned nothing", *nothing])
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    return [
        "  "
        + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def summary_html(summary: dict[str, Any]) -> str:
    """Return the verdicts and the scores for a notebook."""
    lines = []
    for task in summary["tasks"]:
        start = f"{task['name']}: " if len(summary["tasks"]) > 1 else ""
        verdict = task["verdict"]
        lines.append(" ".join([f"{start}{verdict['headline']}.", *verdict["sentences"]]))
    lines += [f"Note: {note}" for note in summary["notes"]]
    if summary["data"]["excluded"]["n"]:
        lines.append(excluded_lines(summary["data"]["excluded"])[0].removesuffix(":") + ".")
    cells = [
        [
            task["name"],
            found["split"],
            dict(predictor_names(task))[found["predictor"]],
            next(one["label"] for one in task["metrics"] if one["name"] == found["metric"]),
            *(score(found[key], found["metric"]) for key in ("estimate", "low", "high")),
        ]
        for task in summary["tasks"]
        for found in task["scores"]
    ]
    head = ("task", "split", "predictor", "metric", "estimate", "low", "high")
    rows = [
        "<tr>" + "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in row) + "</tr>"
        for tag, row in (("th", head), *(("td", row) for row in cells))
    ]
    return f"<p>{'<br>'.join(map(escape, lines))}</p><table>{''.join(rows)}</table>"

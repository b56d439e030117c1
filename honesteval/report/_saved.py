"""Read the JSON of an evaluation back, so that its report can be made again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from honesteval.report._summarise import SCHEMA, SCHEMA_VERSION, evaluation_schema

#: Characters of the schema's complaints that are shown.
_LONGEST_MESSAGE = 160


def read_evaluation(source: str | Path) -> dict[str, Any]:
    """Read the summary of an evaluation from a JSON file that a report wrote.

    Parameters
    ----------
    source : str or Path
        As :meth:`EvaluationReport.to_json` or ``honesteval evaluate --output x.json`` wrote it.

    Returns
    -------
    summary : dict
        As :func:`summarise` returned it.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is no JSON, not that of an evaluation, of another version, or does not keep to
        the schema; the message names the place.
    """
    path = Path(source)
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {str(source)!r}.")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{source} is not the JSON of an evaluation: {error}.") from error
    return parse_evaluation(text, str(source))


def parse_evaluation(text: str, name: str) -> dict[str, Any]:
    """Return the summary that a JSON text holds; ``name`` is for messages."""
    try:
        summary = json.loads(text, parse_constant=_refuse_constant)
    except ValueError as error:
        raise ValueError(f"{name} is not the JSON of an evaluation: {error}.") from error
    schema = summary.get("schema") if isinstance(summary, dict) else None
    if schema != SCHEMA:
        held = f"it holds {schema!r}" if schema else "it holds something else"
        raise ValueError(
            f"{name} is not the JSON of an evaluation ({SCHEMA!r}): {held}. Write one with "
            "`honesteval evaluate ... --output evaluation.json`."
        )
    version = summary.get("schema_version")
    if version != SCHEMA_VERSION:
        made = summary.get("provenance", {}).get("versions", {}).get("honesteval", "unknown")
        raise ValueError(
            f"{name} keeps to version {version} of the schema (written by honesteval {made}), and "
            f"this version of honesteval reads {SCHEMA_VERSION}. Evaluate again, or make the "
            "report with the version that wrote it."
        )
    problem = _misfit(summary) or _uneven(summary)
    if problem:
        raise ValueError(f"{name} does not keep to its schema: {problem}.")
    found: dict[str, Any] = summary
    return found


def _misfit(summary: dict[str, Any]) -> str:
    """Return where and how a summary does not keep to the schema; empty if it does."""
    from jsonschema import Draft202012Validator  # only to read a report back
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(evaluation_schema()).iter_errors(summary))
    if error is None:
        return ""
    # a message shows the whole value, which may be a column of all rows: its end tells the rule
    said = error.message
    said = said if len(said) <= _LONGEST_MESSAGE else f"... {said[-_LONGEST_MESSAGE // 2 :]}"
    return f"{error.json_path.lstrip('$.') or 'the document'}: {said}"


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _uneven(summary: dict[str, Any]) -> str:
    """Return which columns of the rows do not belong together; empty if they do."""
    rows, n = summary["rows"], summary["data"]["n_rows"]
    columns = {"row": rows["row"], "smiles": rows["smiles"]}
    for split in rows["splits"]:
        for name in ("fold", "nearest_similarity"):
            columns[f"splits.{split['name']}.{name}"] = split[name]
    for number, task in enumerate(rows["tasks"]):
        columns[f"tasks[{number}].labels"] = task["labels"]
        for column in task["predictions"]:
            columns[f"tasks[{number}].{column['model']}.{column['split']}"] = column["values"]
    for name, column in columns.items():
        if column is not None and len(column) != n:
            return f"rows.{name} has {len(column)} entries for {n} rows"
    if len(rows["tasks"]) != len(summary["tasks"]):
        return f"rows.tasks has {len(rows['tasks'])} entries for {len(summary['tasks'])} tasks"
    places = summary["map"]
    if places is None:
        return ""
    if not len(places["at"]) == len(places["x"]) == len(places["y"]):
        return "map.at, map.x and map.y have different numbers of entries"
    if max(places["at"], default=0) >= n:
        return f"map.at names row {max(places['at'])} of {n}"
    return ""

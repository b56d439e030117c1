"""Options of a whole run, written to a file and taken from it, so that it can be repeated."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

import typer

from honesteval.cli._errors import note, plain_errors

#: Entries beside the options: who wrote the file, for which command, from which data.
VERSION, COMMAND, HASHES = "honesteval", "command", "sha256"

#: Options that are no part of a run.
_NOT_KEPT = ("run", "save_run")


def use_run_file(context: typer.Context, path: Path | None) -> Path | None:
    """Take the values of a run file for options that are not on the command line."""
    if path is not None and not context.resilient_parsing:
        with plain_errors(context):
            context.default_map = _read(path, context)
    return path


def check_run_path(path: Path | None) -> None:
    """Refuse before a long run a file that could not be written."""
    from honesteval.report import check_report_path

    if path is not None:
        check_report_path(path, (".toml", ".yaml", ".yml"))
        if path.suffix.lower() != ".toml":
            _yaml()


def save_run(context: typer.Context, path: Path | None, sources: Iterable[str] = ()) -> None:
    """Write every option that has a value, and the hashes of the files that are read."""
    if path is None:
        return
    kept: dict[str, Any] = {
        VERSION: metadata.version("honesteval"),
        COMMAND: str(context.info_name),
    }
    for name, value in context.params.items():
        if value is None or value in ([], ()) or name in _NOT_KEPT:
            continue
        kept[name] = _plain(value)
    kept[HASHES] = {source: _hash(source) for source in sources if Path(source).is_file()}
    if path.suffix.lower() == ".toml":
        text = _as_toml(kept)
    else:
        text = _yaml().safe_dump(kept, sort_keys=False, allow_unicode=True)
    path.write_text(text, encoding="utf-8")


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


def _as_toml(kept: dict[str, Any]) -> str:
    """Return TOML; lists, texts and numbers are written as in JSON, the table comes last."""
    hashes = kept.pop(HASHES)
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in kept.items()]
    if hashes:
        lines += ["", f"[{HASHES}]"]
        lines += [f"{json.dumps(name, ensure_ascii=False)} = {json.dumps(found)}"
                  for name, found in hashes.items()]  # fmt: skip
    return "\n".join(lines) + "\n"


def _read(path: Path, context: typer.Context) -> dict[str, Any]:
    from honesteval._validation import check_option

    if not path.is_file():
        raise FileNotFoundError(f"There is no file {str(path)!r}.")
    found = _parsed(path)
    written_by = found.pop(VERSION, None)
    if written_by not in (None, metadata.version("honesteval")):
        note(f"{path} was written by honesteval {written_by}.")
    command = found.pop(COMMAND, None)
    if command not in (None, context.info_name):
        raise ValueError(
            f"{path} holds a run of `honesteval {command}`, not of `honesteval "
            f"{context.info_name}`."
        )
    _compare_hashes(path, found.pop(HASHES, {}))
    name_of = {
        spelling.lstrip("-").replace("-", "_"): parameter.name
        for parameter in context.command.params
        for spelling in (*parameter.opts, str(parameter.name))
    }
    values = {}
    for key, value in found.items():
        name = check_option(str(key).replace("-", "_"), f"An entry of {path}", sorted(name_of))
        values[str(name_of[name])] = value
    return values


def _parsed(path: Path) -> dict[str, Any]:
    kind = "YAML" if path.suffix.lower() in (".yaml", ".yml") else "TOML"
    try:
        text = path.read_text(encoding="utf-8")
        found = tomllib.loads(text) if kind == "TOML" else _parsed_yaml(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no {kind} file: {error}.") from error
    if not isinstance(found, dict):
        raise ValueError(f"{path} is no {kind} file of options: it holds no names with values.")
    return found


def _parsed_yaml(text: str) -> Any:
    yaml = _yaml()
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise tomllib.TOMLDecodeError(" ".join(str(error).split())) from error


def _yaml() -> Any:
    from honesteval._optional import import_optional

    return import_optional("yaml", extra="yaml", purpose="A run file in YAML (TOML needs nothing)")


def _compare_hashes(path: Path, hashes: Any) -> None:
    """Say which files are not those of the run, whose result will then differ."""
    if not isinstance(hashes, dict):
        raise ValueError(f"{HASHES} in {path} must be a table of files and their hashes.")
    changed = [name for name, known in hashes.items()
               if Path(name).is_file() and _hash(name) != known]  # fmt: skip
    if changed:
        note(f"{', '.join(changed)} changed since {path} was written: the result will differ.")


def _hash(source: str) -> str:
    with open(source, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

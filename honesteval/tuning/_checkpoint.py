"""A folder of finished outer folds, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from honesteval.tuning._result import OuterFold
from honesteval.tuning._result_json import decode_fold, encode_fold

MANIFEST = "run.json"
TRIALS = "trials.log"


class CheckpointFolder:
    """Finished outer folds as JSON files, and the trials of unfinished ones in a journal.

    Parameters
    ----------
    path : path
        Created if it is not there.
    fingerprint : str
        What the run is about.

    Raises
    ------
    ValueError
        If the folder holds a run on other data or with other arguments.
    """

    def __init__(self, path: Any, fingerprint: str) -> None:
        self.path = Path(path)
        self.path.mkdir(parents=True, exist_ok=True)
        manifest = self.path / MANIFEST
        if manifest.exists():
            stored = json.loads(manifest.read_text(encoding="utf-8"))
            if stored["fingerprint"] != fingerprint:
                raise ValueError(
                    f"The checkpoint folder {self.path} holds a run on other rows, folds or with "
                    "other arguments. Pass another folder, or delete this one."
                )
        else:
            _write_whole(manifest, json.dumps({"fingerprint": fingerprint}))

    @property
    def trials(self) -> Path:
        """File of the trials."""
        return self.path / TRIALS

    def load(self, task: int, repeat: int, fold: int) -> OuterFold | None:
        """Return a finished outer fold, or None."""
        file = self._file(task, repeat, fold)
        return decode_fold(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else None

    def save(self, fold: OuterFold) -> None:
        """Keep a finished outer fold."""
        text = json.dumps(encode_fold(fold), allow_nan=False)
        _write_whole(self._file(fold.task, fold.repeat, fold.fold), text)

    def _file(self, task: int, repeat: int, fold: int) -> Path:
        return self.path / f"task{task}-repeat{repeat}-fold{fold}.json"


def _write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(path)

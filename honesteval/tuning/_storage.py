"""Where trials live: opening a study, guarding it against other data, resuming a killed one."""

from __future__ import annotations

import hashlib
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import joblib

from honesteval.tuning._file_lock import journal_lock

DEFAULT_STUDY_NAME = "honesteval"
"""Samplers and pruners may draw on the name, so an unnamed study has always the same."""

_FINGERPRINT = "honesteval:fingerprint"
_OWNER = "honesteval:owner"
_SEED = "honesteval:seed"


@contextmanager
def quiet_optuna() -> Iterator[None]:
    """Keep Optuna's log to errors inside the block, then give it back its level."""
    import optuna

    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(level)


def open_storage(storage: Any) -> Any:
    """Return the Optuna storage that ``storage`` means.

    Parameters
    ----------
    storage : None, str, path or optuna.storages.BaseStorage
        None keeps the trials in memory. A database URL (``"sqlite:///trials.db"``,
        ``"postgresql://..."``) or a storage object is used as it is. A path that ends in
        ``.log`` or ``.journal`` is an append-only journal, any other path an SQLite file.
    """
    import optuna
    from optuna.storages.journal import JournalFileBackend

    if storage is None:
        return optuna.storages.InMemoryStorage()
    if isinstance(storage, str) and "://" in storage:
        return _open_database(storage)
    if isinstance(storage, str | os.PathLike):
        path = Path(storage)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix in (".log", ".journal"):
            backend = JournalFileBackend(str(path), journal_lock(str(path)))
            return optuna.storages.JournalStorage(backend)
        return _open_database(f"sqlite:///{path}")
    if isinstance(storage, optuna.storages.BaseStorage):
        return storage
    raise ValueError(
        "storage must be None, a database URL, a path or an Optuna storage. "
        f"Got {type(storage).__name__}."
    )


def _open_database(url: str) -> Any:
    """Open a database; SQLite without waiting for the disk at every fold.

    A write-ahead log survives a killed process as well as the default does, at a fraction of the
    time.
    """
    import optuna
    from sqlalchemy import event

    opened = optuna.storages.RDBStorage(url)
    if opened.engine.dialect.name == "sqlite":

        def write_ahead(connection: Any, _: Any) -> None:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")

        event.listen(opened.engine, "connect", write_ahead)
        opened.remove_session()
        opened.engine.dispose()
    return opened


@contextmanager
def opened_storage(storage: Any) -> Iterator[Any]:
    """Open what ``storage`` means, and close its connections in the end.

    A storage object is the caller's and stays open.
    """
    import optuna

    opened = open_storage(storage)
    try:
        yield opened
    finally:
        if opened is not storage and isinstance(opened, optuna.storages.RDBStorage):
            opened.remove_session()
            opened.engine.dispose()


def open_study(
    storage: Any, *, study_name: str | None, fingerprint: str, seed: int, sampler: Any, pruner: Any
) -> tuple[Any, int]:
    """Create the study, or load it to go on with it.

    Parameters
    ----------
    storage : optuna storage
    study_name : str or None
    fingerprint : str
        What the study is about: rows, folds, space and scoring. See :func:`fingerprint_of`.
    seed : int
        Seed of a new study.
    sampler, pruner : Optuna objects

    Returns
    -------
    study : optuna.Study
    seed : int
        The seed that the study was begun with.

    Raises
    ------
    ValueError
        If the stored study is about something else, or another living process works on it.
    """
    import optuna

    name = study_name or DEFAULT_STUDY_NAME
    study = optuna.create_study(
        storage=storage,
        study_name=name,
        sampler=sampler,
        pruner=pruner,
        direction="maximize",
        load_if_exists=True,
    )
    stored = study.user_attrs
    if _FINGERPRINT in stored and stored[_FINGERPRINT] != fingerprint:
        raise ValueError(
            f"The stored study {name!r} was begun with other rows, folds, search space, estimator "
            "or scoring, so its trials say nothing about these. Pass another study_name or "
            "another storage."
        )
    _take_ownership(study, stored.get(_OWNER))
    if _FINGERPRINT not in stored:
        study.set_user_attr(_FINGERPRINT, fingerprint)
        study.set_user_attr(_SEED, seed)
        return study, seed
    return study, int(stored[_SEED])


def fingerprint_of(*parts: Any) -> str:
    """Return a short digest of anything that joblib can hash."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode() if isinstance(part, str) else joblib.hash(part).encode())
    return digest.hexdigest()[:32]


def release(study: Any) -> None:
    """Say that this process no longer works on the study."""
    study.set_user_attr(_OWNER, None)


def _take_ownership(study: Any, owner: dict[str, Any] | None) -> None:
    here = {"host": socket.gethostname(), "pid": os.getpid()}
    elsewhere = owner and owner["host"] == here["host"] and owner["pid"] != here["pid"]
    if owner and elsewhere and _is_alive(owner["pid"]):
        raise ValueError(
            f"Process {owner['pid']} on this machine is working on the stored study "
            f"{study.study_name!r}. Wait for it, end it, or pass another study_name."
        )
    study.set_user_attr(_OWNER, here)


def _is_alive(pid: int) -> bool:
    if sys.platform == "win32":
        return False  # signal 0 would end the process there
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

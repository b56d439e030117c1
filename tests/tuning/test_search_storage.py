"""Trials in databases: quiet resuming after an interruption or a kill -9, never on other data."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import optuna
import pytest
from scipy.stats import loguniform
from sklearn.datasets import make_regression
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sqlalchemy import create_engine, text

from honesteval.tuning import OptunaSearchCV, _file_lock, nested_cross_validate
from honesteval.tuning._file_lock import journal_lock
from honesteval.tuning._storage import DEFAULT_STUDY_NAME, open_storage

SPACE = {"alpha": loguniform(1e-3, 1e3)}
X, Y = make_regression(60, 4, noise=20, random_state=0)


class Counting:
    """A scorer that counts its calls in a file, may be slow, and may be interrupted."""

    def __init__(self, log, *, seconds=0.0, interrupt_at=None):
        self.log = Path(log)
        self.seconds = seconds
        self.interrupt_at = interrupt_at

    def __call__(self, model, X, y):
        if self.n_calls == self.interrupt_at:
            raise KeyboardInterrupt
        time.sleep(self.seconds)
        with self.log.open("a") as stream:
            stream.write(".")
        return r2_score(y, model.predict(X))

    def __repr__(self):
        return "Counting()"

    @property
    def n_calls(self):
        return self.log.stat().st_size if self.log.exists() else 0


def _search(storage, **arguments):
    return OptunaSearchCV(
        Ridge(),
        SPACE,
        **{"n_trials": 14, "cv": 3, "random_state": 0, "storage": storage, **arguments},
    )


def _table(search):
    return np.column_stack(
        [search.cv_results_[f"split{fold}_test_score"] for fold in range(search.n_splits_)]
    )


@pytest.fixture(params=["trials.db", "trials.log", "postgresql"])
def storage(request, tmp_path):
    """Where trials are kept: an SQLite file, a journal, or an empty PostgreSQL database."""
    if request.param != "postgresql":
        yield str(tmp_path / request.param)
        return
    url = os.environ.get("HONESTEVAL_POSTGRES_URL")
    if not url:
        pytest.skip("HONESTEVAL_POSTGRES_URL is not set: no PostgreSQL server to test on")
    pytest.importorskip("psycopg", reason="psycopg is not installed: no way to PostgreSQL")
    server = create_engine(url, isolation_level="AUTOCOMMIT")
    name = f"honesteval_{os.getpid()}_{time.time_ns()}"
    with server.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield server.url.set(database=name).render_as_string(hide_password=False)
    with server.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    server.dispose()


@pytest.mark.parametrize("pruner", [None, "median"])
def test_an_interrupted_search_goes_on_fold_by_fold(tmp_path, storage, pruner):
    whole_log, log = tmp_path / "whole", tmp_path / "calls"
    whole = _search(None, scoring=Counting(whole_log), pruner=pruner).fit(X, Y)
    for stop in (7, 8, 20):
        with pytest.raises(KeyboardInterrupt):
            _search(storage, scoring=Counting(log, interrupt_at=stop), pruner=pruner).fit(X, Y)
    resumed = _search(storage, scoring=Counting(log), pruner=pruner).fit(X, Y)
    np.testing.assert_array_equal(_table(resumed), _table(whole))
    assert resumed.best_params_ == whole.best_params_
    assert Counting(log).n_calls == Counting(whole_log).n_calls


def test_a_finished_search_is_not_done_again(tmp_path):
    storage = tmp_path / "trials.log"
    log = tmp_path / "calls"
    first = _search(storage, scoring=Counting(log)).fit(X, Y)
    done = Counting(log).n_calls
    again = _search(storage, scoring=Counting(log)).fit(X, Y)
    assert Counting(log).n_calls == done
    np.testing.assert_array_equal(_table(first), _table(again))
    more = _search(storage, scoring=Counting(log), n_trials=16).fit(X, Y)
    assert Counting(log).n_calls == done + 2 * 3
    np.testing.assert_array_equal(_table(more)[:14], _table(first))


KILLED = """
import sys
sys.path.insert(0, {folder!r})
from test_search_storage import X, Y, Counting, _search
_search({storage!r}, scoring=Counting({log!r}, seconds=0.03)).fit(X, Y)
"""


def test_a_killed_search_goes_on_and_ends_where_it_would_have(tmp_path, storage):
    log = tmp_path / "calls"
    code = KILLED.format(folder=str(Path(__file__).parent), storage=storage, log=str(log))
    process = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.monotonic() + 120
    while Counting(log).n_calls < 17 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    killed_at = Counting(log).n_calls
    resumed = _search(storage, scoring=Counting(log)).fit(X, Y)
    whole = _search(None).fit(X, Y)
    np.testing.assert_array_equal(_table(resumed), _table(whole))
    assert resumed.best_params_ == whole.best_params_
    repeated = Counting(log).n_calls - 14 * 3
    assert killed_at >= 17
    assert repeated <= 1, "at most the fold that was under way is fitted again"


def test_a_random_search_without_a_seed_keeps_the_seed_of_its_study(tmp_path):
    storage = tmp_path / "trials.log"
    log = tmp_path / "calls"
    with pytest.raises(KeyboardInterrupt):
        _search(storage, random_state=None, scoring=Counting(log, interrupt_at=5), cv=_folds()).fit(
            X, Y
        )
    _search(storage, random_state=None, scoring=Counting(log), cv=_folds()).fit(X, Y)
    assert Counting(log).n_calls == 14 * 3


def _folds():
    rows = np.arange(60)
    return [(rows[rows % 3 != fold], rows[rows % 3 == fold]) for fold in range(3)]


@pytest.mark.parametrize(
    "change",
    [
        lambda: (X + 1, Y, {}),
        lambda: (X, Y + 1, {}),
        lambda: (X, Y, {"cv": 4}),
        lambda: (X, Y, {"scoring": "neg_mean_absolute_error"}),
    ],
)
def test_a_study_of_something_else_is_not_gone_on_with(tmp_path, change):
    _search(tmp_path / "trials.log", n_trials=2).fit(X, Y)
    other_X, other_y, arguments = change()
    with pytest.raises(ValueError, match="begun with other rows, folds"):
        _search(tmp_path / "trials.log", n_trials=2, **arguments).fit(other_X, other_y)
    _search(tmp_path / "trials.log", n_trials=2, study_name="new", **arguments).fit(
        other_X, other_y
    )


def test_a_study_that_a_living_process_works_on_is_left_alone(tmp_path):
    path = tmp_path / "trials.log"
    _search(path, n_trials=2).fit(X, Y)
    study = optuna.load_study(study_name=DEFAULT_STUDY_NAME, storage=open_storage(path))
    study.set_user_attr("honesteval:owner", {"host": os.uname().nodename, "pid": os.getppid()})
    with pytest.raises(ValueError, match=f"Process {os.getppid()} on this machine is working"):
        _search(path, n_trials=4).fit(X, Y)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    study.set_user_attr("honesteval:owner", {"host": os.uname().nodename, "pid": ended.pid})
    assert _search(path, n_trials=4).fit(X, Y).n_trials_ == 4


def test_a_storage_object_holds_an_interrupted_search_in_memory(tmp_path):
    memory = optuna.storages.InMemoryStorage()
    log = tmp_path / "calls"
    with pytest.raises(KeyboardInterrupt):
        _search(memory, scoring=Counting(log, interrupt_at=10)).fit(X, Y)
    _search(memory, scoring=Counting(log)).fit(X, Y)
    assert Counting(log).n_calls == 14 * 3


def test_nested_cross_validation_goes_on_from_its_checkpoint(tmp_path):
    arguments = {"search_space": SPACE, "n_trials": 4, "outer_cv": 3, "inner_cv": 2}
    log = tmp_path / "calls"
    whole = nested_cross_validate(Ridge(), X, Y, random_state=0, **arguments)
    for stop in (12, 20):
        with pytest.raises(KeyboardInterrupt):
            nested_cross_validate(
                Ridge(), X, Y, random_state=0, checkpoint=tmp_path / "run",
                scoring=Counting(log, interrupt_at=stop), **arguments,
            )  # fmt: skip
    resumed = nested_cross_validate(
        Ridge(), X, Y, random_state=0, checkpoint=tmp_path / "run", scoring=Counting(log),
        **arguments,
    )  # fmt: skip
    np.testing.assert_array_equal(resumed.outer_scores, whole.outer_scores)
    np.testing.assert_array_equal(resumed.predictions, whole.predictions)
    assert resumed.best_params == whole.best_params
    assert Counting(log).n_calls == 3 * (4 * 2 + 1)


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    nested_cross_validate(Ridge(), X, Y, outer_cv=3, random_state=0, checkpoint=tmp_path)
    with pytest.raises(ValueError, match="holds a run on other rows"):
        nested_cross_validate(Ridge(), X, Y + 1, outer_cv=3, random_state=0, checkpoint=tmp_path)


def test_two_workers_share_a_storage(tmp_path, storage):
    one = nested_cross_validate(_search(None, n_trials=6), X, Y, outer_cv=3, random_state=0)
    log = tmp_path / "calls"
    search = _search(storage, n_trials=6, scoring=Counting(log))
    two = nested_cross_validate(search, X, Y, outer_cv=3, random_state=0, n_jobs=2)
    np.testing.assert_array_equal(two.outer_scores, one.outer_scores)
    assert two.best_params == one.best_params
    done = Counting(log).n_calls
    nested_cross_validate(search, X, Y, outer_cv=3, random_state=0)
    assert Counting(log).n_calls == done + 3, "the trials are there; each outer fold is refitted"


def test_a_journal_lock_dies_with_its_holder(tmp_path):
    path = str(tmp_path / "journal.log")
    code = (
        "import runpy, sys; "
        f"KernelFileLock = runpy.run_path({_file_lock.__file__!r})['KernelFileLock']; "
        f"lock = KernelFileLock({path!r}); lock.acquire(); print('held', flush=True); "
        "sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        with open(f"{path}.flock", "ab") as stream, pytest.raises(BlockingIOError):
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        holder.kill()
    lock = journal_lock(path)
    assert lock.acquire()
    lock.release()

"""What all commands have in common: refusals, encodings, help, interruptions."""

import os
import subprocess
import sys

import pandas as pd
import pytest

import honesteval.checks  # noqa: F401  before a test puts a fake in place of read_table
from honesteval.cli import BAD_INPUT
from tests.cli.said import sentence


@pytest.mark.parametrize("command", ["evaluate", "compare", "split", "audit"])
def test_what_cannot_be_written_is_refused_before_the_work(
    run, csv, tmp_path, monkeypatch, command
):
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "folder.csv").mkdir()
    suffix = ".csv" if command == "split" else ".html"
    more = {"split": [], "audit": ["--split", "set"]}.get(command, ["--target", "value"])
    for module in ("honesteval.entities.read_table",):
        monkeypatch.setattr(module, lambda *_, **__: pytest.fail("the work had begun"))
    refused = run(command, csv, *more, "--output", tmp_path / f"folder{suffix}")
    assert "is a folder" in sentence(refused)
    refused = run(command, csv, *more, "--output", tmp_path / "absent" / f"a{suffix}")
    assert "There is no folder" in sentence(refused)
    monkeypatch.setattr("os.access", lambda *_, **__: False)
    refused = run(command, csv, *more, "--output", tmp_path / f"a{suffix}")
    assert "may not be written to" in sentence(refused)


@pytest.mark.parametrize("command", ["evaluate", "compare", "split", "audit"])
def test_files_of_other_encodings_are_read_when_named(run, table, tmp_path, command):
    path = tmp_path / "latin.csv"
    table.assign(note="caf\u00e9").to_csv(path, index=False, encoding="latin-1")
    more = {"split": [], "audit": ["--split", "set"]}.get(command, ["--target", "value"])
    assert "--encoding 'cp1252'" in sentence(run(command, path, *more))
    if command in ("split", "audit"):
        assert run(command, path, *more, "--encoding", "latin-1").exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--jobs", "0"], "--jobs is the number of works at a time"),
        (["--random-state", "-5"], "--random-state must be from 0 to 4294967295. Got -5."),
    ],
)
def test_numbers_out_of_range_are_named_as_on_the_command_line(run, csv, words, message):
    assert message in sentence(run("evaluate", csv, "--target", "value", *words))


@pytest.mark.parametrize("command", ["evaluate", "audit"])
def test_numbers_with_a_few_texts_are_no_classes(run, table, tmp_path, command):
    path = tmp_path / "censored.csv"
    values = table["value"].round(2).astype(str)
    values[3], values[7] = "100>", ">100"
    table.assign(value=values).to_csv(path, index=False)
    more = ["--split", "set"] if command == "audit" else []
    said = sentence(run(command, path, "--target", "value", *more))
    assert "holds numbers but for 2 of 48 values: '100>' in rows 3, 7" in said.replace(
        "'value'", ""
    )


@pytest.mark.parametrize("command", ["demo", "evaluate", "compare", "split", "audit", "report"])
def test_help_has_an_example(run, command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"honesteval {command}" in " ".join(result.output.split())


def test_help_says_what_exit_codes_mean(run):
    result = run("--help")
    shown = " ".join(result.output.split())
    assert "Exit codes: 0 all well; 1 audit --fail-on found what it was told to fail on" in shown
    assert run("evaluate").exit_code == BAD_INPUT


def test_an_interruption_ends_the_workers_and_has_its_own_exit_code(run, csv, monkeypatch):
    import honesteval.report
    from honesteval.cli import INTERRUPTED
    from honesteval.cli._errors import interrupt

    def working(*_, **__):
        from joblib import Parallel, delayed

        Parallel(n_jobs=2)(delayed(abs)(number) for number in range(4))
        interrupt()  # as a signal would

    monkeypatch.setattr(honesteval.report, "evaluate", working)
    result = run("evaluate", csv, "--target", "value")
    assert result.exit_code == INTERRUPTED == 130
    assert result.output.strip().splitlines()[-1] == "Interrupted."


def test_progress_is_for_terminals(csv):
    words = ["audit", str(csv), "--smiles", "structure", "--split", "set"]
    result = subprocess.run(
        [sys.executable, "-m", "honesteval", *words], capture_output=True, text=True, check=True,
        env={**os.environ, "COLUMNS": "80"},
    )  # fmt: skip
    assert result.stderr == ""


@pytest.mark.data
def test_bbbp_reports_its_eleven_unreadable_rows(run, data_dir, tmp_path):
    path = data_dir / "molecules" / "BBBP.csv"
    output = tmp_path / "folds.csv"
    result = run("split", path, "--smiles", "smiles", "--output", output)
    assert "11 rows were left out" in result.output
    assert pd.read_csv(output)["fold"].isna().sum() == 11


def test_progress_is_shown_on_a_terminal(csv):
    import pty

    terminal, end = pty.openpty()
    words = ["audit", str(csv), "--smiles", "structure", "--split", "set"]
    result = subprocess.run(
        [sys.executable, "-m", "honesteval", *words], stdout=subprocess.PIPE, stderr=end,
        check=True, env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
    )  # fmt: skip
    os.close(end)
    shown = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert "Auditing the split" in shown
    assert "Auditing" not in result.stdout.decode()


def test_the_version_is_printed(run):
    from importlib import metadata

    result = run("--version")
    assert result.exit_code == 0
    assert result.output == f"honesteval {metadata.version('honesteval')}\n"


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("honesteval ", {"demo", "split", "audit", "evaluate", "compare", "report"}),
     ("honesteval split --on-", {"--on-oversize"})],
)  # fmt: skip
def test_a_shell_completes_commands_and_options(typed, offered):
    env = {
        **os.environ, "_HONESTEVAL_COMPLETE": "complete_bash", "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split(" ")) - 1),
    }  # fmt: skip
    result = subprocess.run(
        [sys.executable, "-m", "honesteval"], capture_output=True, text=True, check=False, env=env
    )
    assert set(result.stdout.split()) >= offered


def test_the_script_of_the_completion_is_shown(run):
    result = run("--help")
    assert "--install-completion" in result.output
    assert "--show-completion" in result.output

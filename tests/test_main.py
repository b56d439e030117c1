"""``honesteval`` and ``python -m honesteval`` are the same, and fail in a way that says so."""

import subprocess
import sys
from importlib import metadata

import pytest

import honesteval.cli as cli


def test_module_runs_the_command_line():
    result = subprocess.run(
        [sys.executable, "-m", "honesteval", "--help"], capture_output=True, text=True, check=True
    )
    assert "Usage: honesteval" in result.stdout


def test_script_points_to_main():
    (script,) = metadata.entry_points(group="console_scripts", name="honesteval")
    assert script.load() is cli.main


def test_a_failure_of_its_own_has_its_own_exit_code(monkeypatch, capsys):
    def fail(**_):
        raise RuntimeError("broken inside")

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == cli.OWN_FAILURE
    shown = capsys.readouterr().err
    assert "RuntimeError: broken inside" in shown
    assert "honesteval failed" in shown


def test_bad_input_has_exit_code_2(tmp_path):
    result = subprocess.run(
        [sys.executable, "-m", "honesteval", "split", str(tmp_path / "nothing.csv")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == cli.BAD_INPUT
    assert result.stdout == ""
    assert result.stderr.startswith("Error: There is no file")
    assert len(result.stderr.splitlines()) == 1


def test_the_command_line_is_quick_to_start():
    code = (
        "import sys, honesteval.cli; "
        "print(sorted(set(sys.modules) & {'sklearn', 'rdkit', 'optuna', 'matplotlib', 'pandas'}))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"

"""A run that was saved to a file repeats itself to the letter."""

import json
import sys

import pytest

from tests.cli.said import QUICK, sentence


def test_a_run_file_repeats_a_run(run, csv, tmp_path):
    file, first, again = (tmp_path / name for name in ("run.toml", "a.json", "b.json"))
    words = ["--target", "value", *QUICK, "--random-state", "3"]
    result = run("evaluate", csv, *words, "--save-run", file, "--output", first)
    assert result.exit_code == 0, result.output
    result = run("evaluate", "--run", file, "--output", again)
    assert result.exit_code == 0, result.output
    assert again.read_text(encoding="utf-8") == first.read_text(encoding="utf-8")
    assert json.loads(first.read_text(encoding="utf-8"))["settings"]["random_state"] == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("n-spits = 3", "Did you mean 'n_splits'?"),
        ("n_splits = ", "is no TOML file"),
        (None, "There is no file"),
    ],
)
def test_a_run_file_that_does_not_fit_is_one_sentence(run, csv, tmp_path, content, message):
    file = tmp_path / "run.toml"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    assert message in sentence(run("evaluate", csv, "--target", "value", "--run", file))


@pytest.fixture
def fail_on_yaml(monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)


@pytest.mark.parametrize("suffix", ["toml", "yaml"])
def test_split_repeats_itself_from_a_file(run, csv, tmp_path, suffix):
    if suffix == "yaml":
        pytest.importorskip("yaml", reason="the extra 'yaml' is not installed")
    file, output = tmp_path / f"run.{suffix}", tmp_path / "folds.csv"
    words = ["--sizes", "train=3,test=1", "--target", "active", "--target", "set",
             "--random-state", "5", "--output", output]  # fmt: skip
    assert run("split", csv, *words, "--save-run", file).exit_code == 0
    first = output.read_bytes()
    output.unlink()
    result = run("split", "--run", file)
    assert result.exit_code == 0, result.output
    assert output.read_bytes() == first
    result = run("split", "--run", file, "--sizes", "train=1,test=1")
    assert output.read_bytes() != first  # the command line goes before the file


def test_audit_repeats_itself_from_a_file(run, csv, tmp_path):
    file, output = tmp_path / "run.toml", tmp_path / "audit.json"
    words = ["--split", "set", "--target", "value", "--feature", "one", "--feature", "value"]
    assert run("audit", csv, *words, "--output", output, "--save-run", file).exit_code == 0
    first = output.read_bytes()
    output.unlink()
    result = run("audit", "--run", file)
    assert result.exit_code == 0, result.output
    assert output.read_bytes() == first


def test_a_run_file_knows_its_command_and_its_data(run, csv, tmp_path):
    file = tmp_path / "run.toml"
    words = ("split", csv, "--n-splits", "2", "--output", tmp_path / "f.csv")
    assert run(*words, "--save-run", file).exit_code == 0
    assert 'command = "split"' in file.read_text()
    assert "[]" not in file.read_text()
    said = sentence(run("audit", "--run", file))
    assert "holds a run of `honesteval split`, not of `honesteval audit`" in said
    assert "changed since" not in run("split", "--run", file).output
    csv.write_text(csv.read_text().replace("yes", "no", 1))
    assert f"{csv} changed since {file} was written" in run("split", "--run", file).output


def test_yaml_that_cannot_be_used_is_one_sentence(run, csv, tmp_path):
    pytest.importorskip("yaml", reason="the extra 'yaml' is not installed")
    for content, message in (("a: [1", "is no YAML file"), ("- 1", "holds no names with values"),
                             ("n_spits: 3", "Did you mean 'n_splits'?")):  # fmt: skip
        (tmp_path / "run.yaml").write_text(content)
        assert message in sentence(run("split", csv, "--run", tmp_path / "run.yaml"))


def test_without_yaml_the_extra_is_named(run, csv, tmp_path, fail_on_yaml):
    (tmp_path / "run.yml").write_text("n_splits: 2")
    for words in (("--run", tmp_path / "run.yml"), ("--save-run", tmp_path / "new.yml")):
        said = sentence(run("split", csv, *words))
        assert "pip install 'honesteval[yaml]'" in said


def test_a_run_file_must_have_a_known_suffix(run, csv, tmp_path):
    said = sentence(run("split", csv, "--save-run", tmp_path / "run.ini"))
    assert "must end in .toml, .yaml, .yml" in said

"""Commands that the pages and the README show do run, on a small table, one after the other."""

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from honesteval.cli import app
from honesteval.datasets import load_nav17

ROOT = Path(__file__).parents[1]

#: The same commands, with less work.
SMALLER = ["--n-splits", "2", "--n-inner-splits", "2", "--n-trials", "1", "--jobs", "1"]
FEWER = ["--n-permutations", "0", "--n-resamples", "99"]
QUICK = {"evaluate": [*SMALLER, *FEWER, "--model", "linear"], "compare": SMALLER}
#: Takes no options that make it small; tests/cli runs it.
LARGE = {"demo"}


def _of_page(page):
    blocks = re.findall(r"\.\. code-block:: console\n\n((?:   .*\n|\n)+)", page)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ honesteval ")]


def _of_readme(text):
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line for language, block in blocks if not language for line in block.splitlines()]
    return [line for line in lines if line.startswith("honesteval ")]


def _commands():
    found = {"README.md": _of_readme((ROOT / "README.md").read_text(encoding="utf-8"))}
    for path in sorted((ROOT / "docs").glob("*.rst")):
        if lines := _of_page(path.read_text(encoding="utf-8")):
            found[path.name] = lines
    return found


COMMANDS = _commands()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Folder with the files that the commands speak of."""
    from rdkit import Chem

    monkeypatch.chdir(tmp_path)
    smiles, y = load_nav17(return_X_y=True)
    table = pd.DataFrame({"smiles": smiles[::12], "pIC50": y[::12]})
    table["active"] = (table["pIC50"] > table["pIC50"].median()).astype(int)
    table["measured_on"] = pd.date_range("2020-01-01", periods=len(table)).astype(str)
    table.to_csv("assay.csv", index=False)
    pd.DataFrame({"smiles": smiles[7::100]}).to_csv("to_be_made.csv", index=False)
    with Chem.SDWriter("assay.sdf") as written:
        for text in table["smiles"]:
            written.write(Chem.MolFromSmiles(text))
    draw = np.random.default_rng(0).choice
    proteins = ["".join(draw(list("ACDEFGHIKLMNPQRSTVWY"), 40)) for _ in range(30)]
    lines = [f">p{i}|label={i % 2}\n{text}\n" for i, text in enumerate(proteins)]
    Path("proteins.fasta").write_text("".join(lines), encoding="utf-8")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("page", COMMANDS)
def test_commands_of_a_page_run(page, folder):
    runner = CliRunner()
    for line in COMMANDS[page]:
        line, _, into = line.partition(" > ")
        words = shlex.split(line)[1:]
        if words[0] in LARGE:
            words = [words[0], "--help"]
        quick = [] if "--run" in words else QUICK.get(words[0], [])
        done = runner.invoke(app, [*words, *quick], catch_exceptions=False)
        allowed = {0, 1} if "--fail-on" in words else {0}
        assert done.exit_code in allowed, f"{line}\n{done.output}"
        if "--output" in words and words[0] not in LARGE:
            name = words[words.index("--output") + 1].replace("{part}", "test")
            assert (folder / name).stat().st_size > 0, line
        if into:
            (folder / into).write_text(done.stdout, encoding="utf-8")
            assert len(pd.read_csv(folder / into)) > 0


def test_pages_and_readme_are_read():
    assert len(COMMANDS["README.md"]) >= 6
    assert len(COMMANDS["command-line.rst"]) >= 14
    shown = (
        ".. code-block:: console\n\n   $ honesteval demo\n   $ ls\n\n   $ honesteval x\n\nText\n"
    )
    assert _of_page(shown) == ["honesteval demo", "honesteval x"]

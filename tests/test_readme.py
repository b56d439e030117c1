"""The README is what a newcomer runs first: everything it shows has to work as printed."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from honesteval.cli import app

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")

MOST_LINES = 100
#: Versions of RDKit and SciPy move a score a little, not this much.
SCORE_TOLERANCE = 0.03

_NUMBER = re.compile(r"\d+\.\d+")


def _blocks(text):
    """Return (language, code) of the fenced blocks."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def _numbers(text):
    return [float(number) for number in _NUMBER.findall(text)]


def _commands(text):
    """Return the lines of shell blocks that call the command line, split into words."""
    lines = [line for language, code in _blocks(text) if not language for line in code.splitlines()]
    lines += re.findall(r"`(honesteval [^`\n]+)`", text)
    return [
        shlex.split(line, comments=True)[1:] for line in lines if line.startswith("honesteval ")
    ]


def _options(words):
    return [word for word in words if word.startswith("--")]


def test_readme_fits_on_a_page():
    assert len(README.splitlines()) <= MOST_LINES


def test_readme_example_prints_what_the_readme_shows(capsys):
    blocks = _blocks(README)
    (at,) = [i for i, (language, _) in enumerate(blocks) if language == "python"]
    exec(compile(blocks[at][1], "README.md", "exec"), {"__name__": "readme"})
    printed, shown = capsys.readouterr().out, blocks[at + 1][1]
    assert _NUMBER.sub("#", printed) == _NUMBER.sub("#", shown)
    assert _numbers(printed) == pytest.approx(_numbers(shown), abs=SCORE_TOLERANCE)


@pytest.mark.parametrize("words", _commands(README), ids=" ".join)
def test_readme_commands_and_their_options_exist(words):
    command = [] if words[0].startswith("-") else [words[0]]
    shown = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert shown.exit_code == 0
    for option in _options(words):
        assert re.search(rf"{re.escape(option)}\b", shown.output), option


def test_readme_shows_every_command():
    named = {words[0] for words in _commands(README) if not words[0].startswith("-")}
    assert named == {command.callback.__name__ for command in app.registered_commands}


def test_readme_links_lead_somewhere():
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert len(links) > 8
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_readme_extras_and_make_targets_exist():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {extra for found in re.findall(r"\.\[([\w,]+)\]", README) for extra in found.split(",")}
    assert named
    assert named <= set(project["optional-dependencies"])
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^make (\w+)", README, flags=re.MULTILINE)
    assert {"demo", "test"} <= set(targets)
    for target in targets:
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


def test_readme_objects_can_be_imported_under_the_name_it_gives():
    import honesteval

    table = re.findall(r"^\|[^|]+\|([^|]+)\|[^|]+\|$", README, flags=re.MULTILINE)
    names = [name for cell in table for name in re.findall(r"`([\w.]+)`", cell)]
    assert len(names) > 8
    for name in names:
        value = honesteval
        for part in name.split("."):
            value = getattr(value, part)


def test_options_that_do_not_exist_are_noticed():
    words = _commands("```\nhonesteval audit x.csv --no-such-option 1\n```")[0]
    shown = CliRunner().invoke(app, ["audit", "--help"], env={"COLUMNS": "200"})
    assert _options(words) == ["--no-such-option"]
    assert "--no-such-option" not in shown.output

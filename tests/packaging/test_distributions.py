"""The source distribution and the wheel hold what they should, and nothing else."""

import email
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import honesteval

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

#: What is no Python but has to come along.
DATA = {
    "honesteval/py.typed",
    "honesteval/checks/audit.schema.json",
    "honesteval/report/evaluation.schema.json",
    "honesteval/report/templates/base.html.jinja",
    "honesteval/report/templates/report.css",
    "honesteval/report/templates/map.js",
}
LARGEST_BYTES = 3_000_000


@pytest.fixture(scope="module")
def wheel(distributions):
    with zipfile.ZipFile(distributions.wheel) as opened:
        yield opened


@pytest.fixture(scope="module")
def source(distributions):
    with tarfile.open(distributions.source) as opened:
        yield {
            member.name.partition("/")[2]: opened.extractfile(member).read()
            for member in opened.getmembers()
            if member.isfile()
        }


def _package_files():
    package = ROOT / "honesteval"
    return {
        path.relative_to(ROOT).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def _metadata(wheel):
    (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    return email.message_from_bytes(wheel.read(name))


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert names == _package_files()
    assert names >= DATA


def test_the_wheel_holds_the_licence_and_the_command(wheel):
    (licence,) = [name for name in wheel.namelist() if name.endswith("licenses/LICENSE")]
    assert wheel.read(licence) == (ROOT / "LICENSE").read_bytes()
    (entry,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    assert "honesteval = honesteval.cli:main" in wheel.read(entry).decode()


def test_the_metadata_are_those_of_the_project(wheel):
    shown = _metadata(wheel)
    assert shown["Name"] == "honesteval"
    assert shown["Version"] == honesteval.__version__
    assert shown["License-Expression"] == "BSD-3-Clause"
    assert shown["Requires-Python"] == PROJECT["requires-python"]
    assert "Typing :: Typed" in shown.get_all("Classifier")
    needed = [text for text in shown.get_all("Requires-Dist") if "extra ==" not in text]
    assert sorted(needed) == sorted(PROJECT["dependencies"])
    assert set(shown.get_all("Provides-Extra")) == set(PROJECT["optional-dependencies"])
    assert "honesteval tells you how good" in shown.get_payload()


def test_the_source_holds_all_that_is_needed_to_test_it(source):
    """The wheel above was built from it, so it holds the package."""
    assert _package_files() <= set(source)
    names = ["README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "Makefile", "pyproject.toml"]
    for name in [*names, "docs/conf.py", "docs/start.rst", "tests/conftest.py"]:
        assert source[name] == (ROOT / name).read_bytes()


def test_the_source_holds_nothing_that_was_built(source):
    built = re.compile(
        r"(^|/)(__pycache__|_build|\.venv[^/]*|\.[a-z]+_cache|htmlcov|dist|generated)/|\.pyc$"
    )
    assert [name for name in source if built.search(name)] == []
    assert built.search("docs/_build/html/index.html")
    assert not [name for name in source if name.endswith((".csv", ".csv.gz", ".fasta.gz", ".sdf"))]


def test_both_are_light(distributions):
    for path in (distributions.wheel, distributions.source):
        assert path.stat().st_size < LARGEST_BYTES


def test_the_place_of_the_checkout_does_not_get_in(wheel):
    assert [name for name in wheel.namelist() if f"{ROOT}/".encode() in wheel.read(name)] == []


def test_the_version_is_the_one_of_the_changelog_and_the_citation():
    version = honesteval.__version__
    assert version in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"version: {version}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    shown = subprocess.run(
        [sys.executable, "-c", "import honesteval; print(honesteval.__version__)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert shown.stdout.strip() == version

"""The stated minimum versions: one list, complete, and the one CI installs."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import honesteval
from tests.minimum_versions import minimum_requirements

ROOT = Path(__file__).parents[1]

#: Import name of each dependency whose name differs from it.
IMPORT_NAMES = {"scikit-learn": "sklearn", "xgboost-cpu": "xgboost"}

#: Packages that a dependency itself requires and hands out.
COME_ALONG = {"sqlalchemy": "optuna", "markupsafe": "jinja2"}


def _declared():
    names = [pin.split("==")[0] for pin in minimum_requirements(ROOT / "pyproject.toml")]
    return {IMPORT_NAMES.get(name, name) for name in names}


def _optional():
    """Return the import names of what the extras declare."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = pyproject["project"]["optional-dependencies"].values()
    names = {re.match(r"[\w-]+", requirement)[0] for extra in extras for requirement in extra}
    return {IMPORT_NAMES.get(name, name).replace("-", "_") for name in names}


def _imported():
    for path in Path(honesteval.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module.split(".")[0]


def test_every_dependency_has_one_minimum():
    pins = minimum_requirements(ROOT / "pyproject.toml")
    assert len(pins) == len({pin.split("==")[0] for pin in pins}) >= 12


def test_every_import_is_declared():
    foreign = set(_imported()) - set(sys.stdlib_module_names) - {"honesteval"}
    assert set(COME_ALONG.values()) <= _declared()
    assert foreign - _declared() - _optional() - set(COME_ALONG) == set()


def test_every_dependency_is_imported():
    assert _declared() - set(_imported()) == set()


def test_ci_installs_the_stated_minimum():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "tests/minimum_versions.py" in makefile

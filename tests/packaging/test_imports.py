"""Nothing is imported that is not declared, and nothing before it is needed."""

import subprocess
import sys

from tests.packaging.declared import declared_distributions, undeclared_modules

#: Imports every module while refusing what is not declared, as an environment without it would.
IMPORT_EVERYTHING = """
import importlib, importlib.abc, pkgutil, sys

class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in UNDECLARED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

UNDECLARED = set(sys.argv[1:])
sys.meta_path.insert(0, Refuse())
import honesteval

names = [found.name for found in pkgutil.walk_packages(honesteval.__path__, "honesteval.")]
for name in names:
    if not name.endswith("__main__"):  # that one runs the command line
        importlib.import_module(name)
print(len(names))
"""

#: Loaded where they are used.
HEAVY = {"IPython", "gurobipy", "jinja2", "matplotlib", "optuna", "rdkit", "statsmodels", "typer"}

LOADED = """
import sys
import_honesteval
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def _run(code, *arguments):
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )


def _loaded(statement):
    shown = _run(LOADED.replace("import_honesteval", statement))
    assert shown.returncode == 0, shown.stderr
    return set(shown.stdout.split())


def test_every_module_can_be_imported_without_extras():
    shown = _run(IMPORT_EVERYTHING, *undeclared_modules())
    assert shown.returncode == 0, shown.stderr
    assert int(shown.stdout) > 200


def test_an_undeclared_import_would_be_noticed():
    shown = _run(IMPORT_EVERYTHING, *undeclared_modules(), "scipy")
    assert shown.returncode == 1
    assert "No module named 'scipy" in shown.stderr


def test_the_declared_ones_are_known():
    declared = declared_distributions()
    assert {"honesteval", "numpy", "scikit-learn", "alembic", "pillow"} <= declared
    assert not {"pytest", "polars", "hypothesis"} & declared
    assert {"pytest", "hypothesis"} <= undeclared_modules()


def test_importing_the_package_loads_the_standard_library_alone():
    """So that its time is beyond measuring; what it holds is loaded on first use."""
    third = _loaded("import honesteval") - _loaded("pass") - set(sys.stdlib_module_names)
    assert third == {"honesteval"}


def test_using_every_name_loads_nothing_heavy_beside_scikit_learn():
    every = "import honesteval; [getattr(honesteval, name) for name in dir(honesteval)]"
    loaded = _loaded(every)
    assert "sklearn" in loaded
    assert HEAVY & loaded == set()

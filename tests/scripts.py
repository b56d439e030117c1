"""Load a script of the documentation or the benchmarks as a module."""

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def load_script(path):
    """Return the script at a path below the root of the repository, its ``main`` not run."""
    path = ROOT / path
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[path.stem]
    return module

"""Show that an environment that holds nothing but honesteval and what it declares is enough.

Run by ``make ecosystem`` with the Python of such an environment: imports every module, runs the
example of the README, and compares what it prints.
"""

import contextlib
import importlib
import io
import pkgutil
import re
from pathlib import Path

import honesteval

ROOT = Path(__file__).parents[2]
NUMBER = re.compile(r"\d+\.\d+")


def main() -> None:
    """Raise where something is missing or another number comes out."""
    assert ROOT not in Path(honesteval.__file__).parents[:2], "the checkout is imported"
    for extra in ("pytest", "polars", "pyarrow", "distributed", "gurobipy", "statsmodels"):
        assert importlib.util.find_spec(extra) is None, f"{extra} is here: not a fresh environment"
    names = [found.name for found in pkgutil.walk_packages(honesteval.__path__, "honesteval.")]
    for name in names:
        if not name.endswith("__main__"):
            importlib.import_module(name)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example, shown = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", readme, re.DOTALL).groups()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(example, "README.md", "exec"), {"__name__": "readme"})
    found = printed.getvalue()
    assert NUMBER.sub("#", found) == NUMBER.sub("#", shown), found
    for one, other in zip(NUMBER.findall(found), NUMBER.findall(shown), strict=True):
        assert abs(float(one) - float(other)) < 0.03, found
    print(f"{len(names)} modules imported, and the README prints what it shows:\n{found}", end="")


if __name__ == "__main__":
    main()

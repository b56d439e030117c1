"""Print pip requirements that pin every dependency to the minimum that pyproject.toml states."""

import re
import tomllib
from pathlib import Path

#: What the minimum versions of others need to work with today's packages.
HELD_BACK = ["pyparsing<3.2", "click<8.2"]
#: What the tests themselves need, in any version.
TEST_TOOLS = [
    "hypothesis",
    "polars",
    "pytest",
    "pytest-cov",
    "pytest-xdist",
    "statsmodels==0.14.4",
]


def minimum_requirements(pyproject: Path) -> list[str]:
    """Return ``name==minimum`` for each dependency of the package."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    pins = []
    for requirement in project["dependencies"]:
        name, minimum = re.fullmatch(r"([A-Za-z0-9_-]+)>=([0-9.]+)", requirement).groups()
        pins.append(f"{name}=={minimum}")
    return pins


if __name__ == "__main__":
    pins = minimum_requirements(Path(__file__).parents[1] / "pyproject.toml")
    print(" ".join([*pins, *HELD_BACK, *TEST_TOOLS]))

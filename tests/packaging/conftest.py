"""The distributions, built once, and an environment that the wheel is installed into."""

import subprocess
import sys
import venv
from types import SimpleNamespace

import pytest

from tests.packaging.places import ROOT, site_packages


@pytest.fixture(scope="session")
def distributions(tmp_path_factory):
    """Paths of the ``source`` distribution and of the ``wheel`` that is built from it."""
    pytest.importorskip("build", reason="the extra 'dev' is not installed")
    pytest.importorskip("hatchling", reason="the extra 'dev' is not installed")
    folder = tmp_path_factory.mktemp("dist")
    built = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return SimpleNamespace(wheel=wheel, source=source)


@pytest.fixture(scope="session")
def installed(distributions, tmp_path_factory):
    """Environment with the wheel; its dependencies are those of the running environment.

    ``run(*arguments)`` runs its Python in an empty folder.
    """
    folder = tmp_path_factory.mktemp("environment")
    environment = folder / "venv"
    venv.create(environment, with_pip=False)
    python = environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps",
         "--no-index", "--disable-pip-version-check", str(distributions.wheel)],
        check=True,
    )  # fmt: skip
    (own,) = {path for path in site_packages(python) if str(environment) in path}
    outside = "\n".join(site_packages(sys.executable))
    with open(f"{own}/running_environment.pth", "w", encoding="utf-8") as written:
        written.write(outside)
    empty = folder / "empty"
    empty.mkdir()

    def run(*arguments, check=True):
        return subprocess.run(
            [str(python), *arguments], cwd=empty, capture_output=True, text=True, check=check
        )

    return SimpleNamespace(python=python, site_packages=own, folder=empty, run=run)

"""Run the benchmarks and write their pages: ``make bench``.

    HONESTEVAL_DATA=... python benchmarks/run.py [--full] [--only NAME ...] [--no-peers]

From the results, JSON files, ``docs/benchmark_pages.py`` and its siblings write the pages. Quick
mode (the default) takes fewer sets, sizes, tasks and simulations, is meant to end within 20 minutes
on two cores, and writes the same tables to ``build/benchmarks``; ``--full``, some hours, writes
those of ``docs/benchmarks``. Each peer is installed in a virtual environment of its own under
``.venv-peers``; one that does not install is left out, and the log says so.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
#: Results and pages of each mode.
FOLDERS = {"quick": ROOT / "build" / "benchmarks", "full": ROOT / "docs" / "benchmarks"}
PEERS_FOLDER = ROOT / ".venv-peers"

#: Name of a peer in the scripts: the packages to install, and the module that must be there then.
PEERS = {
    "datasail": ("datasail.sail", "datasail"),
    "skfp": ("skfp.model_selection", "scikit-fingerprints", "requests"),
    "lohi": ("lohi_splitter", "lohi-splitter", "numpy<2"),
    "graphpart": ("graph_part", "graph-part", "rdkit"),
    "chemdatacheck": ("chemdatacheck", "chemdatacheck", "pandas"),
    "leaklint": ("leaklint", "leaklint", "pandas<3"),
    "leaklens": ("leaklens", "leaklens-ml", "pandas"),
    "leakhound": ("leakhound", "leakhound-ml", "pandas"),
    "trustcv": ("trustcv", "trustcv", "pandas"),
    "deepchecks": ("deepchecks.tabular.checks", "deepchecks", "numpy<2", "pandas<2.1",
                   "scikit-learn<1.3", "setuptools<80"),
}  # fmt: skip
AUDITORS = ("chemdatacheck", "leaklint", "leaklens", "leakhound", "trustcv", "deepchecks")
#: Interpreters tried after this one: older packages do not install on the newest Python.
OLDER_PYTHONS = ("python3.12", "python3.11", "python3.10")
#: Never built from source: an interpreter without a wheel of these is not the right one.
WHEELS = "numpy,pandas,scikit-learn,scipy"
#: Writes the pages, after everything.
PAGES = (
    "benchmark_pages",
    "partition_page",
    "deployment_page",
    "audit_truth_page",
    "published_page",
)


@dataclass(frozen=True)
class Step:
    """A benchmark: its script, what it is given, and where its result goes."""

    script: str
    quick: Sequence[str] = ()
    full: Sequence[str] = ()
    result: str = ""
    peers: Sequence[str] = ()
    needs_data: bool = True

    def command(self, mode: str, peers: dict[str, str]) -> list[str]:
        """Return the command line."""
        folder = FOLDERS[mode]
        options = [*(self.full if mode == "full" else self.quick)]
        for name in self.peers:
            if name in peers:
                options += ["--peer", f"{name}={peers[name]}"]
        options = [option.replace("{results}", str(folder)) for option in options]
        if self.result:
            options += ["--json", str(folder / self.result)]
        return [sys.executable, str(Path(__file__).with_name(f"{self.script}.py")), *options]


STEPS = {
    "partition": Step(
        "partition",
        ["--sets", "esol", "--quick"],
        ["--sets", "esol", "bace", "tox21", "--gurobi"],
        "partition.json",
        ["datasail", "skfp", "lohi", "graphpart"],
    ),
    "search": Step("search", ["--quick"], [], "search.json"),
    "scaling": Step(
        "scaling",
        ["--sizes", "10000", "30000"],
        ["--sizes", "10000", "20000", "50000", "93127", "250000", "1000000"],
        "scaling.json",
    ),
    "honest-splits": Step(
        "honest_splits",
        ["{results}/honest-splits.jsonl", "--quick"],
        ["{results}/honest-splits.jsonl"],
        "honest-splits.json",
        ["datasail"],
    ),
    "deployment": Step(
        "deployment",
        ["{results}/deployment.jsonl", "--collections", "chembl", "simpd", "--every", "48"],
        ["{results}/deployment.jsonl"],
        "deployment.json",
    ),
    "deployment, boosting": Step(
        "deployment",
        ["{results}/deployment.jsonl", "--model", "boosting", "--every", "48",
         "--collections", "chembl", "simpd"],
        ["{results}/deployment.jsonl", "--model", "boosting", "--every", "6",
         "--collections", "chembl", "simpd"],
        "deployment-boosting.json",
    ),
    "deployment, tuned kernel": Step(
        "deployment",
        ["{results}/deployment.jsonl", "--model", "tuned kernel", "--every", "48",
         "--collections", "chembl", "simpd"],
        ["{results}/deployment.jsonl", "--model", "tuned kernel", "--every", "6",
         "--collections", "chembl", "simpd"],
        "deployment-tuned-kernel.json",
    ),
    "pairs": Step("pairs", ["--quick"], [], "pairs.json"),
    "selection": Step(
        "nesting",
        ["--simulations", "4", "--seconds", "5"],
        ["--simulations", "120", "--seconds", "120"],
        "selection.json",
        needs_data=False,
    ),
    "calibration": Step(
        "calibration",
        ["--simulations", "60"],
        ["--simulations", "1000"],
        "calibration.json",
        needs_data=False,
    ),
    "speed": Step("statistics", ["--quick"], [], "speed.json", needs_data=False),
    "adaptive-score": Step(
        "adaptive_score", ["--samples", "8"], ["--samples", "30"], "adaptive-score.json",
        needs_data=False,
    ),
    "audit-truth": Step(
        "audit_truth", ["--repeats", "1", "--rows", "300", "--sets", "ESOL", "DeePromoter"],
        ["--repeats", "3"], "audit-truth.json",
    ),
    "audit-peers": Step(
        "audit_peers", ["--sets", "ESOL", "--rows", "200", "--seconds", "120"], [],
        "audit-peers.json", AUDITORS,
    ),
    "published-splits": Step(
        "published_splits", ["--only", "bace", "deepromoter"], [], "published-splits.json"
    ),
}  # fmt: skip


def install_peers(names: Sequence[str]) -> dict[str, str]:
    """Return the interpreter of each peer's environment, made where it is missing."""
    older = [found for name in OLDER_PYTHONS if (found := shutil.which(name))]
    interpreters = {}
    for name in names:
        folder = PEERS_FOLDER / name
        if not folder.exists():
            print(f"installing {' '.join(PEERS[name][1:])} ...", flush=True)
        if folder.exists() or any(
            _install(name, folder, base) for base in (sys.executable, *older)
        ):
            interpreters[name] = str(folder / "bin" / "python")
        else:
            print(f"{name} does not install and is left out.", file=sys.stderr)
    return interpreters


def _install(name: str, folder: Path, base: str) -> bool:
    """Make the environment of a peer with one interpreter; leave nothing behind on failure."""
    module, *packages = PEERS[name]
    python = folder / "bin" / "python"
    try:
        for command in (
            [base, "-m", "venv", folder],
            [python, "-m", "pip", "install", "-q", "--only-binary", WHEELS, *packages],
            [python, "-W", "ignore", "-c", f"import {module}"],
        ):
            subprocess.run(command, check=True, capture_output=True, timeout=600)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError):
        shutil.rmtree(folder, ignore_errors=True)
        return False
    return True


def run(name: str, mode: str, peers: dict[str, str]) -> dict[str, Any]:
    """Run one step and return what it took."""
    command = STEPS[name].command(mode, peers)
    print(f"\n== {name}\n{' '.join(command[1:])}", flush=True)
    wall, cpu = time.perf_counter(), _children()
    done = subprocess.run(command, check=False)
    return {
        "mode": mode, "exit": done.returncode, "wall s": round(time.perf_counter() - wall, 1),
        "cpu s": round(_children() - cpu, 1), "peers": sorted(set(STEPS[name].peers) & set(peers)),
    }  # fmt: skip


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def machine() -> dict[str, Any]:
    """Return the machine in words, and the versions that matter."""
    from importlib import metadata

    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    packages = ("honesteval", "numpy", "scipy", "scikit-learn", "rdkit", "optuna")
    return {
        "machine": f"{os.cpu_count()} cores, {memory:.0f} GiB, no graphics card, "
        f"{sys.platform}, Python {sys.version.split()[0]}",
        "versions": {name: metadata.version(name) for name in packages},
    }


def write_pages(mode: str, folder: Path) -> None:
    """Write what there are results for, beside them or into the documentation."""
    elsewhere = {} if mode == "full" else {"HONESTEVAL_BENCH_FOLDER": str(folder)}
    for page in PAGES:
        command = [sys.executable, ROOT / "docs" / f"{page}.py"]
        if subprocess.run(command, env=os.environ | elsewhere, check=False).returncode:
            print(f"{page} was not written: results are missing.", file=sys.stderr)
    print(f"Tables: {folder}")


def main() -> None:
    """Run what is asked for, log it, and write the pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="everything, some hours")
    parser.add_argument("--only", nargs="+", choices=list(STEPS), default=list(STEPS))
    parser.add_argument("--no-peers", action="store_true", help="leave other packages out")
    arguments = parser.parse_args()
    mode = "full" if arguments.full else "quick"
    names = [name for name in arguments.only if os.environ.get("HONESTEVAL_DATA")
             or not STEPS[name].needs_data]  # fmt: skip
    for name in set(arguments.only) - set(names):
        print(f"{name} is left out: HONESTEVAL_DATA does not name the folder of the data sets.")
    wanted = {peer for name in names for peer in STEPS[name].peers}
    peers = {} if arguments.no_peers else install_peers(sorted(wanted))
    folder = FOLDERS[mode]
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.jsonl"):
        stale.unlink()
    file = folder / "run.json"
    log = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"steps": {}}
    log |= machine()
    for name in names:
        log["steps"][name] = run(name, mode, peers)
        file.write_text(json.dumps(log, indent=1) + "\n", encoding="utf-8")
    write_pages(mode, folder)
    failed = [name for name in names if log["steps"][name]["exit"]]
    if failed:
        sys.exit(f"These failed: {', '.join(failed)}.")


if __name__ == "__main__":
    main()

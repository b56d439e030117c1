"""Write ``benchmarks/partition.rst`` from two runs: ``python docs/partition_page.py``.

``docs/benchmarks/partition.json`` is written by ``benchmarks/partition.py --json``,
``docs/benchmarks/scaling.json`` by ``benchmarks/scaling.py --json``.
"""

from __future__ import annotations

from typing import Any

from page_tables import RESULTS, load, number, save, table

PAGE = RESULTS / "partition.rst"

NAMES = {"esol": "ESOL", "bace": "BACE", "tox21": "Tox21", "hiv": "HIV", "muv": "MUV"}

HEAD = """\
.. This page is written by docs/partition_page.py from partition.json and scaling.json.

Folds beside those of others
============================

Each splitter ran in a process of its own on the same parsed SMILES (two cores, no GPU), peers in
their own virtual environments, and one evaluator measured all folds by ECFP4 (2,048 bits):
*L*, the similarity that crosses as a share of that of all pairs; what it is of a random split;
*nearest*, the mean over molecules of the highest similarity to another fold; *highest*, the
largest of them; *lost*, molecules in no fold. Seconds are CPU seconds from SMILES to folds
(another benchmark ran on the second core); *times* is their ratio to ours on the same task.

.. figure:: ../_static/partition-benchmark.svg
   :alt: Scaled L of five folds by each method on each set; similarity folds have the least.

   What crosses between five folds, by method; the mark is a proven lower bound for all folds.

"""

NOTES = """\
DataSAIL ran with 50 clusters, its SCIP solver and its own limit of 300 seconds of wall time, with
one other benchmark beside it. Its sizes are bounded from below only. Little *L* and distant nearest
neighbours are different goals: see the two columns. Splitters that keep a threshold are compared
at that threshold and with the shares asked.

"""

SCALE = """\
Growth
------

MUV, grown to more molecules by :func:`~honesteval.datasets.grow_fingerprints`; from fingerprints
to five folds. Up to 150,000 molecules *L* is exact, above it is estimated from a sketch that the
search has not seen.

.. figure:: ../_static/partition-scaling.svg
   :alt: Time and memory against the number of molecules on logarithmic axes, close to lines.

   CPU seconds and memory against the number of molecules.

"""

TAIL = """\
Run it again
------------

``python benchmarks/partition.py --sets esol bace tox21`` and ``python benchmarks/scaling.py``, with
the data folder in ``HONESTEVAL_DATA``; ``benchmarks/peers/README.md`` says how the peers are
installed.
"""


def page() -> str:
    """Return the text of the page."""
    rows = load("partition")
    parts = [HEAD, NOTES]
    for name in dict.fromkeys(row["set"] for row in rows):
        title = NAMES[name]
        mine = [row for row in rows if row["set"] == name]
        parts += [f"{title}\n{'-' * len(title)}\n\n", table([_cells(row) for row in mine]), "\n"]
    sizes = load("scaling")
    parts += [SCALE, table([_size_cells(row) for row in sizes["sizes"]]), "\n"]
    smiles = sizes["from SMILES"]
    parts.append(
        f"Reading and fingerprinting {smiles['n']:,} SMILES took {smiles['cpu s']:.0f} CPU s.\n\n"
    )
    return "".join([*parts, TAIL])


def _cells(row: dict[str, Any]) -> dict[str, str]:
    return {
        "shares": row["shares"],
        "method": row["method"],
        "L": number(row.get("scaled L"), ".4f"),
        "of random": number(row.get("of random"), ".3f"),
        "nearest": number(row.get("mean nearest"), ".3f"),
        "highest": number(row.get("highest"), ".3f"),
        "lost": number(row.get("lost"), ",.0f"),
        "achieved": row.get("achieved") or "",
        "CPU s": number(row.get("cpu s"), ".1f"),
        "times": number(row.get("times ours"), ".3g"),
        "GB": number(row.get("peak GB"), ".2f"),
    }


def _size_cells(row: dict[str, Any]) -> dict[str, str]:
    error = row.get("error of L")
    return {
        "molecules": f"{row['n']:,}",
        "CPU s": f"{row['cpu s']:.0f}",
        "GB": f"{row['peak GB']:.2f}",
        "L": f"{row['scaled L']:.4f}" + (f" ± {error:.4f}" if error else ""),
        "of random": f"{row['of random']:.3f}",
    }


def figures() -> None:
    """Draw both figures."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    rows = [
        row
        for row in load("partition")
        if row["shares"] == "5 x .2" and "Gurobi" not in row["method"]
    ]
    sets = list(dict.fromkeys(row["set"] for row in rows))
    methods = [m for m in dict.fromkeys(row["method"] for row in rows) if m != "lower bound"]
    figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
    for place, name in enumerate(sets):
        value = {row["method"]: row["scaled L"] for row in rows if row["set"] == name}
        for i, method in enumerate(methods):
            if method in value:
                x = place + 0.8 * (i - (len(methods) - 1) / 2) / len(methods)
                ax.bar(x, value[method], 0.8 / len(methods), color=f"C{i}",
                       label=method if place == 0 else None)  # fmt: skip
        if "lower bound" in value:
            ax.plot([place - 0.4, place + 0.4], [value["lower bound"]] * 2, "k--", linewidth=1,
                    label="lower bound" if place == 0 else None)  # fmt: skip
    ax.set_xticks(range(len(sets)), [NAMES[name] for name in sets])
    ax.set_ylim(0.5, 0.85)
    ax.set_ylabel("Scaled L, five folds")
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    save(figure, "partition-benchmark.svg")
    sizes = load("scaling")["sizes"]
    n = [row["n"] for row in sizes]
    figure, (seconds, memory) = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
    seconds.loglog(n, [row["cpu s"] for row in sizes], "o-")
    seconds.set_ylabel("CPU seconds")
    memory.loglog(n, [row["peak GB"] for row in sizes], "o-")
    memory.set_ylabel("Peak memory (GB)")
    for ax in (seconds, memory):
        ax.set_xlabel("Molecules")
    save(figure, "partition-scaling.svg")


if __name__ == "__main__":
    figures()
    PAGE.write_text(page(), encoding="utf-8")

"""Write ``published-splits.rst`` from its JSON: ``python docs/published_page.py``.

``benchmarks/published_splits.py`` computes the numbers; nothing is computed or typed in here.
"""

from __future__ import annotations

import statistics
import textwrap
from collections import Counter
from collections.abc import Iterator
from typing import Any

from page_tables import PAGES, load, section, table

from honesteval.checks import available_checks

PAGE = PAGES / "published-splits.rst"
WIDTH = 96
TITLES = available_checks()["title"]

HEAD = """\
.. This page is written by docs/published_page.py from benchmarks/published-splits.json.

Published splits, audited
=========================

What :func:`~honesteval.audit_split` says of splits that are used in the literature. The numbers
come from ``benchmarks/published_splits.py``; codes are explained in :doc:`checks`. A finding is no
verdict on the people who made a split: a random split of close relatives is a fair test for a model
that will meet close relatives. It is the reader of the score who has to know.
"""

#: Name of the study: title, what the data are, codes of the table for studies of many splits.
STUDIES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "bace": ("BACE: the column Model", """\
Inhibitors of BACE-1 with pIC50 and 590 descriptors (Subramanian et al. 2016); the column ``Model``
holds Train, Valid and Test.""", ()),
    "moleculeace": ("MoleculeACE", """\
Potencies of molecules at a target each, with a train/test split that puts activity cliffs on both
sides on purpose (van Tilborg et al. 2022).""", ("HE101", "HE104", "HE111", "HE112", "HE121")),
    "simpd": ("SIMPD: simulated time splits", """\
Assays of ChEMBL 32, active or not, split so that training and test differ like early and late
molecules of a project (Landrum et al. 2023).""",
              ("HE101", "HE102", "HE111", "HE112", "HE121", "HE503")),
    "chembl": ("ChEMBL time split", """\
Activities at many targets in the order of years, in three files (DeepChem).""", ()),
    "human-random": ("Human compound-protein pairs, random split", """\
Pairs of a compound and a protein, bound or not (Liu et al. 2015), in three files.""", ()),
    "human-cold": ("Human compound-protein pairs, cold split", """\
The same pairs, split so that neither the compounds nor the proteins of the test set are in
training.""", ()),
    "netgpi": ("NetGPI: five folds of proteins", """\
Ends of proteins, GPI-anchored or not (Gislason et al. 2021), cut into five folds by four methods
(Teufel et al. 2023).""", ("HE101", "HE111", "HE112", "HE113", "HE121")),
    "deepromoter": ("DeePromoter: folds of DNA", """\
Human promoters with a TATA box (Oubounyt et al. 2019), cut by two methods (Teufel et al.
2023).""", ("HE101", "HE111", "HE112", "HE113")),
    "flip-gb1": ("FLIP GB1", """\
Variants of one protein domain that differ in at most four positions, with their fitness (Wu et al.
2016), split by number of mutations or at random (Dallago et al. 2022).""",
                 ("HE101", "HE111", "HE112", "HE113", "HE121", "HE503")),
}  # fmt: skip

#: Columns of tables of many splits: heading, code, measure, format.
COLUMNS = (
    ("same entity", "HE101", "share_of_test_rows", "{:.1%}"),
    ("near duplicates", "HE111", "share_of_test_rows", "{:.1%}"),
    ("by a random split", "HE111", "expected_share_by_random_split", "{:.1%}"),
    ("mean nearest", "HE112", "mean", "{:.2f}"),
    ("by random splits", "HE112", "mean_of_random_splits", "{:.2f}"),
    ("relative L", "HE113", "relative", "{:.2f}"),
    ("1-NN error x", "HE121", "inflation", "{:.2f}"),
)


def page() -> str:
    """Return the text of the page."""
    stored = load("published-splits")
    lines = [HEAD]
    for name, (title, about, codes) in STUDIES.items():
        if name not in stored:  # a quick run
            continue
        audits = stored[name]
        lines += ["", section(title) + about, ""]
        if len(audits) == 1:
            lines += list(_one(next(iter(audits.values()))))
        else:
            lines += list(_counts(audits, codes))
            lines += list(_many(audits))
    return "\n".join(lines).rstrip() + "\n"


def _one(audit: dict[str, Any]) -> Iterator[str]:
    """Yield what was found, the gravest first, then what passed by its code."""
    sizes = "; ".join(
        f"{part['name']}: {part['n_test']:,} test, {part['n_train']:,} training rows"
        for part in audit["comparisons"]
    )
    yield from _wrapped(f"{audit['n_rows']:,} rows. {sizes}.")
    yield ""
    order = ("error", "warning", "info")
    found = [f for f in audit["findings"] if f["status"] == "found"]
    for finding in sorted(found, key=lambda f: order.index(f["severity"])):
        code = finding["code"]
        text = f"**{finding['severity']}** {_reference(code)}: {_plain(finding['message'])}"
        yield from _wrapped(text, first="- ", rest="  ")
    passed = [_reference(f["code"]) for f in audit["findings"] if f["status"] == "passed"]
    yield ""
    yield from _wrapped(f"Passed: {', '.join(passed)}.")


def _counts(audits: dict[str, Any], codes: tuple[str, ...]) -> Iterator[str]:
    """Yield how many splits have a finding of each check."""
    rows = sum(audit["n_rows"] for audit in audits.values())
    yield from _wrapped(f"{len(audits)} splits, {rows:,} rows in all.")
    yield ""
    for code in codes:
        outcomes = Counter()
        for audit in audits.values():
            for finding in audit["findings"]:
                if finding["code"] == code:
                    outcomes[finding["severity"] or "passed"] += 1
        shown = ", ".join(
            f"{outcomes[kind]} {kind}"
            for kind in ("error", "warning", "info", "passed")
            if outcomes[kind]
        )
        if shown:
            yield from _wrapped(f"{_reference(code)}: {shown}.", first="- ", rest="  ")
    yield ""


def _many(audits: dict[str, Any]) -> Iterator[str]:
    """Yield a table with one line per split, or with quantiles of many splits."""
    measured = {name: [_measure(audit, *column[1:3]) for column in COLUMNS]
                for name, audit in audits.items()}  # fmt: skip
    if len(measured) > 6:
        columns = [[v for v in values if v is not None]
                   for values in zip(*measured.values(), strict=True)]  # fmt: skip
        measured = {
            label: [choose(sorted(values)) if values else None for values in columns]
            for label, choose in (
                ("lowest", min), ("median", statistics.median), ("highest", max),
            )
        }  # fmt: skip
    used = [
        i for i in range(len(COLUMNS)) if any(line[i] is not None for line in measured.values())
    ]
    yield table(
        {"split": name}
        | {COLUMNS[i][0]: "" if line[i] is None else COLUMNS[i][3].format(line[i]) for i in used}
        for name, line in measured.items()
    ).rstrip()


def _measure(audit: dict[str, Any], code: str, name: str) -> Any:
    for finding in audit["findings"]:
        if finding["code"] == code:
            return finding["measured"].get(name)
    return None


def _reference(code: str) -> str:
    return f":ref:`{code} <{code.lower()}>` ({TITLES[code]})"


def _plain(text: str) -> str:
    for character in "\\*`|_":
        text = text.replace(character, "\\" + character)
    return text


def _wrapped(text: str, first: str = "", rest: str = "") -> Iterator[str]:
    yield from textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

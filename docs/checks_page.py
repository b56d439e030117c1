"""Write ``checks.rst`` from the checks themselves: ``python docs/checks_page.py``."""

from __future__ import annotations

import importlib
import pkgutil
import textwrap
from pathlib import Path

import honesteval.checks
from honesteval.checks._finding import CheckInfo

PAGE = Path(__file__).with_name("checks.rst")
WIDTH = 96

HEAD = """\
.. This page is written by docs/checks_page.py from the checks themselves.

Check codes
===========

Every check has a code that stays the same between versions, so that a script or a paper can name
it. :func:`~honesteval.checks.audit_split` runs the checks of the first six families and returns a
:class:`~honesteval.checks.Finding` for each, also where nothing was found or where the check could
not be made (``status`` says which, ``message`` why). Severities:

error
   the score of this split does not mean what it seems to mean;
warning
   it may not; look at the evidence;
info
   a number to know when reading the score.

``audit["HE111"]`` is one finding, ``audit.found("warning")`` are those of a severity or a graver
one, and ``finding.evidence`` names the rows.
"""

FAMILIES = {
    "1": ("Similarity: what the model has seen before", """\
These need entities that can be compared: SMILES, fingerprints, or a named ``similarity``. HE121 to
HE123 need labels; HE122 and HE123 also estimators or predictions. HE131 to HE135 look at rows that
are pairs (or triples), which ``pairs`` names; SMILES among them are compared as molecules."""),
    "2": ("The split itself: rows, groups, time, levels", """\
HE203 needs ``groups``, HE204 and HE206 ``time`` (with a start and an end per row for HE206), HE205
``levels``."""),
    "3": ("Target leakage: features that know the answer", """\
These look at the table of features: ``X``, or ``features`` where ``X`` holds the entities."""),
    "4": ("Preprocessing fitted to all rows", """\
These recognise the traces that scaling, filling in, oversampling and selection leave in a table of
features. A trace can be missing: what is not found here may have happened all the same."""),
    "5": ("The test set: size, classes, labels", "These need labels."),
    "6": ("Shift between training and test", """\
Where test rows come from elsewhere, the score is of elsewhere. That can be the point of the split:
read it beside the similarity of the data to come."""),
    "7": ("The procedure", """\
Not part of an audit: :func:`~honesteval.checks.permutation_check` repeats the whole procedure on
permuted labels."""),
}  # fmt: skip


def known_checks() -> list[CheckInfo]:
    """Return what is the same for every finding of each check, in the order of the codes."""
    found = {}
    for module in pkgutil.iter_modules(honesteval.checks.__path__):
        members = vars(importlib.import_module(f"honesteval.checks.{module.name}"))
        found.update({c.code: c for c in members.values() if isinstance(c, CheckInfo)})
    return [found[code] for code in sorted(found)]


def page() -> str:
    """Return the page."""
    lines, family = [HEAD], ""
    for check in known_checks():
        if check.code[2] != family:
            family = check.code[2]
            title, text = FAMILIES[family]
            lines += [title, "-" * len(title), "", text, ""]
        title = f"{check.code}: {check.title}"
        lines += [f".. _{check.code.lower()}:", "", title, "~" * len(title), ""]
        lines += [f"*Name*: ``{check.name}``", ""]
        lines += [textwrap.fill(check.why, WIDTH), ""]
        lines += [textwrap.fill(f"**What to do.** {check.advice}", WIDTH), ""]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

"""Write ``checks.rst`` and a page for each check: ``python docs/checks_page.py``.

All is taken from the checks themselves: why and what to do from their ``CheckInfo``, how they look
from their docstrings, limits from the constants that they use, and what they say from running the
examples of ``check_examples.py``.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import io
import pkgutil
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from check_examples import EXAMPLES, SHOW

import honesteval.checks
from honesteval.checks._audit import CHECKS
from honesteval.checks._finding import CheckInfo

PAGE = Path(__file__).with_name("checks.rst")
FOLDER = Path(__file__).with_name("checks")
WIDTH = 96
#: What the pages show of a line of code or output without scrolling.
SHOWN = 84

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
one, and ``finding.evidence`` names the rows. The page of each code says how it is found, with an
example.
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

CONCERNS = {
    "leakage": "It makes scores too good.",
    "reliability": "It tells what a score can say.",
}


def known_checks() -> list[CheckInfo]:
    """Return what is the same for every finding of each check, in the order of the codes."""
    return [info for _, info in sorted(_homes().items())]


def pages(run: bool = True) -> dict[Path, str]:
    """Return the text of each page; without ``run``, with what the examples printed last time."""
    found = {PAGE: _index()}
    for info in known_checks():
        path = FOLDER / f"{info.code.lower()}.rst"
        printed = _run(info.code) if run else _printed(path)
        found[path] = _page(info, printed)
    return found


def main() -> None:
    """Write the pages, and remove those of checks that are gone."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.rst"):
        old.unlink()
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")


# ---------------------------------------------------------------------- the index


def _index() -> str:
    lines, family = [HEAD], ""
    for check in known_checks():
        if check.code[2] != family:
            family = check.code[2]
            title, text = FAMILIES[family]
            lines += [title, "-" * len(title), "", text, ""]
            lines += [".. list-table::", "   :widths: 12 88", "   :width: 100%", ""]
        lines += [f"   * - :doc:`{check.code} <checks/{check.code.lower()}>`"]
        lines += [f"     - {check.title} (``{check.name}``)"]
        if _is_last(check):
            lines += ["", ".. toctree::", "   :hidden:", ""]
            lines += [f"   checks/{c.code.lower()}" for c in known_checks() if c.code[2] == family]
            lines += [""]
    return "\n".join(lines).rstrip() + "\n"


def _is_last(check: CheckInfo) -> bool:
    return check == [c for c in known_checks() if c.code[2] == check.code[2]][-1]


# ---------------------------------------------------------------------- a page


def _page(info: CheckInfo, printed: str) -> str:
    title = f"{info.code}: {info.title}"
    function = _function_of(info)
    lines = [".. This page is written by docs/checks_page.py from the check itself.", ""]
    lines += [f".. _{info.code.lower()}:", "", title, "=" * len(title), ""]
    lines += [f"*Name*: ``{info.name}``. {CONCERNS[info.concerns]}", ""]
    lines += _section("Why it matters", _filled(info.why))
    lines += _section("How it is found", _how(function))
    lines += _section("Example", _example(info.code, printed))
    lines += _section("What to do", _filled(info.advice))
    return "\n".join(lines).rstrip() + "\n"


def _section(title: str, lines: list[str]) -> list[str]:
    return [title, "-" * len(title), "", *lines, ""]


def _filled(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, WIDTH, break_long_words=False, initial_indent=indent.replace("  ", "- ", 1)
        if indent else "", subsequent_indent=indent,
    )  # fmt: skip


def _how(function: Callable[..., Any]) -> list[str]:
    """Return what the check does, in the words of its docstring, and the limits that it uses."""
    docstring = inspect.getdoc(function) or ""
    words = docstring.partition("\n\nParameters")[0]
    lines = [
        line for part in words.split("\n\n") for line in [*_filled(" ".join(part.split())), ""]
    ]
    limits = list(_limits(function))
    if limits:
        lines += ["The limits it goes by:", ""]
        for comment, value in limits:
            lines += _filled(f"{comment.rstrip('.:,')}: **{value}**", indent="  ")
    return lines


def _limits(function: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    """Yield comment and values of the constants of the module that the check comes to use."""
    module = inspect.getmodule(function)
    assert module is not None
    source = inspect.getsource(module)
    uses = _names_reached(function.__name__, ast.parse(source))
    pattern = r"((?:^#: ?.*\n)+)((?:^[A-Z][A-Z_0-9]* *(?::[^=\n]+)?= *[-+\d.e_]+\n)+)"
    for comment, constants in re.findall(pattern, source, flags=re.MULTILINE):
        words = " ".join(line.removeprefix("#:").strip() for line in comment.splitlines())
        values = re.findall(r"^(\w+).*= *(\S+)$", constants, flags=re.MULTILINE)
        # a comment speaks of one value, or of as many as it says "this"
        meant = values[: max(1, len(re.findall(r"\bthis\b", words)))]
        if meant[0][0] in uses:
            yield words, "** and **".join(f"{ast.literal_eval(value):,}" for _, value in meant)


def _names_reached(start: str, tree: ast.Module) -> set[str]:
    """Return the names that a function of a module uses, and the functions that it calls there."""
    bodies = {
        node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    found: set[str] = set()
    pending = [start]
    while pending:
        for node in ast.walk(bodies[pending.pop()]):
            if isinstance(node, ast.Name) and node.id not in found:
                found.add(node.id)
                if node.id in bodies:
                    pending.append(node.id)
    return found


# ---------------------------------------------------------------------- its example


def _code(code: str) -> list[str]:
    lines = EXAMPLES[code]
    return lines if lines[-1].startswith("print(") else [*lines, SHOW.format(code=code)]


def _example(code: str, printed: str) -> list[str]:
    shown = []
    for line in _code(code):
        continues = line.startswith((" ", "}", ")"))
        if shown and shown[-1].startswith("...     ") and not continues:
            opened = any(text.startswith(">>> def ") for text in shown[-4:])
            shown += ["..."] * opened
        shown.append(f"{'...' if continues else '>>>'} {line}")
    return [*shown, *printed.splitlines()]


def _run(code: str) -> str:
    """Run the example and return what it prints, wrapped."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile("\n".join(_code(code)), code, "exec"), {})
    return "\n".join(
        part
        for line in printed.getvalue().splitlines()
        for part in textwrap.wrap(line, SHOWN, subsequent_indent="      ", break_on_hyphens=False)
    )


def _printed(path: Path) -> str:
    """Return what the example printed when the page was written."""
    text = path.read_text(encoding="utf-8")
    return re.findall(r"^>>> print\(.*\n((?:(?!>>>).+\n)*)", text, flags=re.MULTILINE)[-1]


# ---------------------------------------------------------------------- the checks


def _modules() -> Iterator[ModuleType]:
    for found in pkgutil.iter_modules(honesteval.checks.__path__):
        yield importlib.import_module(f"honesteval.checks.{found.name}")


def _homes() -> dict[str, CheckInfo]:
    members = (value for module in _modules() for value in vars(module).values())
    return {value.code: value for value in members if isinstance(value, CheckInfo)}


def _function_of(info: CheckInfo) -> Callable[..., Any]:
    for other, function in CHECKS:
        if other.code == info.code:
            return function
    return honesteval.checks.permutation_check


if __name__ == "__main__":
    main()

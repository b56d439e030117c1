"""The pages name everything that exists, and nothing that does not."""

import ast
import importlib
import re
from pathlib import Path

import pytest

import honesteval
from honesteval.checks import available_checks
from tests.scripts import load_script

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PACKAGE = Path(honesteval.__file__).parent

PUBLIC = (
    # the command line is no module to import: it has a page of its own
    *sorted({path.parent.name for path in PACKAGE.glob("*/__init__.py")} - {"cli"}),
    "exceptions",
)

ROLE = re.compile(r":(?:func|class|meth|mod|attr):`(?:[^`<]*<)?~?(honesteval[\w.]*)>?`")


def _names(page):
    """Return the names in the autosummary lists of a page."""
    found = []
    for block in re.findall(r"\.\. autosummary::\n((?:   .*\n|\n)+)", page):
        lines = (line.strip() for line in block.splitlines())
        found += [line for line in lines if line and not line.startswith(":")]
    return found


def _pages():
    built = {"_build", "generated", "_templates"}
    return sorted(path for path in DOCS.rglob("*.rst") if not built & set(path.parts))


def _resolve(name):
    value = honesteval
    for position, part in enumerate(name.split(".")[1:], start=1):
        try:
            value = getattr(value, part)
        except AttributeError:
            value = importlib.import_module(".".join(name.split(".")[: position + 1]))
    return value


def _import_table():
    """Return the table of test_architecture.py without running its checks."""
    source = Path(__file__).with_name("test_architecture.py").read_text(encoding="utf-8")
    (table,) = [
        node.value
        for node in ast.parse(source).body
        if isinstance(node, ast.AnnAssign) and node.target.id == "MAY_IMPORT"
    ]
    # set() is the one entry that is not a literal
    return eval(ast.unparse(table), {"set": set})


@pytest.mark.parametrize("package", PUBLIC)
def test_reference_lists_every_public_name_once(package):
    public = importlib.import_module(f"honesteval.{package}").__all__
    listed = _names((DOCS / "api" / f"{package}.rst").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(public)


@pytest.mark.parametrize("package", PUBLIC)
def test_reference_page_is_in_the_index(package):
    index = (DOCS / "api" / "index.rst").read_text(encoding="utf-8")
    assert re.search(rf"^   {package}$", index, flags=re.MULTILINE)


def test_reference_index_lists_the_names_that_the_package_exports_itself():
    index = (DOCS / "api" / "index.rst").read_text(encoding="utf-8")
    named = {name.rpartition(".")[2] for name in ROLE.findall(index)}
    own = {name for name in honesteval.__all__ if not name.startswith("__")} - set(PUBLIC)
    errors = {name for name in own if name.endswith("Error")}  # on the page of the errors
    assert own - errors == named


def test_missing_name_would_be_noticed():
    page = ".. autosummary::\n   :toctree: generated/\n\n   bootstrap_ci\n   delong_ci\n\nText\n"
    assert _names(page) == ["bootstrap_ci", "delong_ci"]


@pytest.mark.parametrize("page", _pages(), ids=lambda path: str(path.relative_to(DOCS)))
def test_names_in_the_pages_exist(page):
    for name in ROLE.findall(page.read_text(encoding="utf-8")):
        assert _resolve(name) is not None


def test_name_that_does_not_exist_is_noticed():
    (name,) = ROLE.findall(":func:`~honesteval.stats.no_such_function`")
    with pytest.raises(ModuleNotFoundError):
        _resolve(name)


@pytest.mark.parametrize("page", _pages(), ids=lambda path: str(path.relative_to(DOCS)))
def test_examples_are_run(page):
    """Python is shown as doctests, which run, never as a block that does not."""
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"\.\. code(-block)?:: *python", text)


def test_pages_of_the_checks_are_what_the_checks_say():
    """What the examples print is a doctest of the page, so they are not run again here."""
    pages = load_script("docs/checks_page.py").pages(run=False)
    for path, text in pages.items():
        written = path.read_text(encoding="utf-8")
        assert written == text, "Run python docs/checks_page.py and commit the pages."
    assert set((DOCS / "checks").glob("*.rst")) == set(pages) - {DOCS / "checks.rst"}


def test_published_splits_are_what_was_stored():
    written = (DOCS / "published-splits.rst").read_text(encoding="utf-8")
    page = load_script("docs/published_page.py").page()
    assert written == page, "Run python docs/published_page.py and commit the page."


@pytest.mark.parametrize("code", available_checks().index)
def test_every_check_of_the_audit_has_a_page_and_an_example_that_finds_it(code):
    check = available_checks().loc[code]
    page = (DOCS / check["docs"]).with_suffix(".rst")
    written = page.read_text(encoding="utf-8")
    assert f"\n{code}: {check['title']}\n===" in written
    printed = written.rpartition(">>> print(")[2]
    assert re.search(rf"^{code} .*?:\s+(ERROR|WARNING|INFO)\. ", printed, re.DOTALL | re.MULTILINE)
    index = (DOCS / "checks.rst").read_text(encoding="utf-8")
    assert f":doc:`{code} <checks/{page.stem}>`" in index


def test_every_page_is_reachable_from_the_index():
    index = (DOCS / "index.rst").read_text(encoding="utf-8")
    for page in DOCS.glob("*.rst"):
        if page.name != "index.rst":
            assert re.search(rf"^   {page.stem}$", index, flags=re.MULTILINE), page.name


def test_architecture_page_has_the_import_table():
    may_import = _import_table()
    text = (DOCS / "architecture.rst").read_text(encoding="utf-8")
    rows = re.findall(r"^``(\w+)`` +(?:\S| (?! ))+  +(.+?) *$", text, flags=re.MULTILINE)
    above = set()
    assert [place for place, _ in rows] == list(may_import)
    for place, shown in rows:
        words = {"nothing": set(), "all above": above}.get(shown)
        assert (set(shown.split(", ")) if words is None else words) == may_import[place]
        above = above | {place}


def test_options_and_commands_of_the_command_line_page_exist():
    from typer.testing import CliRunner

    from honesteval.cli import app

    text = (DOCS / "command-line.rst").read_text(encoding="utf-8")
    names = [command.callback.__name__ for command in app.registered_commands]
    shown = "".join(
        CliRunner().invoke(app, [*name, "--help"], env={"COLUMNS": "200"}).output
        for name in ([], *([name] for name in names))
    )
    for option in set(re.findall(r"--[a-z][\w-]+", text)) - {"--help"}:
        assert option in shown, option
    assert all(re.search(rf"^{name}$", text, flags=re.MULTILINE) for name in names)

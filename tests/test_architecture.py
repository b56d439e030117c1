"""The design's import table, enforced: data flows one way through the folders."""

import ast
from pathlib import Path

import pytest

import honesteval

PACKAGE = Path(honesteval.__file__).parent

FOUNDATION = {"exceptions", "_validation", "_optional", "_notebook"}

MAY_IMPORT: dict[str, set[str]] = {
    "entities": set(),
    "similarity": {"entities"},
    "partition": {"similarity"},
    "model_selection": {"entities", "similarity", "partition"},
    "stats": set(),
    "metrics": {"stats"},
    "tuning": {"stats", "metrics"},
    "checks": {
        "entities", "similarity", "partition", "model_selection", "stats", "metrics", "tuning",
    },
    "report": {
        "entities", "similarity", "partition", "model_selection", "stats", "metrics", "tuning",
        "checks",
    },
    "datasets": {"entities"},
    "cli": {
        "entities", "similarity", "partition", "model_selection", "stats", "metrics", "tuning",
        "checks", "report", "datasets",
    },
}  # fmt: skip

HEAVY = {"matplotlib", "optuna", "rdkit", "gurobipy", "distributed", "statsmodels", "jinja2"}


def _modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        place = relative.parts[0].removesuffix(".py")
        if place not in {"__init__", "__main__"}:
            yield place, relative, ast.parse(path.read_text(encoding="utf-8"))


def _honesteval_imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute, so that the table can be read"
            names = [node.module or ""]
            if node.module == "honesteval":
                names = [f"honesteval.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "honesteval":
                yield parts[1] if len(parts) > 1 else "__init__", node.lineno


def _module_level_imports(tree):
    """Imports that run on import of the module (not inside functions or TYPE_CHECKING)."""
    pending = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            yield from ((alias.name.split(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0], node.lineno
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            pending.extend(node.orelse)
        elif isinstance(node, ast.If | ast.Try | ast.With):
            pending.extend(ast.iter_child_nodes(node))
        elif isinstance(node, ast.ClassDef):
            pending.extend(node.body)


def _forbidden(place, tree):
    allowed = MAY_IMPORT.get(place, set()) | FOUNDATION | {place}
    return [
        (target, line)
        for target, line in _honesteval_imports(tree)
        if target not in allowed and not (place == "cli" and target == "__init__")
    ]


@pytest.mark.parametrize(
    ("place", "relative", "tree"),
    [pytest.param(*module, id=str(module[1])) for module in _modules()],
)
def test_module_imports_only_what_the_table_allows(place, relative, tree):
    assert place in MAY_IMPORT or place in FOUNDATION, f"{place} is not in the table"
    assert _forbidden(place, tree) == []


@pytest.mark.parametrize(
    ("relative", "tree"),
    [pytest.param(m[1], m[2], id=str(m[1])) for m in _modules()],
)
def test_heavy_packages_are_imported_where_used(relative, tree):
    assert [hit for hit in _module_level_imports(tree) if hit[0] in HEAVY] == []


def test_the_table_catches_a_forbidden_import():
    tree = ast.parse("from honesteval.checks import audit_split")
    assert _forbidden("similarity", tree) == [("checks", 1)]
    assert _forbidden("report", tree) == []


def test_every_folder_is_in_the_table():
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert folders <= set(MAY_IMPORT)


def test_no_catch_all_module():
    assert not list(PACKAGE.rglob("*utils*.py"))
    assert not list(PACKAGE.rglob("*helpers*.py"))


def test_importing_the_package_loads_nothing_heavy():
    import subprocess
    import sys

    code = (
        "import sys, honesteval; "
        "print(sorted(set(sys.modules) & {'sklearn', 'rdkit', 'optuna', 'matplotlib', 'pandas'}))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_every_public_name_resolves():
    for name in honesteval.__all__:
        assert getattr(honesteval, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        honesteval.no_such_name  # noqa: B018

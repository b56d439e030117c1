"""What was installed from the wheel works, away from the checkout."""

import re
from pathlib import Path

import pytest

from tests.packaging.places import ROOT

pytestmark = pytest.mark.slow

README = (ROOT / "README.md").read_text(encoding="utf-8")
#: Versions of RDKit and SciPy move a score a little, not this much.
SCORE_TOLERANCE = 0.03

USER_FILE = """
import numpy as np
from sklearn.linear_model import Ridge

from honesteval import SimilarityGroupKFold, bootstrap_ci, nested_cross_validate
from honesteval.checks import SplitAudit, audit_split

y = np.arange(9.0)
interval = bootstrap_ci(y, y + 1, metric="mae")
low: float = interval.low
reveal_type(interval)
audit: SplitAudit = audit_split(np.eye(9), y, np.arange(9) % 3)
result = nested_cross_validate(Ridge(), np.eye(9), y, outer_cv=SimilarityGroupKFold(3))
words: str = result.summary()
"""


def test_it_is_imported_from_where_it_was_installed(installed):
    shown = installed.run("-c", "import honesteval; print(honesteval.__file__)")
    assert Path(shown.stdout.strip()).parent == Path(installed.site_packages) / "honesteval"


def test_the_example_of_the_readme_runs(installed):
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    (at,) = [i for i, (language, _) in enumerate(blocks) if language == "python"]
    printed = installed.run("-c", blocks[at][1]).stdout
    number = re.compile(r"\d+\.\d+")
    assert number.sub("#", printed) == number.sub("#", blocks[at + 1][1])
    assert [float(found) for found in number.findall(printed)] == pytest.approx(
        [float(found) for found in number.findall(blocks[at + 1][1])], abs=SCORE_TOLERANCE
    )


def test_it_runs_as_a_module_and_as_a_command(installed):
    as_module = installed.run("-m", "honesteval", "--help").stdout
    assert "Usage: honesteval" in as_module
    script = next(Path(installed.python).parent.glob("honesteval*"))
    assert installed.run(str(script), "--help").stdout == as_module


def test_a_report_is_written_with_the_templates_that_came_along(installed):
    code = """
        from honesteval import audit_split
        from honesteval.report import AuditReport
        smiles = ["C" * n + end for n in range(2, 12) for end in ("O", "N")]
        audit = audit_split(smiles, range(20), [i % 2 for i in range(20)])
        AuditReport(audit).to_html("audit.html")
    """
    installed.run("-c", "\n".join(line.strip() for line in code.splitlines()))
    assert (installed.folder / "audit.html").read_text(encoding="utf-8").startswith("<!DOCTYPE")


def test_types_reach_the_code_of_a_user(installed):
    pytest.importorskip("mypy", reason="the extra 'dev' is not installed")
    good, bad = installed.folder / "good.py", installed.folder / "bad.py"
    good.write_text(USER_FILE, encoding="utf-8")
    bad.write_text(USER_FILE.replace("low: float", "low: str"), encoding="utf-8")
    checked = installed.run(
        "-m", "mypy", "--strict", "--allow-untyped-calls", "--ignore-missing-imports",
        "--follow-imports=silent", "good.py", "bad.py", check=False,
    )  # fmt: skip
    lines = checked.stdout.splitlines()
    assert sum('Revealed type is "honesteval.stats' in line for line in lines) == 2
    errors = [line for line in lines if ": error:" in line]
    assert [line.partition(":")[0] for line in errors] == ["bad.py"], checked.stdout
    assert "Incompatible types in assignment" in errors[0]

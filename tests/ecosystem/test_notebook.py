"""Notebooks: results show themselves, plots are drawn, and nothing is said to standard error."""

import sys

import pytest

pytest.importorskip("ipykernel", reason="the extra 'ecosystem' is not installed")
nbclient = pytest.importorskip("nbclient", reason="the extra 'ecosystem' is not installed")
nbformat = pytest.importorskip("nbformat", reason="comes with nbclient")

CELLS = {
    "folds": """
        import numpy as np
        from sklearn.linear_model import Ridge
        from honesteval import *
        from honesteval.datasets import load_nav17
        from honesteval.entities import parse_molecules
        smiles, y = load_nav17(return_X_y=True)
        smiles, y = smiles[::12], y[::12]
        molecules = parse_molecules(smiles)
        X = np.unpackbits(molecules.fingerprints(), axis=1)
        cv = SimilarityGroupKFold(3, n_init=1)
        cv.partition(smiles)
    """,
    "molecules": "molecules",
    "interval": "bootstrap_ci(y, y + 0.1 * np.arange(len(y)), metric='mae', n_resamples=99)",
    "nested": """
        nested_cross_validate(Ridge(), X, y, search_space={"alpha": [1.0, 30.0]}, n_trials=2,
                              outer_cv=cv, inner_cv=2, random_state=0, progress=True)
    """,
    "audit": "audit_split(smiles, y, list(cv.split(smiles)))",
    "search": "OptunaSearchCV(Ridge(), {'alpha': [1.0, 30.0]}, n_trials=2, cv=cv)",
    "evaluation": """
        from honesteval.report import evaluate
        evaluate(smiles[:40], y[:40], estimator="linear", n_splits=3, n_trials=1,
                 n_permutations=0, n_resamples=99)
    """,
    "plot": """
        from honesteval.report import SimilarityHistogramDisplay
        from honesteval.similarity import resolve_similarity
        train, test = next(cv.split(smiles))
        nearest, _ = resolve_similarity(smiles).nearest(test, train)
        SimilarityHistogramDisplay({"similarity": nearest}).plot()
    """,
}


def _dedent(source):
    lines = source.strip("\n").splitlines()
    margin = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[margin:] for line in lines).rstrip()


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Run the notebook and return the outputs of each cell by its name."""
    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(_dedent(source)) for source in CELLS.values()]
    )
    book.metadata["kernelspec"] = {"name": "python3", "display_name": sys.executable}
    folder = tmp_path_factory.mktemp("notebook")
    client = nbclient.NotebookClient(
        book, timeout=120, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    return {name: cell.outputs for name, cell in zip(CELLS, book.cells, strict=True)}


@pytest.mark.parametrize("cell", [name for name in CELLS if name != "plot"])
def test_results_show_themselves(outputs, cell):
    shown = [output.data for output in outputs[cell] if "data" in output]
    assert "<" in shown[-1]["text/html"]
    assert "text/plain" in shown[-1]
    assert "<script" not in shown[-1]["text/html"] or cell == "search"  # scikit-learn's own


def test_plots_are_drawn(outputs):
    pictures = [output.data for output in outputs["plot"] if "data" in output]
    assert any("image/png" in picture for picture in pictures)


def test_nothing_goes_to_standard_error(outputs):
    said = [o.text for cell in outputs.values() for o in cell if o.get("name") == "stderr"]
    # Optuna's progress bar asks for ipywidgets where it is not installed
    assert [text for text in said if "TqdmWarning: IProgress not found" not in text] == []

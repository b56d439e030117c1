"""Write ``deployment.rst`` from a run of the benchmark: ``python docs/deployment_page.py``.

The figures are those of ``docs/benchmarks/deployment.json``, which
``python benchmarks/run.py --full --only deployment`` writes, and of its siblings.
"""

from __future__ import annotations

from typing import Any

from page_tables import PAGES, load, table

PAGE = PAGES / "deployment.rst"
#: Other models than the forest, on a sixth of the tasks: file and what it is.
OTHERS = {
    "deployment-boosting": "Gradient boosting",
    "deployment-tuned-kernel": "Support vectors with the Tanimoto kernel, C tuned inside",
}

HEAD = """\
.. This page is written by docs/deployment_page.py from benchmarks/deployment*.json.

Which estimate comes true?
==========================

The honest score is the one the model will get on what it will meet. Random folds are right where
that is next door to today's data, and too good where it is not. Folds that keep all relatives
together are right where nothing similar was ever seen, and too bad elsewhere. How far away the
deployment is can be measured before there is a label of it: its molecules are enough.

Folds as hard as the deployment
-------------------------------

:class:`~honesteval.model_selection.DeploymentKFold` takes the entities that will be met and makes
folds in which test samples are as far from training as those are from the data.

>>> import numpy as np
>>> from honesteval import DeploymentKFold
>>> from honesteval.datasets import load_nav17
>>> smiles = np.array(load_nav17().data)
>>> today, to_come = smiles[:150], smiles[600:660]
>>> cv = DeploymentKFold(to_come, n_splits=3)
>>> folds = cv.partition(today)
>>> folds.distance < folds.distance_random
True
>>> folds.to_frame()["size"].sum()
np.int64(150)

It goes wherever scikit-learn takes ``cv=``. ``folds.summary()`` says how far random folds are from
the deployment, how far the best folds of whole clusters are, how far these are (Wasserstein
distance between the two distributions of nearest similarity), and below which distance no folds of
these sizes come. If the deployment is farther than anything inside the data, a warning says so:

>>> strangers = DeploymentKFold(["CCO", "CCCCN", "CC(=O)O", "OCCO"], n_splits=3)
>>> print(strangers.partition(today).verdict)
The folds do not match (distance ...), and no folds of these sizes can: none are nearer than ....
What is wanted is farther from its data (mean nearest similarity ...) than the test folds are to
theirs (...); a score from these folds is too good if it depends on similarity.

The score to expect
-------------------

:func:`~honesteval.checks.deployment_estimate` fits the model on random folds, on matched folds and
on those with the least similarity across. All tested rows together are weighted until their
similarity to training, and the disagreement of the labels of their nearest training rows, are
distributed as those of the entities to be met. The weighted score is the estimate. The matched
folds are so many trials of the deployment: their spread gives an interval for the score that will
be seen, not for the mean of many.

>>> from sklearn.neighbors import KNeighborsRegressor
>>> from honesteval import deployment_estimate
>>> from honesteval.entities import parse_molecules
>>> y = load_nav17().target[:150]
>>> bits = np.unpackbits(parse_molecules(today).fingerprints(), axis=1)
>>> result = deployment_estimate(
...     KNeighborsRegressor(3, metric="jaccard"), bits.astype(bool), y, to_come, entities=today)
>>> result.metric, bool(result.low < result.estimate < result.high)
('rmse', True)
>>> result.to_frame().columns.tolist()
['as_tested', 'reweighted', 'mean_similarity', 'effective_n']

Neither takes labels of the deployment. What neither sees: another assay, another laboratory,
another question. Where these change, no estimate from today's data is right.

Measured
--------

"""

MIDDLE = """\
A random forest on ECFP4 fingerprints (1,024 bits; training sets of at most 600 molecules) was
fitted on the training molecules, and its score on the later ones is the truth. *Bias* is the mean
of estimate minus truth over tasks, *error* the mean absolute difference; both with their standard
errors over tasks. For RMSE a negative bias is too good, for ROC-AUC a positive one.

How the tested rows are weighted and put together was chosen among some variants while looking at
tasks of the first two collections. The third was run once, after everything was fixed.
"""

TAIL = """\
How much of the score comes from near relatives?
------------------------------------------------

:func:`~honesteval.checks.leakage_curve` draws the line between the two ends: the score on folds
from the hardest to random ones, against the similarity of test rows to training, and the area
under it. All points use all rows and training sets of one size.

>>> from honesteval import leakage_curve
>>> curve = leakage_curve(
...     KNeighborsRegressor(3, metric="jaccard"), bits.astype(bool), y, entities=today,
...     n_levels=3, n_splits=3, n_moves=500)
>>> bool(curve.table["mean_similarity"].is_monotonic_increasing)
True

Run it again
------------

``python benchmarks/deployment.py results.jsonl --quick`` repeats a twelfth of the tasks in some
minutes, without ``--quick`` all of them; the data folder is named by ``HONESTEVAL_DATA``.
"""


def page() -> str:
    """Return the text of the page."""
    parts = [_collection(part) for part in load("deployment").values()]
    for name, model in OTHERS.items():
        if found := load(name):
            parts.append(f"{model}\n{'~' * len(model)}\n")
            parts += [_collection(part) for part in found.values()]
    return HEAD + MIDDLE + "\n" + "\n".join(parts) + "\n" + TAIL


def _collection(part: dict[str, Any]) -> str:
    low, high = part["later_similarity"]
    rows = [
        {
            "Estimate": line["name"].replace("`", "``"),
            "Bias": f"{line['bias']:+.3f} ± {line['bias_error']:.3f}",
            "Error": f"{line['mean_absolute_error']:.3f} ± {line['mae_error']:.3f}",
        }
        for line in part["estimates"]
    ]
    distance = part["distance"]
    distances = ", ".join(f"{name} {value:.3f}" for name, value in distance.items())
    coverage = "; ".join(
        f"the {level} interval holds the truth in {value['share']:.0%} of the tasks (mean width "
        f"{value['mean_width']:.2f})"
        for level, value in part["coverage"].items()
    )
    title = f"**{part['title']}**, {part['n_tasks']} tasks"
    return (
        f"{title}; mean truth {part['mean_truth']:.3f}; mean nearest similarity of the later\n"
        f"molecules from {low:.2f} to {high:.2f}, by task.\n\n"
        + table(rows)
        + f"\nDistance to the deployment: {distances}.\n"
        + f"{coverage[0].upper()}{coverage[1:]}.\n"
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

"""One small example for each check: code whose last line shows what the check says.

``checks_page.py`` runs them and writes what they print into the pages, where they are doctests.
"""

from __future__ import annotations

IMPORT = "from honesteval import audit_split"
NUMPY = "import numpy as np"
SHOW = 'print(audit["{code}"].summary())'

_MADE = [
    "from honesteval.datasets import make_near_duplicates",
    "made = make_near_duplicates(n_samples=240, n_test=80, n_cores=60)",
]
_TABLE = ["rng = np.random.default_rng(0)", "X = rng.normal(size=(120, 6))"]
_HALVES = ["train, test = np.arange(80), np.arange(80, 120)"]
_PAIRS = [
    "import pandas as pd",
    "rng = np.random.default_rng(0)",
    "cells = rng.choice(600, 300, replace=False)",
    'pairs = pd.DataFrame({"drug": cells // 20, "protein": cells % 20}).astype(str)',
]


def _smiles(train: str, test: str, checks: str, labels: str = "") -> list[str]:
    """Return an audit of a few molecules, the first of which are for training."""
    n_train, n_test = len(train.split()), len(test.split())
    split = f"{list(range(n_train))}, {list(range(n_train, n_train + n_test))}"
    return [
        IMPORT,
        f'smiles = "{train} {test}".split()',
        f'audit = audit_split(smiles, {labels or None}, ({split}), checks=["{checks}"])',
    ]


EXAMPLES: dict[str, list[str]] = {
    "HE101": _smiles("CCO CCN c1ccccc1", "OCC CCCl", "HE101"),
    "HE102": _smiles("C[C@H](N)C(=O)O CCN CCO", "C[C@@H](N)C(=O)O CC[NH3+].[Cl-]", "HE102"),
    "HE103": _smiles("O=C1C=CC=CN1 CCO", "Oc1ccccn1 CCN", "HE103"),
    "HE104": _smiles("CCO OCC CCN", "CCCl", "HE104", "[0, 1, 1, 0]"),
    "HE105": _smiles("CCO OCC CCN", "CCCl", "HE105"),
    "HE111": [
        IMPORT, *_MADE,
        'audit = audit_split(made.data, None, (made.train, made.test), checks=["HE111"])',
    ],
    "HE112": [
        IMPORT, *_MADE,
        'audit = audit_split(made.data, None, (made.train, made.test), checks=["HE112"])',
    ],
    "HE113": [
        IMPORT, *_MADE,
        'audit = audit_split(made.data, None, (made.train, made.test), checks=["HE113"])',
    ],
    "HE121": [
        IMPORT, *_MADE,
        "audit = audit_split(",
        '    made.data, made.target, (made.train, made.test), checks=["HE121"])',
    ],
    "HE122": [
        IMPORT, "from sklearn.dummy import DummyRegressor", *_MADE,
        "audit = audit_split(",
        "    made.data, made.target, (made.train, made.test), estimator=DummyRegressor(),",
        '    checks=["HE122"])',
    ],
    "HE123": [
        NUMPY, IMPORT, *_MADE, "rng = np.random.default_rng(0)",
        "seen = {row.tobytes() for row in made.data[made.train]}",
        "known = np.array([row.tobytes() in seen for row in made.data])",
        "sign = rng.choice([-1, 1], 240)",
        "predicted = {",
        '    "remembers": made.target + np.where(known, 0, 2.0) * sign,  # right on copies alone',
        '    "fair": made.target + 1.7 * sign}',
        "audit = audit_split(",
        "    made.data, made.target, (made.train, made.test), y_pred=predicted,",
        '    checks=["HE123"])',
    ],
    "HE131": [
        NUMPY, IMPORT, *_PAIRS,
        'part = np.where(np.arange(300) < 200, "train", "test")',
        'audit = audit_split(None, None, part, pairs=pairs, checks=["HE131"])',
    ],
    "HE132": [
        NUMPY, IMPORT, *_PAIRS,
        "active = rng.random(30)[cells // 20] < rng.random(300)",
        'part = np.where(np.arange(300) < 200, "train", "test")',
        'audit = audit_split(None, active, part, pairs=pairs, checks=["HE132"])',
    ],
    "HE133": [
        NUMPY, "import pandas as pd", IMPORT, "rng = np.random.default_rng(0)",
        "drug = np.repeat(np.arange(20), [6] * 10 + [18] * 10)  # ten were measured more often",
        'pairs = pd.DataFrame({"drug": drug, "protein": rng.integers(0, 60, 240)}).astype(str)',
        "active = rng.random(240) < np.where(drug < 10, 0.2, 0.8)",
        'part = np.where(rng.random(240) < 0.7, "train", "test")',
        'audit = audit_split(None, active, part, pairs=pairs, checks=["HE133"])',
    ],
    "HE134": [
        IMPORT,
        'pairs = [("a", "b"), ("c", "d"), ("b", "a"), ("d", "d")]',
        'audit = audit_split(None, None, ([0, 1], [2, 3]), pairs=pairs, checks=["HE134"])',
    ],
    "HE135": [
        IMPORT, "import pandas as pd",
        "pairs = pd.DataFrame({",
        '    "drug": ["CCCCCCCCO", "c1ccccc1", "CCCCCCCCCO", "CCN"], "target": list("ppqq")})',
        'audit = audit_split(None, None, ([0, 1], [2, 3]), pairs=pairs, checks=["HE135"])',
    ],
    "HE201": [
        NUMPY, IMPORT,
        'audit = audit_split(np.eye(6), None, ([0, 1, 2, 3], [3, 4, 5]), checks=["HE201"])',
    ],
    "HE202": [
        NUMPY, IMPORT,
        'audit = audit_split(np.eye(6), None, ([0, 1, 2], [4, 5]), checks=["HE202"])',
    ],
    "HE203": [
        NUMPY, IMPORT,
        'patient = ["Ann", "Ann", "Bob", "Bob", "Cid", "Cid"]',
        "audit = audit_split(",
        '    np.eye(6), None, ([0, 2, 3, 4], [1, 5]), groups=patient, checks=["HE203"])',
    ],
    "HE204": [
        NUMPY, IMPORT,
        "year = [2019, 2020, 2024, 2021, 2022]",
        'audit = audit_split(np.eye(5), None, ([0, 1, 2], [3, 4]), time=year, checks=["HE204"])',
    ],
    "HE205": [
        NUMPY, IMPORT, *_MADE,
        "laboratory = np.arange(240) % 2",
        "audit = audit_split(",
        "    made.data, made.target + 3 * laboratory, (made.train, made.test),",
        '    levels=laboratory, checks=["HE205"])',
    ],
    "HE206": [
        NUMPY, IMPORT,
        "window = np.column_stack([np.arange(8), np.arange(8) + 2])  # two days each",
        "audit = audit_split(",
        '    np.eye(8), None, (np.arange(5), np.arange(5, 8)), time=window, checks=["HE206"])',
    ],
    "HE301": [
        NUMPY, IMPORT, *_TABLE, *_HALVES,
        "y = 2 * X[:, 3] + 0.01 * rng.normal(size=120)",
        'audit = audit_split(X, y, (train, test), checks=["HE301"])',
    ],
    "HE302": [
        NUMPY, IMPORT, *_TABLE,
        "y = np.arange(120) >= 60  # first all negatives, then all positives",
        'audit = audit_split(X, y, np.arange(120) % 3, checks=["HE302"])',
    ],
    "HE303": [
        NUMPY, IMPORT, *_TABLE, *_HALVES,
        "numbered = np.column_stack([X, np.arange(1001, 1121)])",
        'audit = audit_split(numbered, X[:, 0], (train, test), checks=["HE303"])',
    ],
    "HE304": [
        NUMPY, IMPORT, *_TABLE, *_HALVES,
        "y = np.arange(120) % 2",
        "X[:, 2] = np.where(y & (rng.random(120) < 0.8), np.nan, X[:, 2])",
        'audit = audit_split(X, y, (train, test), checks=["HE304"])',
    ],
    "HE401": [
        NUMPY, IMPORT, *_TABLE, *_HALVES,
        "scaled = (X - X.mean(axis=0)) / X.std(axis=0)  # all 120 rows",
        'audit = audit_split(scaled, None, (train, test), checks=["HE401"])',
    ],
    "HE402": [
        NUMPY, IMPORT, *_TABLE, *_HALVES,
        "missing = rng.random(X.shape) < 0.1",
        "means = np.nanmean(np.where(missing, np.nan, X), axis=0)  # of all 120 rows",
        "filled = np.where(missing, means, X)",
        'audit = audit_split(filled, None, (train, test), checks=["HE402"])',
    ],
    "HE403": [
        NUMPY, IMPORT, *_TABLE,
        "one, other = rng.integers(0, 120, (2, 60))",
        "share = rng.random((60, 1))",
        "mixed = np.vstack([X, X[one] + share * (X[other] - X[one])])",
        "rows = rng.permutation(180)",
        'audit = audit_split(mixed, None, (rows[:130], rows[130:]), checks=["HE403"])',
    ],
    "HE404": [
        NUMPY, IMPORT,
        "rng = np.random.default_rng(0)",
        "X, y = rng.normal(size=(200, 2000)), rng.normal(size=200)",
        "best = np.argsort(abs(X.T @ y))[-40:]  # by the labels of all rows",
        "audit = audit_split(",
        "    np.arange(200), y, (np.arange(140), np.arange(140, 200)), similarity='identity',",
        "    features=X[:, best], checks=['HE404'])",
    ],
    "HE501": [
        NUMPY, IMPORT, *_TABLE,
        "y = np.arange(120) % 2",
        'audit = audit_split(X, y, (np.arange(100), np.arange(100, 120)), checks=["HE501"])',
    ],
    "HE502": [
        NUMPY, IMPORT, *_TABLE, *_HALVES,
        "y = np.arange(120) < 30",
        'audit = audit_split(X, y, (train, test), checks=["HE502"])',
    ],
    "HE503": [
        NUMPY, IMPORT, *_TABLE, *_HALVES,
        "y = rng.random(120) < np.where(np.arange(120) < 80, 0.2, 0.7)",
        'audit = audit_split(X, y, (train, test), checks=["HE503"])',
    ],
    "HE601": [
        NUMPY, IMPORT, *_TABLE, *_HALVES,
        "X[test] += 2",
        'audit = audit_split(X, None, (train, test), similarity="rbf", checks=["HE601"])',
    ],
    "HE602": [
        NUMPY, IMPORT, *_TABLE, *_HALVES,
        "y = np.arange(120) % 2",
        "X += 3 * y[:, None]  # each class lies by itself",
        'audit = audit_split(X, y, (train, test), similarity="rbf", checks=["HE602"])',
    ],
    "HE603": [
        NUMPY, IMPORT, *_TABLE, *_HALVES,
        "X[test, 4] += 2",
        "audit = audit_split(",
        "    np.arange(120), None, (train, test), similarity='identity', features=X,",
        "    checks=['HE603'])",
    ],
    "HE701": [
        NUMPY, "from sklearn.feature_selection import SelectKBest",
        "from sklearn.model_selection import cross_val_score",
        "from sklearn.naive_bayes import GaussianNB", "from honesteval import permutation_check",
        "rng = np.random.default_rng(0)",
        "X, y = rng.normal(size=(40, 300)), np.repeat([0, 1], 20)",
        "def select_then_score(X, y):",
        "    chosen = SelectKBest(k=10).fit_transform(X, y)  # on all rows, before the folds",
        "    return cross_val_score(GaussianNB(), chosen, y).mean()",
        "result = permutation_check(",
        "    select_then_score, X, y, n_permutations=19, chance=0.5, random_state=0)",
        "print(result.finding.summary())",
    ],
}  # fmt: skip

"""What users hand over: a finding or one clear sentence, never a traceback of another library."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from honesteval.checks import audit_split
from honesteval.report import AuditReport

N = 60
PARTS = ["train", "train", "test"] * 20


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "number": random.normal(size=N),
            "text": ["x", "y", None] * 20,
            "date": pd.date_range("2020", periods=N),
            "flag": [True, False] * 30,
            "category": pd.Categorical(list("abc") * 20),
            "mixed": [1, "two", 3.0] * 20,
            "list": [[1], [2], None] * 20,
        }
    )


@pytest.fixture(scope="module")
def y():
    return np.random.default_rng(1).integers(0, 2, N)


def written(audit):
    """Every form of the result."""
    forms = [audit.to_json(), audit.to_markdown(), audit.to_sarif(), audit._repr_html_()]
    return [*forms, audit.summary(), AuditReport(audit).to_html()]


INDICES = {
    "duplicates": np.zeros(N, dtype=int),
    "unsorted": np.random.default_rng(2).permutation(N),
    "markup": [f"é<b>{row}" for row in range(N)],
    "dates": pd.date_range("2020", periods=N),
}


@pytest.mark.parametrize("index", INDICES)
def test_the_index_does_not_matter(table, y, index):
    expected = audit_split(table, y, PARTS).to_frame()
    moved = table.set_index(pd.Index(INDICES[index]))
    labels, parts = pd.Series(y, index=moved.index), pd.Series(PARTS, index=moved.index)
    found = audit_split(moved, labels, parts, groups=pd.Series(range(N), index=moved.index))
    same = found.to_frame().set_index("code").drop("HE203")
    pd.testing.assert_frame_equal(same, expected.set_index("code").drop("HE203"))


FORMS = {
    "repeated columns": lambda X: X.rename(columns={"number": "text"}),
    "two levels of columns": lambda X: pd.DataFrame(
        np.random.default_rng(0).normal(size=(N, 4)),
        columns=pd.MultiIndex.from_product([list("ab"), list("cd")]),
    ),
    "csr": lambda X: sparse.random(N, 50, 0.1, format="csr", random_state=0),
    "coo": lambda X: sparse.random(N, 50, 0.1, format="coo", random_state=0),
    "csc bits": lambda X: sparse.csc_array(np.random.default_rng(0).integers(0, 2, (N, 50))),
    "lists": lambda X: np.random.default_rng(0).normal(size=(N, 3)).tolist(),
    "infinite": lambda X: np.where(np.random.default_rng(0).random((N, 3)) < 0.1, np.inf, 1.5),
    "series": lambda X: X["number"],
    "nullable": lambda X: (
        X[["number", "text"]]
        .convert_dtypes()
        .assign(
            a=pd.array([1, None, 3] * 20, dtype="Int64"),
            b=pd.array([True, None, False] * 20, dtype="boolean"),
        )
    ),
    "nothing known": lambda X: X.assign(a=np.nan, b=None),
    "zones, periods, intervals": lambda X: X.assign(
        a=pd.date_range("2020", periods=N, tz="Europe/Berlin"),
        b=pd.period_range("2020", periods=N, freq="M"),
        c=pd.timedelta_range("1D", periods=N),
        d=pd.interval_range(0, N),
    ),
    "decimals, bytes, huge numbers": lambda X: X.assign(
        a=[Decimal("1.1"), None, Decimal(2)] * 20, b=[b"a", None, b"b"] * 20, c=[2**70, 1, 2] * 20
    ),
    "mappings and arrays": lambda X: X.assign(
        a=[{"a": 1}, None, {"b": [1]}] * 20, b=[np.arange(3), None, np.arange(2)] * 20
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_tables_of_every_form_are_audited(table, y, form):
    assert all(written(audit_split(FORMS[form](table), y, PARTS)))


LABELS = {
    "text": ["yes", "no", None] * 20,
    "bool": [True, False] * 30,
    "objects": np.array([1, 0, None] * 20, dtype=object),
    "nothing known": [np.nan] * N,
    "constant": [1] * N,
    "category": pd.Categorical(["a", "b"] * 30),
    "Int64": pd.array([1, 0, None] * 20, dtype="Int64"),
    "string": pd.array(["p", "q", None] * 20, dtype="string"),
    "columns": pd.DataFrame({"<i>": ["a", "b"] * 30, "é": [0, 1] * 30}),
    "one column": pd.DataFrame({"label": [0, 1] * 30}),
    "mapping": {"a": [0, 1] * 30, "b": [0.5, None, 2.5] * 20},
    "Float64": pd.array([1.5, 0, None] * 20, dtype="Float64"),
    "masked": np.ma.array(np.arange(N) * 1.5, mask=np.arange(N) % 5 == 0),
}


@pytest.mark.parametrize("labels", LABELS)
def test_labels_of_every_form_are_audited(table, labels):
    assert all(written(audit_split(table, LABELS[labels], PARTS, y_pred=None)))


SPLITS = {
    "sets": (set(range(40)), set(range(40, N))),
    "whole floats": (np.arange(40.0), np.arange(40.0, N)),
    "generator": ((train, test) for train, test in [(range(40), range(40, N))]),
    "category": pd.Categorical(["train", "test"] * 30),
    "Int64": pd.array([0, 1, None] * 20, dtype="Int64"),
    "boolean": pd.array([True, False, None] * 20, dtype="boolean"),
    "dates": pd.to_datetime(["2020-01-01", "2020-01-02"] * 30),
    "frame": pd.DataFrame({"fold": PARTS}),
    "mixed": [0, "a1", 1.5] * 20,
}


@pytest.mark.parametrize("split", SPLITS)
def test_splits_of_every_form_are_read(table, y, split):
    given = SPLITS[split]
    given = pd.Series(given) if isinstance(given, pd.Categorical | pd.Index) else given
    given = pd.Series(given) if hasattr(given, "dtype") and split != "frame" else given
    audit = audit_split(table, y, given, checks=["HE101", "HE201", "HE202"])
    assert sum(len(c.test) for c in audit.split.comparisons) > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"splits": (range(N), [])}, "The test side has no rows"),
        ({"splits": np.zeros(N, dtype=bool)}, "The test side has no rows"),
        ({"splits": np.ones(N, dtype=bool)}, "The train side has no rows"),
        ({"splits": ([0, 1], [-1, -2])}, r"2 are not, the first is -1 \(negative\)"),
        ({"splits": ([0, 1], [N])}, "beyond the last row 59"),
        ({"splits": (["a"], ["b"])}, "Got 'a'"),
        ({"splits": ([0, np.nan], [3])}, "Got nan"),
        ({"splits": ([0.5, 1], [3])}, r"Got 0\.5"),
        ({"splits": (range(40, N), range(30, N))}, "every training row is also a test row"),
        ({"time": ["yesterday"] * N}, "'yesterday' in rows 0, 1"),
        ({"time": ["03/04/2020"] * N}, "Nothing tells whether dates such as '03/04/2020'"),
        ({"time": ["13/04/2020", "04/13/2020"] * 30}, "begin with the day .* with the month"),
        ({"y": [np.inf] + [1.0] * (N - 1)}, "infinite in row 0"),
        ({"y": pd.date_range("2020", periods=N)}, "Labels 'y' are dates"),
        ({"y": [1 + 2j] * N}, "Labels 'y' are complex"),
        ({"y": np.zeros((N, 2, 2))}, r"y must have one or two dimensions. Got shape \(60, 2, 2\)"),
        ({"y": [[1], [2, 3]] * 30}, "y must hold one value in each cell"),
        ({"y": "target"}, "y must have one entry for each row"),
        ({"splits": [np.nan] * N}, "no label in any of its 60 rows"),
        ({"splits": [True, False] * 5}, "10 labels, 60 rows"),
        ({"splits": (np.ones(9, bool), np.ones(9, bool))}, "train has 9, the data 60"),
        ({"groups": pd.DataFrame({"a": range(N), "b": range(N)})}, "Got 2 columns: join them"),
        ({"groups": [[1], [2, 3]] * 30}, "groups must hold one value in each cell"),
        ({"levels": "site"}, "levels must have one entry for each row"),
        ({"time": pd.timedelta_range("1D", periods=N)}, "reads as neither"),
        ({"pairs": "ab"}, "pairs must have one entry for each row"),
        ({"pairs": [["a"]] * N}, "two or more columns"),
        ({"estimator": LogisticRegression}, "is a class. Give an instance"),
        ({"estimator": LogisticRegression()}, "LogisticRegression does not work on the features"),
        ({"y_pred": [np.inf] * N}, "'model' is infinite in rows 0, 1"),
        ({"y": ["a", "b"] * 30, "y_pred": ["a", "c"] * 30}, "'c' in rows 1, 3.*no class of y"),
        ({"X": {1, 2, 3}}, "Got a set"),
        ({"X": {"a": [1, 2]}}, "Got a dict"),
        ({"X": np.zeros((N, 2, 2))}, r"Got \(60, 2, 2\)"),
        ({"X": ["CCO"]}, "at least 2 rows. Got 1"),
        ({"X": []}, "at least 2 rows. Got 0"),
        ({"X": "CCO"}, "Got a single string"),
    ],
)
def test_what_cannot_be_audited_is_one_sentence(table, y, options, message):
    arguments = {"X": table, "y": y, "splits": PARTS, **options}
    with pytest.raises(ValueError, match=message) as caught:
        audit_split(**arguments)
    assert "\n" not in str(caught.value)


def test_periods_are_moments():
    months = pd.period_range("2020", periods=N, freq="M")
    parts = np.where(np.arange(N) < 40, "train", "test")
    assert audit_split(np.arange(N), None, parts, time=months)["HE204"].status == "passed"
    assert audit_split(np.arange(N), None, parts[::-1], time=months)["HE204"].severity == "error"


def test_groups_may_be_tuples(table, y):
    rows = np.arange(N) // 2
    pairs = [(int(row), "a") for row in rows]
    parts = np.where(rows % 3 == 0, "test", "train")
    assert audit_split(table, y, parts, groups=pairs)["HE203"].status == "passed"
    assert audit_split(table, y, PARTS, groups=pairs)["HE203"].severity == "error"


def test_frames_of_polars_keep_their_names(y):
    pl = pytest.importorskip("polars")
    pairs = {"drug": ["a", "b", "c"] * 20, "protein": [f"p{row % 7}" for row in range(N)]}
    audits = [
        audit_split(
            None, labels, parts, pairs=frame, groups=groups, time=time,
            checks=["HE131", "HE203", "HE204", "HE503"],
        )
        for labels, parts, frame, groups, time in [
            (y, PARTS, pd.DataFrame(pairs), list(range(N)), list(range(N))),
            (pl.DataFrame({"y": y}), pl.Series(PARTS), pl.DataFrame(pairs),
             pl.Series(range(N)), pl.Series(range(N))),
        ]
    ]  # fmt: skip
    pd.testing.assert_frame_equal(*(audit.to_frame() for audit in audits))
    assert "only drug known" in audits[1]["HE131"].measured or audits[1]["HE131"].measured


def test_overlapping_sides_are_a_finding(table, y):
    finding = audit_split(table, y, (range(50), range(40, N)))["HE201"]
    assert (finding.severity, finding.measured["n_rows"]) == ("error", 10)


@pytest.mark.parametrize(
    "times",
    [
        [f"{day:02d}.04.2020" for day in range(1, 31)] * 2,
        [f"{day}/4/2020" for day in range(1, 31)] * 2,
        [f"4/{day}/2020 12:00" for day in range(1, 31)] * 2,
        [f"2020-04-{day:02d}" for day in range(1, 31)] * 2,
        [f"2020-04-{day:02d}T00:00:00+02:00" for day in range(1, 31)] * 2,
    ],
)
def test_dates_as_text_are_read_alike_in_all_rows(times):
    """Day 1 to 30 of one month: the order of the days, whatever comes first in the text."""
    part = np.where(np.arange(N) % 30 < 20, "train", "test")
    assert audit_split(np.arange(N), None, part, time=times)["HE204"].status == "passed"
    assert audit_split(np.arange(N), None, part[::-1], time=times)["HE204"].severity == "error"


def test_markup_in_names_is_escaped(table, y):
    X = table.rename(columns={"number": "<script>alert(1)</script>"})
    audit = audit_split(
        X, y, ["<b>1"] * 30 + ["&2"] * 30, groups=["<i>g"] * N, levels=["<u>", "é"] * 30,
        features=X,
    )  # fmt: skip
    pages = [audit._repr_html_(), AuditReport(audit, title="<img src=x>").to_html()]
    pages += [finding._repr_html_() for finding in audit.findings]
    for page in pages:
        for markup in ("<script>alert", "<b>1", "<i>g", "<u>", "<img src=x>"):
            assert markup not in page
    assert "<b>1" not in audit.to_markdown()


def test_two_rows_are_enough():
    audit = audit_split(["CCO", "OCC"], [0, 1], ["train", "test"])
    assert audit["HE101"].severity == "error"
    assert all(written(audit))


@pytest.mark.slow
def test_many_rows_are_audited():
    random = np.random.default_rng(0)
    n = 200_000
    X = pd.DataFrame(random.normal(size=(n, 3)), columns=list("abc"))
    X.iloc[-5:] = X.iloc[:5].to_numpy()
    test = np.arange(n) >= 160_000
    audit = audit_split(
        X, random.integers(0, 2, n), test, groups=np.arange(n) // 4, time=np.arange(n),
        levels=np.arange(n) % 3,
    )  # fmt: skip
    assert audit["HE101"].measured["n_test_rows"] == 5
    assert audit["HE203"].status == audit["HE204"].status == "passed"

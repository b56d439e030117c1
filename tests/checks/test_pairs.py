import numpy as np
import pandas as pd
import pytest

from honesteval.checks import audit_split

CODES = ["HE131", "HE132", "HE133", "HE134"]


def audit(pairs, y=None, splits=None):
    return audit_split(None, y, splits, pairs=pairs, checks=CODES)


@pytest.fixture(scope="module")
def network():
    """600 pairs of 40 drugs and 30 proteins, each pair once."""
    random = np.random.default_rng(0)
    cells = random.choice(1200, 600, replace=False)
    table = pd.DataFrame({"drug": cells // 30, "protein": cells % 30}).astype(str)
    return pd.DataFrame({"drug": "d" + table["drug"], "protein": "p" + table["protein"]})


@pytest.fixture(scope="module")
def test_rows():
    return np.random.default_rng(1).random(600) < 0.3


def test_names_which_entities_are_known():
    pairs = [("a", "p"), ("b", "q"), ("a", "q"), ("a", "r"), ("c", "p"), ("c", "r")]
    finding = audit(pd.DataFrame(pairs, columns=["drug", "protein"]), splits=([0, 1], [2, 3, 4, 5]))
    assert finding["HE131"].measured == {
        "all entities known": 1, "only drug known": 1, "only protein known": 1,
        "no entity known": 1,
    }  # fmt: skip


def test_silent_when_both_entities_are_new(network):
    drug = network["drug"].str[1:].astype(int) < 20
    protein = network["protein"].str[1:].astype(int) < 15
    part = np.select([drug & protein, ~drug & ~protein], ["train", "test"], "out")
    part = np.where(part == "out", None, part)
    y = np.random.default_rng(2).integers(0, 2, 600)
    audited = audit(network, y, part)
    assert [audited[code].status for code in CODES] == ["passed"] * 4


@pytest.mark.parametrize("strength", [0.75, 0.95])
def test_flags_labels_that_an_entity_gives_away(network, test_rows, strength):
    random = np.random.default_rng(3)
    mostly = random.integers(0, 2, 40)[network["drug"].str[1:].astype(int)]
    y = np.where(random.random(600) < strength, mostly, 1 - mostly)
    finding = audit(network, y, test_rows)["HE132"]
    assert finding.severity == ("error" if strength > 0.9 else "warning")
    assert finding.evidence["entity"].iloc[0] in ("drug", "drug and protein")


def test_flags_numbers_that_an_entity_gives_away(network, test_rows):
    level = np.random.default_rng(4).normal(size=40)[network["drug"].str[1:].astype(int)]
    y = level + 0.3 * np.random.default_rng(5).normal(size=600)
    finding = audit(network, y, test_rows)["HE132"]
    assert finding.severity == "error"
    assert finding.measured["metric"] == "r2"


def test_silent_on_labels_of_the_pair_alone(network, test_rows):
    y = np.random.default_rng(6).integers(0, 2, 600)
    audited = audit(network, y, test_rows)
    assert audited["HE132"].status == audited["HE133"].status == "passed"


def test_flags_negatives_of_other_degrees():
    """Positives among hubs, negatives drawn evenly: occurrence predicts the label."""
    random = np.random.default_rng(7)
    positive = random.integers(0, 8, size=(300, 2))
    negative = random.integers(8, 200, size=(300, 2))
    y = np.repeat([1, 0], 300)
    finding = audit(np.concatenate([positive, negative]), y, random.random(600) < 0.3)["HE133"]
    assert finding.severity == "error"


def test_flags_mirrored_and_repeated_pairs():
    pairs = [("a", "b"), ("c", "d"), ("b", "a"), ("c", "d"), ("a", "c"), ("e", "e")]
    finding = audit(pairs, splits=([0, 1], [2, 3, 4, 5]))["HE134"]
    assert finding.severity == "error"
    assert finding.evidence[["test_row", "train_row"]].to_numpy().tolist() == [[2, 0], [3, 1]]
    assert finding.evidence["mirrored"].tolist() == [True, False]
    assert finding.measured["n_self_pairs"] == 1


def test_rates_use_training_labels_only(network, test_rows):
    """Changing test labels at random leaves the predictor as it was: its AUC is at chance."""
    y = np.random.default_rng(8).integers(0, 2, 600)
    assert audit(network, y, test_rows)["HE132"].measured["score"] < 0.6


def test_missing_entities_and_three_columns_are_taken(network, test_rows):
    table = network.assign(cell=None)
    table.loc[::5, "drug"] = None
    y = np.random.default_rng(9).integers(0, 2, 600)
    audited = audit(table, y, test_rows)
    assert audited["HE132"].status == audited["HE134"].status == "passed"


def test_not_applicable_without_pairs_or_labels(clean, network, test_rows):
    audited = audit_split(clean.X, clean.y, clean.split, checks=CODES)
    assert {finding.status for finding in audited.findings} == {"not_applicable"}
    assert audit(network, None, test_rows)["HE132"].status == "not_applicable"


def test_bad_pairs_give_one_clear_sentence(clean):
    for pairs in (np.zeros((240, 1)), np.zeros((10, 2))):
        with pytest.raises(ValueError, match="two or more columns of entities"):
            audit_split(clean.X, None, clean.split, pairs=pairs)


@pytest.mark.data
@pytest.mark.parametrize(("kind", "drug", "both"), [("random", 0.93, 0.99), ("cold", 0.50, 0.50)])
def test_human_interactions(data_dir, kind, drug, both):
    folder = data_dir / "dti" / "human" / kind
    parts = {name: pd.read_csv(folder / f"{name}.csv.gz") for name in ("train", "val", "test")}
    table = pd.concat(parts, names=["part"]).reset_index("part")
    audited = audit_split(
        None, table["Y"], table["part"], pairs=table[["SMILES", "Protein"]],
        checks=["HE105", "HE131", "HE132"],
    )  # fmt: skip
    finding = audited["HE132"]
    if kind == "cold":
        assert finding.status == "passed"
        assert audited["HE105"].measured["n_repeats_training"] == 394
    else:
        score = finding.evidence.set_index("entity")["score"]
        assert score["SMILES"] == pytest.approx(drug, abs=0.01)
        assert score["SMILES and Protein"] == pytest.approx(both, abs=0.01)


def test_self_pairs_are_said(network):
    pairs = pd.DataFrame({"a": ["x", "x", "y", "z"], "b": ["y", "x", "z", "z"]})
    finding = audit(pairs, splits=([0, 1], [2, 3]))["HE134"]
    assert finding.severity == "info"
    assert "2 rows pair an entity with itself" in finding.message
    assert finding.evidence["row"].tolist() == [1, 3]
    mixed = audit(network, splits=(range(300), range(300, 600)))["HE134"]
    assert mixed.status == "passed"


def test_molecules_of_pairs_are_compared_as_molecules():
    pairs = pd.DataFrame({"drug": ["CCO", "CCN", "OCC", "c1ccccc1C"], "target": list("abab")})
    audited = audit(pairs, splits=([0, 1], [2, 3]))
    assert audited["HE131"].measured == {"all entities known": 1, "only target known": 1}
    assert audited["HE134"].evidence[["test_row", "train_row"]].to_numpy().tolist() == [[2, 0]]


LONG = "CC(=O)Nc1ccc(cc1)S(=O)(=O)NCCCCCCCCCCCCCCCC{}N1CCOCC1"


def test_new_entities_that_are_near_duplicates_are_found():
    drugs = ["CCO", LONG.format(""), "c1ccccc1CN", LONG.format("C"), "CCOC(=O)C", "NCCS"]
    random = np.random.default_rng(0)
    protein = "".join(random.choice(list("ACDEFGHIKLMNPQRSTVWY"), 300))
    pairs = pd.DataFrame({"drug": drugs, "protein": [protein] * 4 + [protein[:-1], "M" + protein]})
    finding = audit_split(None, None, ([0, 1, 2], [3, 4, 5]), pairs=pairs, checks=["HE135"])[
        "HE135"
    ]
    assert finding.severity == "warning"
    assert finding.measured["drug"]["n_near"] == 1
    assert finding.measured["protein"]["n_new"] == finding.measured["protein"]["n_near"] == 2
    found = set(map(tuple, finding.evidence[["test_row", "train_row", "entity"]].to_numpy()))
    assert (3, 1, "drug") in found
    assert {(4, 0, "protein"), (5, 0, "protein")} <= found


def test_entities_that_are_far_from_each_other_are_silent(network):
    pairs = pd.DataFrame(
        {"drug": ["CCO", "c1ccccc1CN", "NCCS", "O=C1CCCN1"], "target": list("aabb")}
    )
    finding = audit_split(None, None, ([0, 1], [2, 3]), pairs=pairs, checks=["HE135"])["HE135"]
    assert finding.status == "passed"
    assert finding.measured["drug"]["n_new"] == 2
    names = audit_split(None, None, (range(300), range(300, 600)), pairs=network, checks=["HE135"])
    assert names["HE135"].status == "not_applicable"


def test_three_columns_of_entities(network):
    pairs = network.assign(cell=np.arange(600) % 7)
    finding = audit(pairs, splits=(range(300), range(300, 600)))["HE131"]
    assert sum(finding.measured.values()) == 300
    assert "all entities known" in finding.measured


# -- too few test rows to tell, all rows together ------------------------------------------------


def weak(strength, seed=0, n=400):
    """Pairs of which the drug decides the label a little, and 40 test rows."""
    random = np.random.default_rng(seed)
    drug, protein = random.integers(0, 30, n), random.integers(0, 60, n)
    high = random.random(30)[drug] < 0.5
    y = (random.random(n) < np.where(high, 0.5 + strength, 0.5 - strength)).astype(int)
    pairs = pd.DataFrame({"drug": drug, "protein": protein}).astype(str)
    return audit(pairs.add_prefix("of_"), y, np.arange(n) < 40)["HE132"]


def test_weak_rates_are_told_by_all_rows():
    finding = weak(0.2)
    assert finding.status == "found"
    assert finding.severity in ("info", "warning")
    assert finding.evidence["entity"].iloc[0] == "of_drug"
    assert "over all rows" in weak(0.15, seed=1).message


@pytest.mark.slow
def test_rates_and_degrees_alarm_as_rarely_as_stated(n_simulations):
    n = n_simulations(60)
    assert sum(bool(weak(0.0, seed)) for seed in range(n)) <= 1 + 0.01 * n


def test_entities_met_once_explain_nothing():
    n = 200
    pairs = pd.DataFrame({"a": np.arange(n), "b": np.arange(n) + n}).astype(str)
    y = np.random.default_rng(0).integers(0, 2, n)
    audited = audit(pairs, y, np.arange(n) < 60)
    assert [audited[code].status for code in ("HE132", "HE133")] == ["passed"] * 2


def test_unknown_entities_are_no_finding_however_their_labels_go():
    """Every drug has one label, and no drug of the test rows is in training."""
    drug = np.arange(300) // 10
    pairs = pd.DataFrame({"drug": drug, "protein": np.arange(300)}).astype(str)
    y = np.random.default_rng(1).integers(0, 2, 30)[drug]
    assert audit(pairs, y, drug >= 24)["HE132"].status == "passed"


@pytest.mark.parametrize("numbers", [False, True])
def test_folds_of_other_label_shares_give_no_entity_away(numbers):
    """Training has fewer positives where the test fold has more, whatever the entities do."""
    random = np.random.default_rng(0)
    n = 1000
    fold = np.repeat(np.arange(5), n // 5)
    new = random.random(n) < 0.7  # met nowhere else
    drug = np.where(new, 1000 + np.arange(n), random.integers(0, 30, n)).astype(str)
    share = np.array([0.1, 0.3, 0.5, 0.7, 0.9])[fold]
    y = share + 0.05 * random.normal(size=n) if numbers else (random.random(n) < share).astype(int)
    pairs = pd.DataFrame({"drug": drug, "protein": np.char.add("p", np.arange(n).astype(str))})
    audited = audit_split(None, y, fold, pairs=pairs, checks=["HE132"])
    assert audited["HE132"].status == "passed"


def test_weak_degrees_are_told_by_all_rows():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 400)
    hub = (y == 1) & (random.random(400) < 0.5)
    b = np.where(hub, random.integers(0, 5, 400), random.integers(10, 200, 400))
    pairs = pd.DataFrame({"a": np.arange(400), "b": b}).astype(str)
    assert audit(pairs, y, np.arange(400) < 30)["HE133"].status == "found"
    shuffled = random.permutation(b)
    assert audit(pairs.assign(b=shuffled.astype(str)), y, np.arange(400) < 30)["HE133"].status == (
        "passed"
    )

import numpy as np
import pytest

from honesteval.checks import audit_split
from honesteval.entities import parse_molecules
from honesteval.model_selection import SimilarityGroupKFold
from honesteval.similarity import molecule_similarity

CODES = ["HE101", "HE102", "HE104"]
SMILES = [
    "CCO", "CCCO", "c1ccccc1O", "CC(=O)Nc1ccccc1", "CCN(CC)CC", "C[C@H](N)C(=O)O",
    "OCC", "CCCCO", "C[C@@H](N)C(=O)O", "Oc1ccc(Cl)cc1",
]  # fmt: skip
TRAIN, TEST = [0, 1, 2, 3, 4, 5], [6, 7, 8, 9]


def audit(X, y=None, splits=(TRAIN, TEST), **options):
    return audit_split(X, y, splits, checks=CODES, **options)


def test_flags_the_same_molecule_written_differently():
    finding = audit(SMILES)["HE101"]
    assert finding.severity == "error"
    assert finding.evidence[["test_row", "train_row"]].to_numpy().tolist() == [[6, 0]]
    assert finding.measured["n_test_rows"] == 1


def test_flags_a_stereoisomer_as_flat_only():
    audited = audit(SMILES)
    assert audited["HE102"].severity == "warning"
    assert audited["HE102"].evidence[["test_row", "train_row"]].to_numpy().tolist() == [[8, 5]]


def test_flags_a_salt_as_flat():
    finding = audit([*SMILES[:9], "CCN(CC)CC.Cl"])["HE102"]
    assert [9, 4] in finding.evidence[["test_row", "train_row"]].to_numpy().tolist()


def test_silent_on_different_molecules():
    audited = audit(["CCO", "CCCO", "CCCCO", "c1ccccc1"], splits=([0, 1], [2, 3]))
    assert [audited[code].status for code in CODES] == ["passed", "passed", "not_applicable"]


def test_flags_copied_rows_and_finds_each_of_them(clean):
    planted, into = clean.copy_rows(7)
    finding = audit(planted.X, planted.y, planted.split)["HE101"]
    assert sorted(finding.evidence["test_row"]) == sorted(into.tolist())
    for line in finding.evidence.itertuples():
        assert np.array_equal(planted.X[line.test_row], planted.X[line.train_row])
        assert line.test_label == line.train_label


def test_silent_on_whole_clusters(clean):
    audited = audit(clean.X, clean.y, clean.split)
    assert audited["HE101"].status == "passed"
    assert audited["HE102"].status == "not_applicable"


def test_expected_count_is_that_of_random_splits(clean):
    planted, _ = clean.copy_rows(40)
    expected = audit(planted.X, splits=planted.split)["HE101"].measured["expected_by_random_split"]
    random = np.random.default_rng(0)
    keys = planted.X.astype(np.uint8)
    counts = []
    for _ in range(300):
        order = random.permutation(len(keys))
        test, train = order[: len(planted.test)], order[len(planted.test) :]
        seen = {row.tobytes() for row in keys[train]}
        counts.append(sum(row.tobytes() in seen for row in keys[test]))
    assert expected == pytest.approx(np.mean(counts), abs=4 * np.std(counts) / np.sqrt(300))


def test_folds_report_every_repeated_row():
    audited = audit(["CCO", "OCC", "CCN", "NCC"], splits=[0, 1, 0, 1])
    assert sorted(audited["HE101"].evidence["test_row"]) == [0, 1, 2, 3]
    assert audited["HE101"].measured["share_of_test_rows"] == 1.0


def test_repeats_of_the_validation_part_are_evidence():
    part = ["train", "train", "valid", "test", "test"]
    finding = audit(["CCO", "CCN", "CCCl", "CCCCl", "ClCC"], splits=part)["HE101"]
    assert finding.measured["n_test_rows"] == 0
    assert finding.evidence["split"].tolist() == ["test against valid"]


def test_identity_is_not_defined_for_a_matrix():
    audited = audit(np.eye(4), splits=([0, 1], [2, 3]), similarity="precomputed")
    assert audited["HE101"].status == "not_applicable"


def test_numeric_tables_without_a_measure_are_compared_row_by_row():
    X = np.array([[0.5, 1.0], [2.5, 3.0], [0.5, 1.0], [7.0, 8.5]])
    audited = audit_split(X, None, ([0, 1], [2, 3]), checks=["HE101", "HE111"])
    assert audited["HE101"].evidence[["test_row", "train_row"]].to_numpy().tolist() == [[2, 0]]
    assert audited["HE111"].status == "not_applicable"
    assert "name one, for example" in audited["HE111"].message


def test_mixed_types_are_compared_row_by_row():
    X = np.array([["a", 1, None], ["b", 2, 3.5], ["a", 1, None], ["c", 2, 3.5]], dtype=object)
    finding = audit_split(X, None, ([0, 1], [2, 3]), checks=["HE101"])["HE101"]
    assert finding.n_evidence == 1


def test_remarks_on_repeats_within_a_side():
    smiles = ["CCO", "OCC", "C(C)O", "CCN", "CCCl", "ClCC"]
    finding = audit_split(smiles, None, ([0, 1, 2, 3], [4, 5]), checks=["HE105"])["HE105"]
    assert finding.severity == "info"
    assert finding.measured == {"n_repeats_training": 2, "n_repeats_test": 1}
    assert finding.evidence["row"].tolist() == [1, 2, 5]
    assert finding.evidence["repeats_row"].tolist() == [0, 0, 4]


def test_silent_without_repeats_within_a_side():
    finding = audit_split(["CCO", "CCN", "OCC"], None, ([0, 1], [2]), checks=["HE105"])["HE105"]
    assert finding.status == "passed"


def test_flags_conflicting_classes_with_their_rows():
    finding = audit(["CCO", "OCC", "CCN", "CCC"], [1, 0, 1, 1], ([0, 1], [2, 3]))["HE104"]
    assert finding.severity == "warning"
    assert finding.evidence["rows"].tolist() == [[0, 1]]


def test_flags_conflicting_numbers_by_their_size():
    y = [1.0, 9.0, 2.0, 4.5, 3.5]
    finding = audit(["CCO", "OCC", "CCN", "CCC", "CCCC"], y, ([0, 1, 2], [3, 4]))["HE104"]
    assert finding.measured["median_in_sd"] == pytest.approx(8 / np.std(y))


def test_silent_on_repeats_with_noise(clean):
    planted, _ = clean.copy_rows(10)
    finding = audit(planted.X, planted.y + 1e-3 * np.arange(len(planted.y)), planted.split)
    assert finding["HE104"].status == "passed"


@pytest.mark.data
def test_bace_shares_no_molecule_but_some_flat_structures(read_molecules):
    table = read_molecules("bace.csv.gz")
    audited = audit(table["mol"], table["pIC50"], table["Model"])
    assert audited["HE101"].status == "passed"
    assert audited["HE102"].measured["n_test_rows"] == 8


@pytest.mark.data
def test_hiv_random_split_repeats_molecules(read_molecules):
    table = read_molecules("HIV.csv.gz").tail(1500).reset_index(drop=True)
    test = np.random.default_rng(0).random(len(table)) < 0.2
    finding = audit(table["smiles"], table["HIV_active"], test, errors="drop")["HE101"]
    expected = finding.measured["expected_by_random_split"]
    assert finding.severity == "error"
    assert finding.measured["n_test_rows"] == pytest.approx(expected, abs=5 * np.sqrt(expected))


def test_rows_known_to_another_part_only_are_no_error():
    smiles = ["CCO", "CCN", "CCC", "OCC", "CCCl", "CCBr"]
    parts = ["train", "train", "train", "valid", "test", "test"]
    finding = audit_split(smiles, None, parts, checks=["HE101"])["HE101"]
    assert finding.severity == "warning"
    assert "In 'valid against train' it is 1." in finding.message
    both = audit_split([*smiles[:5], "CCN"], None, parts, checks=["HE101"])["HE101"]
    assert both.severity == "error"


def test_the_advice_on_flat_structures_is_true():
    """Stereoisomers are equal by fingerprint, salts of a large ion are not; groups keep both."""
    pairs = ["C[C@H](N)CCO", "C[C@@H](N)CCO", "NCCc1ccccc1", "NCCc1ccccc1.OS(=O)(=O)c1ccc(C)cc1"]
    molecules = parse_molecules(pairs)
    block = molecule_similarity(molecules).block(range(4), range(4))
    assert block[0, 1] == 1 > 0.9 > block[2, 3]
    others = ["CCO" + "C" * n for n in range(4)] + ["c1ccncc1" + "C" * n for n in range(4)]
    everything = parse_molecules(pairs + others)
    for options, groups in (({"threshold": 1.0}, None), ({}, everything.keys("flat"))):
        folds = SimilarityGroupKFold(3, random_state=0, **options)
        fold = np.empty(12)
        for number, (_, test) in enumerate(folds.split(everything.smiles, None, groups)):
            fold[test] = number
        assert fold[0] == fold[1]
        assert groups is None or fold[2] == fold[3]


def test_a_label_column_without_any_label_is_passed_over_in_silence():
    """Of thousands of assays some have no label in these rows; a warning is an error here."""
    smiles = ["CCO", "CCO", "CCN", "CCC"]
    labels = np.array([[1.0, np.nan], [3.0, np.nan], [2.5, np.nan], [4.5, np.nan]])
    finding = audit_split(smiles, labels, ["train", "test", "train", "test"])["HE104"]
    assert finding.measured["n_conflicting"] == 1

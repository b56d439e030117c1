"""Finding the column somebody means."""

import numpy as np
import pandas as pd
import pytest

from honesteval.entities import guess_smiles_column, looks_like_smiles, require_columns

MOLECULES = ["CCO", "c1ccccc1", "CC(=O)O"]


class TestRequireColumns:
    def test_returns_the_names(self):
        frame = pd.DataFrame({"a": [1], "b c": [2], 3: [4]})
        assert require_columns(frame, ["b c", "a"]) == ["b c", "a"]
        assert require_columns(frame, "a") == ["a"]
        assert require_columns(frame, [3]) == [3]

    @pytest.mark.parametrize(
        ("name", "nearest"),
        [("Smiles", "smiles"), ("smile", "smiles"), ("pic50", "pIC50"), ("p_IC50", "pIC50")],
    )
    def test_names_the_nearest(self, name, nearest):
        frame = pd.DataFrame({"smiles": ["C"], "pIC50": [1]})
        with pytest.raises(ValueError, match=f"did you mean {nearest!r}") as caught:
            require_columns(frame, [name])
        assert "Its columns are 'smiles', 'pIC50'." in str(caught.value)

    def test_lists_all_that_are_missing_and_shortens_what_is_there(self):
        frame = pd.DataFrame({f"task{i}": [0] for i in range(100)})
        with pytest.raises(ValueError, match="no columns 'zzz', 'qqq'") as caught:
            require_columns(frame, ["zzz", "task1", "qqq"])
        assert "... (100 in all)" in str(caught.value)
        assert "did you mean" not in str(caught.value)


class TestLooksLikeSmiles:
    @pytest.mark.parametrize(
        "values",
        [
            MOLECULES,
            np.array(MOLECULES),
            pd.Series([*MOLECULES, None, np.nan]),
            [*MOLECULES, "not measured", ""],
            ["CCO"] * 5,
        ],
    )
    def test_takes_smiles(self, values):
        assert looks_like_smiles(values)

    @pytest.mark.parametrize(
        "values",
        [
            ["CHEMBL25", "CHEMBL112"],
            ["aspirin", "ethanol", "caffeine"],
            ["CO", "NO", "IN", "C"],
            ["yes", "no"],
            ["train", "test"],
            ["MKTAYIAKQR", "ACDEFGHIKLM"],
            ["ACGTACGT", "GGGTTTAA"],
            ["1", "2", "3"],
            [1, 2, 3],
            [1.5, np.nan],
            ["CCO", 5],
            [None, ""],
            [],
            [*MOLECULES, "x1", "x2", "x3", "x4"],
        ],
    )
    def test_passes_over_names_labels_sequences_and_numbers(self, values):
        assert not looks_like_smiles(values)

    def test_looks_at_the_whole_column(self):
        assert not looks_like_smiles([*(["C" * i for i in range(3, 303)]),
                                      *(f"name {i}" for i in range(5000))])  # fmt: skip


class TestGuessSmilesColumn:
    def test_takes_the_only_one(self):
        frame = pd.DataFrame({"id": ["a", "b", "c"], "structure": MOLECULES, "y": [1, 2, 3]})
        guess = guess_smiles_column(frame)
        assert guess.column == "structure"
        assert guess.others == ()
        assert str(guess) == guess.summary()
        assert "'structure' is taken for the molecules" in guess.summary()

    def test_the_name_decides_between_several(self):
        frame = pd.DataFrame({"reagent": MOLECULES, "Canonical SMILES": MOLECULES})
        guess = guess_smiles_column(frame)
        assert guess.column == "Canonical SMILES"
        assert "Not taken: 'reagent'." in guess.summary()

    def test_refuses_to_choose_between_equals(self):
        frame = pd.DataFrame({"reagent": MOLECULES, "product": MOLECULES})
        with pytest.raises(
            ValueError, match="Several columns read as SMILES: 'reagent', 'product'"
        ):
            guess_smiles_column(frame)

    def test_a_name_alone_is_not_enough(self):
        frame = pd.DataFrame({"smiles": ["CHEMBL25", "CHEMBL1"], "y": [1, 2]})
        with pytest.raises(ValueError, match="No column reads as SMILES"):
            guess_smiles_column(frame)

    def test_copes_with_repeated_column_names(self):
        frame = pd.DataFrame([["CCO", 1, "x"], ["CCN", 2, "y"]], columns=["smiles", "a", "a"])
        assert guess_smiles_column(frame).column == "smiles"

"""``split``: parts as a column or as files, in every format."""

import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from honesteval.cli import app
from tests.cli.said import sentence


def test_split_adds_a_column_and_keeps_the_table(run, table, csv, tmp_path):
    output = tmp_path / "folds.csv"
    result = run("split", csv, "--smiles", "structure", "--n-splits", "4", "--output", output)
    assert result.exit_code == 0, result.output
    written = pd.read_csv(output)
    assert sorted(written["fold"].unique()) == [0, 1, 2, 3]
    pd.testing.assert_frame_equal(written.drop(columns="fold"), table)
    assert "4 folds of" in result.output
    assert "scaled leakage" in result.output


def test_split_leaves_the_fold_of_unreadable_rows_empty(run, table, tmp_path):
    broken = table.copy()
    broken.loc[5, "structure"] = "C1CC"
    broken.to_csv(tmp_path / "broken.csv", index=False)
    output = tmp_path / "folds.csv"
    result = run("split", tmp_path / "broken.csv", "--n-splits", "2", "--output", output)
    written = pd.read_csv(output)
    assert written["fold"].isna().to_numpy().nonzero()[0].tolist() == [5]
    folds = [line.rsplit(",", 1)[1] for line in output.read_text().splitlines()[1:]]
    assert set(folds) == {"0", "1", ""}  # whole numbers, also beside an empty one
    assert "row 5: ring closure 1 is opened and never closed (C1CC)" in result.output
    refused = run("split", tmp_path / "broken.csv", "--n-splits", "2", "--errors", "raise")
    assert "row 5, 'C1CC'" in sentence(refused)


@pytest.mark.parametrize("suffix", [".tsv", ".parquet"])
def test_split_writes_tables_of_other_kinds(run, csv, tmp_path, suffix):
    output = tmp_path / f"folds{suffix}"
    if suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="Parquet needs the extra 'parquet'")
    assert run("split", csv, "--n-splits", "2", "--output", output).exit_code == 0
    read = pd.read_parquet(output) if suffix == ".parquet" else pd.read_csv(output, sep="\t")
    assert set(read["fold"]) == {0, 1}
    assert "must end in" in sentence(run("split", csv, "--output", tmp_path / "folds.xlsx"))


def test_split_reads_standard_input_and_writes_standard_output(table):
    words = [sys.executable, "-m", "honesteval", "split", "-", "--n-splits", "2"]
    result = subprocess.run(
        words, input=table.to_csv(index=False), capture_output=True, text=True, check=True
    )
    assert result.stdout.splitlines()[0] == "structure,value,active,one,set,fold"
    assert len(result.stdout.splitlines()) == 49


def test_split_balances_classes(run, csv, tmp_path):
    output = tmp_path / "folds.csv"
    run("split", csv, "--target", "active", "--n-splits", "2", "--output", output)
    written = pd.read_csv(output)
    shares = (written["active"] == "yes").groupby(written["fold"]).mean()
    assert shares.between(0.3, 0.7).all()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--column", "set"], "has a column 'set' already"),
        (["--n-splits", "49"], "49 folds need at least 49 entities that may be parted"),
        (["--n-splits", "1"], "--n-splits must be an integer"),
        (["--target", "activ"], "did you mean 'active'?"),
        (["--errors", "skip"], "--errors must be one of 'raise', 'drop'"),
        (["--random-state", "-5"], "--random-state must be from 0"),
    ],
)
def test_split_says_in_one_sentence_what_is_wrong(run, csv, words, message):
    assert message in sentence(run("split", csv, *words))


# -- named parts, thresholds, groups ---------------------------------------------------------------


def test_split_into_named_parts_of_the_sizes_asked(run, csv, tmp_path):
    output = tmp_path / "parts.csv"
    result = run("split", csv, "--sizes", "train=0.5,valid=0.25,test=0.25", "--output", output)
    assert result.exit_code == 0, result.output
    sizes = pd.read_csv(output)["split"].value_counts()
    assert set(sizes.index) == {"train", "valid", "test"}
    assert abs(sizes["train"] - 24) <= 3
    assert f"{sizes['train']} in train, {sizes['valid']} in valid" in result.output
    result = run("split", csv, "--test-size", "0.25", "--output", output, "--column", "part")
    assert set(pd.read_csv(output)["part"]) == {"train", "test"}


def test_split_keeps_to_a_threshold_and_says_what_that_cost(run, csv, tmp_path):
    from honesteval.checks import audit_split

    output = tmp_path / "folds.csv"
    words = ("split", csv, "--n-splits", "2", "--threshold", "0.4", "--output", output)
    said = sentence(run(*words))
    assert "set --on-oversize to 'cut' or 'drop'" in said
    assert "on_oversize" not in said
    result = run(*words, "--on-oversize", "drop")
    assert result.exit_code == 0, result.output
    written = pd.read_csv(output)
    dropped = written["fold"].isna().to_numpy().nonzero()[0]
    assert f"{len(dropped):,} rows are in no part, so that no pair reaches" in result.output
    assert f"{dropped[0]}, " in result.output
    kept = written.dropna()
    assert audit_split(kept["structure"].tolist(), splits=kept["fold"]).nearest[
        "similarity"].max() < 0.4  # fmt: skip
    result = run(*words, "--on-oversize", "cut")
    assert "pairs of rows in different parts reach the threshold of 0.4" in result.output
    assert "partition(" not in result.output


def test_split_keeps_groups_together(run, table, tmp_path):
    table = table.assign(series=[f"s{i % 12}" for i in range(48)])
    table.to_csv(tmp_path / "series.csv", index=False)
    output = tmp_path / "folds.csv"
    result = run("split", tmp_path / "series.csv", "--n-splits", "3", "--group", "series",
                 "--output", output)  # fmt: skip
    assert result.exit_code == 0, result.output
    assert pd.read_csv(output).groupby("series")["fold"].nunique().max() == 1


def test_split_repeats_differently(run, csv, tmp_path):
    output = tmp_path / "folds.csv"
    result = run("split", csv, "--n-splits", "3", "--repeats", "2", "--output", output)
    assert result.exit_code == 0, result.output
    assert "Repeat 2: 3 folds of" in result.output
    written = pd.read_csv(output)
    assert pd.crosstab(written["fold_1"], written["fold_2"]).gt(0).to_numpy().sum() > 3
    assert "leave out the {part}" in sentence(
        run("split", csv, "--repeats", "2", "--output", tmp_path / "{part}.csv")
    )


def test_split_in_blocks_of_time_needs_no_molecules(run, table, tmp_path):
    days = np.random.default_rng(0).permutation(48)
    table[["value"]].assign(day=days, batch=days // 30).to_csv(tmp_path / "d.csv", index=False)
    output = tmp_path / "folds.csv"
    words = ("split", tmp_path / "d.csv", "--time", "day", "--output", output)
    result = run(*words, "--n-splits", "4", "--group", "batch")
    assert result.exit_code == 0, result.output
    written = pd.read_csv(output).sort_values("day")
    assert written["fold"].is_monotonic_increasing
    assert written["fold"].value_counts().tolist() == [12] * 4
    assert "2 of 2 groups lie in several blocks of time" in result.output
    assert "--time cuts blocks of time" in sentence(run(*words, "--test-size", "0.2"))


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%d %B %Y"])
def test_split_in_blocks_of_time_reads_dates(run, tmp_path, form):
    dates = pd.date_range("2019-12-20", periods=40).to_series().sample(frac=1, random_state=0)
    pd.DataFrame({"made": dates.dt.strftime(form)}).to_csv(tmp_path / "d.csv", index=False)
    output = tmp_path / "folds.csv"
    result = run(
        "split", tmp_path / "d.csv", "--time", "made", "--n-splits", "4", "--output", output
    )
    assert result.exit_code == 0, result.output
    fold = pd.read_csv(output)["fold"].to_numpy()
    assert fold[np.argsort(dates.to_numpy())].tolist() == np.repeat(range(4), 10).tolist()


def test_split_in_blocks_of_time_says_what_reads_as_no_date(run, tmp_path):
    pd.DataFrame({"made": ["2020-01-01", "soon"] * 10}).to_csv(tmp_path / "d.csv", index=False)
    said = sentence(run("split", tmp_path / "d.csv", "--time", "made", "--output", "-"))
    assert "'soon'" in said
    assert "2024-03-31" in said


def test_split_as_far_apart_as_the_deployment(run, table, csv, tmp_path):
    deploy = tmp_path / "new.csv"
    pd.DataFrame({"smiles": ["CCCCO", "c1ccccc1CCO", "CCCCN", "C1CCCCC1CO", "nonsense"]}).to_csv(
        deploy, index=False
    )
    words = ("split", csv, "--n-splits", "2", "--deploy", deploy, "--output", tmp_path / "f.csv")
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert "Note: The folds" in result.output
    assert "1 rows of the deployment set could not be read" in result.output
    said = sentence(run(*words, "--threshold", "0.5"))
    assert "--n-splits" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sizes", "train=0.8,test=0.3"], "add up to 1.1"),
        (["--sizes", "train"], "--sizes takes names with shares"),
        (["--sizes", "a=0.5,a=0.5"], "--sizes takes names with shares"),
        (["--test-size", "1.5"], "--test-size is a share between 0 and 1"),
        (["--sizes", "a=1,b=1", "--test-size", "0.5"], "one of --sizes and --test-size"),
        (["--threshold", "1.5"], "--threshold must be a number in (0, 1]"),
        (["--on-oversize", "skip"], "--on-oversize must be one of"),
        (["--similarity", "molecul"], "Did you mean 'molecule'?"),
        (["--json"], "name a file with --output"),
        (["--smiles", "structure", "--sequence", "structure"], "one of --smiles and --sequence"),
        (["--repeats", "0"], "--repeats must be an integer"),
    ],
)
def test_split_names_options_as_they_are_written(run, csv, words, message):
    assert message in sentence(run("split", csv, *words))


# -- formats -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sdf(table, tmp_path_factory):
    """The molecules as an SD file, with their labels as data fields."""
    from rdkit import Chem

    path = tmp_path_factory.mktemp("sdf") / "assay.sdf"
    with Chem.SDWriter(str(path)) as writer:
        for row in table.head(20).itertuples():
            mol = Chem.MolFromSmiles(row.structure)
            mol.SetProp("_Name", f"mol {row.Index}")
            mol.SetProp("active", row.active)
            writer.write(mol)
    return path


def records(path):
    from rdkit import Chem

    return [(mol.GetProp("_Name"), Chem.MolToSmiles(mol), mol.GetPropsAsDict())
            for mol in Chem.SDMolSupplier(str(path))]  # fmt: skip


def test_an_sd_file_keeps_its_records_and_gets_a_data_field(run, sdf, tmp_path):
    output = tmp_path / "folds.sdf"
    result = run("split", sdf, "--n-splits", "2", "--target", "active", "--output", output)
    assert result.exit_code == 0, result.output
    before, after = records(sdf), records(output)
    assert [one[:2] for one in after] == [one[:2] for one in before]
    assert [one[2]["active"] for one in after] == [one[2]["active"] for one in before]
    assert {one[2]["fold"] for one in after} == {0, 1}
    assert run("audit", output, "--split", "fold").exit_code == 0


def test_a_file_for_each_part(run, sdf, tmp_path):
    result = run("split", sdf, "--test-size", "0.3", "--output", tmp_path / "my_{part}.sdf")
    assert result.exit_code == 0, result.output
    train, test = (records(tmp_path / f"my_{part}.sdf") for part in ("train", "test"))
    assert sorted(one[0] for one in (*train, *test)) == sorted(one[0] for one in records(sdf))
    assert "split" not in train[0][2]
    result = run("audit", tmp_path / "my_train.sdf", tmp_path / "my_test.sdf")
    assert f"{len(test)} test rows against {len(train)} train rows" in result.output


def test_an_sd_file_is_drawn_from_smiles(run, table, tmp_path):
    broken = table.head(12).copy()
    broken.loc[4, "structure"] = "C1CC"
    broken.loc[5, "value"] = np.nan
    broken.to_csv(tmp_path / "few.csv", index=False)
    output = tmp_path / "folds.sdf"
    assert run("split", tmp_path / "few.csv", "--n-splits", "2", "--output", output).exit_code == 0
    found = records(output)
    assert [one[2]["structure"] for one in found] == broken["structure"].tolist()
    assert "fold" not in found[4][2]
    assert "value" not in found[5][2]
    assert found[0][2]["value"] == pytest.approx(broken["value"][0])


def test_smiles_files_keep_names_and_say_what_they_do_not_hold(run, table, tmp_path):
    (tmp_path / "a.smi").write_text(
        "".join(f"{s} mol{i}\n" for i, s in enumerate(table["structure"].head(12)))
    )
    output = tmp_path / "folds.smi"
    result = run("split", tmp_path / "a.smi", "--n-splits", "2", "--output", output)
    assert result.exit_code == 0, result.output
    rows = [line.split("\t") for line in output.read_text().splitlines()]
    assert [row[:2] for row in rows] == [[s, f"mol{i}"] for i, s in
                                         enumerate(table["structure"].head(12))]  # fmt: skip
    assert {row[2] for row in rows} == {"0", "1"}
    table.head(12).to_csv(tmp_path / "b.csv", index=False)
    result = run("split", tmp_path / "b.csv", "--n-splits", "2", "--output", output)
    assert "SMI does not hold the columns value, active, one, set" in result.output


@pytest.fixture
def fasta(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "proteins.fasta"
    families = ["".join(rng.choice(list("ACDEFGHIKLMNPQRSTVWY"), 90)) for _ in range(6)]
    lines = []
    for number in range(30):
        text = list(families[number % 6])
        for place in rng.integers(0, 90, 4):
            text[place] = "A"
        lines.append(f">p{number}|label={number % 2} some protein\n{''.join(text)}\n")
    path.write_text("".join(lines))
    return path


def test_fasta_gets_a_tag_that_can_be_read_back(run, fasta, tmp_path):
    output = tmp_path / "split.fasta"
    result = run("split", fasta, "--test-size", "0.33", "--target", "label", "--output", output)
    assert result.exit_code == 0, result.output
    assert "Column 'sequence' is taken for the sequences" in result.output
    headers = [line for line in output.read_text().splitlines() if line.startswith(">")]
    assert headers[0].startswith(">p0|label=0 some protein split=t")
    without_tags = "".join(
        line.rsplit(" split=")[0] + "\n" if line.startswith(">") else line
        for line in output.read_text().splitlines()
    )
    assert without_tags.count(">") == 30
    result = run("audit", output, "--split", "split", "--target", "label")
    assert result.exit_code == 0, result.output
    assert "test rows" in result.output
    family = {}
    for number, header in enumerate(headers):
        family.setdefault(number % 6, set()).add(header.rsplit("=")[-1])
    assert all(len(parts) == 1 for parts in family.values())


def test_standard_output_is_in_the_format_of_the_input(fasta, sdf, monkeypatch, capsys):
    for path, start in ((fasta, ">p0|label=0 some protein fold="), (sdf, "mol 0\n")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
        app(["split", "-", "--n-splits", "2"], standalone_mode=False)
        assert capsys.readouterr().out.startswith(start)


def test_gzip_is_written_and_read(run, csv, tmp_path):
    first, second = tmp_path / "a.csv.gz", tmp_path / "b.csv.gz"
    assert run("split", csv, "--n-splits", "2", "--output", first).exit_code == 0
    assert run("split", csv, "--n-splits", "2", "--output", second).exit_code == 0
    assert first.read_bytes() == second.read_bytes()
    assert set(pd.read_csv(first)["fold"]) == {0, 1}
    assert run("audit", first, "--split", "fold").exit_code == 0
    assert "compressed already" in sentence(
        run("split", csv, "--output", tmp_path / "a.parquet.gz")
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [("a.fasta", "FASTA"), ("a.xlsx", "must end in .csv, .tsv, .smi, .sdf, .fasta, .parquet")],
)
def test_formats_that_do_not_fit(run, csv, tmp_path, name, message):
    result = run("split", csv, "--n-splits", "2", "--output", tmp_path / name)
    assert message in result.output


def test_split_as_json_says_what_was_measured(csv, tmp_path, capsys):
    words = ["split", str(csv), "--n-splits", "2", "--json", "--output", str(tmp_path / "f.csv")]
    app(words, standalone_mode=False)
    found = json.loads(capsys.readouterr().out)
    assert sum(found["repeats"][0]["sizes"]) == 48
    assert 0 < found["repeats"][0]["relative_leakage"] < 1
    assert found["parts"] == ["0", "1"]


def test_a_threshold_of_sequences_is_one_of_identity(run, fasta, tmp_path):
    pytest.importorskip("pyopal", reason="the extra 'sequence' is not installed")
    output = tmp_path / "split.fasta"
    words = ("split", fasta, "--n-splits", "2", "--output", output, "--threshold", "0.5")
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert "With --threshold sequences are compared by aligned identity" in result.output
    assert "identi" in result.output.split("random parts of these sizes (")[1]
    result = run(*words, "--similarity", "kmer")
    assert "aligned identity" not in result.output

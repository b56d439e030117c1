"""Tables: nothing changes or vanishes silently, and every refusal says where and what to do."""

import bz2
import gzip
import io
import lzma
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdkit import Chem

from honesteval.entities import parse_molecules, read_table
from honesteval.exceptions import HonestevalWarning, MissingDependencyError

CSV = "id,smiles,y\n1,CCO,0.5\n2,CC,1.5\n"


def table(text, **options):
    return read_table(io.StringIO(text), **options)


def column(*cells, **options):
    return table("\n".join(["a,b", *(f"{cell},x" for cell in cells)]), **options)["a"]


@pytest.fixture
def write(tmp_path):
    def to(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return to


class TestSources:
    @pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
    def test_reads_plain_and_compressed_files(self, write, suffix):
        pack = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
        path = write(f"a.csv{suffix}", pack[suffix](CSV.encode()))
        for source in (path, str(path)):
            frame = read_table(source)
            assert list(frame.columns) == ["id", "smiles", "y"]
            assert frame["smiles"].tolist() == ["CCO", "CC"]
            assert frame["y"].tolist() == [0.5, 1.5]

    def test_the_extension_may_hide_the_compression_but_not_the_content(self, write):
        assert len(read_table(write("a.csv", gzip.compress(CSV.encode())))) == 2
        assert len(read_table(write("a.csv.gz", CSV))) == 2

    def test_reads_open_files_and_leaves_them_open(self, write):
        path = write("a.tsv", CSV.replace(",", "\t"))
        with path.open("rb") as binary, path.open() as text:
            assert len(read_table(binary)) == len(read_table(text)) == 2
            assert not binary.closed
            assert not text.closed

    def test_reads_standard_input(self, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CSV.encode())))
        assert len(read_table("-")) == 2
        monkeypatch.setattr(sys, "stdin", io.StringIO(CSV))
        assert len(read_table("-")) == 2
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        with pytest.raises(ValueError, match="standard input is empty"):
            read_table("-")

    def test_a_missing_file_is_named_with_its_nearest_neighbour(self, write):
        path = write("molecules.csv", CSV)
        with pytest.raises(FileNotFoundError, match=r"no file .*Did you mean 'molecules.csv'"):
            read_table(path.with_name("molecule.csv"))
        with pytest.raises(FileNotFoundError, match="no file"):
            read_table(path.parent / "nowhere" / "a.csv")

    def test_a_folder_is_no_file(self, tmp_path):
        with pytest.raises(IsADirectoryError, match="is a folder"):
            read_table(tmp_path)

    @pytest.mark.parametrize("content", [b"", b" \n\n", gzip.compress(b"", mtime=0)])
    def test_an_empty_file_is_refused(self, write, content):
        with pytest.raises(ValueError, match=r"a\.csv is empty"):
            read_table(write("a.csv", content))

    def test_a_workbook_is_refused(self, write):
        with pytest.raises(ValueError, match="save the sheet as CSV"):
            read_table(write("a.csv", b"PK\x03\x04rest"))

    @pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
    def test_a_cut_off_file_is_refused(self, write, pack):
        with pytest.raises(ValueError, match="damaged or cut off"):
            read_table(write("a.csv.gz", pack(CSV.encode() * 100)[:-10]))

    def test_another_encoding_is_found_at_its_line_and_can_be_named(self, write):
        path = write("a.csv", "name,y\nx,1\ncaf\xe9,2\n".encode("latin-1"))
        with pytest.raises(
            ValueError, match=r"Line 3 of a\.csv holds byte 0xe9.*encoding='cp1252'"
        ):
            read_table(path)
        assert read_table(path, encoding="latin-1")["name"].tolist() == ["x", "caf\xe9"]
        with pytest.raises(ValueError, match="no encoding called 'latin-99'"):
            read_table(path, encoding="latin-99")

    def test_a_byte_order_mark_is_passed_over_and_utf16_recognised(self, write):
        assert read_table(write("a.csv", "\ufeff" + CSV)).columns[0] == "id"
        path = write("b.csv", CSV.encode("utf-16"))
        with pytest.raises(ValueError, match="encoding='utf-16'"):
            read_table(path)
        assert len(read_table(path, encoding="utf-16")) == 2

    def test_text_is_text_whatever_encoding_is_named(self):
        assert table("a,b\n\xe9,1\n", encoding="latin-1")["a"].tolist() == ["\xe9"]

    def test_a_binary_file_is_refused(self, write):
        with pytest.raises(ValueError, match="not a text file"):
            read_table(write("a.csv", b"\x00\x01\x02"))

    @pytest.mark.parametrize("source", [None, 5, ["a.csv"], pd.DataFrame({"a": [1]})])
    def test_refuses_what_is_no_source(self, source):
        with pytest.raises(ValueError, match="Expected a path"):
            read_table(source)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"format": "xlsx"}, "format must be one of"),
            ({"delimiter": ", "}, "one character"),
            ({"delimiter": ""}, "one character"),
            ({"as_text": "id"}, "list of column names"),
        ],
    )
    def test_refuses_impossible_options(self, options, words):
        with pytest.raises(ValueError, match=words):
            table(CSV, **options)


class TestDelimited:
    @pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
    def test_unknown_extensions_take_the_commonest_delimiter(self, write, delimiter):
        frame = read_table(write("a.txt", CSV.replace(",", delimiter)))
        assert list(frame.columns) == ["id", "smiles", "y"]

    def test_another_delimiter_is_suspected_and_can_be_named(self, write):
        path = write("a.csv", CSV.replace(",", ";"))
        with pytest.raises(ValueError, match=r"split at comma.*pass delimiter=';'"):
            read_table(path)
        assert len(read_table(path, delimiter=";").columns) == 3

    def test_a_single_column_is_fine(self, write):
        path = write("a.csv", "smiles\nCC(=O)O\n\nCCO\n")
        assert read_table(path)["smiles"].tolist() == ["CC(=O)O", "CCO"]

    def test_a_header_alone_has_no_rows(self):
        with pytest.raises(ValueError, match=r"3 columns \('id', 'smiles', 'y'\) but has no rows"):
            table("id,smiles,y\n\n")
        with pytest.raises(ValueError, match="no rows"):
            table('""\n')

    def test_repeated_names_are_refused(self):
        with pytest.raises(ValueError, match="more than one column called 'a'"):
            table("a,b,a\n1,2,3\n")

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("a,b\n1,2\n3\n", "Line 3 of the open file has 1 fields, the first line has 2"),
            ("a,b\n1,2\n\n3,4,5\n", "Line 4 of the open file has 3 fields"),
            ('a,b\n"1\n2",2\n3\n', "Line 4 of the open file has 1 fields"),
            ('a,b\n1,"2\n3,4\n', "cannot be read at line"),
        ],
    )
    def test_ragged_lines_are_refused_with_their_number(self, text, words):
        with pytest.raises(ValueError, match=words):
            table(text)

    def test_quotes_newlines_and_line_ends_of_any_system(self):
        frame = table('a,b\r\n"1,5 ""x""","line\nline"\r\n2,y\r\n')
        assert frame["a"].tolist() == ['1,5 "x"', "2"]
        assert frame["b"].tolist() == ["line\nline", "y"]
        assert table("a,b\r1,2\r3,4\r")["b"].tolist() == [2, 4]

    def test_names_are_stripped_and_blank_names_counted(self):
        frame = table(",smiles , y\n0,CC,1\n")
        assert list(frame.columns) == ["Unnamed: 0", "smiles", "y"]

    def test_fields_longer_than_the_csv_limit(self):
        import csv

        limit = csv.field_size_limit()
        long = "ACDEF" * 60_000
        assert table(f"id,sequence\n1,{long}\n")["sequence"][0] == long
        assert csv.field_size_limit() == limit


class TestTypes:
    def test_numbers_become_numbers(self):
        integers = column("1", "-2", "+3", " 4 ")
        assert integers.dtype == np.int64
        assert integers.tolist() == [1, -2, 3, 4]
        floats = column("1", ".5", "2.", "-1e-5", "1.5E+3", "inf")
        assert floats.dtype == np.float64
        assert floats.tolist() == [1, 0.5, 2, -1e-5, 1500, np.inf]

    @pytest.mark.parametrize("mark", ["", " ", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "None"])
    def test_missing_among_numbers(self, mark):
        numbers = column("1", mark, "2")
        assert numbers.dtype == np.float64
        assert np.isnan(numbers[1])

    def test_missing_marks_are_text_among_text(self):
        names = column("NA", "None", "s1", "")
        assert names.tolist()[:3] == ["NA", "None", "s1"]
        assert names.isna().tolist() == [False, False, False, True]

    @pytest.mark.parametrize(
        "cells",
        [
            ("007", "12"),
            ("-01", "2"),
            ("00", "1.5"),
            ("9007199254740993", "1"),
            ("123456789012345678901", "2"),
            ("1E5", "2E7"),
            ("1_000", "2"),
            ("0x10", "2"),
            ("1 000", "2"),
            ("True", "False"),
            ("2024-01-01", "2024-01-02"),
            ("12abc", "1"),
            ("١", "2"),
        ],
    )
    def test_what_would_change_stays_text(self, cells):
        assert column(*cells).tolist() == list(cells)

    def test_zero_and_exponents_among_numbers_are_numbers(self):
        assert column("0", "-0", "0.05").tolist() == [0, 0, 0.05]
        assert column("1e5", "2.5").tolist() == [1e5, 2.5]

    def test_a_column_without_values_is_missing(self):
        assert column("", "NA").isna().all()
        assert column("", "NA").dtype == np.float64

    def test_as_text_decides(self):
        assert column("1", "NA", as_text=["a"]).tolist() == ["1", "NA"]

    def test_decimal_commas_are_pointed_out(self):
        with pytest.warns(HonestevalWarning, match=r"'y'.*decimal comma.*'1,5'"):
            frame = table("smiles;y\nCC;1,5\nCCO;2\n", delimiter=";")
        assert frame["y"].tolist() == ["1,5", "2"]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            table("smiles;y\nCC;a,b\nCCO;2\n", delimiter=";")

    @settings(max_examples=100, deadline=None)
    @given(st.lists(st.text(max_size=8), min_size=1, max_size=6))
    def test_text_survives_a_round_trip_unless_it_becomes_the_same_number(self, cells):
        cells = [cell.replace("\0", "").replace("\ud800", "") for cell in cells]
        frame = pd.DataFrame({"a": cells, "b": "x"})
        written = io.StringIO()
        frame.to_csv(written, index=False, lineterminator="\n", quoting=1)
        for cell, value in zip(cells, table(written.getvalue())["a"], strict=True):
            if isinstance(value, str):
                assert value == cell
            else:
                assert pd.isna(value) or float(cell) == value

    def test_a_cell_with_the_end_of_a_mol_block_makes_no_sd_file_of_a_table(self):
        frame = table('"a","b"\n"x\nM  END","1"\n"y","2"\n')
        assert frame["a"].tolist() == ["x\nM  END", "y"]


class TestSmilesFiles:
    def test_smiles_and_names(self, write):
        frame = read_table(write("a.smi", "CCO ethanol, pure\nCC\t007\n\nC\n"))
        assert frame["smiles"].tolist() == ["CCO", "CC", "C"]
        assert frame["name"].tolist()[:2] == ["ethanol, pure", "007"]
        assert pd.isna(frame["name"][2])

    def test_a_header_is_passed_over(self, write):
        assert len(read_table(write("a.smi", "SMILES Name\nCC x\n"))) == 1
        with pytest.raises(ValueError, match="no molecules below it"):
            read_table(write("a.smi", "smiles\n"))

    def test_an_extension_belongs_to_the_smiles(self, write):
        frame = read_table(write("a.smi", "CC |$a;b$| ethane\nCC |$a;b$|\n"))
        assert frame["smiles"].tolist() == ["CC |$a;b$|"] * 2
        assert frame["name"].tolist()[0] == "ethane"
        assert parse_molecules(frame["smiles"]).smiles.tolist() == ["CC", "CC"]


class TestSDFiles:
    def sdf(self, *records):
        written = []
        for smiles, title, fields in records:
            mol = Chem.MolFromSmiles(smiles)
            mol.SetProp("_Name", title)
            block = Chem.MolToMolBlock(mol)
            data = "".join(f">  <{key}>  (1)\n{value}\n\n" for key, value in fields.items())
            written.append(f"{block}{data}$$$$\n")
        return "".join(written)

    def test_one_row_per_record_with_fields(self, write):
        text = self.sdf(
            ("C[C@H](N)C(=O)O", "alanine", {"pIC50": "6.5", "id": "001"}),
            ("c1ccccc1", "", {"pIC50": "5", "note": "two\nlines"}),
        )
        frame = read_table(write("a.sdf.gz", gzip.compress(text.encode())))
        assert list(frame.columns) == ["molblock", "title", "pIC50", "id", "note"]
        assert frame["pIC50"].tolist() == [6.5, 5.0]
        assert frame["id"].tolist()[0] == "001"
        assert frame["note"].tolist()[1] == "two\nlines"
        assert frame["title"].isna().tolist() == [False, True]
        molecules = parse_molecules(frame["molblock"])
        assert molecules.smiles.tolist() == ["C[C@H](N)C(=O)O", "c1ccccc1"]

    def test_agrees_with_rdkit(self):
        records = [(smiles, f"m{i}", {"n": str(i)}) for i, smiles in enumerate(["CCO", "C", "CN"])]
        text = self.sdf(*records)
        supplier = Chem.ForwardSDMolSupplier(io.BytesIO(text.encode()))
        expected = [(Chem.MolToSmiles(mol), mol.GetProp("n")) for mol in supplier]
        frame = table(text)
        got = zip(parse_molecules(frame["molblock"]).smiles, frame["n"].astype(str), strict=True)
        assert list(got) == expected

    def test_windows_line_ends_and_a_lone_mol_file(self, write):
        text = self.sdf(("CCO", "x", {"y": "1"})).replace("\n", "\r\n")
        assert parse_molecules(table(text)["molblock"]).smiles.tolist() == ["CCO"]
        lone = write("a.mol", Chem.MolToMolBlock(Chem.MolFromSmiles("CC")))
        assert parse_molecules(read_table(lone)["molblock"]).smiles.tolist() == ["CC"]

    def test_a_field_called_like_an_own_column_is_kept_apart(self):
        frame = table(self.sdf(("CC", "mine", {"title": "theirs"})))
        assert frame["title"][0] == "mine"
        assert frame["title (data field)"][0] == "theirs"

    def test_a_bad_record_is_reported_by_row(self):
        text = self.sdf(("CC", "a", {}), ("CO", "b", {}))
        broken = text.replace(" O ", " X ")
        molecules = parse_molecules(table(broken)["molblock"], errors="drop")
        assert molecules.rows.tolist() == [0, 1]
        cut = text.replace("  2  1  0", "  2  x  0", 1)
        assert parse_molecules(table(cut)["molblock"], errors="drop").excluded.rows.tolist() == [0]

    def test_a_cut_off_file_is_refused_with_its_line(self, write):
        text = self.sdf(("CC", "a", {}), ("CO", "b", {}))
        with pytest.raises(ValueError, match=r"begins at line 10 of a\.sdf has no line 'M  END'"):
            read_table(write("a.sdf", text[: text.rindex("M  END")]))


class TestFasta:
    def test_ids_descriptions_and_joined_sequences(self, write):
        frame = read_table(write("a.fasta", ">P1 some protein\nACD\n EF\n;comment\n\n>P2\nGH*\n"))
        assert frame["id"].tolist() == ["P1", "P2"]
        assert frame["description"].tolist()[0] == "some protein"
        assert pd.isna(frame["description"][1])
        assert frame["sequence"].tolist() == ["ACDEF", "GH*"]

    def test_is_recognised_by_content(self):
        assert table(">001\nACGT\n")["id"].tolist() == ["001"]

    def test_a_sequence_that_is_not_there_is_missing(self):
        assert table(">a\n>b\nAC\n")["sequence"].isna().tolist() == [True, False]

    @pytest.mark.parametrize(
        ("text", "words"),
        [("ACGT\n>a\nA\n", "Line 1 of a.fa stands before"), (";only\n", "no line begins with '>'")],
    )
    def test_refuses_what_is_no_fasta(self, write, text, words):
        with pytest.raises(ValueError, match=words):
            read_table(write("a.fa", text))


class TestParquet:
    def test_keeps_its_types(self, tmp_path):
        pytest.importorskip("pyarrow")
        frame = pd.DataFrame({"id": ["007", "NA"], "y": [1.5, np.nan], "on": [True, False]})
        frame.to_parquet(tmp_path / "a.parquet")
        read = read_table(tmp_path / "a.parquet")
        assert read["id"].tolist() == ["007", "NA"]
        assert read["on"].dtype == bool
        with (tmp_path / "a.parquet").open("rb") as file:
            assert len(read_table(io.BytesIO(file.read()))) == 2

    def test_a_damaged_or_empty_file_is_refused(self, tmp_path, write):
        pytest.importorskip("pyarrow")
        with pytest.raises(ValueError, match=r"a\.parquet cannot be read as Parquet"):
            read_table(write("a.parquet", b"PAR1 and nothing else"))
        pd.DataFrame({"a": []}).to_parquet(tmp_path / "b.parquet")
        with pytest.raises(ValueError, match=r"b\.parquet has no rows"):
            read_table(tmp_path / "b.parquet")

    def test_names_the_extra_without_pyarrow(self, monkeypatch, write):
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(MissingDependencyError, match=r"honesteval\[parquet\]"):
            read_table(write("a.parquet", b"PAR1"))

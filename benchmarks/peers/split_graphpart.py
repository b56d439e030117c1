"""GraphPart: folds without a pair above a threshold, from a table of all similar pairs."""

import csv
import tempfile
from pathlib import Path

from _protocol import run


def split(task):
    """Return the fold of each molecule."""
    import subprocess
    import sys

    import numpy as np
    from rdkit import Chem, DataStructs
    from rdkit.Chem import rdFingerprintGenerator

    maker = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    bits = [maker.GetFingerprint(Chem.MolFromSmiles(smiles)) for smiles in task["smiles"]]
    with tempfile.TemporaryDirectory() as folder:
        fasta, edges, result = (Path(folder) / name for name in ("a.fasta", "edges.csv", "out.csv"))
        fasta.write_text("".join(f">m{i}\nA\n" for i in range(len(bits))))
        with edges.open("w") as file:
            for i in range(1, len(bits)):
                row = np.array(DataStructs.BulkTanimotoSimilarity(bits[i], bits[:i]))
                for j in np.flatnonzero(row >= task["threshold"]):
                    file.write(f"m{i},m{j},{row[j]}\n")
        shares = task["shares"]
        sizes = ["-te", shares[1]] if len(shares) == 2 else ["-pa", len(shares)]
        command = [
            Path(sys.executable).with_name("graphpart"), "precomputed", "-ef", edges, "-ff", fasta,
            "-th", task["threshold"], "-tf", "one-minus", "-of", result, *sizes,
        ]  # fmt: skip
        subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
        labels = [-1] * len(bits)
        for row in csv.DictReader(result.open()):
            labels[int(row["AC"][1:])] = int(float(row["cluster"]))
    return labels


if __name__ == "__main__":
    run(split)

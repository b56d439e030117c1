"""honesteval, by the same protocol: from SMILES to folds."""

from _protocol import run


def split(task):
    """Return the fold of each molecule."""
    from honesteval.entities import parse_molecules
    from honesteval.partition import solve_partition
    from honesteval.similarity import molecule_similarity

    similarity = molecule_similarity(parse_molecules(task["smiles"]))
    options = {"solver": task.get("solver", "highs")}
    if task.get("threshold"):
        options |= {"threshold": task["threshold"], "on_oversize": "drop"}
    return solve_partition(similarity, shares=task["shares"], **options).labels


if __name__ == "__main__":
    run(split)

"""DataSAIL: cluster-based cold split of molecules, K = 50 clusters, SCIP."""

from _protocol import run


def split(task):
    """Return the subset of each molecule."""
    from datasail.sail import datasail

    n = len(task["smiles"])  # DataSAIL takes repeated molecules out of the table it is given
    names = [f"s{i}" for i in range(len(task["shares"]))]
    data = {str(i): smiles for i, smiles in enumerate(task["smiles"])}
    found, _, _ = datasail(
        techniques=["C1e"], splits=task["shares"], names=names, runs=1, solver="SCIP",
        e_type="M", e_data=data, e_sim="ecfp", e_clusters=50, epsilon=0.1, delta=0.1,
        max_sec=task["seconds"], threads=1,
    )  # fmt: skip
    subset_of = found["C1e"][0]
    return [
        names.index(subset_of[key]) if subset_of.get(key) in names else -1
        for key in map(str, range(n))
    ]


if __name__ == "__main__":
    run(split)

"""LoHi: training and test without a pair above a threshold, molecules dropped by its ILP."""

from _protocol import run


def split(task):
    """Return the subset of each molecule."""
    import lohi_splitter

    test_share = task["shares"][1]
    parts = lohi_splitter.hi_train_test_split(
        smiles=task["smiles"], similarity_threshold=task["threshold"],
        train_min_frac=0.9 * (1 - test_share), test_min_frac=0.9 * test_share,
        coarsening_threshold=0.4, verbose=False, max_mip_gap=0.1,
    )  # fmt: skip
    labels = [-1] * len(task["smiles"])
    for subset, rows in enumerate(parts):
        for row in rows:
            labels[row] = subset
    return labels


if __name__ == "__main__":
    run(split)

"""scikit-fingerprints: Taylor-Butina clusters, or Murcko scaffolds, into training and test."""

from _protocol import run


def split(task):
    """Return the subset of each molecule."""
    from skfp.model_selection import butina_train_test_split, scaffold_train_test_split

    train_share, test_share = task["shares"]
    method = scaffold_train_test_split if task.get("scaffolds") else butina_train_test_split
    train, test = method(
        task["smiles"], train_size=train_share, test_size=test_share, return_indices=True
    )
    labels = [-1] * len(task["smiles"])
    for subset, rows in enumerate((train, test)):
        for row in rows:
            labels[row] = subset
    return labels


if __name__ == "__main__":
    run(split)

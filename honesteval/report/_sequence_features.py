"""What a model learns from sequences when the caller brings no features: shares of words."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from honesteval.entities import Sequences

LETTERS = {"protein": "ACDEFGHIKLMNPQRSTVWY", "nucleotide": "ACGT"}

#: Longest words: 420 of proteins, 340 of nucleotides.
LONGEST_WORD = {"protein": 2, "nucleotide": 4}


def word_shares(sequences: Sequences) -> NDArray[np.float32]:
    """Return how often each short word occurs, over the length of the sequence.

    Parameters
    ----------
    sequences : Sequences

    Returns
    -------
    shares : ndarray of shape (n_sequences, n_words)
        Residues and pairs of them of proteins; words of one to four nucleotides. Words with an
        ambiguous residue are in no column.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    letters, longest = LETTERS[sequences.kind], LONGEST_WORD[sequences.kind]
    words = ["".join(word) for k in range(1, longest + 1) for word in product(letters, repeat=k)]
    counter = CountVectorizer(
        analyzer="char", lowercase=False, ngram_range=(1, longest), vocabulary=words
    )
    counts = counter.transform(sequences.values).toarray().astype(np.float32)
    lengths = np.array([len(text) for text in sequences.values], dtype=np.float32)
    return np.asarray(counts / lengths[:, None])


def describe(sequences: Sequences) -> str:
    """Return the features in words."""
    if sequences.kind == "protein":
        return "shares of residues and of pairs of residues"
    return "shares of words of one to four nucleotides"

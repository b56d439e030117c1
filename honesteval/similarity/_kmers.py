"""Similarity of sequences by the short words they share, without alignments."""

from __future__ import annotations

import hashlib
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy import sparse

from honesteval._validation import check_number, name_rows
from honesteval.entities import Sequences
from honesteval.exceptions import HonestevalWarning, InvalidEntityError
from honesteval.similarity._base import Similarity
from honesteval.similarity._tanimoto import TanimotoSimilarity

__all__ = ["GenomeSimilarity", "kmer_similarity", "kmer_table"]

LETTERS = {"protein": "ACDEFGHIKLMNPQRSTVWY", "nucleotide": "ACGT"}
#: Length of the words of :func:`kmer_similarity`: 8,000 and 4,096 possible ones.
WORD_LENGTH = {"protein": 3, "nucleotide": 6}
#: Word length and sketch size of Mash, for genomes.
GENOME_WORD_LENGTH, SKETCH_SIZE = 21, 1000


def kmer_table(texts: list[str], k: int, kind: str) -> sparse.csr_array:
    """Return which words of k residues each sequence holds.

    Parameters
    ----------
    texts : list of str
    k : int
    kind : {"protein", "nucleotide"}
        Words with an ambiguous residue are left out.

    Returns
    -------
    table : csr_array of shape (n, n_letters ** k)
        1 where the word occurs.
    """
    base = len(LETTERS[kind])
    rows = [np.unique(_words(text, k, kind)) for text in texts]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    columns = np.concatenate(rows) if rows else np.empty(0, np.int64)
    ones = np.ones(len(columns), dtype=np.int32)
    return sparse.csr_array((ones, columns, starts), shape=(len(texts), base**k))


def _words(text: str, k: int, kind: str) -> NDArray[np.int64]:
    """Return the words of a sequence as numbers; those with ambiguous residues are left out."""
    letters = LETTERS[kind]
    code = np.full(256, -1, dtype=np.int64)
    code[np.frombuffer(letters.encode(), dtype=np.uint8)] = np.arange(len(letters))
    codes = code[np.frombuffer(text.encode(), dtype=np.uint8)]
    n = len(codes) - k + 1
    if n < 1:
        return np.empty(0, dtype=np.int64)
    words = np.zeros(n, dtype=np.int64)
    known = np.ones(n, dtype=bool)
    for shift in range(k):
        part = codes[shift : shift + n]
        words = words * len(letters) + part
        known &= part >= 0
    return words[known]


def kmer_similarity(sequences: Sequences) -> TanimotoSimilarity:
    """Return the Tanimoto coefficient of the sets of words that sequences hold.

    Words of 3 residues of proteins, of 6 nucleotides; a sequence without any (shorter than that, or
    of ambiguous letters only) is similar to nothing, and a warning names it. Fast (packed bits),
    positive semidefinite and estimated from sketches for large sets, but no identity: unrelated
    proteins of 300 residues share about 2 % of their words, and at 50 % identity it is about 10 %.
    It suits the objective of folds; for a threshold that means something use the identity.

    Parameters
    ----------
    sequences : Sequences
        From :func:`honesteval.entities.parse_sequences`.

    Returns
    -------
    similarity : TanimotoSimilarity

    Examples
    --------
    >>> from honesteval.entities import parse_sequences
    >>> from honesteval.similarity import kmer_similarity
    >>> similarity = kmer_similarity(parse_sequences(["MKVLAAGG", "MKVLAAGA", "PPPPPPPP"]))
    >>> similarity.block([0], [0, 1, 2]).round(3)
    array([[1.   , 0.714, 0.   ]])
    """
    k = WORD_LENGTH[sequences.kind]
    texts = list(sequences.values)
    packed = []
    for start in range(0, len(texts), 1024):
        held = kmer_table(texts[start : start + 1024], k, sequences.kind).toarray() > 0
        packed.append(np.packbits(held, axis=1))
    bits = np.concatenate(packed)
    _warn_of_wordless(sequences, np.flatnonzero(~bits.any(axis=1)), k)
    return TanimotoSimilarity(
        bits,
        name=f"Tanimoto of {sequences.kind} words of {k} residues",
        keys=[text.encode() for text in texts],
    )


def _warn_of_wordless(sequences: Sequences, empty: NDArray[np.intp], k: int) -> None:
    if len(empty):
        warnings.warn(
            f"{len(empty)} of {len(sequences.values)} sequences hold no word of {k} residues "
            f"({name_rows(sequences.rows[empty])}) and are similar to nothing. "
            "similarity='sequence' compares sequences of any length; or leave these rows out.",
            HonestevalWarning,
            stacklevel=3,
        )


class GenomeSimilarity(Similarity):
    """Estimated share of identical nucleotides of genomes or contigs, by MinHash.

    ``1 - D`` with the Mash distance ``D = -ln(2 j / (1 + j)) / k``, where j is the Jaccard
    coefficient of the sets of words of k nucleotides (of either strand), estimated from the 1,000
    smallest hashes; 0 where no hash is shared. For genomes above 90 % identity this is close to
    the average nucleotide identity.

    Parameters
    ----------
    sequences : Sequences
        Nucleotides; the contigs of one genome joined by N.
    k : int in [5, 31], default=21
    sketch_size : int >= 1, default=1000

    References
    ----------
    B. D. Ondov et al., "Mash: fast genome and metagenome distance estimation using MinHash",
    Genome Biol. 17 (2016) 132, doi:10.1186/s13059-016-0997-x.

    Examples
    --------
    >>> import numpy as np
    >>> from honesteval.entities import parse_sequences
    >>> from honesteval.similarity import GenomeSimilarity
    >>> rng = np.random.default_rng(0)
    >>> genome = rng.choice(list("ACGT"), 20_000)
    >>> mutant = genome.copy()
    >>> mutant[::50] = np.where(mutant[::50] == "A", "C", "A")  # 2 % of the letters
    >>> similarity = GenomeSimilarity(parse_sequences(["".join(genome), "".join(mutant)]))
    >>> bool(abs(similarity.block([0], [1])[0, 0] - 0.98) < 0.01)
    True
    """

    def __init__(
        self,
        sequences: Sequences,
        *,
        k: int = GENOME_WORD_LENGTH,
        sketch_size: int = SKETCH_SIZE,
    ) -> None:
        check_number(k, "k", low=5, high=31, integer=True)
        check_number(sketch_size, "sketch_size", low=1, integer=True)
        if sequences.kind != "nucleotide":
            raise InvalidEntityError(
                "Genomes are compared by their nucleotides, and these sequences are proteins. "
                "Use similarity='sequence'."
            )
        self._k, self._size = k, sketch_size
        texts = list(sequences.values)
        self._sketches = [_sketch(text, k, sketch_size) for text in texts]
        short = [i for i, sketch in enumerate(self._sketches) if not len(sketch)]
        if short:
            raise InvalidEntityError(
                f"{len(short)} sequences hold no word of {k} unambiguous nucleotides, the first in "
                f"row {short[0]}. Leave them out or lower k.",
                rows=short,
            )
        self._keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        self.n_items = len(texts)
        self.name = f"1 - Mash distance (words of {k} nucleotides, {sketch_size:,} hashes)"

    def block(
        self, rows: ArrayLike, columns: ArrayLike, *, dtype: DTypeLike = np.float64
    ) -> NDArray[Any]:
        row, column = np.asarray(rows, dtype=np.intp), np.asarray(columns, dtype=np.intp)
        found = np.empty((len(row), len(column)), dtype=dtype)
        for at, i in enumerate(row):
            found[at] = [self._pair(i, j) for j in column]
        return found

    def _pair(self, i: int, j: int) -> float:
        if self._keys[i] == self._keys[j]:
            return 1.0
        one, other = self._sketches[i], self._sketches[j]
        both = np.sort(np.concatenate([one, other]))
        repeated = both[1:] == both[:-1]
        distinct = np.flatnonzero(np.concatenate([[True], ~repeated]))
        last = distinct[min(self._size, len(distinct)) - 1]
        shared = int(repeated[: last + 1].sum())
        jaccard = shared / min(self._size, len(distinct))
        if jaccard == 0:
            return 0.0
        return float(np.clip(1 + np.log(2 * jaccard / (1 + jaccard)) / self._k, 0, 1))

    def content_keys(self) -> list[bytes]:
        return self._keys

    def take(self, indices: ArrayLike) -> GenomeSimilarity:
        chosen = np.asarray(indices, dtype=np.intp)
        part = object.__new__(GenomeSimilarity)
        part.__dict__.update(self.__dict__)
        part._sketches = [self._sketches[i] for i in chosen]
        part._keys = [self._keys[i] for i in chosen]
        part.n_items = len(chosen)
        return part


def _sketch(text: str, k: int, size: int) -> NDArray[np.uint64]:
    """Return the smallest hashes of the words of either strand, ascending."""
    forward = _words(text, k, "nucleotide").astype(np.uint64)
    word, backward = forward.copy(), np.zeros_like(forward)
    for _ in range(k):  # the complement of code c is 3 - c
        backward = (backward << np.uint64(2)) | (np.uint64(3) - (word & np.uint64(3)))
        word >>= np.uint64(2)
    return np.unique(_mix(np.minimum(forward, backward)))[:size]


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the finaliser of splitmix64: a fixed hash of whole numbers."""
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))

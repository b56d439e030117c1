"""Identity of sequences in pairwise alignments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy import sparse

from honesteval._optional import import_optional
from honesteval._validation import check_number, check_option
from honesteval.entities import Sequences
from honesteval.similarity._base import Similarity, row_blocks

__all__ = ["DENOMINATORS", "SequenceIdentity"]

Denominator = Literal["alignment", "shorter", "longer"]

DENOMINATORS = ("alignment", "shorter", "longer")
#: Up to so many sequences every pair is aligned; above, the pairs with most k-mers in common.
ALIGN_ALL = 4_000
#: Pairs aligned per sequence above that.
N_CANDIDATES = 100
#: Length of the k-mers by which candidates are found.
KMER = {"protein": 3, "nucleotide": 6}
#: Costs of the alignment, in halves so that all are whole numbers.
GAP_OPEN, GAP_EXTEND = 20, 1
NUCLEOTIDE_MATCH, NUCLEOTIDE_MISMATCH = 10, -8

_AMBIGUOUS = {"protein": frozenset("XBZJ"), "nucleotide": frozenset("NRYKMSWBDHV")}


class SequenceIdentity(Similarity):
    """Share of identical residues in the best alignment of two sequences.

    Alignments are global with free end gaps: BLOSUM62 for proteins, match 5 and mismatch -4 for
    nucleotides, a gap of n residues costs ``10 + 0.5 (n - 1)``, those at the ends nothing. These
    are the settings of EMBOSS needle, and with ``denominator="alignment"`` so is the identity:
    identical residues divided by all columns of the alignment, end gaps included.

    An ambiguous residue (X, B, Z, J; N, R, Y ...) is identical to nothing, not even to itself;
    U is aligned as C and O as K. Equal sequences have identity 1.

    Up to 4,000 sequences all pairs are aligned. Above, each sequence is aligned with the 100
    others that share most of its k-mers (3 residues of proteins, 6 of nucleotides), and all
    other pairs count as 0. A near relative is not missed, a distant one may be (on 3,618 proteins
    of up to 100 residues all pairs of 50 % identity were found, 99.7 % of those of 40 % and 95 %
    of those of 30 %), so that a threshold is kept among the aligned pairs only.

    Parameters
    ----------
    sequences : Sequences
        From :func:`honesteval.entities.parse_sequences`.
    denominator : {"alignment", "shorter", "longer"}, default="alignment"
        Identical residues are divided by the columns of the alignment, or by the length of the
        shorter or the longer sequence.
    align_all : int, default=4000
        Above this number of sequences only candidates are aligned.
    n_candidates : int, default=100

    Raises
    ------
    MissingDependencyError
        Without the package pyopal (``pip install 'honesteval[sequence]'``).

    References
    ----------
    S. B. Needleman, C. D. Wunsch, J. Mol. Biol. 48 (1970) 443-453; P. Rice, I. Longden,
    A. Bleasby, "EMBOSS: the European Molecular Biology Open Software Suite", Trends Genet. 16
    (2000) 276-277.
    """

    def __init__(
        self,
        sequences: Sequences,
        *,
        denominator: Denominator = "alignment",
        align_all: int = ALIGN_ALL,
        n_candidates: int = N_CANDIDATES,
    ) -> None:
        check_option(denominator, "denominator", DENOMINATORS)
        check_number(align_all, "align_all", low=0, integer=True)
        check_number(n_candidates, "n_candidates", low=1, integer=True)
        self.n_items = len(sequences)
        self._texts = list(sequences.values)
        over = {"alignment": "alignment length", "shorter": "shorter sequence",
                "longer": "longer sequence"}[denominator]  # fmt: skip
        self.name = f"{sequences.kind} sequence identity (aligned; over the {over})"
        unique, self._index = np.unique(np.array(self._texts, dtype=str), return_inverse=True)
        texts = unique.tolist()
        aligner = _Aligner(texts, sequences.kind, denominator)
        self._matrix: Any
        if self.n_items <= align_all:
            self._matrix = aligner.all_pairs()
        else:
            self.name += f", {n_candidates} candidates each by shared k-mers"
            self._matrix = aligner.pairs(
                _candidates(texts, KMER[sequences.kind], sequences.kind, n_candidates)
            )

    def block(
        self, rows: ArrayLike, columns: ArrayLike, *, dtype: DTypeLike = np.float64
    ) -> NDArray[Any]:
        row, column = (self._index[np.asarray(x, dtype=np.intp)] for x in (rows, columns))
        part = self._matrix[row][:, column]
        return (part.toarray() if sparse.issparse(part) else part).astype(dtype)

    def content_keys(self) -> list[bytes]:
        return [text.encode() for text in self._texts]

    def take(self, indices: ArrayLike) -> SequenceIdentity:
        chosen = np.asarray(indices, dtype=np.intp)
        part = object.__new__(SequenceIdentity)
        part.__dict__.update(self.__dict__)
        part._texts = [self._texts[i] for i in chosen]
        part._index = self._index[chosen]
        part.n_items = len(chosen)
        return part


class _Aligner:
    """Aligns sequences in one fixed order of each pair, so that identity is symmetric."""

    def __init__(self, texts: list[str], kind: str, denominator: Denominator) -> None:
        opal = import_optional("pyopal", extra="sequence", purpose="similarity='sequence'")
        self.texts, self.kind, self.denominator = texts, kind, denominator
        self.has_ambiguous = [not _AMBIGUOUS[kind].isdisjoint(text) for text in texts]
        matrix = _scores(kind)
        alphabet = matrix.alphabet
        aligned = texts
        if kind == "protein":
            aligned = [text.translate(str.maketrans("UOJ", "CKX")) for text in texts]
        self.aligned = aligned
        self.database = opal.Database(aligned, alphabet=alphabet)
        self.aligner = opal.Aligner(matrix, gap_open=GAP_OPEN, gap_extend=GAP_EXTEND)

    def all_pairs(self) -> NDArray[np.float32]:
        """Return the matrix of identities."""
        n = len(self.texts)
        found = np.eye(n, dtype=np.float32)
        for i in range(n - 1):
            found[i, i + 1 :] = self._of(i, slice(i + 1, n))
        return np.maximum(found, found.T)

    def pairs(self, candidates: Iterator[tuple[int, NDArray[np.intp]]]) -> sparse.csr_array:
        """Return the identities of some pairs; the others are 0."""
        n = len(self.texts)
        keys = np.unique(np.concatenate([
            np.minimum(i, others) * n + np.maximum(i, others) for i, others in candidates
        ]))  # fmt: skip
        first, second = keys // n, keys % n
        starts = np.searchsorted(first, np.arange(n + 1))
        value = np.empty(len(keys), dtype=np.float32)
        for i in range(n):
            here = slice(starts[i], starts[i + 1])
            if starts[i] < starts[i + 1]:
                value[here] = self._of(i, second[here])
        upper = sparse.coo_array((value, (first, second)), shape=(n, n))
        return sparse.csr_array(upper + upper.T + sparse.eye_array(n, dtype=np.float32))

    def _of(self, i: int, others: slice | NDArray[np.intp]) -> NDArray[np.float32]:
        if isinstance(others, slice):
            numbers = range(others.start, others.stop)
            results = self.aligner.align(
                self.aligned[i], self.database, mode="full", algorithm="ov",
                start=others.start, end=others.stop,
            )  # fmt: skip
        else:
            numbers = others.tolist()
            results = self.aligner.align(
                self.aligned[i], self.database.extract(numbers), mode="full", algorithm="ov"
            )
        own = len(self.texts[i])
        return np.array(
            [self._identity(i, j, own, result) for j, result in zip(numbers, results, strict=True)],
            dtype=np.float32,
        )

    def _identity(self, i: int, j: int, own: int, result: Any) -> float:
        steps = result.alignment
        same = self._truly_same(i, j, result) if self._needs_look(i, j) else steps.count("M")
        other = len(self.texts[j])
        if self.denominator == "alignment":
            return float(same / (own + other - steps.count("M") - steps.count("X")))
        return float(same / (min(own, other) if self.denominator == "shorter" else max(own, other)))

    def _needs_look(self, i: int, j: int) -> bool:
        if self.has_ambiguous[i] and self.has_ambiguous[j]:
            return True
        return self.aligned[i] != self.texts[i] or self.aligned[j] != self.texts[j]

    def _truly_same(self, i: int, j: int, result: Any) -> int:
        """Count equal residues that are not ambiguous, letter by letter."""
        query, target = self.texts[i], self.texts[j]
        q, t, same = result.query_start, result.target_start, 0
        for step in result.alignment:
            if step in "MX":
                same += query[q] == target[t] and query[q] not in _AMBIGUOUS[self.kind]
            q += step in "MXD"  # D: a residue of the query alone
            t += step in "MXI"
        return same


def _scores(kind: str) -> Any:
    matrices = import_optional("scoring_matrices", extra="sequence", purpose="An alignment")
    if kind == "protein":
        blosum = matrices.ScoringMatrix.from_name("BLOSUM62")
        return matrices.ScoringMatrix(2 * np.asarray(blosum), alphabet=blosum.alphabet)
    letters = "ACGTNRYKMSWBDHV"
    table = np.full((len(letters), len(letters)), NUCLEOTIDE_MISMATCH)
    table[np.arange(4), np.arange(4)] = NUCLEOTIDE_MATCH
    table[4:], table[:, 4:] = -4, -4
    return matrices.ScoringMatrix(table.astype(np.float32), alphabet=letters)


def _candidates(
    texts: list[str], k: int, kind: str, n_candidates: int
) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yield each sequence's others with the highest share of k-mers in common."""
    from honesteval.similarity._kmers import kmer_table

    table = kmer_table(texts, k, kind)
    sizes = np.asarray(table.sum(axis=1)).ravel()
    n = len(texts)
    most = min(n_candidates, n - 1)
    for piece in row_blocks(n, n, limit=2**22):
        shared = (table[piece] @ table.T).toarray()
        share = shared / np.maximum(np.minimum(sizes[piece, None], sizes), 1)
        here = np.arange(n)[piece]
        share[np.arange(len(here)), here] = -1
        best = np.argpartition(-share, most - 1, axis=1)[:, :most]
        for i, others in zip(here, best, strict=True):
            yield int(i), np.sort(others)

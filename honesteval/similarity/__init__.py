"""How alike two entities are: exact in bounded memory, or sketched in linear time."""

from __future__ import annotations

from honesteval.similarity._base import Similarity, row_blocks
from honesteval.similarity._coefficients import BitSimilarity
from honesteval.similarity._cutoff import CutoffSimilarity
from honesteval.similarity._features import (
    CallableSimilarity,
    CosineSimilarity,
    CountTanimotoSimilarity,
    IdentitySimilarity,
    RBFSimilarity,
)
from honesteval.similarity._kmers import GenomeSimilarity, kmer_similarity
from honesteval.similarity._matrix import PrecomputedSimilarity
from honesteval.similarity._minhash import MinHashSketch
from honesteval.similarity._resolve import molecule_similarity, resolve_similarity
from honesteval.similarity._scored_pairs import (
    ScoredPairs,
    read_scored_pairs,
    scored_pair_similarity,
)
from honesteval.similarity._sequence_identity import SequenceIdentity
from honesteval.similarity._tanimoto import TanimotoSimilarity

__all__ = [
    "BitSimilarity",
    "CallableSimilarity",
    "CosineSimilarity",
    "CountTanimotoSimilarity",
    "CutoffSimilarity",
    "GenomeSimilarity",
    "IdentitySimilarity",
    "MinHashSketch",
    "PrecomputedSimilarity",
    "RBFSimilarity",
    "ScoredPairs",
    "SequenceIdentity",
    "Similarity",
    "TanimotoSimilarity",
    "kmer_similarity",
    "molecule_similarity",
    "read_scored_pairs",
    "resolve_similarity",
    "row_blocks",
    "scored_pair_similarity",
]

"""How alike two entities are: exact in bounded memory, or sketched in linear time."""

from __future__ import annotations

from honesteval.similarity._base import Similarity, row_blocks
from honesteval.similarity._cutoff import CutoffSimilarity
from honesteval.similarity._features import (
    CallableSimilarity,
    CosineSimilarity,
    CountTanimotoSimilarity,
    IdentitySimilarity,
    RBFSimilarity,
)
from honesteval.similarity._matrix import PrecomputedSimilarity
from honesteval.similarity._minhash import MinHashSketch
from honesteval.similarity._resolve import molecule_similarity, resolve_similarity
from honesteval.similarity._tanimoto import TanimotoSimilarity

__all__ = [
    "CallableSimilarity",
    "CosineSimilarity",
    "CountTanimotoSimilarity",
    "CutoffSimilarity",
    "IdentitySimilarity",
    "MinHashSketch",
    "PrecomputedSimilarity",
    "RBFSimilarity",
    "Similarity",
    "TanimotoSimilarity",
    "molecule_similarity",
    "resolve_similarity",
    "row_blocks",
]

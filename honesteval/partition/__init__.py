"""The optimisation: which samples share a fold. Knows numbers only."""

from __future__ import annotations

from honesteval.partition._feasibility import Shortfall
from honesteval.partition._leakage import Leakage, measure_leakage, scaled_leakage
from honesteval.partition._leakage_bound import LeakageBound, leakage_bound
from honesteval.partition._match_nearest import MATCH_TOLERANCE, MatchedFolds, match_nearest
from honesteval.partition._must_link import join_groups
from honesteval.partition._oversize import OVERSIZE_OPTIONS
from honesteval.partition._programme import SOLVERS
from honesteval.partition._result import Partition
from honesteval.partition._search import Effort
from honesteval.partition._solve import ClassTable, solve_partition

__all__ = [
    "ClassTable",
    "Effort",
    "Leakage",
    "LeakageBound",
    "MATCH_TOLERANCE",
    "MatchedFolds",
    "OVERSIZE_OPTIONS",
    "Partition",
    "SOLVERS",
    "Shortfall",
    "join_groups",
    "leakage_bound",
    "match_nearest",
    "measure_leakage",
    "scaled_leakage",
    "solve_partition",
]

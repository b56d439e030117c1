"""Integer linear programmes, by HiGHS (in SciPy) or Gurobi."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from tempfile import TemporaryFile
from threading import Lock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from honesteval._optional import import_optional
from honesteval.exceptions import MissingDependencyError

__all__ = ["SOLVERS", "ProgrammeAnswer", "solve_programme"]

SOLVERS = ("highs", "gurobi", "auto")

_FEASIBILITY = 1e-3
_CHATTER_LOCK = Lock()
_TOO_LARGE = 10010  # Gurobi's error number for a model above the size of the licence


@dataclass(frozen=True)
class ProgrammeAnswer:
    """What a solver found.

    Attributes
    ----------
    x : ndarray or None
        The best solution, if there is one.
    status : {"optimal", "infeasible", "limit"}
    bound : float or None
        No solution costs less.
    """

    x: NDArray[np.float64] | None
    status: Literal["optimal", "infeasible", "limit"]
    bound: float | None


def solve_programme(
    cost: NDArray[np.float64],
    *,
    integrality: NDArray[np.float64],
    upper: NDArray[np.float64],
    constraints: Sequence[LinearConstraint],
    solver: str = "highs",
    relative_gap: float = 0.0,
    node_limit: int | None = None,
    time_limit: float | None = None,
) -> ProgrammeAnswer:
    """Minimise a linear cost over variables between 0 and ``upper``.

    Parameters
    ----------
    cost, upper : ndarray of shape (n_variables,)
    integrality : ndarray of shape (n_variables,)
        1 for whole numbers, 0 for any.
    constraints : sequence of scipy.optimize.LinearConstraint
    solver : {"highs", "gurobi", "auto"}, default="highs"
        ``"auto"`` takes Gurobi where it is installed and its licence large enough, else HiGHS.
    relative_gap : float, default=0
        The solver may stop this near the optimum, relatively.
    node_limit : int, optional
        Nodes of branch and bound at the most.
    time_limit : float, optional
        Seconds.

    Returns
    -------
    answer : ProgrammeAnswer

    Raises
    ------
    MissingDependencyError
        With ``solver="gurobi"``, if gurobipy is not installed.
    ValueError
        With ``solver="gurobi"``, if the licence does not take a programme of this size.
    """
    free = upper > 0
    if not free.all():  # fewer columns; and the HiGHS of SciPy 1.14 stumbles over fixed ones
        reduced = solve_programme(
            cost[free],
            integrality=integrality[free],
            upper=upper[free],
            constraints=[
                LinearConstraint(
                    sparse.csc_array(each.A)[:, np.flatnonzero(free)], each.lb, each.ub
                )
                for each in constraints
            ],
            solver=solver,
            relative_gap=relative_gap,
            node_limit=node_limit,
            time_limit=time_limit,
        )
        if reduced.x is None:
            return reduced
        x = np.zeros(len(upper))
        x[free] = reduced.x
        return ProgrammeAnswer(x, reduced.status, reduced.bound)
    if solver != "highs":
        try:
            return _by_gurobi(
                cost, integrality, upper, constraints, relative_gap, node_limit, time_limit
            )
        except (MissingDependencyError, _LicenceSizeError):
            if solver == "gurobi":
                raise
    options: dict[str, float] = {"mip_rel_gap": relative_gap}
    if node_limit is not None:
        options["node_limit"] = node_limit
    if time_limit is not None:
        options["time_limit"] = time_limit
    bounds = Bounds(np.zeros_like(upper), upper)
    for presolve in (True, False):  # the HiGHS of SciPy 1.14 presolved to what breaks the bounds
        with _without_solver_chatter():
            found = milp(
                cost,
                integrality=integrality,
                bounds=bounds,
                constraints=constraints,
                options=options | {"presolve": presolve},
            )
        if _is_feasible(found.x, upper, constraints):
            break
    else:
        return ProgrammeAnswer(None, "limit", None)
    bound = getattr(found, "mip_dual_bound", None)
    status: Literal["optimal", "infeasible", "limit"] = "limit"
    if found.status in (0, 2):
        status = "optimal" if found.status == 0 else "infeasible"
    return ProgrammeAnswer(found.x, status, None if bound is None else float(bound))


@contextmanager
def _without_solver_chatter() -> Iterator[None]:
    """Keep HiGHS's own notes off standard output, which may be a table or JSON.

    HiGHS writes them past Python, to the file descriptor. What others write there meanwhile is
    passed on afterwards.
    """
    with _CHATTER_LOCK:
        try:
            sys.stdout.flush()
            terminal = os.dup(1)
        except (AttributeError, OSError, ValueError):  # no standard output at all
            yield
            return
        with TemporaryFile() as caught:
            os.dup2(caught.fileno(), 1)
            try:
                yield
            finally:
                _flush_c_streams()
                os.dup2(terminal, 1)
                os.close(terminal)
                caught.seek(0)
                others = [line for line in caught if not line.startswith(b"Highs")]
                if others:
                    os.write(1, b"".join(others))


def _flush_c_streams() -> None:
    try:
        ctypes.CDLL(None).fflush(None)
    except (OSError, TypeError, AttributeError):  # no C library by that name (Windows)
        ctypes.cdll.msvcrt.fflush(None)


def _is_feasible(
    x: NDArray[np.float64] | None,
    upper: NDArray[np.float64],
    constraints: Sequence[LinearConstraint],
) -> bool:
    """Whether a solution, if there is one, keeps what was asked."""
    if x is None:
        return True
    if (x < -_FEASIBILITY).any() or (x > upper + _FEASIBILITY).any():
        return False
    for constraint in constraints:
        value = constraint.A @ x
        room = _FEASIBILITY * (1 + np.abs(value))
        if (value < constraint.lb - room).any() or (value > constraint.ub + room).any():
            return False
    return True


class _LicenceSizeError(ValueError):
    """Gurobi's licence does not take a programme of this size."""


@cache
def _environment(gurobi: Any) -> Any:
    environment = gurobi.Env(empty=True)
    environment.setParam("OutputFlag", 0)
    environment.start()
    return environment


def _by_gurobi(
    cost: NDArray[np.float64],
    integrality: NDArray[np.float64],
    upper: NDArray[np.float64],
    constraints: Sequence[LinearConstraint],
    relative_gap: float,
    node_limit: int | None,
    time_limit: float | None,
) -> ProgrammeAnswer:
    gurobi = import_optional("gurobipy", extra="gurobi", purpose="solver='gurobi'")
    kinds = np.where(integrality > 0, gurobi.GRB.INTEGER, gurobi.GRB.CONTINUOUS)
    with gurobi.Model(env=_environment(gurobi)) as model:
        model.Params.Threads = 1  # the same answer on any machine
        model.Params.MIPGap = relative_gap
        if node_limit is not None:
            model.Params.NodeLimit = node_limit
        if time_limit is not None:
            model.Params.TimeLimit = time_limit
        x = model.addMVar(len(cost), lb=0.0, ub=upper, obj=cost, vtype=kinds)
        for constraint in constraints:
            matrix = sparse.csr_array(constraint.A)
            n_rows = matrix.shape[0]
            low = np.broadcast_to(constraint.lb, n_rows)
            high = np.broadcast_to(constraint.ub, n_rows)
            same = low == high
            for rows, sense, side in (
                (same, "=", low),
                (~same & np.isfinite(low), ">", low),
                (~same & np.isfinite(high), "<", high),
            ):
                if rows.any():
                    model.addMConstr(matrix[np.flatnonzero(rows)], x, sense, side[rows])
        try:
            model.optimize()
        except gurobi.GurobiError as error:
            if error.errno != _TOO_LARGE:
                raise
            raise _LicenceSizeError(
                f"This programme has {len(cost):,} variables, more than the Gurobi licence found "
                f"here takes (the one that comes with gurobipy: 2,000). Install a full licence, "
                f"or set solver='highs' or 'auto'."
            ) from error
        if model.Status in (gurobi.GRB.INFEASIBLE, gurobi.GRB.INF_OR_UNBD):
            return ProgrammeAnswer(None, "infeasible", None)
        solution = np.asarray(x.X) if model.SolCount else None
        done = model.Status == gurobi.GRB.OPTIMAL
        return ProgrammeAnswer(solution, "optimal" if done else "limit", float(model.ObjBound))

"""Data to try things on without a download: a real assay, and bit vectors with known answers."""

from __future__ import annotations

from honesteval.datasets._grown import grow_fingerprints
from honesteval.datasets._nav17 import load_nav17
from honesteval.datasets._near_duplicates import make_near_duplicates

__all__ = ["grow_fingerprints", "load_nav17", "make_near_duplicates"]

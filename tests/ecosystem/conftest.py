"""One small real assay for all tools: SMILES, fingerprints, pIC50 and a binary label."""

from functools import wraps
from types import SimpleNamespace

import numpy as np
import pytest

from honesteval.datasets import load_nav17
from honesteval.entities import parse_molecules


@pytest.fixture(scope="session")
def assay():
    """96 molecules of the embedded assay: ``smiles``, ``bits`` (0/1), ``y`` and ``active``."""
    nav17 = load_nav17()
    rows = np.random.default_rng(0).permutation(len(nav17.data))[:96]
    smiles, y = nav17.data[rows], nav17.target[rows]
    bits = np.unpackbits(parse_molecules(smiles).fingerprints(), axis=1)
    bits = bits[:, (bits.mean(axis=0) > 0.1) & (bits.mean(axis=0) < 0.9)].astype(float)
    active = (y > np.median(y)).astype(int)
    return SimpleNamespace(smiles=smiles, bits=bits, y=y, active=active)


@pytest.fixture
def same_folds(monkeypatch):
    """Assert that a tool splits with the splitter, and does what it does with these very folds."""

    def check(run, cv, folds):
        explicit = run(folds)
        calls, split = [], type(cv).split

        @wraps(split)
        def recorded(self, *arguments, **keywords):
            calls.append(arguments)
            return split(self, *arguments, **keywords)

        with monkeypatch.context() as patched:
            patched.setattr(type(cv), "split", recorded)
            given = run(cv)
        assert calls
        np.testing.assert_allclose(given, explicit)
        return given

    return check

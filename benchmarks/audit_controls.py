"""Data that look like the planted leaks and leak nothing: what the audit must not find."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from audit_cases import Case
from audit_plants import Plant, is_high, random_sides, with_pairs
from sklearn.feature_selection import SelectKBest, f_classif, f_regression
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import StandardScaler


def own_groups(case: Case, _: float, random: np.random.Generator) -> Case:
    label = random.integers(0, 60, len(case.y)) + np.where(case.test, 100, 0)
    return replace(case, options={"groups": label})


def in_order(case: Case, _: float, random: np.random.Generator) -> Case:
    year = np.where(case.test, 2020, random.integers(2000, 2020, len(case.y)))
    return replace(case, options={"time": [f"{value}-07-01" for value in year]})


def windows_apart(case: Case, _: float, random: np.random.Generator) -> Case:
    start = np.where(case.test, 1000, random.integers(0, 900, len(case.y)))
    return replace(case, options={"time": np.column_stack([start, start + 5])})


def equal_levels(case: Case, _: float, random: np.random.Generator) -> Case:
    return replace(case, options={"levels": random.integers(0, 2, len(case.y))})


def pairs_at_random(case: Case, _: float, random: np.random.Generator) -> Case:
    return replace(with_pairs(case, random), y=is_high(case).astype(float))


def noise_feature(case: Case, _: float, random: np.random.Generator) -> Case:
    return replace(case, features=case.features.assign(noise=random.normal(size=len(case.y))))


def shuffled_number(case: Case, _: float, random: np.random.Generator) -> Case:
    number = random.choice(10 * len(case.y), len(case.y), replace=False) / 7
    return replace(case, features=case.features.assign(number=number))


def gaps_at_random(case: Case, _: float, random: np.random.Generator) -> Case:
    gap = random.random(len(case.y)) < 0.2
    return replace(case, features=case.features.assign(TPSA=case.features["TPSA"].mask(gap)))


def scaled_by_training(case: Case, _: float, random: np.random.Generator) -> Case:
    scaler = StandardScaler().fit(case.features.iloc[case.train])
    return _with_values(case, scaler.transform(case.features))


def imputed_by_training(case: Case, _: float, random: np.random.Generator) -> Case:
    gaps = case.features.mask(random.random(case.features.shape) < 0.1)
    return _with_values(case, SimpleImputer().fit(gaps.iloc[case.train]).transform(gaps))


def oversampled_training(case: Case, _: float, random: np.random.Generator) -> Case:
    """Replace features of training rows by mixtures of two others, all of training."""
    mixed = case.features.to_numpy().copy()
    rows = random.choice(case.train, len(case.train) // 5, replace=False)
    kept = np.setdiff1d(case.train, rows)
    for row in rows:
        a, b = random.choice(kept, 2, replace=False)
        mixed[row] = mixed[a] + random.random() * (mixed[b] - mixed[a])
    return _with_values(case, mixed)


def selected_by_training(case: Case, _: float, random: np.random.Generator) -> Case:
    noise = random.normal(size=(len(case.y), 2000))
    score = f_regression if len(np.unique(case.y)) > 2 else f_classif
    chosen = SelectKBest(score, k=50).fit(noise[case.train], case.y[case.train])
    return replace(case, features=pd.DataFrame(chosen.transform(noise)).add_prefix("f"))


def other_sides(case: Case, _: float, random: np.random.Generator) -> Case:
    return random_sides(case, random)


def _with_values(case: Case, values: np.ndarray) -> Case:
    return replace(case, features=pd.DataFrame(values, columns=case.features.columns))


#: What is done, and the checks that must stay silent.
CONTROLS: dict[str, tuple[Plant, tuple[str, ...]]] = {
    "pairs at random": (pairs_at_random, ("HE132", "HE133", "HE134")),
    "whole groups": (own_groups, ("HE203",)),
    "test after training": (in_order, ("HE204",)),
    "levels without offset": (equal_levels, ("HE205",)),
    "windows apart": (windows_apart, ("HE206",)),
    "a feature of noise": (noise_feature, ("HE301",)),
    "a number that differs in every row": (shuffled_number, ("HE303",)),
    "gaps at random": (gaps_at_random, ("HE304",)),
    "scaled by training rows": (scaled_by_training, ("HE401",)),
    "imputed from training rows": (imputed_by_training, ("HE402",)),
    "oversampled within training": (oversampled_training, ("HE403",)),
    "selected by training rows": (selected_by_training, ("HE404",)),
    "random split": (other_sides, ("HE503", "HE601", "HE602", "HE603")),
}

"""Nested cross-validation: the whole procedure, tuning included, judged on rows it never saw."""

from __future__ import annotations

import time
from typing import Any

from honesteval.tuning._nested_setup import NestedSetup
from honesteval.tuning._progress import FitProgress
from honesteval.tuning._result import NestedCVResult


def nested_cross_validate(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    search_space: Any = None,
    outer_cv: Any = 5,
    inner_cv: Any = None,
    scoring: Any = None,
    refit: str | bool = True,
    n_trials: int | None = None,
    n_repeats: int = 1,
    groups: Any = None,
    sample_weight: Any = None,
    params: dict[str, Any] | None = None,
    task_names: Any = None,
    train_sizes: Any = (),
    checkpoint: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> NestedCVResult:
    """Judge a model together with its tuning on rows that neither has seen.

    In each outer fold the whole search is run on the training part, its choice is fitted there,
    and predicts the test part. Everything in the pipeline is cloned and fitted anew in each inner
    and each outer fold. The best inner score was chosen for being high; the outer score was not.

    Parameters
    ----------
    estimator : estimator or search
        A pipeline to tune (with ``search_space``), any scikit-learn search such as
        :class:`OptunaSearchCV` or ``GridSearchCV``, or an estimator without anything to tune.
    X : array-like, sparse matrix, data frame, or list of length n_rows
        SMILES strings, for example, where the first step of the pipeline turns them into numbers.
    y : array-like of shape (n_rows,) or (n_rows, n_tasks)
        With several columns each is a task of its own, NaN where it was not measured. All tasks
        share one set of folds; each is trained and tested on its own labelled rows.
    search_space : dict or callable, default=None
        What to tune; see :class:`OptunaSearchCV`.
    outer_cv : int, splitter or iterable of splits, default=5
        A number of folds means shuffled folds, stratified for a classifier of one task, with
        groups kept whole when ``groups`` are given.
    inner_cv : int, splitter or iterable of splits, default=None
        Splits each outer training part; it gets the groups of those rows. None is the search's
        own ``cv``, or 5 folds.
    scoring : str, callable, list, tuple or dict, default=None
        As in scikit-learn. None is that of the search, or the estimator's own ``score``.
    refit : str or bool, default=True
        With several scores, the name of the one that the search maximises.
    n_trials : int, default=None
        Settings that each inner search tries; None is the search's own number, or 50.
    n_repeats : int, default=1
        How often all rows go through the outer folds, differently drawn each time.
    groups : array-like of shape (n_rows,), default=None
        Handed to the outer and to the inner splitter, the latter with the training rows' part.
    sample_weight : array-like of shape (n_rows,), default=None
        Handed to every fit and to every scorer that takes it, sliced with the rows.
    params : dict, default=None
        Further columns for ``fit``, sliced with the rows.
    task_names : sequence of str, default=None
        None takes the columns of a data frame ``y``, or ``"task 0"`` and so on.
    train_sizes : sequence of float, default=()
        Shares in (0, 1) of the training part on which the chosen setting is fitted as well, for
        the learning curve.
    checkpoint : path, default=None
        A folder in which finished outer folds and trials are kept. The same call with the same
        folder goes on where it was interrupted.
    random_state : int, RandomState or None, default=None
    n_jobs : int, default=None
        Number of fits at a time, through joblib. The result does not depend on it.
    progress : bool, default=None
        Whether to show progress and the remaining time; None shows it on a terminal.

    Returns
    -------
    result : NestedCVResult

    Raises
    ------
    ValueError
        Before anything is fitted: if the folds, the labels, the space, the scoring or the model
        cannot work together. Later: if all trials of an inner search fail.

    Warns
    -----
    HonestevalWarning
        If the model was fitted already (it is cloned), if ``X`` looks as if something was fitted
        on all its rows, or if a splitter does not look at the groups given.

    See Also
    --------
    plan : How many fits a call will do, and how long it will take.
    nested_cross_validate_models : Several models on the same folds.
    nested_cv_interval : An interval for the error with better coverage, at more fits.

    References
    ----------
    Varma and Simon, "Bias in error estimation when using cross-validation for model selection",
    BMC Bioinformatics 7:91 (2006). Cawley and Talbot, "On Over-fitting in Model Selection and
    Subsequent Selection Bias in Performance Evaluation", JMLR 11 (2010).

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from honesteval.tuning import nested_cross_validate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> result = nested_cross_validate(
    ...     make_pipeline(StandardScaler(), LogisticRegression()), X, y,
    ...     search_space={"logisticregression__C": loguniform(1e-3, 1e2)},
    ...     outer_cv=3, inner_cv=3, n_trials=4, scoring="roc_auc", random_state=0,
    ... )
    >>> result.outer_scores.shape, result.predictions.shape
    ((3,), (569,))
    >>> bool(result.outer_scores.mean() > 0.98)
    True
    """
    setup = NestedSetup(
        estimator,
        X,
        y,
        search_space=search_space,
        outer_cv=outer_cv,
        inner_cv=inner_cv,
        scoring=scoring,
        refit=refit,
        n_trials=n_trials,
        n_repeats=n_repeats,
        groups=groups,
        sample_weight=sample_weight,
        params=params,
        task_names=task_names,
        train_sizes=train_sizes,
        checkpoint=checkpoint,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    started = time.perf_counter()
    with FitProgress(setup.n_fits().total, "nested cross-validation", progress) as shown:
        folds = setup.run(shown)
    return setup.result(folds, seconds=time.perf_counter() - started)

"""Messages of functions are said in words of the command line."""

import pytest

from honesteval.cli._errors import spoken

OPTIONS = (
    "--errors",
    "--n-splits",
    "--threshold",
    "--on-oversize",
    "--jobs",
    "--group",
    "--metric",
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Pass errors='drop' to leave them out.", "Pass --errors drop to leave them out."),
        ("raise threshold=0.5, or on_oversize='cut'",
         "raise --threshold 0.5, or --on-oversize cut"),
        ("n_splits must be an integer. Lower n_splits.",
         "--n-splits must be an integer. Lower --n-splits."),
        ("metric must be one of 'mae'", "--metric must be one of 'mae'"),
        ("Set n_jobs=1.", "Set --jobs 1."),
        ("Take fewer folds.", "Take fewer folds."),
        ("alpha=0.05 and the metric stay", "alpha=0.05 and the metric stay"),
        ("a column 'n_splits' of yours", "a column 'n_splits' of yours"),
        ("data/n_splits.csv and my_errors='x'", "data/n_splits.csv and my_errors='x'"),
        ("the file errors_n_splits", "the file errors_n_splits"),
    ],
)  # fmt: skip
def test_parameters_become_options(text, said):
    assert spoken(text, OPTIONS) == said


def test_options_that_a_command_lacks_stay_as_they_are():
    assert spoken("errors='drop', n_splits", []) == "errors='drop', n_splits"

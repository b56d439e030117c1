"""What a run of the command line said, and the options of a quick one."""

from honesteval.cli import BAD_INPUT

QUICK = ["--model", "linear", "--n-splits", "3", "--n-trials", "1", "--n-permutations", "0",
         "--jobs", "1"]  # fmt: skip


def sentence(result):
    """The one line on standard error of a run that ended with bad input."""
    assert result.exit_code == BAD_INPUT, result.output
    lines = [line for line in result.output.splitlines() if line.startswith("Error: ")]
    assert len(lines) == 1
    assert "Traceback" not in result.output
    return lines[0]

"""How runs end, and how errors and warnings are said: in words of the command line."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import typer

LEAKAGE_FOUND, BAD_INPUT, OWN_FAILURE, INTERRUPTED = 1, 2, 3, 130

#: Set to 1 to see the traceback of an error.
TRACEBACK_VARIABLE = "HONESTEVAL_TRACEBACK"

#: Names of parameters whose option is called otherwise.
_RENAMED = {"n_jobs": "--jobs", "groups": "--group", "n_repeats": "--repeats"}


#: The options of the command that runs.
_options: ContextVar[tuple[str, ...]] = ContextVar("options", default=())


@contextmanager
def plain_errors(context: typer.Context) -> Iterator[None]:
    """Turn errors of input into one sentence and exit code 2, and warnings into one line each."""
    _options.set(tuple(name for parameter in context.command.params for name in parameter.opts))
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            yield
        except KeyboardInterrupt:
            _stop_workers()
            typer.echo("Interrupted.", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except (ValueError, OSError, ImportError) as error:
            if os.environ.get(TRACEBACK_VARIABLE) == "1":
                raise
            typer.echo(f"Error: {spoken(' '.join(str(error).split()))}", err=True)
            raise typer.Exit(BAD_INPUT) from None


def spoken(text: str, options: Iterable[str] | None = None) -> str:
    """Return a message with parameters of functions written as options of the command.

    Parameters
    ----------
    text : str
    options : iterable of str, default=None
        The options that there are (``"--n-splits"``); None takes those of the running command.

    Examples
    --------
    >>> from honesteval.cli._errors import spoken
    >>> spoken("Pass errors='drop' to leave them out; n_splits must be 2 or more.",
    ...        ["--errors", "--n-splits"])
    'Pass --errors drop to leave them out; --n-splits must be 2 or more.'
    """
    known = set(_options.get() if options is None else options)

    def option(name: str) -> str:
        spelled = _RENAMED.get(name, "--" + name.replace("_", "-"))
        return spelled if spelled in known else ""

    def assigned(found: re.Match[str]) -> str:
        spelled, value = option(found[1]), found[2] or found[3]
        return f"{spelled} {value}" if spelled else found[0]

    def named(found: re.Match[str]) -> str:
        return option(found[0]) or found[0]

    text = re.sub(r"(?<![\w.-])([a-z]\w*)=(?:'([^']*)'|([\d.]*\d))", assigned, text)
    text = re.sub(r"(?<![\w.'\"/-])[a-z]+_[a-z_]+(?![\w('\"=/]|\.\w)", named, text)
    return re.sub(r"^[a-z]+(?= must be )", named, text)


def note(text: str) -> None:
    """Tell something on standard error, in one line."""
    typer.echo(f"Note: {spoken(' '.join(text.split()))}", err=True)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    note(str(message))


def _stop_workers() -> None:
    """End the processes that joblib started, which would go on and complain without us."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True, kill_workers=True)


def interrupt(*_: Any) -> None:
    """Treat a request to terminate as an interruption, so that the work is cleaned up."""
    raise KeyboardInterrupt

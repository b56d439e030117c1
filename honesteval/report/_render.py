"""Templates to text: HTML with everything escaped, and Markdown."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib import metadata
from typing import Any

from honesteval.report._map_data import script_json
from honesteval.report._words import FILTERS, HEADLINE_SCORES, predictor_names

#: What Markdown would take for markup in running text or in a table cell.
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#])")


def render_html(
    template: str, summary: dict[str, Any], figures: dict[str, Any], *, methods: str = "",
    rows_map: Any = None,
) -> str:  # fmt: skip
    """Return a page; all values are escaped, only the given pictures are taken as they are.

    Parameters
    ----------
    template : str
        File name in ``templates``.
    summary : dict
        Plain data.
    figures : dict
        SVG strings, in lists and dictionaries by place.
    methods : str, default=""
        The methods paragraph.
    rows_map : dict or None, default=None
        As :func:`map_data` returns it; the page then holds the script that makes it respond.
    """
    environment = _environment(autoescape=True)
    script = None if rows_map is None else environment.get_template("map.js").render()
    return environment.get_template(template).render(
        summary=summary, figures=_marked_safe(figures), methods=methods, map=rows_map,
        script=script, version=metadata.version("honesteval"),
    )  # fmt: skip


def render_markdown(template: str, summary: dict[str, Any], *, methods: str = "") -> str:
    """Return Markdown; values are escaped by the filter ``md`` in the template."""
    page = _environment(autoescape=False).get_template(template)
    return page.render(summary=summary, methods=methods)


def _environment(*, autoescape: bool) -> Any:
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("honesteval.report", "templates"),
        autoescape=autoescape,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(FILTERS)
    environment.filters.update(
        md=escape_markdown, sha256=_sha256, verbatim=Markup, script_json=_script_json
    )
    environment.globals.update(predictor_names=predictor_names, headline_scores=HEADLINE_SCORES)
    return environment


def _sha256(text: str) -> str:
    """Return the hash by which a content-security policy lets one script run."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _script_json(data: Any) -> Any:
    from markupsafe import Markup

    return Markup(script_json(data))


def escape_markdown(text: Any) -> str:
    """Return text in which nothing is taken for Markdown, in one line."""
    return _MARKDOWN.sub(r"\\\1", " ".join(str(text).split()))


def _marked_safe(value: Any) -> Any:
    from markupsafe import Markup

    if isinstance(value, str):
        return Markup(value)
    if isinstance(value, dict):
        return {key: _marked_safe(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_marked_safe(inner) for inner in value]
    return value

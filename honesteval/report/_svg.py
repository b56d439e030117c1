"""Pictures as SVG that stands inside a web page: same bytes every time, themed by the page."""

from __future__ import annotations

import io
import re
from html import escape
from typing import Any

from honesteval.report._palette import COLORS, drawing_style

_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_MARKS = re.compile(r"(<g\b[^>]*>)((?:\s*<use\b[^>]*/>)+)")
_DEFAULTS = re.compile(
    r"fill-rule: ?evenodd;|stroke-linecap: ?butt;|stroke-linejoin: ?miter;"
    r"|;?stroke-opacity: ?1(?=['\"])"
    r"|\sclass='[^']*'"
)


def figure_svg(
    display: Any, *, name: str, title: str, width: float, height: float, **options: Any
) -> str:
    """Draw a display on a figure of its own and return it as SVG.

    Parameters
    ----------
    display : object with ``plot(ax=...)``
    name : str
        Unique in the page; identifiers inside the picture start with it.
    title : str
        What the picture shows, for those who do not see it.
    width, height : float
        Size in inches; the page scales the picture.
    **options
        For ``plot``.

    Returns
    -------
    svg : str
        An ``<svg>`` element with ``role="img"`` and a title, without fixed colours.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with drawing_style(), mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(figure)
        display.plot(ax=figure.subplots(), **options)
        written = io.StringIO()
        figure.savefig(
            written, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type"))
        )
    return embed_svg(written.getvalue(), name=name, title=title, themed=COLORS)


def _share_style(found: re.Match[str]) -> str:
    """Write the style of equal marks once, on the group that holds them."""
    marks = found.group(2)
    styles = set(re.findall(r'style="([^"]*)"', marks))
    if len(styles) != 1:
        return found.group()
    bare = re.sub(r' style="[^"]*"', "", marks)
    return f'{found.group(1)[:-1]} style="{styles.pop()}">{bare}'


def embed_svg(text: str, *, name: str, title: str, themed: dict[str, str]) -> str:
    """Turn a stand-alone SVG file into an element of a page.

    Parameters
    ----------
    text : str
        SVG as matplotlib or RDKit write it.
    name : str
        Prefix of all identifiers.
    title : str
        Alternative text.
    themed : dict of str to str
        Colours (values) that become CSS variables (keys).

    Returns
    -------
    svg : str
    """
    start = re.search(r"<svg\b[^>]*>", text, flags=re.DOTALL)
    if start is None:
        raise ValueError("There is no <svg> element in the picture.")
    body = text[start.end() : text.rindex("</svg>")]
    body = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r'\bid="', f'id="{name}-', body)
    body = re.sub(r"url\(#", f"url(#{name}-", body)
    body = re.sub(r'(xlink:)?href="#', f'href="#{name}-', body)
    body = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", body)
    body = _NUMBER.sub(lambda found: f"{float(found.group()):.2f}", body)
    body = _DEFAULTS.sub("", body)
    body = _MARKS.sub(_share_style, body)
    for variable, colour in themed.items():
        body = re.sub(re.escape(colour), f"var(--{variable})", body, flags=re.IGNORECASE)
    shown = re.search(r"""viewBox=["']([^"']*)["']""", start.group())
    box = shown.group(1).strip() if shown else "0 0 100 100"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" '
        f'aria-labelledby="{name}-title"><title id="{name}-title">{escape(title)}</title>'
        f"{body.strip()}</svg>"
    )

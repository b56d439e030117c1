"""Formulas as MathML, which browsers draw themselves: no script and no network."""

from __future__ import annotations

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def _inline(writer, node):
    writer.body.append(tex2mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def _display(writer, node):
    writer.body.append(writer.starttag(node, "div", CLASS="formula"))
    writer.body.append(tex2mathml(node.astext(), as_block=True))
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    """Register the renderer that ``html_math_renderer = "mathml"`` names."""
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

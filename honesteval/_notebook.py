"""How a result looks in a notebook: its summary in words, and its table where it has one."""

from __future__ import annotations

from html import escape
from typing import Any

#: Longer tables are shown in part.
MOST_ROWS = 60


class ShownInNotebook:
    """Show ``summary()`` and ``to_frame()`` where a notebook asks for HTML; all is escaped."""

    def _repr_html_(self) -> str:
        result: Any = self
        lines = "<br>".join(escape(line) for line in result.summary().splitlines())
        if not hasattr(result, "to_frame"):
            return f"<p>{lines}</p>"
        table = result.to_frame().to_html(
            index=False, float_format="{:.4g}".format, max_rows=MOST_ROWS
        )
        return f"<p>{lines}</p>{table}"

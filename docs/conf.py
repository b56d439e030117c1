"""Sphinx configuration. Nothing here or in the pages it builds needs a network."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import honesteval

sys.path.insert(0, str(Path(__file__).parent))

project = "honesteval"
author = "The honesteval developers"
copyright = author
version = release = honesteval.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.extlinks",
    "numpydoc",
    "matplotlib.sphinxext.plot_directive",
    "mathml",
]

root_doc = "index"
exclude_patterns = ["_build", "_templates"]
templates_path = ["_templates"]
default_role = "code"
nitpicky = False

autosummary_generate = True
autosummary_imported_members = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"

# each class page lists its members through the template, so numpydoc adds no second list
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# pictures are drawn when the pages are built, from the code above them
plot_include_source = True
plot_html_show_source_link = False
plot_html_show_formats = False
plot_formats = ["svg"]
plot_rcparams = {"svg.hashsalt": "honesteval", "figure.figsize": (6.4, 3.6)}

extlinks = {"doi": ("https://doi.org/%s", "doi:%s")}

html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"honesteval {release}"
html_static_path = ["_static"]
html_css_files = ["honesteval.css"]
html_copy_source = False
html_show_sphinx = False


def _skip_metadata_requests(app, what, name, obj, skip, options):
    """Leave out the set_*_request methods that scikit-learn generates (its pages have them)."""
    if name.startswith("set_") and name.endswith("_request"):
        return True
    return skip


def _remove_generated(app, config):
    """Start from no generated pages, so that one of a name that is gone cannot stay."""
    shutil.rmtree(Path(app.srcdir) / "api" / "generated", ignore_errors=True)


def setup(app):
    app.connect("config-inited", _remove_generated)
    app.connect("autodoc-skip-member", _skip_metadata_requests)

"""How the documentation site is built: `make docs`."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_site"))

project = "rbhmc"
author = "The rbhmc authors"
copyright = author
release = version = version_of("rbhmc")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "cells",
    "commands",
    "docstrings",
    "equations",
]
exclude_patterns = ["results.template.md"]

html_theme = "furo"
html_title = "rbhmc"
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = html_show_sphinx = html_show_copyright = False
html_use_index = True

# Equations as GitHub reads them too; a heading can be linked to by its text.
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
html_math_renderer = "mathml"
# Two dashes are an option of a command, not a dash.
smartquotes = False

# A name in a docstring is a link where it is one of ours.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_default_options = {
    "members": True,
    # What scikit-learn adds to every estimator.
    "exclude-members": "set_fit_request, set_transform_request, set_inverse_transform_request",
}
numpydoc_show_class_members = False
add_module_names = False
maximum_signature_line_length = 90

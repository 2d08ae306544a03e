"""How `make docs` builds the site."""

from importlib import metadata
from pathlib import Path

HERE = Path(__file__).parent

project = "solitaire-rl"
author = "The solitaire-rl developers"
project_copyright = "2026, the solitaire-rl developers; MIT licence"
try:
    release = metadata.version("solitaire-rl")
except metadata.PackageNotFoundError:  # the sources are on the path, and nothing is installed
    release = ""

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "myst_nb",
]
default_role = "py:obj"  # `name` in a docstring links to what has that name, if anything has

viewcode_follow_imported_members = False  # else it links to pages that it does not make, for named tuples
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "all"
autodoc_class_signature = "separated"
napoleon_numpy_docstring = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_cache_path = str(HERE.parent / "build" / "docs" / "notebooks")
nb_execution_timeout = 900
nb_execution_in_temp = True
nb_output_stderr = "remove"  # progress bars
nb_execution_raise_on_error = True

html_theme = "furo"
html_title = "solitaire-rl"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False

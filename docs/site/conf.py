"""Settings of Sphinx for the documentation site; scripts/docs.py calls it."""

import os
import pathlib
import re

root = pathlib.Path(os.environ["SINEW_ROOT"])
project = "Sinew"
author = "the authors of Sinew"
copyright = "Apache License 2.0"
release = re.search(r"project\(sinew VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text())[1]

extensions = ["myst_parser", "breathe"]
breathe_projects = {"sinew": os.path.join(os.environ["SINEW_DOXYGEN_OUT"], "xml")}
breathe_default_project = "sinew"
breathe_default_members = ("members",)
breathe_show_include = False
myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]
# types of the standard library and templates that Breathe cannot look up; plain C++ is highlighted as such
primary_domain = "cpp"
highlight_language = "none"
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
nitpicky = False

exclude_patterns = ["extra"]
html_theme = "furo"
html_title = f"Sinew {release}"
html_extra_path = ["extra"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}


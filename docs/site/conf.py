# SPDX-License-Identifier: Apache-2.0
"""How Sphinx makes a site of the documents. build.py calls it, on a copy of them."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

project = "Martlet"
author = "the Martlet authors"
copyright = "the Martlet authors, Apache License 2.0"
extensions = ["myst_parser", "sphinx_copybutton", "diagrams"]
root_doc = "index"
exclude_patterns = ["docs/site/**"]
# GitHub's anchors, so that a link works in the repository and here.
myst_heading_anchors = 6
highlight_language = "none"
# JSON and TOML with "…" in the place of what is left out.
suppress_warnings = ["misc.highlighting_failure"]
pygments_style = "a11y-light"
pygments_dark_style = "a11y-dark"
copybutton_exclude = ".linenos, .gp, .go"
copybutton_selector = "div.highlight-sh pre, div.highlight-toml pre, div.highlight-yaml pre"
html_theme = "furo"
html_title = "Martlet"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_favicon = "../provision/martlet.svg"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"top_of_page_buttons": [], "navigation_with_keys": True}

# What documents link to and Sphinx does not know: programs and folders, which lie beside the pages or in the repository alone.
PHONE_PAGE = re.compile(r"\]\(\.\./Sources/PhonePage/")
BESIDE = re.compile(r"\[([^\]]+)\]\(((?:provision|decoders\.d)/?(?:index\.html)?)\)")
REPOSITORY = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:Tests|Sources)[^)]*\)")


def adapt(app, name, source):
    text = BESIDE.sub(lambda link: f'<a href="{link[2]}">{link[1]}</a>', PHONE_PAGE.sub("](provision/", source[0]))
    source[0] = REPOSITORY.sub(lambda link: link[1], text)


def setup(app):
    app.connect("source-read", adapt)

# SPDX-License-Identifier: Apache-2.0
"""Blocks of ```mermaid as diagrams: drawn by the reader's browser, with a Mermaid that the site brings itself, on the pages
that have some."""
from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class diagram(nodes.General, nodes.Element):
    """A diagram; its text is Mermaid's."""


class Diagram(SphinxDirective):
    has_content = True

    def run(self):
        return [diagram("", text="\n".join(self.content))]


def visit(translator, node):
    translator.body.append(f'<pre class="mermaid">{translator.encode(node["text"])}</pre>')
    raise nodes.SkipNode


def scripts(app, page, template, context, document):
    if document is not None and any(document.findall(diagram)):
        app.add_js_file("mermaid.js")
        app.add_js_file("diagrams.js")


def setup(app):
    app.add_node(diagram, html=(visit, None))
    app.add_directive("mermaid", Diagram)
    app.connect("html-page-context", scripts)
    # The fence is a directive here, and a diagram on GitHub.
    app.config.myst_fence_as_directive = {"mermaid"}
    return {"parallel_read_safe": True}

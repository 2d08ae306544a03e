"""A Sphinx extension: a directive for each of the tables of `game_tables`.

Such as::

    ```{game-actions} solitaire/Pyramid-v0
    ```
"""

from docutils import nodes
from game_tables import TABLES
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class TableDirective(SphinxDirective):
    """Puts one of `TABLES` into a page."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Returns the parsed table."""
        self.env.note_reread()  # in every build: what it is made of are the games, not files of the site
        markdown = TABLES[self.name](self.arguments[0] if self.arguments else "")
        return self.parse_text_to_nodes(markdown)


def setup(app: Sphinx) -> dict[str, bool]:
    """Adds the directives to Sphinx."""
    for name in TABLES:
        app.add_directive(name, TableDirective)
    return {"parallel_read_safe": True}

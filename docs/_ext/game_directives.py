"""A Sphinx extension: a directive for each of the tables of `game_tables` and `benchmark_tables`.

Such as::

    ```{game-actions} solitaire/Pyramid-v0
    ```
"""

import benchmark_tables
import game_tables
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

TABLES = {**game_tables.TABLES, **benchmark_tables.TABLES}
"""Directive -> what makes its Markdown from its argument."""


class TableDirective(SphinxDirective):
    """Puts one of `TABLES` into a page."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Returns the parsed table."""
        self.env.note_reread()  # in every build: it is made of the games and the scoreboard, not of pages
        markdown = TABLES[self.name](self.arguments[0] if self.arguments else "")
        return self.parse_text_to_nodes(markdown)


def setup(app: Sphinx) -> dict[str, bool]:
    """Adds the directives to Sphinx."""
    for name in TABLES:
        app.add_directive(name, TableDirective)
    return {"parallel_read_safe": True}

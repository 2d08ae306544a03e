"""Writes the tables of the games and of the scoreboard into the pages: `python docs/write_tables.py`.

A table stands between two comments, and is made from the name and the argument in the first of them:

    <!-- table game-actions solitaire/Pyramid-v0 -->
    <!-- end of table -->
"""

import re
from pathlib import Path

import benchmark_tables
import game_tables
import ladder_tables

DOCS = Path(__file__).parent
TABLES = {**game_tables.TABLES, **benchmark_tables.TABLES, **ladder_tables.TABLES}
"""Name -> what makes its Markdown from its argument."""
PLACE = re.compile(r"(<!-- table ([\w-]+) ?(\S*) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def with_tables(page: str) -> str:
    """Returns the text of a page with its tables as they are now."""
    return PLACE.sub(lambda found: f"{found[1]}\n{TABLES[found[2]](found[3])}\n\n{found[4]}", page)


def main() -> None:
    """Writes the pages whose tables have changed, and prints their names."""
    for path in sorted(DOCS.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if (new := with_tables(text)) != text:
            path.write_text(new, encoding="utf-8")
            print(path.relative_to(DOCS))


if __name__ == "__main__":
    main()

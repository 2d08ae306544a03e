"""Checks the links inside a built site: `python docs/check_links.py build/docs/html`.

Links to other sites are not followed.
"""

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page links to, and the names in it that a link can lead to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes the links and names of a tag."""
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.names.add(value)
            if name in ("href", "src") and value:
                self.links.append(value)


def broken_links(folder: Path) -> Iterator[str]:
    """Yields a line for each link that leads nowhere."""
    pages = {path.resolve(): Page(path) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            name = unquote(parts.fragment)
            known = pages[target].names if target in pages else None
            if not target.is_file() or (name and known is not None and name not in known):
                yield f"{path.relative_to(folder.resolve())}: {link}"


def main(folder: Path) -> int:
    """Prints the broken links; returns 1 if there is one, or no page at all."""
    broken = sorted(set(broken_links(folder)))
    count = sum(1 for _ in folder.rglob("*.html"))
    print(*broken, f"{count} pages, {len(broken)} broken links", sep="\n")
    return int(bool(broken) or not count)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

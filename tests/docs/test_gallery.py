"""The gallery of the front page shows every game."""

from solitaire_envs.catalogue import CATALOGUE
from tests.docs.pages import ROOT
from tests.docs.test_tables import IDS, game_tables


def test_every_game_has_a_column() -> None:
    page, _, _ = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").partition("\n## ")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| ")]
    links = {env_id: f"{game_tables.PAGES[env_id]}.md" for env_id in IDS}
    columns = []
    for game in dict.fromkeys(CATALOGUE[env_id].game.root for env_id in IDS):
        ids = [env_id for env_id in IDS if CATALOGUE[env_id].game.root is game]
        title, link = game.words.title, links[ids[0]]
        columns.append(
            (
                f"[![{title}](images/{game.name}.png)]({link})",
                f"**[{title}]({link})**",
                game.words.about,
                " ".join(f"[`{env_id}`]({links[env_id]})" for env_id in ids),
            )
        )
    assert list(zip(*rows, strict=True)) == columns

"""The recipes that come with the package."""

from pathlib import Path

import pytest

from solitaire_agents.catalogue import KITS
from solitaire_training.config import TrainConfig, load_config
from solitaire_training.recipes import find_recipe, recipe_names


def test_each_agent_of_the_package_has_its_recipe() -> None:
    shipped = {name for kit in KITS.values() for name in kit.trained}
    assert shipped <= set(recipe_names())


@pytest.mark.parametrize("name", recipe_names())
def test_each_recipe_is_whole(name: str) -> None:
    config = load_config(find_recipe(name), {})
    assert config != TrainConfig()
    assert config.game().root.name.replace("_", "-") in name


def test_a_file_of_your_own(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("seed: 3\n")
    assert load_config(find_recipe(str(path)), {}).seed == 3


def test_neither_recipe_nor_file() -> None:
    with pytest.raises(
        ValueError, match=r"expected a recipe among .*pyramid-score, .* or a YAML file; got 'pyramid.yml'"
    ):
        find_recipe("pyramid.yml")

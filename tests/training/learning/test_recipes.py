"""The recipes that come with the package."""

from pathlib import Path

import pytest

from solitaire_agents.trained import SHIPPED
from solitaire_training.learning.config import Settings, TrainConfig, ValuesConfig, load_config, load_settings
from solitaire_training.learning.recipes import find_recipe, recipe_names

KINDS: tuple[type[Settings], ...] = (TrainConfig, ValuesConfig)


def test_each_policy_of_the_package_has_its_recipe() -> None:
    assert recipe_names() == sorted(path.name for path in SHIPPED.iterdir())


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name in recipe_names(kind.command)])
def test_each_recipe_is_whole(kind: type[Settings], name: str) -> None:
    config = load_settings(kind, find_recipe(name, kind.command), {})
    assert config != kind()
    assert config.game().root.name.replace("_", "-") in name


def test_a_file_of_your_own(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("seed: 3\n")
    assert load_config(find_recipe(str(path)), {}).seed == 3


def test_neither_recipe_nor_file() -> None:
    with pytest.raises(
        ValueError, match=r"expected a recipe among pyramid-score, .* or a YAML file; got 'pyramid.yml'"
    ):
        find_recipe("pyramid.yml")

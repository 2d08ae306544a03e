"""The recipes that come with the package: settings of training runs, one YAML file each."""

from pathlib import Path

from solitaire_envs.checks import did_you_mean, short

FOLDER = Path(__file__).parent / "recipes"


def recipe_names() -> list[str]:
    """Returns the names of the recipes."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def find_recipe(text: str) -> Path:
    """Returns the file of a recipe, given by its name or as a path.

    Raises:
        ValueError: There is no such recipe or file.
    """
    if text in recipe_names():
        return FOLDER / f"{text}.yaml"
    if not Path(text).exists():
        names = recipe_names()
        got = short(text) + did_you_mean(text, names)
        raise ValueError(f"expected a recipe among {', '.join(names)}, or a YAML file; got {got}")
    return Path(text)

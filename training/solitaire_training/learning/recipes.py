"""The recipes that come with the package: settings of training runs, one YAML file each, in a folder per command."""

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "recipes"


def recipe_names(command: str = "*") -> list[str]:
    """Returns the names of the recipes of a command; those of all by default."""
    return sorted(path.stem for path in FOLDER.glob(f"{command}/*.yaml"))


def find_recipe(text: str, command: str = "train") -> Path:
    """Returns the file of a recipe, given its name or the path of a file of your own.

    Raises:
        ValueError: There is neither.
    """
    if text in recipe_names(command):
        return FOLDER / command / f"{text}.yaml"
    if not Path(text).exists():
        raise ValueError(f"expected a recipe among {', '.join(recipe_names(command))}, or a YAML file; got {text!r}")
    return Path(text)

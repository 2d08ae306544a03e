"""Reads YAML as people mean it: 017 and 1:00:00 are text, 1e-4 is a number."""

from pathlib import Path
from typing import Any

import yaml

from solitaire_envs.checks import NUMBER, read_number


def read_yaml(path: Path) -> object:
    """Returns the plain values of a YAML file; numbers are those of `read_number`.

    Raises:
        ValueError: It cannot be read, is not YAML, has tags for code or a repeated name in a mapping, or is nested too
            deeply.
    """
    try:
        content: object = _Loader(path.read_text(encoding="utf-8")).get_single_data()
    except (OSError, ValueError, yaml.YAMLError, RecursionError) as error:
        got = "a text nested too deep" if isinstance(error, RecursionError) else " ".join(str(error).split())
        raise ValueError(f"expected a YAML file at {path}, got: {got}") from None
    return content


class _Loader(yaml.SafeLoader):
    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        for name in names:
            if names.count(name) > 1:
                raise yaml.YAMLError(f"{name!r} twice in one mapping")
        found: dict[Any, Any] = super().construct_mapping(node, deep)
        return found


def _number(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> float | str:
    text = str(loader.construct_scalar(node))
    try:
        return read_number(text)
    except ValueError:
        return text


_Loader.yaml_implicit_resolvers = {  # what is a number or a date in YAML 1.1, such as 017 and 1:00:00, stays text
    first: [(tag, pattern) for tag, pattern in known if tag.rpartition(":")[2] not in ("int", "float", "timestamp")]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_constructor("!number", _number)
_Loader.add_implicit_resolver("!number", NUMBER, list("-+.0123456789"))

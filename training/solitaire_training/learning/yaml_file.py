"""YAML as people write it."""

import re

import yaml


def parse_yaml(text: str) -> object:
    """Returns the plain values of a YAML text; 1e-4 and 2e6 are numbers, as in YAML 1.2.

    Raises:
        ValueError: It is no YAML, has tags of code, or is nested too deep.
    """
    try:
        content: object = _Loader(text).get_single_data()
    except RecursionError:
        raise ValueError("a text nested too deep") from None
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
    return content


class _Loader(yaml.SafeLoader):
    pass


def _number(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> float:
    number = float(loader.construct_scalar(node))
    return int(number) if number.is_integer() else number


_Loader.add_constructor("!scientific", _number)
_Loader.add_implicit_resolver(
    "!scientific", re.compile(r"[-+]?[0-9][0-9_]*(\.[0-9]*)?[eE][-+]?[0-9]+$"), list("-+0123456789")
)

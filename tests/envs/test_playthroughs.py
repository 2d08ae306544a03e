"""The games as they are written out in tests/playthroughs."""

import pytest

from tests.environments import QUICK
from tests.playthroughs import file_of, playthrough


@pytest.mark.parametrize("env_id", QUICK)
def test_playthrough(env_id: str) -> None:
    """`make playthroughs` writes them anew, where the change is meant."""
    assert playthrough(env_id) == file_of(env_id).read_text(encoding="utf-8")

"""Runs on chosen deals."""

from pathlib import Path
from typing import Any

import pytest

from solitaire_envs.deals import list_deals
from solitaire_envs.engine import Engine
from solitaire_training.config import TrainConfig
from tests.training.learning.runs import TINY, quiet_train


@pytest.mark.parametrize("deals", [[2**63 + 9, 2**63 + 4], f"{2**63 + 4}-{2**63 + 9}"])
def test_chosen_deals_are_all_that_is_played(deals: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Self-play, then PPO."""
    played, chosen = set[int](), set(list_deals(deals).tolist())
    deal, conclude = Engine._deal, Engine.step

    def dealt(engine: Engine, indices: Any, decks: Any, numbers: Any, **how: Any) -> None:
        deal(engine, indices, decks, numbers, **how)
        played.update(numbers.tolist())

    def stepped(engine: Engine, actions: Any) -> Any:
        found = conclude(engine, actions)
        played.update(engine.states.deal.tolist())
        return found

    monkeypatch.setattr(Engine, "_deal", dealt)
    monkeypatch.setattr(Engine, "step", stepped)
    quiet_train(TrainConfig(**TINY, games=60, total_steps=384, deals=deals), tmp_path)
    assert {number for number in played if number >= 2**63} == chosen

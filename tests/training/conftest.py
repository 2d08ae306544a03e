"""Fixtures of the tests of evaluation and report."""

from pathlib import Path
from typing import Any

import pytest

from solitaire_envs.engine import Engine
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_training.commands.main import main
from solitaire_training.config import TrainConfig
from tests.training.comparing import DEALS, PYRAMID, TOUR, compared

TINY: dict[str, Any] = {
    "num_envs": 16,
    "n_steps": 8,
    "batch_size": 64,
    "n_epochs": 1,
    "width": 8,
    "second_width": 4,
    "eval_every": 128,
    "eval_deals": 8,
    "total_steps": 512,
}


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two training seeds in each game (p1, p2, t1, t2), and in r the results and report of all of them.

    Heuristics and the oracle take part in the comparison as well.
    """
    from solitaire_evaluation.report import replays
    from solitaire_training.run import train  # here: most tests of evaluations do without torch

    root = tmp_path_factory.mktemp("trained")
    for name, env in (("p", PYRAMID), ("t", TOUR)):
        for seed in (1, 2):
            config = TrainConfig(env=env, seed=seed, **TINY)
            train(config, root / f"{name}{seed}", progress_bar=False, say=lambda line: None)
    env_specs = [make_env_spec(PYRAMID, {}), make_env_spec(TOUR, {})]
    agents = f"uniform,careful,thrifty,oracle,ppo={root}/p*+{root}/t*,{root}/p1@sample"
    compared(root / "r", agents, env_specs=env_specs, deals=DEALS[:40], baseline="uniform")
    verdict = replays._verdict
    with pytest.MonkeyPatch.context() as patch:  # those of La tour infernale take long, and no test reads them

        def of_pyramid(engine: Engine, *, lost: bool) -> dict[str, Any] | None:
            return verdict(engine, lost=lost) if engine.game.name == "pyramid" else None

        patch.setattr(replays, "_verdict", of_pyramid)
        assert main(["report", str(root / "r")]) == 0
    return root

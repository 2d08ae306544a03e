"""Evaluations while a policy is trained."""

from pathlib import Path

from solitaire_agents.catalogue import kit_of
from solitaire_agents.policy import load_policy
from solitaire_envs import pyramid
from solitaire_training.evaluation.deals import VALIDATION_DEALS
from solitaire_training.evaluation.learning_curve import Metrics, read_evaluations
from solitaire_training.evaluation.play import play
from solitaire_training.learning.config import TrainConfig
from solitaire_training.learning.eval_callback import EvalCallback
from solitaire_training.learning.model import build_model
from tests.training.learning.runs import TINY, quiet_train


def test_the_last_evaluation_is_of_the_policy_that_is_saved(tmp_path: Path) -> None:
    config = TrainConfig(total_steps=256, **{**TINY, "eval_every": 128})
    quiet_train(config, tmp_path)
    assert [point["steps"] for point in read_evaluations(tmp_path)] == [128, 256]
    agent = load_policy(tmp_path, kit_of(pyramid.GAME), pyramid.NUM_ACTIONS)
    deals = range(VALIDATION_DEALS, VALIDATION_DEALS + TINY["eval_deals"])
    played = play(agent, pyramid.GAME, config.game_options(), deals)
    assert read_evaluations(tmp_path)[-1]["metrics"]["score"]["value"] == played.column("score").mean()


def test_a_warm_start_is_evaluated_before_the_first_step(tmp_path: Path) -> None:
    seen: list[Metrics] = []
    config = TrainConfig(total_steps=256, teacher="uniform", teacher_steps=1, **{**TINY, "eval_every": 128})
    quiet_train(config, tmp_path, evaluated=lambda steps, metrics: seen.append(metrics))
    points = read_evaluations(tmp_path)
    assert [point["steps"] for point in points] == [0, 128, 256]
    assert [point["metrics"] for point in points] == seen


def test_a_run_can_go_on_from_between_any_two_rollouts() -> None:
    marked: list[tuple[int, int]] = []
    config = TrainConfig(**{**TINY, "eval_every": 10_000, "total_steps": 384})
    model = build_model(config)
    callback = EvalCallback(
        config, lambda: marked.append((callback.num_timesteps, model._n_updates)), lambda steps, played: None
    )
    model.learn(384, callback=callback)
    assert marked == [(0, 0), (128, 1), (256, 2), (384, 3), (384, 3)]

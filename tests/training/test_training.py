"""Training, saving, loading, resuming and interrupting."""

import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks

from solitaire_agents.base import Agent
from solitaire_agents.catalogue import find_agent, kit_of
from solitaire_agents.policy import CARD, WEIGHTS, PolicyAgent, load_policy, read_card
from solitaire_agents.uniform import UniformAgent
from solitaire_envs import pyramid, tour_infernale
from solitaire_envs.catalogue import find_entry
from solitaire_envs.engine import Engine
from solitaire_training.evaluation.deals import VALIDATION_DEALS
from solitaire_training.evaluation.learning_curve import read_evaluations
from solitaire_training.evaluation.play import play
from solitaire_training.learning import train as train_module
from solitaire_training.learning.config import TrainConfig, load_config
from solitaire_training.learning.imitate import imitate
from solitaire_training.learning.sb3_vec_env import SolitaireVecEnv
from solitaire_training.learning.train import (
    CHECKPOINT,
    build_model,
    change_on_resume,
    resumed_config,
    train,
)

TINY: dict[str, Any] = {
    "num_envs": 16,
    "rollout_steps": 8,
    "batch_size": 64,
    "epochs": 1,
    "token_width": 4,
    "trunk_width": 8,
    "trunk_layers": 1,
    "eval_every": 256,
    "eval_deals": 8,
    "checkpoint_every": 256,
    "device": "cpu",
}


def quiet_train(config: TrainConfig, folder: Path, **kwargs: Any) -> int:
    return train(config, folder, progress_bar=False, say=lambda line: None, **kwargs)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    quiet_train(TrainConfig(total_steps=512, **TINY), folder)
    return folder


def test_vec_env_keeps_the_books() -> None:
    env = SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 8, reward_scale=0.5)
    env.seed(0)
    env.reset()
    agent, returns, lengths, seen = UniformAgent(), np.zeros(8), np.zeros(8, dtype=int), 0
    for _ in range(200):
        observations, rewards, dones, infos = env.step(agent.act(np.zeros((8, 91), np.int16), env.action_masks()))
        returns += rewards / 0.5
        lengths += 1
        for index in np.flatnonzero(dones):
            info, seen = infos[index], seen + 1
            assert info["episode"] == {"r": returns[index], "l": lengths[index]}
            assert info["episode"]["r"] == info["score"] + 52
            assert info["is_success"] == info["won"]
            assert not info["TimeLimit.truncated"]
            assert info["terminal_observation"].shape == observations[index].shape
            assert not np.array_equal(info["terminal_observation"], observations[index])
        returns[dones], lengths[dones] = 0, 0
        assert all(not info for info, done in zip(infos, dones, strict=True) if not done)
    assert seen > 8


@pytest.mark.parametrize("ends", [True, False])
def test_a_cut_off_episode_may_count_as_ended(ends: bool) -> None:
    options = tour_infernale.TourInfernaleOptions(max_moves=5)
    env = SolitaireVecEnv(tour_infernale.GAME, options, 2, truncation_ends=ends)
    env.reset()
    for _ in range(5):
        _, _, dones, infos = env.step(np.zeros(2, dtype=np.int64))
    assert dones.all()
    assert [info["TimeLimit.truncated"] for info in infos] == [not ends] * 2


def test_masks_reach_sb3_contrib_in_one_block() -> None:
    env = SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 8)
    env.reset()
    masks = get_action_masks(env)
    assert masks.reshape(8, 285).tolist() == env.action_masks().tolist()
    assert len(env.env_method("action_masks")) == 1


def test_maskable_ppo_with_its_own_policy_runs_on_the_vec_env() -> None:
    env = SolitaireVecEnv(tour_infernale.GAME, tour_infernale.TourInfernaleOptions(), 4)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=32, device="cpu").learn(128)
    assert model.num_timesteps == 128


@pytest.mark.parametrize("env_id", ["solitaire/Pyramid-v0", "solitaire/TourInfernaleOnePass-v0"])
def test_a_run_is_an_agent(env_id: str, tmp_path: Path) -> None:
    quiet_train(TrainConfig(env=env_id, total_steps=256, **TINY), tmp_path)
    game, options = find_entry(env_id).game, TrainConfig(env=env_id).game_options()
    played = play(find_agent(str(tmp_path), game, options), game, options, range(16))
    assert len(played.outcomes) == 16
    assert (played.outcomes["moves"] > 0).all()


def test_the_last_evaluation_is_of_the_policy_that_is_saved(tmp_path: Path) -> None:
    config = TrainConfig(total_steps=256, **{**TINY, "eval_every": 128})
    quiet_train(config, tmp_path)
    assert [point["steps"] for point in read_evaluations(tmp_path)] == [128, 256]
    agent = load_policy(tmp_path, kit_of(pyramid.GAME), pyramid.NUM_ACTIONS)
    deals = range(VALIDATION_DEALS, VALIDATION_DEALS + TINY["eval_deals"])
    played = play(agent, pyramid.GAME, config.game_options(), deals)
    assert read_evaluations(tmp_path)[-1]["metrics"]["score"]["value"] == played.column("score").mean()


def test_same_seed_same_policy(tmp_path: Path) -> None:
    for name in ("a", "b"):
        quiet_train(TrainConfig(total_steps=256, **TINY), tmp_path / name)
    assert (tmp_path / "a" / WEIGHTS).read_bytes() == (tmp_path / "b" / WEIGHTS).read_bytes()


def test_bfloat16_changes_little(run: Path) -> None:
    seen = torch.as_tensor(SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 64).reset())
    logits = []
    for precision in ("float32", "bfloat16"):
        model = build_model(TrainConfig(precision=precision, **TINY))  # type: ignore[arg-type]
        model.policy.network.load_state_dict(
            load_policy(run, kit_of(pyramid.GAME), pyramid.NUM_ACTIONS).network.state_dict()
        )
        logits.append(model.policy.judge(seen)[0])
    off = (logits[0] - logits[1]).abs()
    assert logits[1].dtype == torch.float32
    assert 0 < off.max() < 0.05 * logits[0].abs().max()


@pytest.mark.parametrize("teacher", ["", "careful"])
def test_training_in_bfloat16(teacher: str, tmp_path: Path) -> None:
    quiet_train(
        TrainConfig(total_steps=256, precision="bfloat16", teacher=teacher, teacher_steps=512, **TINY), tmp_path
    )
    assert all(tensor.isfinite().all() for tensor in load_file(tmp_path / WEIGHTS).values())
    assert read_card(tmp_path)["computed"] == {"device": "cpu", "precision": "bfloat16"}
    assert {str(tensor.dtype) for tensor in load_file(tmp_path / WEIGHTS).values()} == {"torch.float32"}


@pytest.mark.parametrize("env_id", ["solitaire/Pyramid-v0", "solitaire/TourInfernale-v0"])
def test_the_network_can_move_to_a_device_as_a_whole(env_id: str) -> None:
    """The device 'meta' has shapes only, and most of what it does refuses tensors elsewhere, as a GPU would."""
    model = build_model(TrainConfig(env=env_id, **TINY))
    seen = torch.as_tensor(model.env.reset()).to("meta")
    logits, values = model.policy.network.to("meta")(seen)
    (logits.sum() + values.sum()).backward()
    assert logits.shape == (16, model.action_space.n)


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without a GPU")
def test_a_gpu_that_is_missing() -> None:
    with pytest.raises(ValueError, match="expected a GPU for device 'cuda', got none"):
        build_model(TrainConfig(**{**TINY, "device": "cuda"}))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("env_id", ["solitaire/Pyramid-v0", "solitaire/TourInfernale-v0"])
def test_training_on_a_gpu_and_on(env_id: str, tmp_path: Path) -> None:
    settings = {**TINY, "env": env_id, "device": "auto", "teacher": "uniform", "teacher_steps": 512}
    quiet_train(TrainConfig(total_steps=256, **settings), tmp_path)
    assert read_card(tmp_path)["computed"]["device"] == "cuda"
    config = change_on_resume(resumed_config(tmp_path), None, {"total_steps": 512, "device": "cpu"})
    assert quiet_train(config, tmp_path, resume=True) == 512


def test_greedy_and_sampled_actions_are_legal(run: Path) -> None:
    agent = load_policy(run, kit_of(pyramid.GAME), pyramid.NUM_ACTIONS)
    options = pyramid.PyramidOptions()
    greedy = play(agent, pyramid.GAME, options, range(32))
    agent = PolicyAgent(agent.network, agent.name, "sample")
    sampled = play(agent, pyramid.GAME, options, range(32))
    again = play(agent, pyramid.GAME, options, range(32))
    assert not np.array_equal(greedy.outcomes, sampled.outcomes)
    assert np.array_equal(sampled.outcomes, again.outcomes)


def test_resume_goes_on_and_keeps_the_settings(run: Path) -> None:
    config = change_on_resume(resumed_config(run), None, {"total_steps": 768, "precision": "float32"})
    assert quiet_train(config, run, resume=True) == 768
    assert load_file(run / CHECKPOINT)["steps"] == 768
    with pytest.raises(ValueError, match=r"expected batch_size 64, as in the run so far, .* got 128"):
        change_on_resume(config, None, {"batch_size": 128})
    with pytest.raises(ValueError, match="holds a run: add --resume"):
        quiet_train(config, run)


def test_resuming_after_a_kill_between_two_files(run: Path, tmp_path: Path) -> None:
    """The policy is newer than the checkpoint then: the run goes on from the checkpoint, as it would have done."""
    for name in ("whole", "killed"):
        quiet_train(TrainConfig(total_steps=256, **TINY), tmp_path / name)
    shutil.copy(run / WEIGHTS, tmp_path / "killed")
    for name in ("whole", "killed"):
        quiet_train(TrainConfig(total_steps=384, **TINY), tmp_path / name, resume=True)
    assert (tmp_path / "whole" / WEIGHTS).read_bytes() == (tmp_path / "killed" / WEIGHTS).read_bytes()
    (tmp_path / "killed" / CHECKPOINT).write_bytes(b"damaged")
    with pytest.raises(ValueError, match="expected a run to resume in .*killed, got"):
        quiet_train(TrainConfig(total_steps=512, **TINY), tmp_path / "killed", resume=True)


def test_nothing_to_resume(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected a policy's description at"):
        resumed_config(tmp_path)


def test_ctrl_c_saves_the_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(train_module._Watch, "_evaluate", interrupt)
    said: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        train(TrainConfig(total_steps=1024, **TINY), tmp_path, progress_bar=False, say=said.append)
    assert str(tmp_path) in said[-1]
    assert load_file(tmp_path / CHECKPOINT)["steps"] == 256
    load_policy(tmp_path, kit_of(pyramid.GAME), pyramid.NUM_ACTIONS)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_what_ends_a_process_saves_the_policy(ending: signal.Signals, tmp_path: Path) -> None:
    settings = [f"--{name.replace('_', '-')}={value}" for name, value in {**TINY, "eval_every": 10**9}.items()]
    command = [sys.executable, "-m", "solitaire_training", "train", "--out", str(tmp_path), *settings]
    in_background = ["sh", "-c", f"trap '' INT; exec {shlex.join(command)}"]  # as shells start them
    with subprocess.Popen(in_background, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        while not (tmp_path / CHECKPOINT).exists():
            assert process.poll() is None
            time.sleep(0.1)
        process.send_signal(ending)
        said = process.communicate(timeout=60)[0]
    assert process.returncode == 130
    steps = int(re.search(r"saving the policy after ([\d,]+) steps", said)[1].replace(",", ""))  # type: ignore[index]
    assert load_file(tmp_path / CHECKPOINT)["steps"] == steps


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        (WEIGHTS, lambda data: data[: len(data) // 2], "expected a whole safetensors file"),
        (WEIGHTS, lambda data: b"", "expected a whole safetensors file"),
        (WEIGHTS, lambda data: b"\x80\x04pickle", "expected a whole safetensors file"),
        (CARD, lambda data: b"{", "expected a policy's description"),
        (CARD, lambda data: b"\xff\xfe", "expected a policy's description"),
        (CARD, lambda data: b"[]", "expected format 'solitaire-rl policy 1', got 'list'"),
        (CARD, lambda data: data.replace(b"policy 1", b"policy 9"), "got 'solitaire-rl policy 9'"),
        (CARD, lambda data: data.replace(b'"trunk_width": 8', b'"trunk_width": 9'), "expected tensor .* of shape"),
        (CARD, lambda data: data.replace(b'"trunk_width": 8', b'"trunk_width": -9'), "expected sizes"),
        (CARD, lambda data: data.replace(b'"game": "pyramid"', b'"game": "golf"'), "expected a policy of pyramid"),
        (CARD, lambda data: data.replace(b'"passes": 3', b'"passes": "x"'), "expected passes"),
    ],
)
def test_damaged_policies(run: Path, tmp_path: Path, file: str, content: Any, message: str) -> None:
    for name in (WEIGHTS, CARD):
        data = (run / name).read_bytes()
        (tmp_path / name).write_bytes(content(data) if name == file else data)
    with pytest.raises(ValueError, match=message):
        load_policy(tmp_path, kit_of(pyramid.GAME), pyramid.NUM_ACTIONS)


def test_policy_of_another_game(run: Path) -> None:
    with pytest.raises(ValueError, match="expected a policy of tour_infernale with 45 actions, got one of pyramid"):
        find_agent(str(run), tour_infernale.GAME, tour_infernale.TourInfernaleOptions())


def test_full_disk_leaves_the_old_policy(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (run / WEIGHTS).read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("solitaire_agents.files.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        quiet_train(resumed_config(run), run, resume=True)
    assert (run / WEIGHTS).read_bytes() == before


def test_yaml_and_overrides(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("total_steps: 5_000\noptions: {passes: 2}\n")
    config = load_config(path, {"seed": 3, "options": {"goal": "pyramid"}})
    assert (config.total_steps, config.seed, config.options) == (5_000, 3, {"passes": 2, "goal": "pyramid"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("learning_rat: 1", "expected keys among .* got 'learning_rat'"),
        ("learning_rate: fast", "expected learning_rate to be a number"),
        ("total_steps: 1.5", "expected total_steps to be an integer"),
        ("options: {passes: 0}", "expected passes"),
        ("options: [1]", "expected a mapping"),
        ("env: solitaire/Golf-v0", "expected an environment id among"),
        ("- 1", "expected a mapping"),
        ("a: [", "expected a YAML file at"),
        ("\x00", "expected a YAML file at"),
    ],
)
def test_wrong_yaml(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        load_config(path, {})


def test_network_starts_close_to_uniform() -> None:
    from solitaire_agents.networks import NetworkConfig, build_network

    torch.manual_seed(0)
    env = SolitaireVecEnv(pyramid.GAME, pyramid.PyramidOptions(), 64)
    network = build_network(kit_of(pyramid.GAME), pyramid.NUM_ACTIONS, NetworkConfig())
    logits, values = network(torch.as_tensor(env.reset()))
    assert logits.shape == (64, 285)
    assert values.shape == (64,)
    assert logits.std() < 0.2


@pytest.mark.parametrize(("teacher", "steps"), [("pyramid-first", 40_000), ("hindsight", 40_000), ("oracle", 4_096)])
def test_imitation_plays_more_like_its_teacher(teacher: str, steps: int) -> None:
    config = TrainConfig(teacher=teacher, teacher_steps=steps, **{**TINY, "trunk_width": 32, "num_envs": 64})
    model, said, saved = build_model(config), [], []
    agent = find_agent(config.teacher, config.game(), config.game_options())
    network = PolicyAgent(model.policy.network, "imitator")
    before = what_is_lost(network, agent, config)
    imitate(model, agent, config, said.append, lambda: saved.append(model.taught))
    assert what_is_lost(network, agent, config) < 0.9 * before
    assert len(said) == len(saved)
    assert saved[-1] == model.taught == steps // (64 * 8) * (64 * 8)


def what_is_lost(agent: PolicyAgent, teacher: Agent, config: TrainConfig) -> float:
    """Returns how far the agent's moves fall behind in the teacher's eyes, in games that someone else plays."""
    player, lost = UniformAgent(), 0.0
    seen, shown = (
        Engine(pyramid.GAME, options, 64) for options in (config.game_options(), teacher.shown(config.game_options()))
    )
    for engine in (seen, shown):
        engine.deal_numbers(range(64))
    for _ in range(30):
        masks = seen.buffers.action_masks.copy()
        ratings = teacher.rate(shown.buffers.observations, masks)
        chosen = agent.act(seen.buffers.observations, masks)
        lost += float((ratings.max(axis=1) - ratings[np.arange(64), chosen]).sum())
        actions = player.act(seen.buffers.observations, masks)
        for engine in (seen, shown):
            engine.step(actions)
    return lost


def test_the_teacher_and_the_network_see_the_same_games() -> None:
    class Witness(UniformAgent):
        fair = False

        def rate(self, observations: Any, action_masks: Any) -> Any:
            seen = env.engine.buffers
            asked = np.flatnonzero(seen.action_masks.sum(axis=1) > 1)
            own = seen.observations[asked]
            assert np.array_equal(own[:, :28], observations[:, :28])
            assert np.array_equal(seen.action_masks[asked], action_masks)
            hidden = own == pyramid.UNSEEN
            hidden_cards.append(int(hidden.sum()))
            assert not (observations[hidden] == pyramid.UNSEEN).any()
            return super().rate(observations, action_masks)

    config = TrainConfig(teacher_steps=6_000, **TINY)
    model, hidden_cards = build_model(config), []
    env = model.env
    imitate(model, Witness(), config, lambda text: None)
    assert sum(hidden_cards) > 0


def test_imitation_goes_on_where_it_stopped(tmp_path: Path) -> None:
    config = TrainConfig(total_steps=1, teacher="careful", teacher_steps=4_000, **TINY)

    def stop(text: str) -> None:
        if "as good" in text:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path / "run", say=stop, progress_bar=False)
    taught = int(load_file(tmp_path / "run" / CHECKPOINT)["taught"])
    assert 0 < taught < 4_000
    said: list[str] = []
    train(config, tmp_path / "run", resume=True, say=said.append, progress_bar=False)
    assert int(re.search(r"([\d,]+) steps with careful", said[0])[1].replace(",", "")) > taught  # type: ignore[index]


def test_starting_from_a_policy(run: Path, tmp_path: Path) -> None:
    config = TrainConfig(total_steps=1, learning_rate=0.0, learning_rate_end=0.0, start_from=str(run), **TINY)
    quiet_train(config, tmp_path / "next")
    assert (tmp_path / "next" / WEIGHTS).read_bytes() == (run / WEIGHTS).read_bytes()
    other = {**TINY, "trunk_width": 9}
    with pytest.raises(ValueError, match="expected a policy of NetworkConfig.*trunk_width=9.*got one of"):
        quiet_train(TrainConfig(total_steps=1, start_from=str(run), **other), tmp_path / "other")
    with pytest.raises(ValueError, match="expected start_from to be a text, got 3"):
        TrainConfig(start_from=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected eval_actions to be greedy or sample, got 'bold'"):
        TrainConfig(eval_actions="bold")  # type: ignore[arg-type]

"""The worked examples: those whose libraries are there run for a few steps, and play no illegal move."""

import copy
import importlib
import math
import re
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest

from solitaire_agents import find_agent
from solitaire_envs import pyramid, pyramid_table
from solitaire_envs.catalogue import choose_deals, find_entry
from solitaire_envs.engine import Buffers, Engine
from solitaire_evaluation.chat_env import ChatEnv
from solitaire_evaluation.play import play
from solitaire_training.commands.main import main

EXAMPLES = Path(__file__).parents[1] / "examples"
NEEDS = {
    "maskable_ppo": ["sb3_contrib"],
    "cleanrl_ppo": ["torch"],
    "cleanrl_agent": ["torch"],
    "torchrl_env": ["torch", "torchrl"],
    "rllib_ppo": ["torch", "ray.rllib"],
    "curriculum": ["sb3_contrib"],
    "asymmetric": ["sb3_contrib"],
    "own_agent": [],
    "sb3_agent": ["sb3_contrib"],
    "search": [],
    "text_agent": [],
    "masked_dqn": ["stable_baselines3"],
    "offline": ["minari", "torch"],
    "openenv_client": ["openenv"],  # this one and those below: played by `make test-clients`
    "gem_env": ["gem"],
    "skyrl_env": ["skyrl_gym"],
    "textarena_env": ["textarena"],
    "trl_environment": ["trl"],
    "verifiers_taskset": ["verifiers"],
}
ENV_IDS = ["solitaire/Pyramid-v0", "solitaire/TourInfernale-v0"]


def load(name: str) -> ModuleType:
    for library in NEEDS[name]:
        pytest.importorskip(library)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)  # more are slower, for networks as small as these
    return importlib.import_module(f"examples.{name}")


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts the moves of every environment in this process, legal or not."""
    count: Counter[str] = Counter()
    step = Engine.step

    def counting_step(self: Engine, actions: Any) -> Buffers:
        under_way = ~self.states.ended
        buffers = step(self, actions)
        count["moves"] += int(under_way.sum())
        count["illegal"] += int(buffers.illegal.sum())
        return buffers

    monkeypatch.setattr(Engine, "step", counting_step)
    return count


@pytest.mark.parametrize("name", NEEDS)
def test_one_short_file_each(name: str) -> None:
    text = (EXAMPLES / f"{name}.py").read_text()
    assert len(text.splitlines()) < 200
    assert "solitaire_training" not in text
    assert f"python examples/{name}.py" in text


def test_every_example_is_tested() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(NEEDS)


def test_moves_are_counted(played: Counter[str]) -> None:
    env = gymnasium.make("solitaire/Pyramid-v0")
    _, info = env.reset(seed=0)
    env.step(int(info["action_mask"].argmax()))
    env.step(int(info["action_mask"].argmin()))
    assert played == Counter(moves=2, illegal=1)


@pytest.mark.parametrize("env_id", ENV_IDS)
def test_maskable_ppo(env_id: str, played: Counter[str]) -> None:
    example = load("maskable_ppo")
    model = example.make_model(env_id, num_envs=2, num_steps=32).learn(64)
    assert played == Counter(moves=64)
    assert all(-52 <= score <= 50 for score in example.evaluate(model, env_id, range(1)))
    assert played["moves"] > 64
    assert played["illegal"] == 0


@pytest.mark.parametrize("env_id", ENV_IDS)
def test_masked_dqn(env_id: str, played: Counter[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = load("masked_dqn")
    model = example.make_model(env_id, num_envs=2).learn(400)
    assert played == Counter(moves=400)  # explored without an illegal move
    model.save(tmp_path / "dqn.zip")
    monkeypatch.setattr(example, "FILE", tmp_path / "dqn.zip")
    entry = find_entry(env_id)
    options = entry.game.options(max_moves=60)
    scores = [
        play(agent, entry.game, options, range(3)).column("score")
        for agent in (example.Model(options), example.Model(options, model))
    ]
    assert np.array_equal(*scores)
    assert played["illegal"] == 0


def test_masked_dqn_gives_illegal_actions_the_lowest_value() -> None:
    example = load("masked_dqn")
    model = example.make_model(ENV_IDS[0], num_envs=3)
    seen = model.get_env().reset()
    model.exploration_rate = 1.0
    one = {name: rows[0] for name, rows in seen.items()}
    assert one["action_mask"][model.predict(one)[0]] == 1  # a single observation, as SB3 allows
    values = model.q_net(model.policy.obs_to_tensor(seen)[0])
    assert ((values > -1e30).numpy() == seen["action_mask"].astype(bool)).all()
    ended = {**seen, "action_mask": 0 * seen["action_mask"]}  # the target of a game that has ended counts times zero
    assert model.q_net(model.policy.obs_to_tensor(ended)[0]).max(dim=1).values.isfinite().all()


TINY = {"num_envs": 8, "num_steps": 64, "num_minibatches": 2, "update_epochs": 1, "width": 16}


@pytest.mark.parametrize("env_id", ENV_IDS)
def test_cleanrl_ppo(env_id: str, played: Counter[str]) -> None:
    example = load("cleanrl_ppo")
    _, history = example.train(example.Args(env_id=env_id, total_timesteps=1024, **TINY))
    assert played == Counter(moves=1024)  # none is lost to a reset
    assert [record["steps"] for record in history] == [512, 1024]
    assert all(math.isfinite(record["value_loss"]) and record["entropy"] > 0 for record in history)


def test_cleanrl_ppo_where_episodes_are_cut_off(monkeypatch: pytest.MonkeyPatch, played: Counter[str]) -> None:
    example = load("cleanrl_ppo")
    spec = copy.deepcopy(gymnasium.spec("solitaire/TourInfernale-v0"))  # the registry hands out its own
    spec.kwargs = {**spec.kwargs, "max_moves": 10}
    monkeypatch.setitem(gymnasium.registry, "solitaire/Short-v0", spec)
    _, (record,) = example.train(example.Args(env_id="solitaire/Short-v0", total_timesteps=512, **TINY))
    assert played == Counter(moves=512)
    assert math.isfinite(record["score"])
    assert math.isfinite(record["value_loss"])


def test_cleanrl_ppo_without_the_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    example = load("cleanrl_ppo")
    monkeypatch.setattr(example, "masked_categorical", lambda logits, masks: example.Categorical(logits=logits))
    with pytest.raises(ValueError, match="expected a legal action"):
        example.train(example.Args(total_timesteps=512, **TINY))


def test_cleanrl_ppo_on_the_command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    example = load("cleanrl_ppo")
    arguments = "--total-timesteps 128 --num-envs 2 --num-minibatches 1 --update-epochs 1 --width 8 --ent-coef 1e-3"
    monkeypatch.setattr(sys, "argv", ["cleanrl_ppo.py", *arguments.split()])
    example.main()
    assert capsys.readouterr().out.startswith("steps 128  score ")


@pytest.mark.filterwarnings("default")  # TorchRL's own
@pytest.mark.parametrize("env_id", ENV_IDS)
def test_torchrl_env(env_id: str, played: Counter[str]) -> None:
    example = load("torchrl_env")
    env = example.make_env(env_id)
    env.set_seed(0)
    example.check_env_specs(env)
    for policy in (None, example.make_policy(env)):
        rollout = env.rollout(200, policy, break_when_any_done=False)
        assert len(rollout) == 200
        assert example.share_legal(rollout) == 1.0
    assert played["moves"] > 400
    assert played["illegal"] == 0


@pytest.mark.filterwarnings("default")  # Ray's own
def test_rllib_ppo(played: Counter[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    example = load("rllib_ppo")
    env_id = ENV_IDS[0]
    example.ray.init(num_cpus=1, include_dashboard=False)
    try:
        algorithm = example.make_config(env_id, batch_size=4_096).build_algo()  # some games end
        results = algorithm.train()
        assert results["learners"]["default_policy"]["entropy"] > 0
        assert np.isfinite(results["env_runners"]["episode_return_mean"])
        assert played["moves"] >= 4_096  # in this process: there are no env runners
        assert all(-52 <= score <= 50 for score in example.evaluate(algorithm, env_id, range(2)))
        assert played["illegal"] == 0
        algorithm.stop()
    finally:
        example.ray.shutdown()


def test_own_agent(played: Counter[str], capsys: pytest.CaptureFixture[str]) -> None:
    example = load("own_agent")
    example.main()
    score = float(capsys.readouterr().out.removeprefix("mean score of deals 0 to 99: "))
    assert -14 < score < 0  # far better than random moves, at -17
    assert played["illegal"] == 0
    env: Any = gymnasium.make("solitaire/Pyramid-v0").unwrapped
    agent = find_agent("examples.own_agent:DeepCardsFirst", env.game, env.options)
    masks = np.ones((1, env.game.num_actions(env.options)), dtype=bool)
    assert (
        min(pyramid_table.ACTIONS[agent.act(np.zeros((1, 92), np.int16), masks).item()]) >= 21
    )  # two of the bottom row
    masks[0, 2:] = False
    assert agent.act(np.zeros((1, 92), np.int16), masks).item() == 0


def test_cleanrl_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], played: Counter[str]
) -> None:
    """What is saved is what plays."""
    monkeypatch.syspath_prepend(EXAMPLES)
    trainer, example = load("cleanrl_ppo"), load("cleanrl_agent")
    args = trainer.Args(total_timesteps=64, num_envs=2, num_steps=32, save=str(tmp_path / "w"), width=8)
    network, _ = trainer.train(args)
    monkeypatch.setattr(example, "FILE", tmp_path / "w")
    monkeypatch.setattr(example, "DEALS", range(8))
    example.main()
    assert re.fullmatch(r"mean score of deals 0 to 7: -?\d+\.\d\d", capsys.readouterr().out.splitlines()[-1])
    env = gymnasium.make(ENV_IDS[0]).unwrapped
    observation, info = env.reset(seed=0)
    mask = info["action_mask"].astype(bool)
    logits, _ = network(trainer.torch.as_tensor(observation[None]))
    chosen = example.Model(env.options).act(observation[None], mask[None]).item()
    assert chosen == np.where(mask, logits.detach().numpy()[0], -np.inf).argmax()
    assert played["illegal"] == 0


def test_sb3_agent(played: Counter[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example, trainer = load("sb3_agent"), load("maskable_ppo")
    model = trainer.make_model(ENV_IDS[0], num_envs=2, num_steps=32).learn(64)
    model.save(tmp_path / "model.zip")
    example.FILE, example.DEALS = tmp_path / "model.zip", range(8)
    example.main()
    alone = np.mean(trainer.evaluate(model, ENV_IDS[0], example.DEALS))
    mine, rule = capsys.readouterr().out.splitlines()[-2:]
    assert mine == f"examples.sb3_agent:Model: mean score of deals 0 to 7: {alone:.2f}"
    assert rule.startswith("pyramid-first: mean score of deals 0 to 7: ")
    assert played["illegal"] == 0


def test_curriculum(played: Counter[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each band is reached, and no deal of another is played meanwhile."""
    example, game = load("curriculum"), pyramid.GAME
    bands = [set(choose_deals(game, game.options(), winnable=True, difficulty=band).tolist()) for band in example.BANDS]
    drawn, set_deals = list[set[int]](), Engine.set_deals
    monkeypatch.setattr(
        Engine, "set_deals", lambda engine, deals: drawn.append(set(deals.tolist())) or set_deals(engine, deals)
    )
    example.train(256, num_envs=2, num_steps=32)
    assert drawn[::2] == drawn[1::2] == bands
    assert bands[0] < bands[1] < bands[2] < bands[3]
    assert played["moves"] == 256


def test_asymmetric(played: Counter[str]) -> None:
    """The critic sees the privileged part and nothing else, the actor does not see it."""
    example = load("asymmetric")
    model = example.make_model(num_envs=2, num_steps=32).learn(64)
    assert played["moves"] == 64
    observation = gymnasium.make(ENV_IDS[0], privileged=True).reset(seed=0)[0]
    found = []
    for hidden in ("neither", "observation", "privileged"):
        parts = {name: slots * (name != hidden) for name, slots in observation.items()}
        seen, _ = model.policy.obs_to_tensor(parts)
        found.append((model.policy.get_distribution(seen).distribution.logits, model.policy.predict_values(seen)))
    (logits, value), (logits_blind, value_same), (logits_same, value_blind) = found
    assert logits.equal(logits_same)
    assert not logits.equal(logits_blind)
    assert value.equal(value_same)
    assert not value.equal(value_blind)
    assert all(-52 <= score <= 50 for score in example.evaluate(model, range(2)))
    assert played["illegal"] == 0


def test_search(played: Counter[str]) -> None:
    """A search of a few simulations is better than playing out alone, and leaves the game as it was."""
    example, options = load("search"), pyramid.GAME.options()
    env: Any = gymnasium.make(ENV_IDS[0]).unwrapped
    alone = []
    for deal in range(4):
        env.reset(options={"deal": deal})
        before = env.get_state()
        assert example.search(env, 5, np.random.default_rng(0)).total() == 5
        assert env.get_state() == before
        alone.append(example.play_out(env, np.random.default_rng(deal)) - 52)
    searched = play(example.Searcher(options, 2, 4), pyramid.GAME, options, range(4)).column("score")
    assert searched.mean() > np.mean(alone) + 5
    assert played["illegal"] == 0


def test_text_agents(played: Counter[str]) -> None:
    """They play in a comparison as in a `ChatEnv`; after an answer that is no move they are asked again."""
    example = load("text_agent")
    options = pyramid.GAME.options()
    outcomes = play(example.FirstDiscard(options), pyramid.GAME, options, range(4)).outcomes
    assert played == Counter(moves=int(outcomes["moves"].sum()))
    env, agent = ChatEnv("solitaire/Pyramid-v0", test=True), example.FirstDiscard(options)
    for deal in range(4):
        text, _ = env.reset(index=deal)
        while not env.over:
            text, *_ = env.step(agent.answer([{"role": "user", "content": text}]))
        assert {name: env.info()[name] for name in outcomes.dtype.names} == dict(
            zip(outcomes.dtype.names, outcomes[deal].tolist(), strict=True)
        )
    play(example.RandomMove(options), pyramid.GAME, options, range(4))
    assert played["illegal"] == 0


def test_offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, played: Counter[str], capsys: Any) -> None:
    example = load("offline")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    record = "record --agent careful --deals 6 --jobs 1 --dataset solitaire/pyramid/careful-v0"
    assert main(record.split()) == 0
    steps = example.steps_of(example.minari.load_dataset("solitaire/pyramid/careful-v0"))
    assert len(steps[0]) == len(steps[1]) == len(steps[2]) > 200
    assert steps[1][range(len(steps[2])), steps[2]].all()  # what was played was legal
    monkeypatch.setattr(
        sys, "argv", ["offline.py", "--dataset", "solitaire/pyramid/careful-v0", "--epochs", "3", "--deals", "2"]
    )
    example.main()
    *epochs, told = capsys.readouterr().out.splitlines()[-4:]
    losses = [float(line.rpartition(" ")[2]) for line in epochs]
    assert losses[2] < losses[0]
    assert told.startswith("2 deals: won ")
    assert "[" in told
    assert played["illegal"] == 0


def test_the_interval_of_the_offline_example() -> None:
    low, high = load("offline").wilson(0, 50)
    assert (round(low, 3), round(high, 3)) == (0.0, 0.071)

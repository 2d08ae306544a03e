"""The windows of a warm start, played in slices of the games, which workers share.

A slice is played with random numbers of its own and with the weights of that moment, by whoever has time. Its games
travel to the worker and back. So the windows depend neither on how many workers there are nor on which of them is lost.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from solitaire_agents.catalogue import agents_of, find_agent
from solitaire_training.evaluation.carried import Files, read_folder, unpack
from solitaire_training.evaluation.workers import Workers
from solitaire_training.learning.config import TrainConfig
from solitaire_training.learning.imitate import Lessons, Window
from solitaire_training.learning.model import TaughtPPO, build_player, uses_bfloat16


@dataclass(frozen=True)
class Slice:
    """Some of the games, before or after a window."""

    first: int
    """Place of its first game among all."""
    games: list[NDArray[Any]]
    """Rows of `Lessons.games`."""
    own: int
    """Number of games that the network plays, from the first on."""
    seed: int


@dataclass(frozen=True)
class SlicePlayer:
    """Plays a window of a slice."""

    config: TrainConfig
    teacher: Files | str
    """Its files, or its name."""
    weights: Mapping[str, NDArray[Any]]

    def __call__(self, given: Slice) -> tuple[Slice, list[NDArray[Any]]]:
        """Returns the slice after a window, and the window."""
        config = replace(self.config, num_envs=len(given.games[0]))
        teacher = self.teacher if isinstance(self.teacher, str) else str(unpack(self.teacher))
        torch.set_num_threads(config.threads)
        network, lessons = _make_lessons(json.dumps(config.to_json()), teacher)
        network.load_state_dict({name: torch.as_tensor(weight) for name, weight in self.weights.items()})
        for own, games in zip(lessons.games, given.games, strict=True):
            own[...] = games
        lessons.seed(given.seed)
        window = lessons.play(given.own)
        return replace(given, games=lessons.games), [column.numpy() for column in window]


@lru_cache(maxsize=4)
def _make_lessons(config_text: str, teacher: str) -> tuple[torch.nn.Module, Lessons]:
    config = TrainConfig(**json.loads(config_text))
    with torch.random.fork_rng(devices=[]):  # the learner, which may be this process, draws on as if alone
        agent = find_agent(teacher, config.game(), config.game_options())
    policy, env = build_player(config, agent)
    return policy.network, Lessons(policy, env, config)


def slices_by(
    workers: Workers, model: TaughtPPO, config: TrainConfig, teacher: str
) -> Callable[[Lessons, int], Window]:
    """Returns what plays the windows of a warm start.

    Args:
        workers: Who plays the slices.
        model: The model that is taught.
        config: Its settings, with ``teacher_slices``.
        teacher: The teacher's name, or where its folder is.
    """
    precision: Any = "bfloat16" if uses_bfloat16(config) else "float32"  # whatever a worker's processor prefers
    travels = workers.elsewhere and teacher not in agents_of(config.game()) and Path(teacher).is_dir()
    carried = read_folder(Path(teacher)) if travels else teacher
    player = SlicePlayer(replace(config, device="cpu", precision=precision), carried, {})

    def play(lessons: Lessons, own: int) -> Window:
        weights = {name: weight.cpu().numpy() for name, weight in model.policy.network.state_dict().items()}
        played = dict[int, Sequence[NDArray[Any]]]()
        for done, window in workers.share(replace(player, weights=weights), _cut(lessons, config, model.taught, own)):
            played[done.first] = window
            for all_games, games in zip(lessons.games, done.games, strict=True):
                all_games[done.first : done.first + len(games)] = games
        columns = zip(*(played[first] for first in sorted(played)), strict=True)
        return Window(*(torch.as_tensor(np.concatenate(column)).to(model.device) for column in columns))

    return play


def _cut(lessons: Lessons, config: TrainConfig, taught: int, own: int) -> list[Slice]:
    """Cuts the games into slices."""
    ends = np.linspace(0, config.num_envs, min(config.teacher_slices, config.num_envs) + 1).astype(int).tolist()
    return [
        Slice(
            first=first,
            games=[games[first:end].copy() for games in lessons.games],
            own=min(max(own - first, 0), end - first),
            seed=int(np.random.SeedSequence((config.seed, taught, number)).generate_state(1)[0]),
        )
        for number, (first, end) in enumerate(pairwise(ends))
    ]

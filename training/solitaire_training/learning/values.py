"""Learns what positions are worth, by self-play: TD(lambda) with a small network (Tesauro 1995, TD-Gammon).

What games teach (`solitaire_agents.kit.SelfPlay`) is learned in one pass of Adam. Meanwhile the next games are played
by the network as it was before that pass, so that two cores have work. A run is a folder as of `train`:
``policy.safetensors`` and ``policy.json`` (an agent by itself), ``checkpoint.safetensors`` and ``evaluations.jsonl``.
"""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm

from solitaire_agents.catalogue import kit_of
from solitaire_agents.files import locked
from solitaire_agents.kit import Lessons, SelfPlay
from solitaire_agents.trained import VALUES, write_trained
from solitaire_agents.value_network import ValueNetwork, value_shapes
from solitaire_envs.cards import FIRST_RANDOM_DEAL
from solitaire_training.evaluation.deals import VALIDATION_DEALS
from solitaire_training.evaluation.learning_curve import EVALUATIONS, append_evaluation
from solitaire_training.evaluation.play import play
from solitaire_training.learning.checkpoint_file import (
    CHECKPOINT,
    Tensors,
    optimizer_state,
    read_checkpoint,
    restore_optimizer,
    write_checkpoint,
)
from solitaire_training.learning.config import ValuesConfig
from solitaire_training.learning.train import set_aside
from solitaire_training.provenance import git_revision, versions

SLICE = 250
"""Games that are played at a time, by one thread."""


def self_play_of(config: ValuesConfig) -> SelfPlay:
    """Returns how values of a game are learned.

    Raises:
        ValueError: They are not, or not under the options.
    """
    make = kit_of(config.game()).self_play if config.game().base is None else None
    if make is None:
        raise ValueError(f"expected a game with self-play, got {config.game().name}")
    self_play = make()
    self_play.check(config.game_options())
    return self_play


def train_values(
    config: ValuesConfig, folder: Path, *, resume: bool = False, say: Callable[[str], None] = print
) -> None:
    """Learns values and saves them, also when interrupted by Ctrl-C.

    A run that was interrupted or killed, and resumed, ends with the same weights as one that was left alone, if it is
    computed on the same kind of processor.

    Args:
        config: The settings; on resuming, those of the run so far, but for those that are free to change.
        folder: The run's folder.
        resume: Goes on from the folder's checkpoint.
        say: Called with a line of text at a time on what is going on.

    Raises:
        ValueError: Another process trains in the folder; it holds a run already, or none to resume; or the game has no
            self-play.
        KeyboardInterrupt: Ctrl-C, after the values have been saved.
    """
    self_play = self_play_of(config)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        if not resume and (folder / CHECKPOINT).exists():
            raise ValueError(f"expected a new folder, got {folder}, which holds a run: add --resume, or choose another")
        run = _Run(config, self_play, folder)
        if resume:
            run.restore()
        else:
            set_aside(folder / EVALUATIONS)
        _learn(run, say)


def _learn(run: "_Run", say: Callable[[str], None]) -> None:
    config, written = run.config, time.monotonic()
    with tqdm(total=config.games, initial=run.games, unit="game", smoothing=0.05) as progress:
        try:
            while run.games < config.games:
                before = run.games
                run.update()
                progress.update(run.games - before)
                if run.games // config.eval_every > before // config.eval_every or run.games == config.games:
                    say(run.evaluate())
                if time.monotonic() - written >= 60 * config.checkpoint_minutes:
                    run.write()
                    written = time.monotonic()
        except KeyboardInterrupt:
            say(f"interrupted: saving the values after {run.games:,} games in {run.folder}")
            run.write()
            raise
    run.write()


class _Values(nn.Module):
    """The network in torch; its parameters are the arrays of `ValueNetwork`, with a row of zeros behind the rows."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        rows, bias, second, second_bias, last, last_bias = value_shapes(inputs).values()
        self.rows = nn.Parameter(functional.pad(torch.randn(rows) * 0.05, (0, 0, 0, 1)))
        self.bias = nn.Parameter(torch.zeros(bias))
        self.second = nn.Parameter(torch.randn(second) / second[0] ** 0.5)
        self.second_bias = nn.Parameter(torch.zeros(second_bias))
        self.last = nn.Parameter(torch.randn(last) / last[0] ** 0.5)
        self.last_bias = nn.Parameter(torch.zeros(last_bias))

    def forward(self, inputs: Tensor) -> Tensor:
        """Computes the values, as logits [B], of choices [B, M]."""
        first = functional.embedding_bag(inputs, self.rows, mode="sum", padding_idx=len(self.rows) - 1)
        second = torch.relu(first + self.bias) @ self.second + self.second_bias
        return torch.relu(second) @ self.last + self.last_bias


def _network(state: Mapping[str, Tensor]) -> ValueNetwork:
    """Returns the network that a state of `_Values` is, rounded to half precision, as it is saved."""
    arrays = {name: tensor.half().float().numpy() for name, tensor in state.items()}
    return ValueNetwork(**{**arrays, "rows": arrays["rows"][:-1]})


class _Run:
    """A run: the network, its optimiser, and how many games it has learned from."""

    def __init__(self, config: ValuesConfig, self_play: SelfPlay, folder: Path) -> None:
        torch.set_num_threads(1)  # the batches are small
        torch.manual_seed(config.seed)
        self.config, self.self_play, self.folder = config, self_play, folder
        self._values = _Values(self_play.inputs)
        self._player = _copy(self._values.state_dict())  # of the network that plays the next games
        self._optimizer = torch.optim.Adam(self._values.parameters(), fused=True)
        self._revision = git_revision()  # the code's revision now, not when it has ended
        self._threads = ThreadPoolExecutor(config.threads)
        self._under_way: list[Future[Lessons]] = []
        self._saved = self._tensors(0)

    @property
    def games(self) -> int:
        """Number of games it has learned from."""
        return int(self._saved["games"])

    def update(self) -> None:
        """Learns from the games under way, while the next ones are played."""
        if not self._under_way:
            self._begin(self.games)
        lessons = [slice_.result() for slice_ in self._under_way]
        end = self.games + self._number(self.games)
        self._player = _copy(self._values.state_dict())
        self._begin(end)
        self._learn(np.concatenate([one.inputs for one in lessons]), np.concatenate([one.targets for one in lessons]))
        self._saved = self._tensors(end)

    def _number(self, first: int) -> int:
        return min(self.config.games_per_update, self.config.games - first)

    def _begin(self, first: int) -> None:
        """Has games played, slice by slice; what they teach does not depend on which thread plays them."""
        config, network = self.config, _network(self._player)
        rng = np.random.default_rng((config.seed, first))
        number = self._number(first)
        deals = rng.integers(0, FIRST_RANDOM_DEAL, number, dtype=np.uint64) + np.uint64(FIRST_RANDOM_DEAL)
        slices = [deals[start : start + SLICE] for start in range(0, number, SLICE)]
        self._under_way = [
            self._threads.submit(
                self.self_play.play, config.game_options(), network, slice_, config.explore, config.td_lambda, seed
            )
            for slice_, seed in zip(slices, rng.integers(0, 2**63, len(slices)).tolist(), strict=True)
        ]

    def _learn(self, inputs: NDArray[np.uint16], targets: NDArray[np.float32]) -> None:
        config = self.config
        order = np.random.default_rng((config.seed, self.games, 1)).permutation(len(targets))
        done = self.games / config.games
        for group in self._optimizer.param_groups:
            group["lr"] = config.learning_rate + done * (config.learning_rate_end - config.learning_rate)
        most_on = (inputs < self.self_play.inputs).sum(axis=1)
        for start in range(0, len(order), config.batch_size):
            chosen = order[start : start + config.batch_size]
            on = inputs[chosen, : most_on[chosen].max()].astype(np.int64)
            logits = self._values(torch.from_numpy(on))
            loss = functional.binary_cross_entropy_with_logits(logits, torch.from_numpy(targets[chosen]))
            self._optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # of torch
            self._optimizer.step()

    def evaluate(self) -> str:
        """Plays the validation deals by the values alone, and adds them to the learning curve; returns a line on it."""
        agent = self.self_play.agent(self.config.game_options(), _network(self._values.state_dict()))
        deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + self.config.eval_deals, dtype=np.uint64)
        played = play(agent, self.config.game(), self.config.game_options(), deals)
        metrics = append_evaluation(self.folder, self.games, played)
        won, score = (metrics[name]["value"] for name in ("won", "score"))
        return f"{self.games:>12,} games: on validation deals {won:6.1%} won, score {score:.2f}"

    def write(self) -> None:
        """Writes the values and the checkpoint as they were after the latest update, each file whole or not at all."""
        config, tensors = self.config, self._saved
        about = {
            "inputs": self.self_play.inputs,
            "env": config.env,
            "hyperparameters": config.to_json(),
            "games": int(tensors["games"]),
            "versions": versions(),
            "git_revision": self._revision,
        }
        arrays = _network(_named(tensors, "network."))._asdict()
        weights = {name: array.astype(np.float16) for name, array in arrays.items()}
        write_trained(self.folder, VALUES, config.game(), config.game_options(), about, weights)
        write_checkpoint(self.folder, tensors)

    def _tensors(self, games: int) -> Tensors:
        """Returns a copy of all that the run goes on from after so many games."""
        parts = {"network": self._values.state_dict(), "player": self._player}
        tensors = {f"{part}.{name}": tensor for part, state in parts.items() for name, tensor in state.items()}
        return _copy({"games": torch.tensor(games), **tensors, **optimizer_state(self._optimizer)})

    def restore(self) -> None:
        """Goes on from the folder's checkpoint.

        Raises:
            ValueError: The folder holds none, a damaged one, or one of another network.
        """
        try:
            tensors = read_checkpoint(self.folder)
            self._values.load_state_dict(_named(tensors, "network."))
            self._player = _named(tensors, "player.")
            _network(self._player)  # a part may be missing
            restore_optimizer(self._optimizer, tensors)
        except (OSError, SafetensorError, ValueError, KeyError, RuntimeError) as error:
            raise ValueError(f"expected a run to resume in {self.folder}, got: {error}") from None
        self._saved = tensors


def _named(tensors: Tensors, prefix: str) -> Tensors:
    """Returns the tensors whose names have a prefix, without it."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _copy(tensors: Tensors) -> Tensors:
    return {name: tensor.detach().clone() for name, tensor in tensors.items()}

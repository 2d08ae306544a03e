"""The agent that plays by a trained network. It needs no torch."""

from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks, ActionValues, Observations
from solitaire_agents.candidate_player import BATCH, CandidatePlayer
from solitaire_agents.choices import Choices
from solitaire_agents.choosing import new_scratch
from solitaire_agents.network import POLICY, VALUE, Network


class Calibration(NamedTuple):
    """Corrects the values of an agent: each logit times the slope, plus the offset."""

    slope: float
    offset: float

    def probabilities(self, logits: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """Maps raw logits to probabilities, by the logistic function."""
        return np.asarray((1 + np.tanh((self.slope * logits + self.offset) / 2)) / 2, np.float64)

    def correct_values(
        self, means: NDArray[np.float64], errors: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Calibrates chances and their standard errors; chances of 0 and 1 stay."""
        with np.errstate(divide="ignore", invalid="ignore"):
            calibrated = self.probabilities(np.log(means / (1 - means)))
            steepness = self.slope * calibrated * (1 - calibrated) / (means * (1 - means))
        return calibrated, np.where(errors > 0, errors * steepness, errors)


AS_LEARNED: Final = Calibration(1.0, 0.0)


class TrainedAgent(CandidatePlayer):
    """Plays by a network.

    Args:
        choices: The choices, under the options of the games to play.
        network: The network, whose policy head chooses.
        name: Its name in results.
        mode: 'greedy' takes the likeliest candidate, 'sample' draws one by its probability.
        bounds: Whether it leaves out moves that the game's bounds (`Choices.new_bounds`) prove to be mistakes.
        calibration: Of its values, fitted to greedy play with the bounds, if the game has any. None: it has no
            values, as its value head was trained for another objective.
        folder: The folder that it was loaded from.
    """

    def __init__(
        self,
        choices: Choices,
        network: Network,
        name: str,
        *,
        mode: Literal["greedy", "sample"] = "greedy",
        bounds: bool = True,
        calibration: Calibration | None = AS_LEARNED,
        folder: Path | None = None,
    ) -> None:
        super().__init__(choices)
        self.name, self.mode, self.bounds, self.folder = name, mode, bounds, folder
        self._bounds = choices.new_bounds() if bounds and choices.new_bounds is not None else None
        self.searches = self._bounds is not None
        self.network, self.calibration = network, calibration
        as_fitted = bounds or choices.new_bounds is None
        self._calibration = calibration if calibration is not None and as_fitted else AS_LEARNED
        self.stochastic = mode == "sample"
        self.memoryless &= not self.stochastic
        self._scratch = new_scratch(choices, network, both_images=True)
        self._no_inputs = np.zeros((BATCH, 0), np.uint16)
        self._best = np.zeros(BATCH, np.float32)
        self.seed(0)

    def seed(self, seed: int) -> None:
        """Restarts the agent's random numbers, and forgets all plans."""
        super().seed(seed)
        self._rng = np.random.default_rng(seed)

    def _choose(
        self, observations: Observations, action_masks: ActionMasks
    ) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        n, choices = len(observations), self.choices
        noise = np.zeros((n, choices.most_candidates), np.float32)
        if self.stochastic:
            noise = self._rng.gumbel(size=noise.shape).astype(np.float32)  # makes the argmax a sample (Gumbel-max)
        lines, lengths = np.zeros((n, choices.most_moves), np.int16), np.zeros(n, np.int64)
        masks = self._kept(observations, action_masks)
        self._kernels.choose(
            self.network,
            POLICY,
            self._scratch,
            observations,
            masks,
            noise,
            lines,
            lengths,
            self._best[:n],
            self._no_inputs[:n],
        )
        return lines, lengths

    def _kept(self, observations: Observations, action_masks: ActionMasks) -> ActionMasks:
        if self._bounds is None:
            return action_masks
        kept = self._bounds(observations, action_masks)
        return np.where(kept.any(axis=1, keepdims=True), kept, action_masks)

    def rate_candidates(
        self, observation: NDArray[np.int16], action_mask: NDArray[np.bool_], head: int = POLICY
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Returns the first move of each candidate of one position, and a head's logit for it."""
        firsts = np.zeros(self.choices.most_candidates, np.int64)
        mask = self._kept(observation[None], action_mask[None])[0]
        found = self._kernels.rate(self.network, head, self._scratch, observation, mask, firsts)
        return firsts[:found], self._scratch.logits[:found].copy()

    def probabilities(self, observation: NDArray[np.int16], action_mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Returns the probability of each action as the policy's next move, [A]."""
        firsts, logits = self.rate_candidates(observation, action_mask)
        chances = np.zeros(len(action_mask))
        np.add.at(chances, firsts, np.exp(logits - logits.max(initial=-np.inf)))
        if len(firsts) == 0:  # there is nothing left to gain
            chances[:] = action_mask
        chances /= chances.sum()
        return chances

    def value(self, observation: NDArray[np.int16], action_mask: NDArray[np.bool_]) -> float:
        """Returns the value of a position, 0..1: the mean of the candidates' values under the policy."""
        _, logits = self.rate_candidates(observation, action_mask)
        _, values = self.rate_candidates(observation, action_mask, VALUE)
        chances = np.exp(logits - logits.max(initial=-np.inf))
        return float((chances / chances.sum()) @ self._calibration.probabilities(values)) if len(values) else 0.0

    def action_values(
        self, observation: NDArray[np.int16], action_mask: NDArray[np.bool_], samples: int
    ) -> ActionValues | None:
        """Returns the value of each move: that of the best candidate that it leads to.

        Moves that are left out, or lead to no candidate, have NaN. The errors are 0, since nothing is sampled.
        It returns None if the value head was trained for another objective.
        """
        if self.calibration is None:
            return None
        firsts, logits = self.rate_candidates(observation, action_mask, VALUE)
        means = np.full(len(action_mask), np.nan)
        np.fmax.at(means, firsts, self._calibration.probabilities(logits))
        return self.choices.judge(means, 0 * means)

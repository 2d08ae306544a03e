"""The Gymnasium vector environment: many games at once, stepped by one call into the engine."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from solitaire_envs.cards import check_deal, parse_deck
from solitaire_envs.catalogue import find_game
from solitaire_envs.checks import short
from solitaire_envs.engine import Autoreset, Buffers, Engine
from solitaire_envs.game import make_options
from solitaire_envs.gym_env import (
    MAX_SEED,
    IllegalAction,
    SolitaireEnv,
    check_illegal_action,
    check_reset_options,
    find_draw,
    illegal_action_text,
    observation_space,
)

AUTORESET: dict[AutoresetMode, Autoreset] = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.DISABLED: "disabled",
}


class SolitaireVectorEnv(VectorEnv[NDArray[np.int16], NDArray[np.int64], NDArray[Any]]):
    """Many games of one kind; ``gymnasium.make_vec("solitaire/Pyramid-v0", num_envs=1024)`` builds one.

    Environment i of ``reset(seed=s)`` plays the same deals as a single environment after ``reset(seed=s + i)``.
    Infos hold arrays over the environments, with ``_key`` telling where ``key`` is set, as Gymnasium's own do.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # as Gymnasium declares it
        **SolitaireEnv.metadata,
        "render_modes": ["rgb_array", "ansi"],
    }

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        threads: int = 1,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        illegal_action: IllegalAction = "ignore",
        max_illegal_actions: int = 1_000,
        **options: Any,
    ) -> None:
        """Builds the environments.

        Args:
            game: Name of the game.
            num_envs: B.
            autoreset_mode: One of Gymnasium's `AutoresetMode`.
            copy: False: observations, masks, rewards and flags are handed out without copying, and overwritten by the
                next call.
            threads: Threads that share a step; they pay from some thousand environments on.
            max_episode_steps: Each episode is truncated after so many steps; None: never.
            render_mode: None; "rgb_array", pictures; or "ansi", texts.
            illegal_action: As in `SolitaireEnv`.
            max_illegal_actions: As in `SolitaireEnv`.
            **options: The game's options, such as ``passes``.

        Raises:
            ValueError: An argument is not one of those allowed.
            gymnasium.error.DependencyNotInstalled: The render mode needs a library that is not there.
        """
        check_illegal_action(illegal_action)
        self.game = find_game(game)
        self.options = make_options(self.game.options, options)
        mode = AutoresetMode(autoreset_mode)
        self.engine = Engine(
            self.game,
            self.options,
            num_envs,
            autoreset=AUTORESET[mode],
            max_illegal_actions=max_illegal_actions,
            max_episode_steps=max_episode_steps,
            threads=threads,
        )
        self.num_envs = num_envs
        self.render_mode = render_mode
        self._draw = find_draw(render_mode, self.metadata["render_modes"])
        self.metadata = {**self.metadata, "autoreset_mode": mode}
        self.single_observation_space = observation_space(self.game)
        self.single_action_space = spaces.Discrete(self.engine.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._copy = copy
        self._raise_illegal = illegal_action == "raise"
        self._mode = mode
        self._seeded = False
        self._everywhere = np.ones(num_envs, dtype=np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int16], dict[str, Any]]:
        """Deals new games.

        Args:
            seed: s, for s, s + 1, ...; or one for each environment (None: go on with its sequence of deals).
            options: ``{"deal": numbers}`` or ``{"deck": decks}``, one for each environment that is dealt;
                ``"reset_mask"``, bool [B], limits the reset to some environments.

        Returns:
            Observations [B, O] and infos with ``action_mask`` [B, A].

        Raises:
            ValueError: An argument is not as above.
        """
        options = dict(options or {})
        chosen = np.flatnonzero(_check_reset_mask(options.pop("reset_mask", self._everywhere), self.num_envs))
        self._seed(seed)
        kind, values = check_reset_options(options)
        if kind is not None and (isinstance(values, str) or not hasattr(values, "__len__")):
            raise ValueError(f"expected a list, with a {kind} for each environment that is dealt, got {short(values)}")
        if kind is not None and len(values) != len(chosen):
            raise ValueError(f"expected a {kind} for each of {len(chosen)} environments, got {len(values)}")
        if kind == "deal":
            self.engine.deal_numbers([check_deal(number) for number in values], chosen)
        elif kind == "deck":
            self.engine.deal_decks([parse_deck(deck) for deck in values], chosen)
        else:
            self.engine.deal_next(chosen)
        buffers = self.engine.buffers
        return self._out(buffers.observations), self._mask_info(buffers)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int16], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Plays one action in each environment.

        Args:
            actions: [B] integers. Where an episode ended in the step before, autoreset mode NEXT_STEP deals anew
                instead, and mode DISABLED leaves the game as it is.

        Raises:
            ValueError: An action is no action at all, or the shape is wrong; or an action is illegal and
                ``illegal_action`` is 'raise' (then no game has moved).
            gymnasium.error.ResetNeeded: Nothing has been dealt yet.
        """
        if not self._seeded:
            raise ResetNeeded("no episode is under way: call reset() before step()")
        chosen = np.asarray(actions)
        self._check_actions(chosen)
        buffers = self.engine.step(chosen)
        return (
            self._out(buffers.observations),
            self._out(buffers.rewards),
            self._out(buffers.terminated),
            self._out(buffers.truncated),
            self._infos(buffers),
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions, bool [B, A]."""
        return self._out(self.engine.buffers.action_masks)

    def render(self) -> tuple[Any, ...] | None:
        """Returns the table of each environment, as text or as a picture."""
        if self._draw is None:
            return None
        return tuple(self._draw(self.engine, index) for index in range(self.num_envs))

    def _seed(self, seed: int | Sequence[int | None] | None) -> None:
        if seed is None and self._seeded:
            return
        if seed is None:
            seeds: list[int | None] = self.np_random.integers(MAX_SEED, size=self.num_envs).tolist()
        elif isinstance(seed, int | np.integer):
            seeds = [int(seed) + i for i in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"expected {self.num_envs} seeds, got {len(seeds)}")
        if not self._seeded:
            self.engine.seed(self.np_random.integers(MAX_SEED, size=self.num_envs).astype(np.uint64))
        given = np.array([i for i, value in enumerate(seeds) if value is not None], dtype=np.int64)
        self.engine.seed([check_deal(value) for value in seeds if value is not None], given)
        self._seeded = True

    def _check_actions(self, actions: NDArray[Any]) -> None:
        engine = self.engine
        if actions.shape != (self.num_envs,) or not np.issubdtype(actions.dtype, np.integer):
            raise ValueError(f"expected {self.num_envs} integer actions, got {actions.dtype} of shape {actions.shape}")
        if actions.min() < 0 or actions.max() >= engine.num_actions:
            wrong = actions[(actions < 0) | (actions >= engine.num_actions)][0]
            raise ValueError(f"expected actions of 0..{engine.num_actions - 1}, got {wrong}")
        if self._raise_illegal:
            illegal = ~engine.buffers.action_masks[np.arange(self.num_envs), actions] & ~engine.states.ended
            for index in np.flatnonzero(illegal).tolist():
                raise ValueError(f"environment {index}: {illegal_action_text(engine, index, int(actions[index]))}")

    def _infos(self, buffers: Buffers) -> dict[str, Any]:
        infos = self._mask_info(buffers)
        infos["illegal_action"] = self._out(buffers.illegal)
        infos["_illegal_action"] = self._everywhere
        ended = buffers.terminated | buffers.truncated
        if ended.any():
            final = {}
            for name in buffers.outcomes.dtype.names or ():
                final[name] = np.where(ended, buffers.outcomes[name], 0).astype(buffers.outcomes.dtype[name])
                final["_" + name] = ended
            if self._mode is AutoresetMode.SAME_STEP:
                infos["final_info"], infos["_final_info"] = final, ended
                infos["final_obs"], infos["_final_obs"] = np.full(self.num_envs, None, dtype=object), ended
                for index in np.flatnonzero(ended):
                    infos["final_obs"][index] = buffers.final_observations[index].copy()
            else:
                infos.update(final)
        return infos

    def _mask_info(self, buffers: Buffers) -> dict[str, Any]:
        return {"action_mask": self._out(buffers.action_masks.view(np.int8)), "_action_mask": self._everywhere}

    def _out(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self._copy else array


def _check_reset_mask(mask: object, num_envs: int) -> NDArray[np.bool_]:
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (num_envs,):
        raise ValueError(f"expected reset_mask to be a bool array of shape ({num_envs},), got {short(mask)}")
    if not mask.any():
        raise ValueError("expected reset_mask to choose at least one environment, got none")
    return mask

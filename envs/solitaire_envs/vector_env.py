"""The Gymnasium vector environment: many games at once, stepped by one call into the engine."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, cast

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from solitaire_envs.cards import check_deal, parse_deck
from solitaire_envs.catalogue import choose_deals, find_game
from solitaire_envs.checks import check_seed, check_value, short
from solitaire_envs.deals import Deals
from solitaire_envs.engine import Autoreset, Engine
from solitaire_envs.gym_env import SolitaireEnv
from solitaire_envs.gym_parts import (
    MAX_STREAM,
    IllegalAction,
    PlainSpec,
    both_parts,
    check_actions,
    check_reset_options,
    find_draw,
    illegal_action_text,
    observation_space,
    options_of_keywords,
)
from solitaire_envs.imagination import sample_from


class SolitaireVectorEnv(PlainSpec, VectorEnv[Any, NDArray[np.int64], NDArray[Any]]):
    """Many games of one kind; ``gymnasium.make_vec("solitaire/Pyramid-v0", num_envs=1024)`` builds one.

    Environment i of ``reset(seed=s)`` plays the same deals as a single environment after ``reset(seed=s + i)``.

    Infos have the keys of a single environment's info; the values are arrays over the environments. As in Gymnasium,
    ``_key`` tells where ``key`` is set: here everywhere. Where an episode ends under `AutoresetMode.SAME_STEP`, the
    info is that of the next game; the last observation and info are in ``final_obs`` and ``final_info``.
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
        deals: Deals | None = None,
        winnable: bool = False,
        difficulty: tuple[float, float] | None = None,
        privileged: bool = False,
        **options: Any,
    ) -> None:
        """Builds the environments.

        Args:
            game: Name of the game.
            num_envs: B.
            autoreset_mode: One of Gymnasium's `AutoresetMode`.
            copy: Whether to copy observations, masks, rewards and flags. If not, the next call overwrites them.
            threads: Number of threads that share a step; more than one pays off with a few thousand environments.
            max_episode_steps: Each episode is truncated after this many steps; None: never.
            render_mode: None; "rgb_array", pictures; or "ansi", texts.
            illegal_action: As in `SolitaireEnv`.
            max_illegal_actions: As in `SolitaireEnv`.
            deals: As in `SolitaireEnv`; each environment draws from the same list, by its own seed.
            winnable: As in `SolitaireEnv`.
            difficulty: As in `SolitaireEnv`.
            privileged: As in `SolitaireEnv`.
            **options: The game's options, such as ``passes``.

        Raises:
            TypeError: A keyword is not an option of the game.
            ValueError: An argument is not one of those allowed.
            gymnasium.error.DependencyNotInstalled: The render mode needs a library that is not installed.
        """
        check_value("illegal_action", illegal_action, IllegalAction, {})
        self.game = find_game(game)
        self.options = options_of_keywords(self.game, options)
        mode = _check_autoreset_mode(autoreset_mode)
        self.engine = Engine(
            self.game,
            self.options,
            num_envs,
            autoreset=cast("Autoreset", mode.name.lower()),
            max_illegal_actions=max_illegal_actions,
            max_episode_steps=max_episode_steps,
            threads=threads,
            deals=choose_deals(self.game, self.options, deals, winnable, difficulty),
            privileged=privileged,
        )
        self.num_envs = num_envs
        self.render_mode = render_mode
        self._draw = find_draw(render_mode, self.metadata["render_modes"])
        self.metadata = {**self.metadata, "autoreset_mode": mode}
        self.single_observation_space = observation_space(self.game, privileged=privileged)
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
    ) -> tuple[Any, dict[str, Any]]:
        """Deals new games.

        Args:
            seed: An integer s, for the seeds s, s + 1, ...; or a list with a seed for each environment (None: go on
                with its sequence of deals). All are integers of 0..2**64 - 1.
            options: ``{"deal": numbers}`` or ``{"deck": decks}``, one for each environment that is dealt;
                ``"reset_mask"``, bool [B], limits the reset to some environments. ``deals``, ``winnable`` and
                ``difficulty`` choose what all environments draw from, as `set_deals` does.

        Returns:
            Observations [B, O] and infos.

        Raises:
            ValueError: An argument is invalid. Then nothing has changed.
        """
        mask = self._everywhere
        if isinstance(options, Mapping) and "reset_mask" in options:
            mask = _check_reset_mask(options["reset_mask"], self.num_envs)
            options = {name: value for name, value in options.items() if name != "reset_mask"}
        chosen, seeds = np.flatnonzero(mask), self._check_seeds(seed)
        kind, values = check_reset_options(options)
        if kind in ("deal", "deck"):
            values = _check_list(f"options[{kind!r}]", values, len(chosen))
        deals = [check_deal(number) for number in values] if kind == "deal" else None
        decks = [parse_deck(deck, self.engine.game.num_cards) for deck in values] if kind == "deck" else None
        if kind == "deals":
            self.set_deals(**values)
        self._seed(seed, [(i, seeds[i]) for i in chosen.tolist()])
        if deals is not None:
            self.engine.deal_numbers(deals, chosen)
        elif decks is not None:
            self.engine.deal_decks(decks, chosen)
        else:
            self.engine.deal_next(chosen)
        buffers = self.engine.buffers
        return self._seen(), self._infos(np.zeros_like(buffers.illegal))

    def set_deals(
        self, deals: Deals | None = None, *, winnable: bool = False, difficulty: tuple[float, float] | None = None
    ) -> None:
        """Changes the deals that all environments draw from, from their next deals on; as `SolitaireEnv.set_deals`."""
        self.engine.set_deals(choose_deals(self.game, self.options, deals, winnable, difficulty))

    def _seen(self) -> Any:
        buffers = self.engine.buffers
        return both_parts(buffers.observations, buffers.privileged, copy=self._copy)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Plays one action in each environment.

        Args:
            actions: [B] integers. Where an episode ended in the step before, the action is ignored: autoreset mode
                NEXT_STEP deals a new game, and mode DISABLED leaves the game as it is.

        Raises:
            ValueError: An action is not in the action space, or the shape is wrong; or an action is illegal and
                ``illegal_action`` is 'raise'. Then no game has changed.
            gymnasium.error.ResetNeeded: Nothing has been dealt yet.
        """
        if not self._seeded:
            raise ResetNeeded("no episode is under way: call reset() before step()")
        chosen = check_actions(actions, self.num_envs, self.engine.num_actions)
        if self._raise_illegal:
            self._check_legal(chosen)
        buffers = self.engine.step(chosen)
        return (
            self._seen(),
            self._out(buffers.rewards),
            self._out(buffers.terminated),
            self._out(buffers.truncated),
            self._step_infos(),
        )

    def sample_envs(self, n: int, *, seed: int) -> "SolitaireVectorEnv":
        """Returns environments whose games agree with all that the player of each game has seen, to search in.

        The hidden cards are in random order, each order equally likely. Environment i gives those of i * n to
        i * n + n - 1. An episode that ends there is not followed by another.

        Args:
            n: Number of games for each environment.
            seed: An integer of 0..2**64 - 1. What is sampled depends on the seed and the observation alone.

        Raises:
            ValueError: An argument is invalid; or the information is 'table', which hides what a player has seen.
            gymnasium.error.ResetNeeded: Nothing has been dealt yet.
        """
        if not self._seeded:
            raise ResetNeeded("no games to search in: call reset() before sample_envs()")
        games = sample_from(self.engine, n, seed=seed)
        options = {spec.name: getattr(self.options, spec.name) for spec in fields(self.options)}
        envs = SolitaireVectorEnv(self.game.name, games.num_envs, autoreset_mode=AutoresetMode.DISABLED, **options)
        envs.engine = games
        envs._seeded = True
        return envs

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions, bool [B, A]."""
        return self._out(self.engine.buffers.action_masks)

    def render(self) -> tuple[Any, ...] | None:
        """Returns the table of each environment, as text or as a picture."""
        if self._draw is None:
            return None
        return tuple(self._draw(self.engine, index) for index in range(self.num_envs))

    def _check_seeds(self, seed: object) -> list[int | None]:
        """Returns a seed for each environment; None: it goes on with its sequence of deals."""
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, Sequence | np.ndarray):
            given = _check_list("seed", seed, self.num_envs)
            return [None if one is None else check_seed(f"seed[{i}]", one) for i, one in enumerate(given)]
        first = check_seed("seed", seed, self.num_envs)
        return [first + i for i in range(self.num_envs)]

    def _seed(self, seed: object, seeds: list[tuple[int, int | None]]) -> None:
        """Seeds ``np_random``, and the sequences of deals of the environments that are reset."""
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
        if not self._seeded:
            self.engine.seed(self.np_random.integers(MAX_STREAM, size=self.num_envs).astype(np.uint64))
            self._seeded = True
        given = [(i, one) for i, one in seeds if one is not None]
        self.engine.seed([one for _, one in given], np.array([i for i, _ in given], dtype=np.int64))

    def _check_legal(self, actions: NDArray[np.int64]) -> None:
        engine = self.engine
        illegal = ~engine.buffers.action_masks[np.arange(self.num_envs), actions] & ~engine.states.ended
        for index in np.flatnonzero(illegal).tolist():
            raise ValueError(f"environment {index}: {illegal_action_text(engine, index, int(actions[index]))}")

    def _infos(self, illegal: NDArray[np.bool_]) -> dict[str, Any]:
        masks = self._out(self.engine.buffers.action_masks)
        outcomes = zip(self.engine.outcome_names, self.engine.outcomes().T.copy(), strict=True)
        return _info_table(masks, illegal, dict(outcomes), self._everywhere)

    def _step_infos(self) -> dict[str, Any]:
        buffers = self.engine.buffers
        ended = buffers.terminated | buffers.truncated
        if self._mode is not AutoresetMode.SAME_STEP or not ended.any():
            return self._infos(buffers.illegal)
        infos = self._infos(buffers.illegal & ~ended)
        outcomes = {name: buffers.outcomes[name] * ended.astype(np.int64) for name in self.engine.outcome_names}
        final = _info_table(buffers.final_action_masks & ended[:, None], buffers.illegal & ended, outcomes, ended)
        infos["final_info"], infos["_final_info"] = final, ended
        infos["final_obs"], infos["_final_obs"] = np.full(self.num_envs, None, dtype=object), ended
        for index in np.flatnonzero(ended):
            infos["final_obs"][index] = both_parts(buffers.final_observations[index], buffers.final_privileged[index])
        return infos

    def _out(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self._copy else array


def _info_table(
    masks: NDArray[np.bool_],
    illegal: NDArray[np.bool_],
    outcomes: dict[str, NDArray[np.int64]],
    where: NDArray[np.bool_],
) -> dict[str, NDArray[Any]]:
    """Returns infos as arrays over all environments; ``where``, bool [B], tells for which of them they are set."""
    infos: dict[str, NDArray[Any]] = {"action_mask": masks.view(np.int8), "illegal_action": illegal.astype(np.int64)}
    infos |= outcomes
    return infos | {f"_{name}": where for name in infos}


def _check_autoreset_mode(mode: object) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        allowed = ", ".join(one.value for one in AutoresetMode)
        raise ValueError(f"expected autoreset_mode among {allowed}; got {short(mode)}") from None


def _check_list(name: str, values: object, length: int) -> Sequence[Any]:
    listed = isinstance(values, Sequence) and not isinstance(values, str | bytes)
    if not listed and not (isinstance(values, np.ndarray) and values.ndim):
        raise ValueError(f"expected {name} to be a list, one for each of {length} environments, got {short(values)}")
    found = cast("Sequence[Any]", values)
    if len(found) != length:
        raise ValueError(f"expected {name} to be a list, one for each of {length} environments, got {len(found)}")
    return found


def _check_reset_mask(mask: object, num_envs: int) -> NDArray[np.bool_]:
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (num_envs,):
        raise ValueError(f"expected reset_mask to be a bool array of shape ({num_envs},), got {short(mask)}")
    if not mask.any():
        raise ValueError("expected reset_mask to choose at least one environment, got none")
    return mask

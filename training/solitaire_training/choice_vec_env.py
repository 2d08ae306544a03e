"""The batched engine as a stable-baselines3 ``VecEnv`` in which an action is the number of a candidate.

The environment plays the moves that lead to the candidate, and then all forced moves. So a step is a decision. The
reward is the normalised return of a game (`Choices.normalised_return`), given at its end.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

from solitaire_agents.catalogue import choices_of
from solitaire_agents.choosing import kernels_of, new_scratch
from solitaire_agents.network import Network, random_network
from solitaire_agents.self_play import WAIT, conclude_given_up, play_lines, waiting_engine
from solitaire_envs.cards import FIRST_RANDOM_DEAL
from solitaire_envs.catalogue import choose_deals
from solitaire_envs.deals import Deals
from solitaire_envs.engine import Engine, cut
from solitaire_envs.game import Game, Options
from solitaire_envs.jit import entry_point
from solitaire_training.sb3_vec_env import BatchedVecEnv


def widened(rows: NDArray[Any], size: int) -> NDArray[Any]:
    """Returns an array in which the last axis has at least this size, padded with zeros."""
    missing = size - rows.shape[-1]
    return np.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, missing)]) if missing > 0 else rows


def _space_of(rows: NDArray[np.uint16]) -> spaces.Box:
    return spaces.Box(0, 2**16 - 1, rows.shape[1:], np.uint16)


class ChoiceBuffer(MaskableRolloutBuffer):  # type: ignore[misc]  # sb3-contrib is untyped
    """A rollout of choices, whose sizes grow with the largest choice of all."""

    def add(self, obs: NDArray[np.uint16], *args: Any, **kwargs: Any) -> None:
        """Adds a step; arguments as in SB3."""
        self.observations: NDArray[np.uint16] = widened(self.observations, obs.shape[1])
        self.obs_shape = self.observations.shape[2:]
        super().add(widened(obs, self.obs_shape[0]), *args, **kwargs)


class _Games:
    """The games under one set of options, stepped from choice to choice."""

    def __init__(
        self,
        game: Game,
        options: Options,
        num_envs: int,
        guide: Network,
        most: int,
        bounds: bool,
        deals: NDArray[np.uint64],
    ) -> None:
        self.choices, self.guide = choices_of(game, options), guide
        self._bounds = self.choices.new_bounds() if bounds and self.choices.new_bounds is not None else None
        self.engine = waiting_engine(game, options, num_envs, autoreset="same_step", deals=deals)
        self.rows = np.zeros((num_envs, 2), np.uint16)
        self.counts = np.zeros(num_envs, np.int64)
        self._lines = np.zeros((num_envs, most, self.choices.most_moves), np.int16)
        self._lengths = np.zeros((num_envs, most), np.int64)
        self._played = np.zeros((num_envs, 64), np.int16)
        self._scratch, self._write = new_scratch(self.choices, guide), kernels_of(self.choices).write
        self._everywhere = np.arange(num_envs)
        self.moves_played = 0

    def deal(self) -> None:
        """Deals all games anew, and plays each up to its first choice."""
        self.engine.deal_next()
        self.look(self._everywhere)
        self._play_forced(np.zeros(len(self.rows), np.bool_))

    def look(self, games: NDArray[np.int64]) -> None:
        """Updates the choices of some games, as rows and as lines of moves. Rows that are too short grow."""
        observations, masks = self.engine.buffers.observations, self.engine.buffers.action_masks
        if self._bounds is not None:
            masks = masks.copy()
            masks[games] = self._bounds(observations[games], masks[games])
        looked_at = self.guide, self._scratch, games, observations, masks
        needed = self._write(*looked_at, self.rows, self.counts, self._lines, self._lengths)
        if needed > self.rows.shape[1]:
            self.rows = widened(self.rows, needed + needed // 4)
            self._write(*looked_at, self.rows, self.counts, self._lines, self._lengths)

    def moves(self) -> NDArray[np.int16]:
        """Returns the moves so far in each game, [n, M], padded with `WAIT`."""
        lengths = self.engine.states.moves
        most = lengths.max()
        return np.where(np.arange(most) < lengths[:, None], self._played[:, :most], WAIT)

    def put_back(self, deals: NDArray[np.uint64], streams: NDArray[np.uint64], moves: NDArray[np.int16]) -> None:
        """Restores games by replaying their moves.

        Raises:
            ValueError: A deal is not among those to draw from, or a game does not wait for a choice after its moves.
        """
        lengths = (moves != WAIT).sum(axis=1)
        self.engine.seed(streams)
        self.engine.deal_numbers(deals)
        ended, _ = play_lines(self.engine, moves, lengths)
        self.look(self._everywhere)
        wrong = ended | (self.engine.states.moves != lengths) | (self.counts < 2)
        drawn = np.isin(deals, self.engine.deals) if len(self.engine.deals) else deals >= FIRST_RANDOM_DEAL
        if wrong.any() or not drawn.all():
            raise ValueError("games under way that no run has played")
        self._keep(moves, np.zeros_like(lengths), lengths)

    def _keep(self, lines: NDArray[np.int16], starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        """Appends lines of moves to the histories of games."""
        missing = int((starts + lengths).max()) - self._played.shape[1]
        if missing > 0:
            self._played = np.pad(self._played, ((0, 0), (0, missing + self._played.shape[1])))
        game, move = np.nonzero(np.arange(lines.shape[1]) < lengths[:, None])
        self._played[game, starts[game] + move] = lines[game, move]

    def step(self, actions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Plays the chosen candidates, then up to the next choice; returns which games have ended or were truncated."""
        return self._play_forced(self._play(actions, self._everywhere))

    def _play_forced(self, ended: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Plays forced moves up to the next choices; returns which games have ended in this step so far.

        If a game ends and the next one ends without any choice, the infos are those of the first.
        """
        none, buffers = np.zeros(len(ended), np.int64), self.engine.buffers
        while len(forced := np.flatnonzero(self.counts < 2)):
            kept = [(ends, ends[ended].copy()) for ends in (buffers.outcomes, buffers.final_observations)]
            over = self._play(none, forced)
            for ends, rows in kept:
                ends[ended] = rows
            ended = ended | over
        return ended

    def _play(self, actions: NDArray[np.int64], games: NDArray[np.int64]) -> NDArray[np.bool_]:
        lengths = np.zeros(len(self.rows), np.int64)
        lengths[games] = np.where(self.counts[games] > 0, self._lengths[games, actions[games]], 0)
        lines = self._lines[self._everywhere, actions]
        self._keep(lines, self.engine.states.moves, lengths)
        ended, moves = play_lines(self.engine, lines, lengths)
        self.moves_played += moves
        lost = games[self.counts[games] == 0]  # nothing is left to gain
        if len(lost):
            conclude_given_up(self.engine, lost)
            self.engine.buffers.final_observations[lost] = self.engine.buffers.observations[lost]
            ended[lost] = True
            self.engine.deal_next(lost)
        self.look(games)
        return ended


class ChoiceVecEnv(BatchedVecEnv):
    """Many games from choice to choice, for stable-baselines3 and sb3-contrib.

    An observation is a choice in the form that `choosing` writes, uint16; its size grows with the largest choice, so it
    needs a `ChoiceBuffer`. If the game has a mirror image, about half of
    the observations are mirrored. An action is the number of a candidate. Infos are as in `SolitaireVecEnv`; their
    ``episode["r"]`` is its normalised return.

    Args:
        game: The game; not a series.
        option_sets: Sets of options. Each gets an equal share of the environments.
        num_envs: B.
        seed: Seed of the deals and of the mirror images.
        guide: If a choice has more than `most` candidates, those with the lowest values by this network are left out.
            It never changes.
        most: Largest number of candidates of a choice; None: no limit.
        bounds: Whether to leave out moves that the game's bounds (`Choices.new_bounds`) prove to be mistakes. A game
            that is proved lost then ends at once.
        deals: As in `SolitaireEnv`.
        winnable: As in `SolitaireEnv`.
        difficulty: As in `SolitaireEnv`.
    """

    def __init__(
        self,
        game: Game,
        option_sets: Sequence[Options],
        num_envs: int,
        seed: int,
        *,
        guide: Network | None = None,
        most: int | None = None,
        bounds: bool = False,
        deals: Deals | None = None,
        winnable: bool = False,
        difficulty: tuple[float, float] | None = None,
    ) -> None:
        parts = zip(option_sets, cut(num_envs, len(option_sets)), strict=True)
        shares = [(each, part) for each, part in parts if part.stop > part.start]
        self.choices = choices_of(game, option_sets[0])
        self.most = min(most or self.choices.most_candidates, self.choices.most_candidates)
        network = guide or random_network(self.choices.inputs, (1, 1), 0)
        self._slices = [part for _, part in shares]
        self._games = [
            _Games(
                game,
                each,
                part.stop - part.start,
                network,
                self.most,
                bounds,
                choose_deals(game, each, deals, winnable, difficulty),
            )
            for each, part in shares
        ]
        self.steps, self._dealt = 0, False
        super().__init__(num_envs, _space_of(self._games[0].rows), spaces.Discrete(self.most))
        self.seed(seed)

    @property
    def guide(self) -> Network:
        """The network whose values decide which candidates are left out."""
        return self._games[0].guide

    @guide.setter
    def guide(self, network: Network) -> None:
        for games in self._games:
            games.guide = network

    def state(self) -> dict[str, NDArray[Any]]:
        """Returns what `put_back` needs besides `steps`.

        ``deals`` and ``streams``, int64 [B], are the bits of the deal numbers, and of the streams from which later ones
        are drawn. ``moves``, int16 [B, M], are the moves so far, padded with `WAIT`.
        """
        states = np.concatenate([games.engine.states[["deal", "stream"]] for games in self._games])
        moves = [games.moves() for games in self._games]
        most = max(each.shape[1] for each in moves)
        padded = [np.pad(each, ((0, 0), (0, most - each.shape[1])), constant_values=WAIT) for each in moves]
        deals, streams = (states[name].astype(np.uint64).view(np.int64) for name in ("deal", "stream"))
        return {"deals": deals, "streams": streams, "moves": np.concatenate(padded)}

    def put_back(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restores unfinished games by replaying them. The next reset does not deal anew.

        Raises:
            ValueError: No run can have reached these games.
        """
        deals, streams = (state[name].view(np.uint64) for name in ("deals", "streams"))
        for games, part in zip(self._games, self._slices, strict=True):
            games.put_back(deals[part], streams[part], state["moves"][part])
        self._dealt = True

    @property
    def engines(self) -> Sequence[Engine]:
        """The engines, one for each option set that has games."""
        return [games.engine for games in self._games]

    @property
    def moves(self) -> int:
        """Number of moves in all games so far."""
        return sum(games.moves_played for games in self._games)

    @moves.setter
    def moves(self, moves: int) -> None:
        self._games[0].moves_played += moves - self.moves

    def reset(self) -> VecEnvObs:
        """Deals every game anew; returns observations."""
        if not self._dealt:
            for games in self._games:
                games.deal()
        self._dealt = False
        return self._observe()

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions; returns observations, rewards, dones, infos."""
        self.steps += 1
        dones, rewards = np.zeros(self.num_envs, np.bool_), np.zeros(self.num_envs, np.float32)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for games, part in zip(self._games, self._slices, strict=True):
            dones[part] = games.step(self._actions[part])
            ended = np.flatnonzero(dones[part])
            if len(ended):
                returns = games.choices.normalised_returns(games.engine.buffers.outcomes[ended])
                rewards[part.start + ended] = returns
                for game, its_return in zip(ended.tolist(), returns.tolist(), strict=True):
                    infos[part.start + game] = self.final_info(games.engine, game, its_return)
        return self._observe(), rewards, dones, infos

    def _observe(self) -> NDArray[np.uint16]:
        size = max(games.rows.shape[1] for games in self._games)
        rows = np.concatenate([widened(games.rows, size) for games in self._games])
        self.observation_space = _space_of(rows)
        if self.choices.mirror is not None:
            rng = np.random.default_rng((self._seed, self.steps))
            mirror_rows(rows, np.flatnonzero(rng.random(len(rows)) < 0.5), self.choices.mirror)
        return rows

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns which candidates exist, bool [B, most candidates]."""
        counts = np.concatenate([games.counts for games in self._games])
        return np.arange(self.most) < counts[:, None]


@entry_point("choices")
def mirror_rows(rows: Any, chosen: Any, mirror: Any) -> None:
    """Replaces the inputs in some rows by those of the mirror image."""
    for i in chosen:
        row = rows[i]
        first, end = 2 + row[0], 2 + row[0]
        for k in range(row[0] + 1):
            end += row[1 + k]
        for j in range(first, end):
            row[j] = mirror[row[j]]

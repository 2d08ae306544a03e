"""Self-play: games that a network plays, and the examples that its value head learns from.

The target of a chosen candidate is the game's normalised return, mixed with the values on the way to it (Sutton
1988, TD(lambda)). Now and then a random candidate is chosen. Then the target of the choice before it is the value of
the best candidate, not what followed the random one. Moves that the bounds reject are played too.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from solitaire_agents.choices import Choices
from solitaire_agents.choosing import kernels_of, new_scratch
from solitaire_agents.network import VALUE, Network
from solitaire_envs.engine import Engine
from solitaire_envs.game import NO_LIMIT, Game, Options

WAIT: Final = -1
"""No action: it leaves a game as it is."""
_AT_RANDOM: Final = 1e6
"""Noise so large that logits make no difference."""


class Examples(NamedTuple):
    """Training examples for the value head, one for each choice."""

    inputs: NDArray[np.uint16]
    """[n, m]: the inputs that are on, then the number of inputs."""
    targets: NDArray[np.float32]
    """[n]: the target of the value, 0..1."""
    won: int
    """Number of games that were won."""
    moves: int
    """Number of moves in all games."""


class _Chosen(NamedTuple):
    """A choice in each of some games."""

    games: NDArray[np.int64]
    inputs: NDArray[np.uint16]
    best: NDArray[np.float32]
    """The highest value, 0..1."""
    random: NDArray[np.bool_]
    """Whether a random candidate was chosen instead."""
    discounts: NDArray[np.float32]
    """The factors of the moves before the choice."""


def waiting_engine(game: Game, options: Options, num_envs: int, **settings: Any) -> Engine:
    """Returns an engine in which games may wait while others play."""
    return Engine(game, options, num_envs, max_illegal_actions=NO_LIMIT - 1, **settings)


def play_lines(engine: Engine, lines: NDArray[np.int16], lengths: NDArray[np.int64]) -> tuple[NDArray[np.bool_], int]:
    """Plays a line of moves in each game, until the line or the episode ends.

    Args:
        engine: A `waiting_engine`.
        lines: [B, M] actions.
        lengths: [B] number of moves; 0: the game waits.

    Returns:
        Whether the episode ended, [B], and the number of moves played in all games.
    """
    ended, moves = np.zeros(engine.num_envs, np.bool_), 0
    for move in range(int(lengths.max())):
        going = (lengths > move) & ~ended
        moves += int(going.sum())
        buffers = engine.step(np.where(going, lines[:, move], WAIT))
        ended |= going & (buffers.terminated | buffers.truncated)
    return ended, moves


def play_on(engine: Engine, choose: Callable[[NDArray[np.int64]], tuple[NDArray[np.int16], NDArray[np.int64]]]) -> int:
    """Plays all games until they have ended or are given up; returns the number of moves in all of them.

    Args:
        engine: A `waiting_engine`.
        choose: The games under way -> lines and their lengths as in `play_lines`; 0 for one of these games gives it up.
    """
    given_up = np.zeros(engine.num_envs, np.bool_)
    playing, moves = np.arange(engine.num_envs), 0
    while len(playing):
        lines, lengths = choose(playing)
        given_up[playing] = lengths[playing] == 0
        moves += play_lines(engine, lines, lengths)[1]
        playing = np.flatnonzero(~engine.states.ended & ~given_up)
    conclude_given_up(engine, np.flatnonzero(given_up & ~engine.states.ended))
    return moves


def conclude_given_up(engine: Engine, games: NDArray[np.int64]) -> None:
    """Writes the outcomes of given-up games into the engine's buffer, as if these games had ended."""
    outcomes = engine.outcomes()
    for field, name in enumerate(engine.outcome_names):
        engine.buffers.outcomes[name][games] = outcomes[games, field]


def play_games(
    options: Options,
    choices: Choices,
    network: Network,
    deals: NDArray[np.uint64],
    *,
    explore: float,
    td_lambda: float,
    seed: int,
) -> Examples:
    """Plays games side by side; several threads may do so at a time.

    Args:
        options: The options of the games, those of the choices but for ``max_moves``.
        choices: The choices.
        network: The network that plays, by its value head.
        deals: Deal numbers, [n].
        explore: Share of the choices that are random, 0..1.
        td_lambda: The lambda of TD(lambda), 0..1: the weight of what came later, against the value of the next choice.
        seed: Seed of the random choices, and of which positions are mirrored.
    """
    rng, engine = np.random.default_rng(seed), waiting_engine(choices.game, options, len(deals))
    engine.deal_numbers(deals)
    player, visited = _Player(choices, network, len(deals)), list[_Chosen]()

    def choose(playing: NDArray[np.int64]) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        visited.append(player.choose(engine, playing, explore, rng))
        return player.lines, player.lengths

    moves = play_on(engine, choose)
    inputs, targets = _lessons(visited, choices, engine.buffers.outcomes, td_lambda, rng)
    return Examples(inputs, targets, int(engine.buffers.outcomes["won"].sum()), moves)


class _Player:
    """Chooses in games side by side."""

    def __init__(self, choices: Choices, network: Network, games: int) -> None:
        self._choices, self._network, self._scratch = choices, network, new_scratch(choices, network)
        self._choose = kernels_of(choices).choose
        self.lines = np.zeros((games, choices.most_moves), np.int16)
        self.lengths = np.zeros(games, np.int64)

    def choose(self, engine: Engine, playing: NDArray[np.int64], explore: float, rng: np.random.Generator) -> _Chosen:
        """Chooses in the games under way; writes `lines` and `lengths`, 0 in all other games."""
        n, choices = len(playing), self._choices
        lines, lengths, best = self.lines[:n].copy(), np.zeros(n, np.int64), np.zeros(n, np.float32)
        inputs, noise = np.zeros((n, choices.most_on), np.uint16), np.zeros((n, choices.most_candidates), np.float32)
        random = rng.random(n) < explore
        noise[random] = _AT_RANDOM * rng.random((int(random.sum()), choices.most_candidates))
        observations, masks = engine.buffers.observations[playing], engine.buffers.action_masks[playing]
        self._choose(self._network, VALUE, self._scratch, observations, masks, noise, lines, lengths, best, inputs)
        self.lengths[:] = 0
        self.lines[playing], self.lengths[playing] = lines, lengths
        asked = ~np.isnan(best)
        games = playing[asked]
        discounts = choices.discounts(engine.states.moves[games])
        return _Chosen(games, inputs[asked], expit(best[asked]), random[asked], discounts)


def _lessons(
    visited: list[_Chosen], choices: Choices, outcomes: NDArray[np.void], td_lambda: float, rng: np.random.Generator
) -> tuple[NDArray[np.uint16], NDArray[np.float32]]:
    """Returns the inputs and the targets of some games, as in `Examples`.

    Targets are computed from the last choice back to the first: as seen from the start of the game, and then from the
    choice.
    """
    target, targets = choices.normalised_returns(outcomes), []
    for games, _, best, random, discounts in reversed(visited):
        targets.append(target[games] / discounts)
        value = best * discounts
        target[games] = np.where(random, value, value + td_lambda * (target[games] - value))
    inputs = np.concatenate([chosen.inputs for chosen in visited])
    if choices.mirror is not None:
        mirrored = rng.random(len(inputs)) < 0.5
        inputs[mirrored] = choices.mirror[inputs[mirrored]]
    return inputs, np.concatenate(targets[::-1])

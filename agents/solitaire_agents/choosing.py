"""How learners and trained agents describe, rate and choose candidates, compiled with a game's kernels.

Candidates share most of their inputs. The rows of shared inputs are summed only once.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from solitaire_agents.choices import FORCED, Choices, Steps, copy, steps_over
from solitaire_agents.network import VALUE, Network, add_rows, ask_head, widths_of
from solitaire_envs.game import Game
from solitaire_envs.jit import entry_point, kernel


class Scratch(NamedTuple):
    """Working storage for one choice and one thread."""

    storage: Any  # of the game
    on: Any  # int64 [most_candidates, most_on]: inputs that are on for each candidate, without those that all share
    sizes: Any  # int64 [most_candidates]: their numbers
    shared: Any  # int64 [most_on]: the inputs that all candidates share
    seen: Any  # int64 [inputs]: when each input was seen last; see `rating_over`
    clock: Any  # int64 [1]
    sums: Any  # float32 [1 + most_candidates, W]: the sum of the shared rows, and that of each candidate's rows
    above: Any  # int64 [W]: see `ask_head`
    second: Any  # float32 [S]: see `ask_head`
    logits: Any  # float64 [most_candidates]
    kept: Any  # int64 [most_candidates]: the candidates to write
    line: Any  # int64 [most_moves]
    mirror: Any  # uint16 [inputs + 1]: `Choices.mirror`, if logits are to be means over both images; else empty


def new_scratch(choices: Choices, network: Network | None = None, *, both_images: bool = False) -> Scratch:
    """Allocates working storage.

    Args:
        choices: The choices.
        network: The network that rates the candidates; None: they are only described.
        both_images: Whether candidates are rated in the mirror image too, if the game has one.
    """
    width, second = (1, 1) if network is None else widths_of(network)
    most, on = choices.most_candidates, choices.most_on
    return Scratch(
        choices.new_storage(),
        np.zeros((most, on), np.int64),
        np.zeros(most, np.int64),
        np.zeros(on, np.int64),
        np.zeros(choices.inputs, np.int64),
        np.ones(1, np.int64),
        np.zeros((1 + most, width), np.float32),
        np.zeros(width, np.int64),
        np.zeros(second, np.float32),
        np.zeros(most),
        np.zeros(most, np.int64),
        np.zeros(choices.most_moves, np.int64),
        choices.mirror if both_images and choices.mirror is not None else np.zeros(0, np.uint16),
    )


class Kernels(NamedTuple):
    """Entry points for a game's choices. Rows are games, ``C`` is the most candidates, ``M`` the most moves."""

    choose: Callable[..., None]
    rate: Callable[..., int]
    write: Callable[..., int]
    follow: Callable[..., None]


def kernels_of(choices: Choices) -> Kernels:
    """Returns the entry points for a game's choices."""
    return _compile(choices.game, choices.count, choices.describe, choices.moves)


class Rating(NamedTuple):
    """Kernels that describe and rate all candidates of a choice."""

    describe_all: Callable[..., int]
    add_ratings: Callable[..., None]
    rate_all: Callable[..., int]


@cache
def rating_over(describe: Any) -> Rating:
    """Returns the kernels that call `Choices.describe`."""

    @kernel
    def describe_all(scratch: Any, candidates: int) -> int:
        """Describes all candidates, and moves the inputs that all share to `shared`; returns how many these are.

        `seen` is clock + k for an input that the first k candidates all have. It is clock + candidates + k for an
        input that all candidates have, and that has been removed from the first k.
        """
        seen, clock, shared = scratch.seen, scratch.clock[0], 0
        scratch.clock[0] = clock + 2 * candidates + 2
        for k in range(candidates):
            on = scratch.on[k]
            scratch.sizes[k] = describe(scratch.storage, k, on)
            for j in range(scratch.sizes[k]):
                if k == 0 or seen[on[j]] == clock + k:
                    seen[on[j]] = clock + k + 1
        for k in range(candidates):
            on, rest = scratch.on[k], 0
            for j in range(scratch.sizes[k]):
                if seen[on[j]] == clock + candidates + k:
                    seen[on[j]] += 1
                    if k == 0:
                        scratch.shared[shared] = on[j]
                        shared += 1
                else:
                    on[rest] = on[j]
                    rest += 1
            scratch.sizes[k], scratch.logits[k] = rest, 0.0
        return shared

    @kernel
    def add_ratings(network: Any, head: int, scratch: Any, candidates: int, shared: int) -> None:
        """Adds a head's logit for each candidate to the logits, which `describe_all` has set to zero."""
        common = scratch.sums[0]
        copy(network.bias, common)
        add_rows(network, scratch.shared, shared, common)
        for k in range(candidates):
            own = scratch.sums[1 + k]
            copy(common, own)
            add_rows(network, scratch.on[k], scratch.sizes[k], own)
            scratch.logits[k] += ask_head(network, head, own, scratch.above, scratch.second)

    @kernel
    def rate_all(network: Any, head: int, scratch: Any, candidates: int) -> int:
        """Writes a head's logit for each candidate; returns how many inputs they share."""
        shared = describe_all(scratch, candidates)
        add_ratings(network, head, scratch, candidates, shared)
        if len(scratch.mirror):
            for j in range(shared):
                scratch.shared[j] = scratch.mirror[scratch.shared[j]]
            for k in range(candidates):
                for j in range(scratch.sizes[k]):
                    scratch.on[k, j] = scratch.mirror[scratch.on[k, j]]
            add_ratings(network, head, scratch, candidates, shared)
            for k in range(candidates):
                scratch.logits[k] /= 2
        return shared

    return Rating(describe_all, add_ratings, rate_all)


@cache
def _compile(game: Game, count: Any, describe: Any, moves: Any) -> Kernels:  # noqa: PLR0915  # short kernels
    describe_all, add_ratings, rate_all = rating_over(describe)
    look, _ = steps_over(game)
    apply, observe = game.apply, game.observe

    @entry_point(game.name)
    def choose_all(
        network: Any,
        head: int,
        scratch: Any,
        observations: Any,
        masks: Any,
        noise: Any,
        lines: Any,
        lengths: Any,
        best: Any,
        inputs: Any,
    ) -> None:
        """Chooses the candidate with the highest logit in each game.

        Args:
            network: The network.
            head: The head that chooses.
            scratch: Working storage.
            observations: int16 [n, O].
            masks: bool [n, A].
            noise: float32 [n, C]: added to the logits.
            lines: int16 [n, M], written to: the moves to the candidate.
            lengths: int64 [n], written to: how many moves; 0 where there is nothing left to gain.
            best: float32 [n], written to: the highest logit, without noise; NaN where there is nothing to choose.
            inputs: uint16 [n, most_on], written to: the inputs of the chosen candidate, then `Choices.inputs`; or
                [n, 0], if nobody needs them.
        """
        for i in range(len(observations)):
            candidates, chosen = count(scratch.storage, observations[i], masks[i]), 0
            best[i] = np.nan
            if candidates > FORCED:
                shared = rate_all(network, head, scratch, candidates)
                best[i], highest = scratch.logits[0], scratch.logits[0] + noise[i, 0]
                for k in range(1, candidates):
                    best[i] = max(best[i], scratch.logits[k])
                    if scratch.logits[k] + noise[i, k] > highest:
                        chosen, highest = k, scratch.logits[k] + noise[i, k]
                if inputs.shape[1]:
                    inputs[i] = len(scratch.seen)
                    for j in range(shared):
                        inputs[i, j] = scratch.shared[j]
                    for j in range(scratch.sizes[chosen]):
                        inputs[i, shared + j] = scratch.on[chosen, j]
            lengths[i] = moves(scratch.storage, chosen, scratch.line) if candidates else 0
            for j in range(lengths[i]):
                lines[i, j] = scratch.line[j]

    @entry_point(game.name)
    def rate(network: Any, head: int, scratch: Any, observation: Any, mask: Any, firsts: Any) -> int:
        """Writes each candidate's logit to the storage, and its first move; returns the number of candidates."""
        candidates = int(count(scratch.storage, observation, mask))
        rate_all(network, head, scratch, candidates)
        for k in range(candidates):
            moves(scratch.storage, k, scratch.line)
            firsts[k] = scratch.line[0]
        return candidates

    @kernel
    def write_one(scratch: Any, candidates: int, shared: int, row: Any) -> int:
        """Writes the kept candidates into a row, if there is room; returns the size that they need."""
        size = end = 2 + candidates + shared
        for k in range(candidates):
            size += scratch.sizes[scratch.kept[k]]
        if size > len(row):
            return size
        row[0], row[1] = candidates, shared
        for j in range(shared):
            row[2 + candidates + j] = scratch.shared[j]
        for k in range(candidates):
            own = scratch.on[scratch.kept[k]]
            row[2 + k] = scratch.sizes[scratch.kept[k]]
            for j in range(row[2 + k]):
                row[end + j] = own[j]
            end += row[2 + k]
        return size

    @entry_point(game.name)
    def write_all(
        network: Any,
        scratch: Any,
        games: Any,
        observations: Any,
        masks: Any,
        rows: Any,
        counts: Any,
        lines: Any,
        lengths: Any,
    ) -> int:
        """Writes the choices of some games into rows; returns the largest size that one needs.

        If that is more than the size of the rows, some rows are not written.

        Args:
            network: If there are more candidates than `lines` has room for, those with the highest values are kept.
            scratch: Working storage.
            games: int64: the indices of the games, 0..n - 1.
            observations: int16 [n, O].
            masks: bool [n, A].
            rows: uint16 [n, row size], written to: the number of candidates, of shared inputs, and of each candidate's
                own; then these inputs in this order, then zeros. Where there is nothing to choose, only zeros.
            counts: int64 [n], written to: the number of candidates.
            lines: int16 [n, most candidates to write, M], written to: the moves to each candidate.
            lengths: int64 [n, most candidates to write], written to: how many moves.
        """
        needed = 0
        for i in games:
            rows[i] = 0
            candidates = count(scratch.storage, observations[i], masks[i])
            for k in range(candidates):
                scratch.kept[k] = k
            if candidates > FORCED:
                shared = describe_all(scratch, candidates)
                if candidates > lines.shape[1]:
                    add_ratings(network, VALUE, scratch, candidates, shared)
                    keep_best(scratch, candidates, lines.shape[1])
                    candidates = lines.shape[1]
                needed = max(needed, write_one(scratch, candidates, shared, rows[i]))
            counts[i] = candidates
            for k in range(candidates):
                lengths[i, k] = moves(scratch.storage, scratch.kept[k], scratch.line)
                for j in range(lengths[i, k]):
                    lines[i, k, j] = scratch.line[j]
        return needed

    @entry_point(game.name)
    def follow(steps: Steps, observations: Any, lines: Any, lengths: Any, seen: Any) -> None:
        """Writes what is seen before each move of some lines, one line after another.

        Args:
            steps: Working storage.
            observations: int16 [n, O]: where the lines begin.
            lines: int16 [n, M].
            lengths: int64 [n]: how many moves.
            seen: int16 [total of the lengths, O], written to.
        """
        row = 0
        for i in range(len(observations)):
            look(steps, observations[i])
            for j in range(lengths[i]):
                observe(steps.rules[0], steps.states[0], seen[row])
                row += 1
                if j < lengths[i] - 1:
                    apply(steps.rules[0], steps.states[0], lines[i, j])

    return Kernels(choose_all, rate, write_all, follow)


@kernel
def keep_best(scratch: Any, candidates: int, most: int) -> None:
    """Lists the candidates with the highest logits, the highest first."""
    for place in range(most):
        best = 0
        for k in range(1, candidates):
            if scratch.logits[k] > scratch.logits[best]:
                best = k
        scratch.kept[place], scratch.logits[best] = best, -np.inf

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


class Sheet(NamedTuple):
    """Working storage for one choice and one thread."""

    storage: Any  # of the game
    on: Any  # int64 [most_candidates, most_on]: inputs that are on for each candidate, without those that all share
    sizes: Any  # int64 [most_candidates]: their numbers
    shared: Any  # int64 [most_on]: the inputs that all candidates share
    seen: Any  # int64 [inputs]: when each input was seen last; see `rating_over`
    clock: Any  # int64 [1]
    sums: Any  # float32 [2, W]: the sum of the shared rows, and that of a candidate's rows
    second: Any  # float32 [S]
    logits: Any  # float64 [most_candidates]
    kept: Any  # int64 [most_candidates]: the candidates to write
    line: Any  # int64 [most_moves]
    mirror: Any  # uint16 [inputs + 1]: `Choices.mirror`, if logits are to be means over both images; else empty


def new_sheet(choices: Choices, network: Network | None = None, *, both_images: bool = False) -> Sheet:
    """Allocates a sheet.

    Args:
        choices: The choices.
        network: The network that rates the candidates; None: they are only described.
        both_images: Whether candidates are rated in the mirror image too, if the game has one.
    """
    width, second = (1, 1) if network is None else widths_of(network)
    most, on = choices.most_candidates, choices.most_on
    return Sheet(
        choices.new_storage(),
        np.zeros((most, on), np.int64),
        np.zeros(most, np.int64),
        np.zeros(on, np.int64),
        np.zeros(choices.inputs, np.int64),
        np.ones(1, np.int64),
        np.zeros((2, width), np.float32),
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
    def describe_all(sheet: Any, candidates: int) -> int:
        """Describes all candidates, and moves the inputs that all share to the sheet; returns how many these are.

        `seen` is clock + k for an input that the first k candidates all have. It is clock + candidates + k for an
        input that all candidates have, and that has been removed from the first k.
        """
        seen, clock, shared = sheet.seen, sheet.clock[0], 0
        sheet.clock[0] = clock + 2 * candidates + 2
        for k in range(candidates):
            on = sheet.on[k]
            sheet.sizes[k] = describe(sheet.storage, k, on)
            for j in range(sheet.sizes[k]):
                if k == 0 or seen[on[j]] == clock + k:
                    seen[on[j]] = clock + k + 1
        for k in range(candidates):
            on, rest = sheet.on[k], 0
            for j in range(sheet.sizes[k]):
                if seen[on[j]] == clock + candidates + k:
                    seen[on[j]] += 1
                    if k == 0:
                        sheet.shared[shared] = on[j]
                        shared += 1
                else:
                    on[rest] = on[j]
                    rest += 1
            sheet.sizes[k], sheet.logits[k] = rest, 0.0
        return shared

    @kernel
    def add_ratings(network: Any, head: int, sheet: Any, candidates: int, shared: int) -> None:
        """Adds a head's logit for each candidate to the logits, which `describe_all` has set to zero."""
        common, own = sheet.sums[0], sheet.sums[1]
        copy(network.bias, common)
        add_rows(network, sheet.shared, shared, common)
        for k in range(candidates):
            copy(common, own)
            add_rows(network, sheet.on[k], sheet.sizes[k], own)
            sheet.logits[k] += ask_head(network, head, own, sheet.second)

    @kernel
    def rate_all(network: Any, head: int, sheet: Any, candidates: int) -> int:
        """Writes a head's logit for each candidate; returns how many inputs they share."""
        shared = describe_all(sheet, candidates)
        add_ratings(network, head, sheet, candidates, shared)
        if len(sheet.mirror):
            for j in range(shared):
                sheet.shared[j] = sheet.mirror[sheet.shared[j]]
            for k in range(candidates):
                for j in range(sheet.sizes[k]):
                    sheet.on[k, j] = sheet.mirror[sheet.on[k, j]]
            add_ratings(network, head, sheet, candidates, shared)
            for k in range(candidates):
                sheet.logits[k] /= 2
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
        sheet: Any,
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
            sheet: Working storage.
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
            candidates, chosen = count(sheet.storage, observations[i], masks[i]), 0
            best[i] = np.nan
            if candidates > FORCED:
                shared = rate_all(network, head, sheet, candidates)
                best[i], highest = sheet.logits[0], sheet.logits[0] + noise[i, 0]
                for k in range(1, candidates):
                    best[i] = max(best[i], sheet.logits[k])
                    if sheet.logits[k] + noise[i, k] > highest:
                        chosen, highest = k, sheet.logits[k] + noise[i, k]
                if inputs.shape[1]:
                    inputs[i] = len(sheet.seen)
                    for j in range(shared):
                        inputs[i, j] = sheet.shared[j]
                    for j in range(sheet.sizes[chosen]):
                        inputs[i, shared + j] = sheet.on[chosen, j]
            lengths[i] = moves(sheet.storage, chosen, sheet.line) if candidates else 0
            for j in range(lengths[i]):
                lines[i, j] = sheet.line[j]

    @entry_point(game.name)
    def rate(network: Any, head: int, sheet: Any, observation: Any, mask: Any, firsts: Any) -> int:
        """Writes each candidate's logit to the sheet, and its first move; returns the number of candidates."""
        candidates = int(count(sheet.storage, observation, mask))
        rate_all(network, head, sheet, candidates)
        for k in range(candidates):
            moves(sheet.storage, k, sheet.line)
            firsts[k] = sheet.line[0]
        return candidates

    @kernel
    def write_one(sheet: Any, candidates: int, shared: int, row: Any) -> int:
        """Writes the kept candidates into a row, if there is room; returns the size that they need."""
        size = end = 2 + candidates + shared
        for k in range(candidates):
            size += sheet.sizes[sheet.kept[k]]
        if size > len(row):
            return size
        row[0], row[1] = candidates, shared
        for j in range(shared):
            row[2 + candidates + j] = sheet.shared[j]
        for k in range(candidates):
            own = sheet.on[sheet.kept[k]]
            row[2 + k] = sheet.sizes[sheet.kept[k]]
            for j in range(row[2 + k]):
                row[end + j] = own[j]
            end += row[2 + k]
        return size

    @entry_point(game.name)
    def write_all(
        network: Any,
        sheet: Any,
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
            sheet: Working storage.
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
            candidates = count(sheet.storage, observations[i], masks[i])
            for k in range(candidates):
                sheet.kept[k] = k
            if candidates > FORCED:
                shared = describe_all(sheet, candidates)
                if candidates > lines.shape[1]:
                    add_ratings(network, VALUE, sheet, candidates, shared)
                    keep_best(sheet, candidates, lines.shape[1])
                    candidates = lines.shape[1]
                needed = max(needed, write_one(sheet, candidates, shared, rows[i]))
            counts[i] = candidates
            for k in range(candidates):
                lengths[i, k] = moves(sheet.storage, sheet.kept[k], sheet.line)
                for j in range(lengths[i, k]):
                    lines[i, k, j] = sheet.line[j]
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
def keep_best(sheet: Any, candidates: int, most: int) -> None:
    """Lists the candidates with the highest logits, the highest first."""
    for place in range(most):
        best = 0
        for k in range(1, candidates):
            if sheet.logits[k] > sheet.logits[best]:
                best = k
        sheet.kept[place], sheet.logits[best] = best, -np.inf

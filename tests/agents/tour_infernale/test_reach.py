"""What is within reach before a draw, against a plain search over the environment's moves."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from solitaire_agents.tour_infernale.bitboard import NO_MOVE
from solitaire_agents.tour_infernale.position import spell_out
from solitaire_agents.tour_infernale.reach import Reach, find_components, new_reach
from solitaire_agents.tour_infernale.talon import Talon
from solitaire_envs.jit import entry_point
from solitaire_envs.tour_infernale import ACTIONS, DRAW, FOUNDATION, REDEAL, WASTE
from tests.agents.tour_infernale.positions import Position

Configuration = tuple[tuple[tuple[int, ...], ...], tuple[int, ...], tuple[int, ...]]
PILES = 6
SMALL = 150
"""Configurations."""
find = entry_point("test of reach")(find_components.py_func)  # type: ignore[attr-defined]


def configuration_of(position: Position) -> Configuration:
    """Returns what makes a position, whatever the order of its piles."""
    return tuple(sorted(position.tableau)), position.waste, position.foundations


def moves_of(position: Position) -> Iterator[tuple[bool, bool, Position]]:
    """Yields what follows each move but a draw, by the rules in words: whether it is safe, whether it can be undone."""
    lowest = min(position.foundations)
    for action, (source, target) in enumerate(ACTIONS):
        if action in (DRAW, REDEAL):
            continue
        pile = position.waste[::-1] if source == WASTE else position.tableau[source] if source < PILES else ()
        if not pile or (target != FOUNDATION and target >= PILES):
            continue
        suit, rank = divmod(pile[-1], 13)
        if target == FOUNDATION:
            if position.foundations[suit] == rank:
                yield rank <= lowest + 1, False, position.after(action)
        elif not position.tableau[target] or position.tableau[target][-1] % 13 == rank + 1:
            yield False, source != WASTE, position.after(action)


def components_of(start: Position) -> tuple[dict[Configuration, int], bool]:
    """Returns configuration -> number of its component, where no card can go up safely; and whether one wins.

    Raises:
        OverflowError: There are more than `SMALL`.
    """
    components: dict[Configuration, int] = {}
    waiting, dropped, number = [start], set[Configuration](), 0
    while waiting:
        if len(components) > SMALL:
            raise OverflowError
        entry = waiting.pop()
        if sum(entry.foundations) == 52:
            return components, True
        if configuration_of(entry) not in components.keys() | dropped:
            met, safe, onward = component_of(entry)
            if safe:
                dropped |= met
            else:
                components.update(dict.fromkeys(met, number))
                number += 1
            waiting += safe[:1] or onward
    return components, False


def component_of(entry: Position) -> tuple[set[Configuration], list[Position], list[Position]]:
    """Returns a component, and what follows safe moves and others that cannot be undone."""
    met, open_ends = {configuration_of(entry)}, [entry]
    safe, onward = list[Position](), list[Position]()
    while open_ends:
        if len(met) > SMALL:
            raise OverflowError
        for is_safe, is_undone, after in moves_of(open_ends.pop()):
            if is_safe:
                safe.append(after)
            elif not is_undone:
                onward.append(after)
            elif configuration_of(after) not in met:
                met.add(configuration_of(after))
                open_ends.append(after)
    return met, safe, onward


def random_position(rng: np.random.Generator, draws: int) -> Position:
    """Plays at random up to a number of draws."""
    position = Position.dealt(rng.permutation(52), PILES)
    for _ in range(draws):
        position = position.after(DRAW)
        for _ in range(int(rng.integers(6))):
            onward = [after for _, _, after in moves_of(position)]
            position = onward[rng.integers(len(onward))] if onward and rng.random() < 0.8 else position
    return position


def small_position(rng: np.random.Generator) -> tuple[Position, dict[Configuration, int], bool]:
    """Returns a random position with few configurations within reach, and what `components_of` says of it."""
    while True:
        position = random_position(rng, int(rng.integers(1, 30)))
        try:
            return position, *components_of(position)
        except OverflowError:
            continue


def talon_of(position: Position) -> Talon:
    return Talon(position.start.order, len(position.waste))


def boards_of(rows: Any) -> Any:
    """Returns the three words of each row; of one row, those of it."""
    return rows[["a", "b", "c"]].tolist()


def reach_of(position: Position) -> tuple[Reach, int]:
    reach = new_reach()
    return reach, find(reach, talon_of(position), PILES, len(reach.queue), position.bitboard())


@pytest.mark.parametrize("seed", range(40))
def test_components_are_those_of_a_plain_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    position, expected, wins = small_position(rng)
    reach, found = reach_of(position)
    if wins:
        assert found < 0
        return
    sizes = np.bincount(list(expected.values())) if expected else np.zeros(0, int)
    assert found == reach.progress["found"][0] == len(sizes)
    components = reach.components[:found]
    assert sorted(components["size"].tolist()) == sorted(sizes.tolist())
    by_words = {number: set[tuple[int, ...]]() for number in range(found)}
    for piles, waste, foundations in expected:
        words = Position(tableau=piles, stock=position.stock, waste=waste, foundations=foundations).bitboard()
        by_words[expected[piles, waste, foundations]].add(words)
    for component in components:
        own = set(boards_of(reach.queue[component["first"] :][: component["size"]]))
        assert own in by_words.values()
        assert boards_of(reach.queue[component["representative"]]) in own


@pytest.mark.parametrize("seed", range(10))
def test_what_is_said_of_a_component(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    position = random_position(rng, int(rng.integers(1, 20)))
    reach, found = reach_of(position)
    for component in reach.components[: max(found, 0)]:
        boards = boards_of(reach.queue[component["first"] :][: component["size"]])
        tops, empty = 0, []
        for a, b, c in boards:
            lies_on = {(i & ~3) + 4 + (a >> i & 1) + 2 * (b >> i & 1) for i in range(52) if c >> i & 1}
            in_tableau = {i for i in range(52) if (a | c) >> i & 1}
            tops |= sum(1 << i for i in in_tableau - lies_on)
            empty.append(PILES - sum(a >> i & 1 and not c >> i & 1 for i in range(52)))
        assert component["tops"] == tops
        assert component["empty"] == max(empty)
        chosen = boards_of(reach.queue[component["representative"]])
        emptiest = [board for board, many in zip(boards, empty, strict=True) if many == max(empty)]
        assert chosen == min(emptiest, key=lambda words: (words[2], words[0], words[1]))


@pytest.mark.parametrize("seed", range(20))
def test_the_moves_to_each_configuration_lead_there(seed: int) -> None:
    rng = np.random.default_rng(200 + seed)
    position = random_position(rng, int(rng.integers(1, 30)))
    reach, found = reach_of(position)
    for component in reach.components[: max(found, 0)]:
        for row in (reach.queue[component["first"]], reach.queue[component["representative"]]):
            moves, at = list[int](), row
            while at["move"] != NO_MOVE:
                moves.append(int(at["move"]))
                at = reach.queue[at["parent"]]
            assert len(moves) == row["moves"]
            line = spell_out(position.state, position.options(), moves[::-1])
            assert position.along(line)[-1].bitboard() == boards_of(row)


def test_storage_can_be_used_again() -> None:
    rng, used = np.random.default_rng(8), new_reach()
    for _ in range(20):
        position = random_position(rng, 12)
        reach, found = reach_of(position)
        for _ in range(2):
            assert find(used, talon_of(position), PILES, len(used.queue), position.bitboard()) == found
            assert np.array_equal(used.components[: max(found, 0)], reach.components[: max(found, 0)])


def test_the_limits_hold() -> None:
    rng = np.random.default_rng(9)
    for _ in range(20):
        position = random_position(rng, 25)
        reach = new_reach()
        found = find(reach, talon_of(position), PILES, 7, position.bitboard())
        assert (reach.components["size"][: max(found, 0)] <= 7).all()

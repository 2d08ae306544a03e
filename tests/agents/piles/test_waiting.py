"""What inputs tell of what cards wait for, against the same worked out in plain Python."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import choices_of
from solitaire_agents.piles.candidates import candidates_of
from solitaire_agents.piles.inputs import blocks_of, firsts_of, inputs_of
from solitaire_agents.piles.waiting import waiting_blocks
from solitaire_envs.engine import Engine
from solitaire_envs.jit import entry_point
from solitaire_envs.piles.shape import REAL, PileShape
from tests.agents.piles.test_solver import GAMES, SHAPES, option_sets
from tests.environments import few

HIDDEN, AT_HAND, OUT, LATER, NOW, COVERED, TOP = range(1, 8)


class Table:
    """A position, read from a state in which hidden cards are unseen."""

    def __init__(self, shape: PileShape, all_rules: Any, states: Any) -> None:
        rules, state = all_rules[0], states[0]
        self.shape, self.pack, self.state = shape, shape.pack, state
        self.where, sizes = dict[int, int](), shape.sizes
        self.piles = [
            [int(card) for card in state.tableau[sizes.rows * pile :][: state.heights[pile]]]
            for pile in range(sizes.piles)
        ]
        self.downs = state.downs.tolist() if sizes.downs else [0] * sizes.piles
        for pile in self.piles:
            self.where |= dict.fromkeys(pile, COVERED) | dict.fromkeys(pile[-1:], TOP)
        beside = range(shape.places.cell, shape.places.waste)
        self.where |= {int(state.tops[place]): AT_HAND for place in beside}
        self.talon = list[tuple[int, int]]()
        if shape.to_waste:
            self._look_at_talon(rules, state)
        self.where.pop(0, None)
        self.where.pop(self.pack.unseen, None)
        tops = [13 * line + int(count) for line, count in enumerate(state.foundations) if count]
        returns = shape.returns and rules.returns
        printed = REAL[state.base_rank] if shape.start == "base" else range(self.pack.codes)
        unseen = [card for card in range(1, self.pack.unseen) if shape.hides and state.unseen[printed[card] - 1]]
        self.where |= dict.fromkeys(unseen, HIDDEN)
        self.host = self.where | dict.fromkeys(tops if returns else [], AT_HAND)

    def _look_at_talon(self, rules: Any, state: Any) -> None:
        """Notes when each known card of waste and stock comes up, by drawing through them."""
        cards, waste = [int(card) for card in state.talon if card], int(state.waste_size)
        known = len(cards) if state.current_pass > 1 else waste
        draw = int(rules.draw)
        this, later = ({*range(first + draw, len(cards), draw), len(cards)} for first in (waste, 0))
        may_redeal = state.current_pass < rules.passes
        for place, card in enumerate(cards[:known], start=1):
            when = NOW if place in this | {waste} else LATER if may_redeal and place in later else OUT
            self.talon.append((card, when))
            self.where[card] = when

    def height(self, card: int) -> int:
        suits, foundations = self.pack.suit, self.state.foundations
        return int(min(foundations[line] for line in range(self.pack.lines) if suits[13 * line + 1] == suits[card]))

    def two(self, cards: list[int]) -> tuple[int, int]:
        kinds = sorted((self.host.get(card, 0) for card in cards), reverse=True)
        return kinds[0], kinds[min(1, len(kinds) - 1)]

    def waits(self, card: int) -> tuple[int, int]:
        hosts = [below for below in range(self.pack.codes) if card in self.shape.fits[below]]
        has_space = any(not pile and not down for pile, down in zip(self.piles, self.downs, strict=True))
        return self.two(hosts) if hosts else (TOP, TOP) if has_space else (COVERED, COVERED)

    def told(self) -> dict[str, list[tuple[int, ...]]]:
        """Returns what is told, block by block."""
        rank, shape = self.pack.rank, self.shape
        blocks: dict[str, list[tuple[int, ...]]] = {name: [] for name in waiting_blocks(shape)}
        blocks["kind"] = [(rank[card] - 1, self.height(card), kind) for card, kind in self.where.items()]
        for pile, down in zip(self.piles, self.downs, strict=True):
            if pile and rank[pile[-1]] > 1:
                blocks["top_waits"].append((rank[pile[-1]] - 1, *self.two(list(map(int, shape.fits[pile[-1]])))))
            if shape.sizes.downs and pile:
                if pile[-1] == self.pack.unseen:
                    blocks["turned"].append((down,))
                if down and pile[0] != self.pack.unseen:
                    blocks["pile_waits"].append((down, *self.waits(pile[0])))
                    blocks["rank_waits"].append((rank[pile[0]] - 1, *self.waits(pile[0])))
                    blocks["to_go"].append((down, rank[pile[0]] - 1 - self.height(pile[0])))
                    blocks["depth"].append((down, min(len(pile), 13)))
        if shape.sizes.downs:
            counts = Counter(down for pile, down in zip(self.piles, self.downs, strict=True) if pile)
            blocks["piles"] = [(down, counts[down]) for down in range(max(shape.face_down) + 1)]
            blocks["all_down"] = [(sum(self.downs),)]
        if shape.to_waste:
            playable = Counter[int]()
            for card, when in self.talon:
                if card == self.pack.unseen:
                    continue
                blocks["talon_waits"].append((NOW - when, *self.waits(card)))
                if when != OUT:
                    blocks["talon_rank_waits"].append((rank[card] - 1, *self.waits(card)))
                if self.waits(card)[0] == TOP or self.height(card) == rank[card] - 1:
                    playable[when] += 1
            blocks["playable"] = [(0, min(12, playable[NOW])), (1, min(12, playable[LATER]))]
        return blocks


TO_FOUNDATIONS = [name for name in GAMES if SHAPES[name].hole is None]


@pytest.mark.parametrize("name", few(sorted(TO_FOUNDATIONS, key=lambda name: name != "trigon")))
def test_inputs_tell_what_cards_wait_for(name: str) -> None:
    game, shape, rng, compared = GAMES[name], SHAPES[name], np.random.default_rng(8), 0
    options = option_sets(game)[-1]
    choices, (firsts, _), axes = choices_of(game, options), firsts_of(shape), blocks_of(shape)
    count = entry_point("test of choices")(choices.count.py_func)  # type: ignore[attr-defined]
    describe = entry_point("test of choices")(choices.describe.py_func)  # type: ignore[attr-defined]
    moves = entry_point("test of choices")(candidates_of(game, shape).moves.py_func)  # type: ignore[attr-defined]
    storage, on, line = choices.new_storage(), np.zeros(choices.most_on, np.int64), np.zeros(200, np.int64)
    assert inputs_of(game, shape).number == choices.inputs
    for deal in rng.integers(2**42, 2**43, 6).astype(np.uint64):
        engine = Engine(game, options, 1, autoreset="disabled")
        engine.deal_numbers([deal])
        while not engine.states.ended[0]:
            found = count(storage, engine.buffers.observations[0], engine.buffers.action_masks[0])
            if found == 0:
                break
            k = int(rng.integers(found))
            inputs = on[: describe(storage, k, on)].tolist()
            told = Table(shape, *(np.rec.array(one) for one in (storage.steps.rules, storage.steps.states[1:]))).told()
            for block, expected in told.items():
                size, first = int(np.prod(axes[block])), firsts[block]  # type: ignore[arg-type]
                got = [np.unravel_index(one - first, axes[block]) for one in inputs if first <= one < first + size]  # type: ignore[arg-type]
                assert sorted(tuple(map(int, one)) for one in got) == sorted(tuple(map(int, e)) for e in expected), (
                    block
                )
            compared += 1
            for action in line[: moves(storage, k, line)]:
                engine.step(np.array([action]))
    assert compared > 40

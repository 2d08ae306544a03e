"""What must hold between answers of the exact solver, whoever is right about a single deal; and solvers of strangers.

A wrong proof of a loss contradicts a win that is found under stricter rules, further on in the game, or with other
suits. Every win is played by the environment's kernels.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from solitaire_agents.kit import Solved, Status
from solitaire_agents.klondike.solver import api
from solitaire_envs.cards import decks_of_deals
from solitaire_envs.engine import Engine
from solitaire_envs.klondike import GAME, KlondikeOptions
from solitaire_envs.transcript import parse_transcript
from tests.reference.exhaustive import Exhaustive
from tests.reference.pyksolve import opinion

MEMORY = api.new_memory(64)


class Rules(NamedTuple):
    draw: int = 3
    returns: bool = True
    passes: int | None = None


RULE_SETS = [Rules(*each) for each in product((1, 3), (True, False), (1, 3, 5, None))]
NODES = 20_000
TRANSCRIPTS = sorted(Path(__file__).with_name("transcripts").glob("*.txt"))


def options_of(rules: Rules) -> KlondikeOptions:
    return KlondikeOptions(**rules._asdict(), max_moves=None)


def solve(state: Any, rules: Rules, max_nodes: int) -> Solved:
    return api.solve(state, options_of(rules), max_nodes=max_nodes, memory=MEMORY)


def is_stricter(one: Rules, other: Rules) -> bool:
    """Whether every line under the first rules can be played under the others: three single draws are one of three."""
    passes = [rules.passes or 10**6 for rules in (one, other)]
    return one != other and one.draw >= other.draw and one.returns <= other.returns and passes[0] <= passes[1]


def answer(state: Any, rules: Rules, max_nodes: int = NODES) -> bool | None:
    """Returns whether a position can be won; plays the line to see it win."""
    found = solve(state, rules, max_nodes)
    if found.status is Status.SOLVED:
        assert won_by(state, rules, found.actions)
    return found.status.answer


def won_by(state: Any, rules: Rules, actions: Iterable[int]) -> bool:
    engine = dealt(0, rules)
    engine.states[0] = state
    GAME.legal(engine._rules[0], engine._states[0], engine.buffers.action_masks[0])
    for action in actions:
        engine.step(np.array([action]))
        assert not engine.buffers.illegal[0]
    return bool(engine.outcome(0)["won"])


def dealt(deal: int, rules: Rules) -> Engine:
    engine = Engine(GAME, options_of(rules), 1)
    engine.deal_numbers([deal])
    return engine


def walk(engine: Engine, rng: np.random.Generator, moves: int) -> Iterator[Any]:
    """Yields positions of play that prefers foundations and moves on the tableau to draws."""
    for _ in range(moves):
        yield engine.states[0].copy()
        legal = engine.legal_actions(0)
        if len(legal) == 0:
            return
        moves_of_cards = [action for action in legal if action > 1]
        engine.step(np.array([rng.choice(moves_of_cards if moves_of_cards and rng.random() < 0.6 else legal)]))


def renamed(deck: Any, swap_black: bool, swap_red: bool) -> Any:
    """Returns the deck with the suits of a colour swapped."""
    suits = np.array([3, 1, 2, 0] if swap_black else [0, 1, 2, 3])
    suits = np.array([0, 2, 1, 3])[suits] if swap_red else suits
    return suits[deck // 13] * 13 + deck % 13


# --- Relations --------------------------------------------------------------------------------------------------------


def check_rule_sets(deals: Iterable[int], max_nodes: int = NODES) -> Counter[bool | None]:
    """More rights never win less."""
    counts: Counter[bool | None] = Counter()
    for deal in deals:
        answers = {rules: answer(dealt(deal, rules).states[0], rules, max_nodes) for rules in RULE_SETS}
        for strict, free in product(RULE_SETS, RULE_SETS):
            if is_stricter(strict, free):
                assert not (answers[strict] and answers[free] is False), (deal, strict, free)
        counts.update(answers.values())
    return counts


def check_walks(deals: Iterable[int], max_nodes: int = NODES) -> Counter[bool | None]:
    """What can be won could be won before; moves that undo one another are among those of a walk."""
    counts: Counter[bool | None] = Counter()
    for deal in deals:
        rng, rules = np.random.default_rng(deal), RULE_SETS[deal % len(RULE_SETS)]
        before: list[bool | None] = []
        for state in walk(dealt(deal, rules), rng, 40):
            now = answer(state, rules, max_nodes)
            assert not (now and False in before), (deal, rules, len(before))
            before.append(now)
        counts.update(before)
    return counts


def check_lines(deals: Iterable[int], max_nodes: int = NODES) -> Counter[bool | None]:
    """All positions on a winning line can be won, also under rules that allow more."""
    counts: Counter[bool | None] = Counter()
    for deal in deals:
        rules = RULE_SETS[deal % len(RULE_SETS)]
        free = [each for each in RULE_SETS if each == rules or is_stricter(rules, each)]
        engine = dealt(deal, rules)
        found = solve(engine.states[0], rules, max_nodes)
        for n, action in enumerate(found.actions):
            engine.step(np.array([action]))
            if n % 5 == deal % 5:
                now = answer(engine.states[0], free[n % len(free)], max_nodes)
                assert now is not False, (deal, rules, n)
                counts[now] += 1
    return counts


def check_suits(deals: Iterable[int], max_nodes: int = NODES) -> Counter[bool | None]:
    """Two suits of one colour can be swapped."""
    counts: Counter[bool | None] = Counter()
    for deal in deals:
        rules = RULE_SETS[deal % len(RULE_SETS)]
        deck = decks_of_deals(np.array([deal], np.uint64))[0]
        engine = Engine(GAME, options_of(rules), 4)
        engine.deal_decks([renamed(deck, *swapped) for swapped in product((False, True), repeat=2)])
        answers = {solve(state, rules, max_nodes).status.answer for state in engine.states}
        assert len(answers - {None}) <= 1, (deal, rules)
        counts.update(answers)
    return counts


CHECKS = [check_rule_sets, check_walks, check_lines, check_suits]


@pytest.mark.parametrize("check", CHECKS)
def test_relations(check: Any) -> None:
    """The deals that the solver once called impossible are among them."""
    counts = check([*range(7_000, 7_004), 235, 380, 399, 518, 740, 781, 907, 946], 1_000)
    assert counts[True] > 3


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("first", range(20_000, 22_000, 200))
def test_relations_on_2000_deals(check: Any, first: int) -> None:
    counts = check(range(first, first + 200))
    print(check.__name__, first, dict(counts))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_lines_of_other_programs(path: Path) -> None:
    """Games that other programs won, some by cards that come back; at no point are they called impossible."""
    transcript = parse_transcript(path.read_text())
    rules = Rules(*(getattr(transcript.options, name) for name in Rules._fields))
    for n, engine in enumerate(transcript.replay()):
        assert engine.outcome(0)["won"] or n % 7 or answer(engine.states[0], rules, 3_000) is not False, n
    assert engine.outcome(0)["won"]


# --- Solvers that share no idea ---------------------------------------------------------------------------------------


def check_exhaustively(deals: Iterable[int], most: int, max_nodes: int = NODES) -> Counter[Any]:
    """Positions of play agree with a search that leaves nothing out."""
    counts: Counter[Any] = Counter()
    for deal in deals:
        rng, rules = np.random.default_rng(deal), RULE_SETS[deal % len(RULE_SETS)]
        exhaustive = EXHAUSTIVE.setdefault(rules, Exhaustive(GAME, options_of(rules), most))
        positions = list(walk(dealt(deal, rules), rng, 60))
        for state in positions[:: max(1, len(positions) // 4)]:
            truth = exhaustive.winnable(state)
            if truth is not None:
                found = answer(state, rules, max_nodes)
                assert found in (truth, None), (deal, rules)
                counts[truth] += 1
    return counts


EXHAUSTIVE: dict[Rules, Exhaustive] = {}


def test_agrees_with_exhaustive_search() -> None:
    counts = check_exhaustively(range(8_000, 8_016), 10_000)
    assert counts[True] > 5
    assert counts[False] > 10


@pytest.mark.slow
@pytest.mark.parametrize("first", range(30_000, 32_000, 200))
def test_agrees_with_exhaustive_search_on_2000_deals(first: int) -> None:
    print(first, check_exhaustively(range(first, first + 200), 100_000))


def check_strangers(deals: Iterable[int], max_states: int, max_nodes: int = NODES) -> Counter[Any]:
    """Agrees with `pyksolve` under all rule sets on which its answer bears."""
    counts: Counter[Any] = Counter()
    for deal in deals:
        deck = decks_of_deals(np.array([deal], np.uint64))[0]
        found = {rules: answer(dealt(deal, rules).states[0], rules, max_nodes) for rules in RULE_SETS}
        for draw in (1, 3):
            said = opinion(deck, draw, max_states)
            needed = Rules(draw, said.returns, said.passes)
            if said.winnable:
                assert won_by(dealt(deal, needed).states[0], needed, said.actions), (deal, draw)
            for rules, own in found.items():
                bears = is_stricter(needed, rules) if said.winnable else is_stricter(rules, Rules(draw, True, None))
                if said.winnable is not None and (bears or rules == needed or rules == Rules(draw, True, None)):
                    assert own in (said.winnable, None), (deal, draw, rules)
                    counts[said.winnable, own] += 1
            counts["asked"] += 1
    return counts


def test_agrees_with_pyksolve() -> None:
    counts = check_strangers(range(9_000, 9_003), 20_000, 1_000)
    assert counts[True, True] > 5


@pytest.mark.slow
@pytest.mark.parametrize("first", range(40_000, 42_000, 100))
def test_agrees_with_pyksolve_on_2000_deals(first: int) -> None:
    print(first, check_strangers(range(first, first + 100), 100_000, 200_000))

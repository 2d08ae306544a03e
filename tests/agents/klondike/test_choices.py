"""The choices of Klondike: what can be gone to, how, and what a network is shown of it."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.choices import Choices
from solitaire_agents.klondike import inputs as inputs_module
from solitaire_agents.klondike.candidates import (
    MOST_CANDIDATES,
    MOST_MOVES,
    TABLE,
    Storage,
    count,
    find,
    read,
    write_moves,
)
from solitaire_agents.klondike.choices import klondike_choices, play_on
from solitaire_agents.klondike.inputs import INPUTS, MOST_ON, TABLEAU, TALON, describe
from solitaire_envs.engine import Engine
from solitaire_envs.jit import entry_point
from solitaire_envs.klondike import (
    GAME,
    REDEAL,
    KlondikeOptions,
)

_count = entry_point("test of choices")(count.py_func)  # type: ignore[attr-defined]
_read = entry_point("test of choices")(read.py_func)  # type: ignore[attr-defined]
_find = entry_point("test of choices")(find.py_func)  # type: ignore[attr-defined]
_describe = entry_point("test of choices")(describe.py_func)  # type: ignore[attr-defined]
_moves = entry_point("test of choices")(write_moves.py_func)  # type: ignore[attr-defined]
_after = entry_point("test of choices")(play_on.py_func)  # type: ignore[attr-defined]
SLOT = {slots.name: GAME.slots(slots.name) for slots in GAME.observation}
MASK = np.ones(GAME.num_actions(KlondikeOptions()), np.bool_)
RULE_SETS = [
    KlondikeOptions(draw=draw, passes=passes, returns=returns, max_moves=None)  # type: ignore[arg-type]
    for draw in (1, 3)
    for passes in (None, 1, 3)
    for returns in (True, False)
]


class Chooser:
    """The choices of one game, for use from Python."""

    def __init__(self, options: KlondikeOptions | None = None) -> None:
        self.choices: Choices = klondike_choices(options or KlondikeOptions())
        self.storage: Storage = self.choices.new_storage()
        self.found = 0

    def look(self, observation: NDArray[np.int16], *, forced: bool = True) -> int:
        if forced:
            self.found = _count(self.storage, observation, MASK)
        else:
            _read(self.storage, observation)
            self.found = _find(self.storage)
        return self.found

    def inputs(self, k: int) -> list[int]:
        on = np.zeros(MOST_ON, np.int64)
        return on[: _describe(self.storage, k, on)].tolist()

    def line(self, k: int) -> list[int]:
        line = np.zeros(MOST_MOVES, np.int64)
        return line[: _moves(self.storage, k, line)].tolist()

    def lines(self) -> list[list[int]]:
        return [self.line(k) for k in range(self.found)]


def texts(engine: Engine, line: list[int]) -> list[str]:
    """Returns a line in words; it is played."""
    words = []
    for action in line:
        words.append(engine.move_text(0, action))
        engine.step(np.array([action]))
    return words


def engine_at(deck: Any, options: KlondikeOptions) -> Engine:
    engine = Engine(GAME, options, 1)
    engine.deal_decks([np.asarray(deck, np.uint8)])
    return engine


# --- Lines, played in the environment ---------------------------------------------------------------------------------


def progress(engine: Engine) -> tuple[int, int, int]:
    """Returns what only falls: cards face down or in the talon, then minus cards up and unseen cards of the stock."""
    state = engine.states[0]
    talon = int(state["waste_size"] + state["stock_size"])
    unseen = int(state["stock_size"]) if state["current_pass"] == 1 else 0
    return int(state["downs"].sum()) + talon, unseen, -int(state["foundations"].sum())


def is_less(after: tuple[int, int, int], before: tuple[int, int, int]) -> bool:
    if after[0] == before[0] and after[1] < before[1]:
        return after[2] <= before[2]  # drawn, and nothing else
    return (after[0], after[2]) < (before[0], before[2])


@pytest.mark.parametrize("options", RULE_SETS, ids=lambda o: f"{o.draw}-{o.passes}-{o.returns}")
def test_lines_are_legal_and_lead_where_is_said_and_never_back(options: KlondikeOptions) -> None:
    prepared, redealt, after = 0, 0, np.zeros(GAME.observation_size, np.int64)
    for deal in range(12):
        rng, chooser, engine = np.random.default_rng(deal), Chooser(options), Engine(GAME, options, 1)
        engine.deal_numbers([deal])
        while not engine.states.ended[0] and chooser.look(engine.buffers.observations[0]) > 0:
            assert chooser.found <= MOST_CANDIDATES
            k, before = int(rng.integers(chooser.found)), progress(engine)
            line, on = chooser.line(k), chooser.inputs(k)
            assert 1 <= len(line) <= MOST_MOVES
            assert len(on) <= MOST_ON
            assert min(on) >= 0
            assert max(on) < INPUTS
            for action in line:
                assert engine.buffers.action_masks[0, action]
                _after(engine.buffers.observations[0], action, after)
                engine.step(np.array([action]))
                if action != line[-1]:
                    assert np.array_equal(after, engine.buffers.observations[0])
            assert is_less(progress(engine), before)
            check_described(chooser, on, engine, after)
            prepared += chooser.storage.candidates[k, TABLE] > 0
            redealt += REDEAL in line
    assert prepared > 5
    assert redealt > 5 or options.passes == 1


def check_described(chooser: Chooser, on: list[int], engine: Engine, after: NDArray[np.int64]) -> None:
    """Compares inputs with the position that a line led to, but for what chance has turned up."""
    state, blocks = engine.states[0], inputs_module
    hidden = set[int]()  # turned up or drawn just now
    seen = engine.buffers.observations[0]
    where = (after == 53) & (seen != 53) & (seen > 0)
    hidden.update(int(card) for card in seen[: SLOT["unseen"].start][where[: SLOT["unseen"].start]])
    piles = [
        [int(card) for card in state["tableau"][13 * pile : 13 * pile + state["heights"][pile]] if card not in hidden]
        for pile in range(7)
    ]
    downs = state["downs"] + [
        bool(hidden.intersection(state["tableau"][13 * p : 13 * p + 13].tolist())) for p in range(7)
    ]
    lies = [
        (card, 0 if depth == 0 else 1 + (pile[depth - 1] > 26)) for pile in piles for depth, card in enumerate(pile)
    ]
    assert sorted(decoded(on, blocks._ON, 3, 52)) == sorted(lies)
    under = [(card, int(down)) for pile, down in zip(piles, downs, strict=True) for card in pile]
    assert sorted(decoded(on, blocks._DOWNS, 7, 52)) == sorted(under)
    assert sorted(decoded(on, blocks._TOP, 1, 52)) == sorted((pile[-1], 0) for pile in piles if pile)
    assert [value for _, value in decoded(on, blocks._UP, 14, 4)] == state["foundations"].tolist()
    talon = seen[SLOT["waste"]][::-1].tolist() + seen[SLOT["stock"]].tolist()
    known = [card for card in talon if card not in (0, 53) and card not in hidden]
    codes = dict(decoded(on, blocks._TALON, TABLEAU - TALON, 52))
    assert sorted(codes) == sorted(known)
    assert sum(blocks._CARDS <= one < blocks._UNSEEN for one in on) == 1
    assert blocks._CARDS + int(state["waste_size"] + state["stock_size"]) in on
    up = {13 * suit + rank for suit in range(4) for rank in range(1, state["foundations"][suit] + 1)}
    unknown = set(range(1, 53)) - up - set(known) - {card for pile in piles for card in pile}
    assert {card for card, _ in decoded(on, blocks._UNKNOWN, 1, 52)} == unknown
    assert blocks._ALL_DOWN + int(downs.sum()) in on
    assert blocks._ALL_UP + int(state["foundations"].sum()) in on


def decoded(on: list[int], block: int, each: int, size: int) -> list[tuple[int, int]]:
    """Returns (card, value) for the inputs of a block; of foundations (suit + 1, value)."""
    return [((one - block) // each + 1, (one - block) % each) for one in on if block <= one < block + each * size]

"""The choices of Klondike: what can be gone to, how, and what a network is shown of it."""

from collections.abc import Iterator
from functools import cache
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.catalogue import choices_of, find_agent
from solitaire_agents.choices import Choices
from solitaire_agents.klondike import inputs as inputs_module
from solitaire_agents.klondike.candidates import (
    FROM_TABLE,
    MOST_CANDIDATES,
    MOST_MOVES,
    Storage,
    count,
    find,
    read,
    write_moves,
)
from solitaire_agents.klondike.choices import klondike_choices
from solitaire_agents.klondike.inputs import INPUTS, MOST_ON, TABLEAU, TALON, describe, mirror_image
from solitaire_envs.engine import Engine
from solitaire_envs.jit import entry_point
from solitaire_envs.klondike import FIRST_DOWN, GAME, KlondikeOptions
from solitaire_envs.klondike_table import REDEAL
from tests.agents.suits import with_suits

_count = entry_point("test of choices")(getattr(count, "py_func", count))
_read = entry_point("test of choices")(getattr(read, "py_func", read))
_find = entry_point("test of choices")(getattr(find, "py_func", find))
_describe = entry_point("test of choices")(getattr(describe, "py_func", describe))
_moves = entry_point("test of choices")(getattr(write_moves, "py_func", write_moves))
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
            self.found = _find(self.storage.work[0])
        return self.found

    def inputs(self, k: int) -> list[int]:
        on = np.zeros(MOST_ON, np.int64)
        return on[: _describe(self.storage, k, on)].tolist()

    def line(self, k: int) -> list[int]:
        line = np.zeros(MOST_MOVES, np.int64)
        return line[: _moves(self.storage, k, line)].tolist()

    def lines(self) -> list[list[int]]:
        return [self.line(k) for k in range(self.found)]


def after_move(row: NDArray[np.int16], action: int, options: KlondikeOptions) -> NDArray[np.int16]:
    """Returns what is seen after a move, but for what chance turns up."""
    twin = _twin(options)
    twin.imagine(row[None], np.zeros((1, 0), np.int64))
    twin.states.ended = twin.states.moves = 0
    assert twin.buffers.action_masks[0, action]
    return twin.step(np.array([action])).observations[0].copy()


@cache
def _twin(options: KlondikeOptions) -> Engine:
    return Engine(GAME, options, 1)


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
    prepared, redealt = 0, 0
    for deal in range(12):
        rng, chooser, engine = np.random.default_rng(deal), Chooser(options), Engine(GAME, options, 1)
        engine.deal_numbers([deal])
        while not engine.states.ended[0] and chooser.look(engine.buffers.observations[0]) > 0:
            assert chooser.found <= MOST_CANDIDATES
            k, before = any_candidate(chooser, rng), progress(engine)
            line, on = chooser.line(k), chooser.inputs(k)
            assert 1 <= len(line) <= MOST_MOVES
            assert len(on) <= MOST_ON
            assert min(on) >= 0
            assert max(on) < INPUTS
            for action in line:
                assert engine.buffers.action_masks[0, action]
                after = after_move(engine.buffers.observations[0], action, options)
                engine.step(np.array([action]))
                if action != line[-1]:
                    assert np.array_equal(after, engine.buffers.observations[0])
            assert is_less(progress(engine), before)
            check_described(chooser, on, engine, after)
            prepared += chooser.storage.work[0]["candidates"][k, FROM_TABLE] > 0
            redealt += REDEAL in line
    assert prepared > 5
    assert redealt > 5 or options.passes == 1


def any_candidate(chooser: Chooser, rng: np.random.Generator) -> int:
    """Returns a candidate at random, or the last one: those that take most moves to prepare come last."""
    return int(rng.integers(chooser.found)) if rng.random() < 0.6 else chooser.found - 1


def check_described(chooser: Chooser, on: list[int], engine: Engine, after: NDArray[np.int16]) -> None:
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
    turned = np.array([bool(hidden.intersection(state["tableau"][13 * p : 13 * p + 13].tolist())) for p in range(7)])
    downs = state["downs"] + turned
    assert [one for one in on if blocks._TURNS <= one < blocks._PILES] == (blocks._TURNS + downs[turned]).tolist()
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
    left = int(seen[SLOT["redeals"]][0])
    assert [one for one in on if blocks._REDEALS <= one < blocks._RULES] == [
        blocks._REDEALS + (4 if left < 0 else left)
    ]
    assert blocks._ALL_UP + int(state["foundations"].sum()) in on


def decoded(on: list[int], block: int, each: int, size: int) -> list[tuple[int, int]]:
    """Returns (card, value) for the inputs of a block; of foundations (suit + 1, value)."""
    return [((one - block) // each + 1, (one - block) % each) for one in on if block <= one < block + each * size]


# --- What a network is shown ------------------------------------------------------------------------------------------


def rows_met(options: KlondikeOptions, deals: int = 6) -> Iterator[NDArray[np.int16]]:
    """Yields what is seen at each choice of games played at random."""
    for deal in range(deals):
        rng, chooser, engine = np.random.default_rng(deal), Chooser(options), Engine(GAME, options, 1)
        engine.deal_numbers([deal])
        while not engine.states.ended[0] and chooser.look(engine.buffers.observations[0]) > 0:
            yield engine.buffers.observations[0].copy()
            for action in chooser.line(int(rng.integers(chooser.found))):
                engine.step(np.array([action]))


def described(chooser: Chooser, row: NDArray[np.int16]) -> list[list[int]]:
    """Returns the inputs of all candidates, sorted: in which order they are found makes no difference."""
    return sorted(sorted(chooser.inputs(k)) for k in range(chooser.look(row, forced=False)))


def test_the_mirror_image_is_that_of_suits_that_change_places() -> None:
    chooser, image, n = Chooser(), mirror_image(), 0
    assert sorted(image) == list(range(INPUTS + 1))
    for row in rows_met(KlondikeOptions()):
        mirrored = sorted(sorted(int(image[one]) for one in on) for on in described(chooser, row))
        assert mirrored == described(chooser, with_suits(GAME, row, [3, 2, 1, 0]))
        n += 1
    assert n > 50


def test_most_inputs_say_nothing_of_suits() -> None:
    """All but those of single cards and foundations are the same if black becomes red."""
    chooser = Chooser()
    for row in rows_met(KlondikeOptions()):
        plain = [[one for one in on if one >= inputs_module._ALL_UP] for on in described(chooser, row)]
        other = described(chooser, with_suits(GAME, row, [1, 0, 3, 2]))
        assert sorted(plain) == sorted([one for one in on if one >= inputs_module._ALL_UP] for on in other)


def test_piles_are_told_apart_only_by_their_cards() -> None:
    chooser, n = Chooser(), 0
    for row in rows_met(KlondikeOptions()):
        downs = [np.count_nonzero(row[SLOT["face_down"]][FIRST_DOWN[p] : FIRST_DOWN[p] + p]) for p in range(7)]
        swapped = row.copy()
        if downs[5] < 6 and downs[6] < 6:
            swapped[65:78], swapped[78:91] = row[78:91], row[65:78]
            hidden = swapped[SLOT["face_down"]]
            hidden[FIRST_DOWN[5] : FIRST_DOWN[5] + 5] = np.where(np.arange(5) < downs[6], 53, 0)
            hidden[FIRST_DOWN[6] : FIRST_DOWN[6] + 6] = np.where(np.arange(6) < downs[5], 53, 0)
            assert described(chooser, swapped) == described(chooser, row)
            n += 1
    assert n > 20


def test_hidden_cards_make_no_difference_even_if_they_are_shown() -> None:
    chooser, options = Chooser(), KlondikeOptions(information="open")
    for row in rows_met(options):
        shown = row.copy()
        for name in ("face_down",) if row[SLOT["pass"]] > 1 else ("face_down", "stock"):
            shown[SLOT[name]][row[SLOT[name]] > 0] = 53
        assert described(chooser, shown) == described(chooser, row)


@pytest.mark.parametrize(("passes", "expected"), [(None, 4), (1, 0), (2, 1), (3, 2), (4, 3), (9, 3)])
def test_redeals_and_rules_are_seen(passes: int | None, expected: int) -> None:
    for draw in (1, 3):
        options = KlondikeOptions(draw=draw, returns=draw == 1, passes=passes)  # type: ignore[arg-type]
        engine, chooser = Engine(GAME, options, 1), Chooser(options)
        engine.deal_numbers([1])
        chooser.look(engine.buffers.observations[0])
        redeals, rules = inputs_module._REDEALS, inputs_module._RULES
        on = [one for one in chooser.inputs(0) if redeals <= one < rules + 4]
        assert on == [redeals + expected, rules + (draw == 3), rules + 2 + (draw == 1)]


# --- Games and options ------------------------------------------------------------------------------------------------


def test_what_games_are_worth() -> None:
    outcomes = np.zeros(3, GAME.outcome_dtype)
    outcomes["score"], outcomes["won"] = (0, 26, 52), (0, 0, 1)
    assert klondike_choices(KlondikeOptions()).normalised_returns(outcomes).tolist() == [0, 0, 1]
    score = klondike_choices(KlondikeOptions(objective="score"))
    assert score.normalised_returns(outcomes).tolist() == [0, 0.5, 1]
    assert not score.chance


def test_what_an_agent_has_to_have_learned() -> None:
    choices = klondike_choices(KlondikeOptions(draw=1, returns=False, passes=9, max_moves=7))
    assert choices.rules == {"draw": 1, "returns": False, "passes": 4}
    assert klondike_choices(KlondikeOptions()).rules == {"draw": 3, "returns": True, "passes": None}


def test_options_that_it_cannot_do() -> None:
    with pytest.raises(ValueError, match="expected information='memory' or 'open' for trained agents; got 'table'"):
        choices_of(GAME, KlondikeOptions(information="table"))


# --- Games that were won ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("draw", "returns"), [(3, True), (3, False), (1, True), (1, False)])
def test_candidates_lead_along_every_win(draw: Literal[1, 3], returns: bool) -> None:
    """`careful`, with random moves in between: whatever it reaches, a candidate reaches.

    Cards that come back for no reason are left out: where the line has fewer cards up, a candidate may have more.
    """
    options, rng, wins, steps = KlondikeOptions(draw=draw, returns=returns), np.random.default_rng(0), 0, 0
    agent, chooser, engine, copy = find_agent("careful", GAME, options), Chooser(options), *engines(options)
    for deal in range(400):
        engine.deal_numbers([deal])
        met = [(engine.buffers.observations[0].copy(), engine.get_state(0))]
        while not engine.states.ended[0]:
            legal = np.flatnonzero(engine.buffers.action_masks[0])
            action = agent.act(engine.buffers.observations, engine.buffers.action_masks)
            engine.step(rng.choice(legal, 1) if rng.random() < 0.15 else action)
            met.append((engine.buffers.observations[0].copy(), engine.get_state(0)))
        if engine.outcome(0)["won"]:
            wins += 1
            steps += sum(1 for _ in follow(met, chooser, copy))
        if wins == 13:
            break
    assert wins == 13
    assert steps > 600


def engines(options: KlondikeOptions) -> tuple[Engine, Engine]:
    return Engine(GAME, options, 1), Engine(GAME, options, 1)


def follow(met: list[Any], chooser: Chooser, engine: Engine) -> Iterator[None]:
    """Finds, for each step of progress in a line, a candidate that makes it."""
    last = 0
    for step in range(1, len(met)):
        before, after = key(met[last][0]), key(met[step][0])
        if before[0] == after[0] and not (after[1] > before[1]).any():
            continue
        reached = []
        for k in range(chooser.look(met[last][0], forced=False)):
            engine.set_state(0, met[last][1])
            for action in chooser.line(k):
                engine.step(np.array([action]))
            reached.append(key(engine.buffers.observations[0]))
        assert any(one[0] == after[0] and (one[1] >= after[1]).all() for one in reached)
        last = step
        yield


def key(row: NDArray[np.int16]) -> tuple[Any, NDArray[np.int16]]:
    """Returns the face-down cards, the talon's order and how much of it nobody has seen; and the cards that are up."""
    waste, stock = (row[SLOT[name]][row[SLOT[name]] > 0].tolist() for name in ("waste", "stock"))
    known = stock if row[SLOT["pass"]] > 1 else []
    downs = (row[SLOT["face_down"]] > 0).tolist()
    return (downs, waste[::-1] + known, len(stock) - len(known)), row[SLOT["foundations"]].copy()

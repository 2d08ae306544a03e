"""The candidates of Klondike: nothing that wins is out of reach of them, and moves played unasked lose nothing."""

from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.klondike.candidates import IS_RED, REACHED, is_safe
from solitaire_envs.cards import parse_card
from solitaire_envs.jit import entry_point
from solitaire_envs.klondike import FIRST_DOWN, GAME, UNSEEN, KlondikeOptions
from solitaire_envs.klondike_table import TO_FOUNDATION
from tests.agents.klondike.test_choices import SLOT, Chooser, after_move
from tests.environments import few
from tests.reference.klondike_search import Pile, State, winnable

Rules = tuple[Literal[1, 3], bool, int | None]
RULES: list[Rules] = [(1, True, None), (3, True, None), (3, False, None), (3, True, 2), (1, False, 1), (1, True, 2)]
MOST_STATES = 20_000
_is_safe = entry_point("test of candidates")(getattr(is_safe, "py_func", is_safe))


def observation_of(state: State, rules: Rules) -> NDArray[np.int16]:
    """Returns what is seen of a position, all cards known."""
    draw, returns, passes = rules
    row = np.zeros(GAME.observation_size, np.int16)
    for place, pile in enumerate(sorted(state.piles, key=lambda pile: len(pile.down))):
        assert len(pile.down) <= place
        row[13 * place : 13 * place + len(pile.up)] = np.array(pile.up, np.int16) + 1
        first = SLOT["face_down"].start + FIRST_DOWN[place]
        row[first : first + len(pile.down)] = np.array(pile.down, np.int16) + 1
    row[SLOT["foundations"]] = state.foundations
    for name, cards in (("stock", state.stock[::-1]), ("waste", state.waste[::-1])):
        row[SLOT[name].start : SLOT[name].start + len(cards)] = np.array(cards, np.int16) + 1
    row[SLOT["pass"]], row[SLOT["draw"]], row[SLOT["returns"]] = state.pass_number, draw, returns
    row[SLOT["redeals"]] = -1 if passes is None else passes - state.pass_number
    return row


def hidden(row: NDArray[np.int16]) -> NDArray[np.int16]:
    """Returns what a player sees of it who knows no face-down card."""
    shown = row.copy()
    shown[SLOT["face_down"]][row[SLOT["face_down"]] > 0] = UNSEEN
    if row[SLOT["pass"]] == 1:
        shown[SLOT["stock"]][row[SLOT["stock"]] > 0] = UNSEEN
    return shown


def random_position(rng: np.random.Generator, left: int) -> State:
    """Deals the highest cards of each suit at random: some to piles, some of them face down, the rest to the stock."""
    foundations = [13] * 4
    for _ in range(left):
        foundations[rng.choice(4)] -= 1
    cards = [13 * suit + rank for suit in range(4) for rank in range(foundations[suit], 13)]
    rng.shuffle(cards)
    talon = [cards.pop() for _ in range(rng.integers(0, left // 3 + 1))]
    piles = []
    for place in range(7):
        down = (
            [cards.pop() for _ in range(min(rng.integers(place // 2, place + 1), len(cards) - 1))]
            if len(cards) > 1
            else []
        )
        up = [cards.pop()] if cards and rng.random() < 0.7 else []
        if down and not up:
            up = [down.pop()]
        while up and (more := [card for card in cards if lies_on(card, up[-1])]) and rng.random() < 0.7:
            cards.remove(more[0])
            up.append(more[0])
        piles.append(Pile(tuple(down), tuple(up)))
    split = rng.integers(0, len(talon) + 1) if talon else 0
    stock, waste = tuple(talon[split:] + cards), tuple(talon[:split])
    return State(tuple(sorted(piles)), tuple(foundations), stock, waste)


def lies_on(card: int, other: int) -> bool:
    return card % 13 + 1 == other % 13 and IS_RED[card // 13] != IS_RED[other // 13]


def wins(row: NDArray[np.int16], chooser: Chooser, met: set[bytes]) -> bool:
    """Returns whether some choice of candidates wins."""
    if row[SLOT["foundations"]].sum() == 52:
        return True
    if row.tobytes() in met:
        return False
    met.add(row.tobytes())
    draw, returns, redeals, number = (row[SLOT[name]].item() for name in ("draw", "returns", "redeals", "pass"))
    passes = None if redeals < 0 else number + redeals
    options = KlondikeOptions(draw=draw, returns=bool(returns), passes=passes, information="open")
    chooser.look(hidden(row))
    for line in chooser.lines():
        after = row
        for action in line:
            after = after_move(after, action, options)
        if wins(after, chooser, met):
            return True
    return False


@pytest.mark.parametrize("rules", few([(rules,) for rules in RULES]), ids=str)
def test_candidates_win_what_can_be_won(rules: Rules) -> None:
    """Against a search of all that the rules allow, with every card known."""
    rng, chooser, counts = np.random.default_rng(1), Chooser(), {True: 0, False: 0}
    for _ in range(100):
        state = random_position(rng, int(rng.integers(8, 18)))
        can_win = winnable(state, rules[0], rules[1], rules[2], MOST_STATES)
        if can_win is not None:
            assert wins(observation_of(state, rules), chooser, set()) == can_win, state
            counts[can_win] += 1
    assert counts[True] > 50
    assert counts[False] > 1


@pytest.mark.parametrize("returns", [True, False])
def test_a_king_may_come_back_to_take_a_queen(returns: bool) -> None:
    piles = Pile(), Pile(), Pile((), (24,)), Pile((), (25,)), Pile((), (38,)), Pile((), (50, 23)), Pile((36, 51), (37,))
    state = State(piles, (13, 10, 10, 10), (49,), ())
    assert winnable(state, 1, returns, None, MOST_STATES) == returns
    assert wins(observation_of(state, (1, returns, None)), Chooser(), set()) == returns


@pytest.mark.parametrize(
    ("card", "ups", "returns", "safe"),
    [
        ("AH", (0, 0, 0, 0), True, True),
        ("2H", (1, 0, 1, 1), True, True),
        ("2H", (0, 1, 1, 1), True, False),
        ("2H", (1, 1, 1, 0), False, False),
        ("5H", (4, 3, 4, 4), True, True),
        ("5H", (4, 2, 4, 4), True, False),  # the black fours may come back, to take the three of diamonds
        ("5H", (4, 2, 4, 4), False, True),
        ("5H", (3, 4, 4, 4), True, False),
        ("5H", (4, 4, 4, 3), False, False),
        ("5C", (4, 4, 4, 3), True, True),
        ("5S", (4, 3, 4, 4), True, False),
    ],
)
def test_moves_that_can_never_hurt(card: str, ups: tuple[int, ...], returns: bool, safe: bool) -> None:
    assert _is_safe(np.array(ups), parse_card(card) + 1, int(returns)) == safe


@pytest.mark.parametrize("pile", ["4C", "5H"])
def test_such_moves_are_played_unasked_from_piles_only(pile: str) -> None:
    """The three of spades on the waste is not among them: once it is gone, others come up."""
    piles = *(Pile() for _ in range(5)), Pile((), (parse_card(pile),)), Pile((51,), (25,))
    state = State(piles, (3, 3, 3, 2), (), (43, 42, parse_card("3S")))
    chooser = Chooser()
    chooser.look(hidden(observation_of(state, (3, True, None))))
    assert (chooser.lines() == [[TO_FOUNDATION + 5]]) == (pile == "4C")
    assert (chooser.found == 1) == (pile == "4C")


@pytest.mark.parametrize(("draw", "redeals", "stock"), [(1, -1, 2), (1, 1, 2), (3, -1, 2), (3, 1, 0)])
def test_where_all_is_won_nobody_is_asked(draw: int, redeals: int, stock: int) -> None:
    """With all cards face up: with draw 1 and no limit of passes, and where the talon is empty."""
    piles = *(Pile() for _ in range(5)), Pile((), (25,)), Pile((), (11,))  # the queen of clubs is next, but not safe
    state = State(piles, (11, 5, 13, 11), (50, 51)[:stock], (), 2)
    row, chooser = observation_of(state, (1, True, None)), Chooser()
    row[SLOT["draw"]], row[SLOT["redeals"]] = draw, redeals
    assert (chooser.look(row) == 1) == (stock == 0 or (draw == 1 and redeals < 0))


@pytest.mark.parametrize(
    ("waste", "stock", "draw", "redeals", "pass_number", "expected"),
    [
        (3, 4, 3, -1, 2, [3, 6, 7]),
        (1, 6, 3, -1, 2, [1, 4, 7, 3, 6]),
        (1, 6, 3, 0, 2, [1, 4, 7]),
        (0, 7, 3, 1, 2, [3, 6, 7]),
        (5, 0, 3, -1, 1, [5, 3]),
        (5, 0, 3, 0, 1, [5]),
        (3, 4, 3, -1, 1, [3]),  # nobody has seen the rest
        (0, 4, 3, -1, 1, []),
        (2, 2, 1, 2, 2, [2, 3, 4, 1]),
        (2, 2, 1, 0, 3, [2, 3, 4]),
        (0, 0, 1, -1, 3, []),
    ],
)
def test_places_of_the_talon_that_can_come_up(
    waste: int, stock: int, draw: int, redeals: int, pass_number: int, expected: list[int]
) -> None:
    row, chooser = np.zeros(GAME.observation_size, np.int16), Chooser()
    row[SLOT["waste"].start : SLOT["waste"].start + waste] = range(waste, 0, -1)
    row[SLOT["stock"].start : SLOT["stock"].start + stock] = range(waste + 1, waste + stock + 1)
    row[SLOT["draw"]], row[SLOT["redeals"]], row[SLOT["pass"]] = draw, redeals, pass_number
    chooser.look(row)
    work = chooser.storage.work[0]
    assert work["reach"][: work["now"][REACHED]].tolist() == expected

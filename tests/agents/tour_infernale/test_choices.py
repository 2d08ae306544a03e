"""The choices of La tour infernale: what can be gone to, how, and what a network is shown of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.catalogue import choices_of
from solitaire_agents.choices import Choices
from solitaire_agents.tour_infernale import inputs as inputs_module
from solitaire_agents.tour_infernale.candidates import BY_RULE, MOST_CANDIDATES, MOST_MOVES, Storage, count
from solitaire_agents.tour_infernale.choices import tour_infernale_choices, write_moves
from solitaire_agents.tour_infernale.inputs import INPUTS, MOST_ON, PLACES, describe
from solitaire_envs.engine import Engine
from solitaire_envs.game import option
from solitaire_envs.jit import entry_point
from solitaire_envs.tour_infernale import DRAW, GAME, REDEAL, TourInfernaleOptions
from tests.agents.tour_infernale.positions import Position
from tests.agents.tour_infernale.test_reach import random_position, reach_of

PILES = 6
_count = entry_point("test of choices")(count.py_func)  # type: ignore[attr-defined]
_describe = entry_point("test of choices")(describe.py_func)  # type: ignore[attr-defined]
_moves = entry_point("test of choices")(write_moves.py_func)  # type: ignore[attr-defined]
COMING, NEXT_COMING = inputs_module._COMING, inputs_module._NEXT_COMING
REDEALS, PASS, LINE = inputs_module._REDEALS, inputs_module._PASS, inputs_module._LINE
SLOT = {name: GAME.slots(name) for name in ("tableau", "foundations", "stock", "waste", "pass", "redeals", "unseen")}


class Chooser:
    """The choices of one game, for use from Python."""

    def __init__(self, options: TourInfernaleOptions | None = None) -> None:
        self.choices: Choices = tour_infernale_choices(options or TourInfernaleOptions())
        self.storage: Storage = self.choices.new_storage()
        self.found = 0

    def look(self, observation: NDArray[np.int16]) -> int:
        self.found = _count(self.storage, observation, np.ones(GAME.num_actions(TourInfernaleOptions()), np.bool_))
        return self.found

    def inputs(self, k: int) -> list[int]:
        on = np.zeros(MOST_ON, np.int64)
        return on[: _describe(self.storage, k, on)].tolist()

    def rows(self) -> list[list[int]]:
        return [sorted(self.inputs(k)) for k in range(self.found)]

    def line(self, k: int) -> list[int]:
        line = np.zeros(MOST_MOVES, np.int64)
        return line[: _moves(self.storage, k, line)].tolist()


def observation_of(position: Position, redeals: int = 0) -> NDArray[np.int16]:
    """Returns what a player with perfect memory sees of a position."""
    return position.observation(redeals)


# --- Lines, played in the environment ---------------------------------------------------------------------------------


@dataclass
class Choice:
    """A choice in a game, and the candidate taken."""

    chooser: Chooser
    observation: NDArray[np.int16]
    line: list[int]
    ended: bool
    """Whether the line ends the game."""


def play_at_random(options: TourInfernaleOptions, deal: int, seed: int) -> Iterator[Choice]:
    """Plays random candidates in one game, checks that its moves are legal, and yields each choice."""
    rng, chooser, engine = np.random.default_rng(seed), Chooser(options), Engine(GAME, options, 1)
    engine.deal_numbers([deal])
    while not engine.states.ended[0]:
        observation = engine.buffers.observations[0].copy()
        if chooser.look(observation) == 0:
            return
        line = chooser.line(int(rng.integers(chooser.found)))
        for action in line:
            assert engine.buffers.action_masks[0, action]
            engine.step(np.array([action]))
        yield Choice(chooser, observation, line, bool(engine.states.ended[0]))


@pytest.mark.parametrize("passes", [1, 2, 3, None])
@pytest.mark.parametrize("piles", [5, 6])
def test_random_candidates_are_legal_and_never_go_in_circles(piles: int, passes: int | None) -> None:
    options = TourInfernaleOptions(piles=piles, passes=passes, max_moves=None)
    for deal in range(3):
        met, last = set[bytes](), None
        for choice in play_at_random(options, deal, deal):
            assert choice.observation.tobytes() not in met
            met.add(choice.observation.tobytes())
            assert 1 <= len(choice.line) <= MOST_MOVES
            assert not {DRAW, REDEAL}.intersection(choice.line[:-1])
            row, last = choice.observation, choice
            is_last = row[SLOT["stock"].start] == 0 and (row[SLOT["redeals"]] == 0 or row[SLOT["waste"].start] == 0)
            assert is_last or choice.ended or choice.line[-1] in (DRAW, REDEAL)
        assert last is not None
        if passes is None:
            assert last.ended  # it is won


@pytest.mark.parametrize("passes", [1, 3, None])
def test_inputs_are_in_their_range(passes: int | None) -> None:
    for choice in play_at_random(TourInfernaleOptions(passes=passes, piles=5), 7, 7):
        for k in range(choice.chooser.found):
            on = choice.chooser.inputs(k)
            assert len(on) == len(set(on)) < MOST_ON
            assert 0 <= min(on) <= max(on) < INPUTS < 2**16


def test_once_nothing_can_be_drawn_the_rule_plays_on_to_a_win() -> None:
    wins = 0
    for deal in range(10):
        for choice in play_at_random(TourInfernaleOptions(passes=1), deal, deal):
            if choice.chooser.storage.now["end"][0] == BY_RULE:
                wins += 1
                assert choice.chooser.found == 1
                assert choice.ended
    assert wins >= 2


@pytest.mark.parametrize("deal", range(3))
def test_a_win_within_reach_is_all_there_is(deal: int) -> None:
    """Where one candidate is left though more can be drawn, its line wins; a game is never left unfinished."""
    wins = 0
    for choice in play_at_random(TourInfernaleOptions(passes=3), deal, deal):
        if choice.line[-1] not in (DRAW, REDEAL):
            wins += choice.ended
            assert choice.chooser.found == 1
    assert wins == 1


def position_of(*piles: str, waste: str = "", stock: str = "", **more: Any) -> Position:
    """Returns a position with some cards, top of the waste and of the stock first; all others are up."""
    known = [[13 * "CDHS".index(card[1]) + "A23456789TJQK".index(card[0]) for card in cards.split()] for cards in piles]
    rest = [[13 * "CDHS".index(card[1]) + "A23456789TJQK".index(card[0]) for card in c.split()] for c in (waste, stock)]
    down = {card for cards in (*known, *rest) for card in cards}
    up = tuple(next((r for r in range(13) if 13 * suit + r in down), 13) for suit in range(4))
    return Position(
        tableau=tuple(tuple(cards) for cards in known) + ((),) * (PILES - len(piles)),
        waste=tuple(rest[0]),
        stock=tuple(rest[1]),
        foundations=up,
        **more,
    )


def end_of(position: Position, line: list[int]) -> Position:
    return position.along(line)[-1]


def test_lines_of_wins() -> None:
    chooser = Chooser(TourInfernaleOptions(passes=1))
    near = position_of("KC QD", "KD QC", waste="KH QH", stock="KS QS")
    assert chooser.look(observation_of(near)) >= 1  # a card has to be drawn first
    assert chooser.line(0)[-1] == DRAW
    nearer = position_of("KC QD", "KD QC", waste="KH QH")
    assert chooser.look(observation_of(nearer)) == 1
    assert end_of(nearer, chooser.line(0)).foundations == (13,) * 4
    one_row = [inputs for inputs in chooser.inputs(0) if inputs < 52 * PLACES]
    assert [one % PLACES for one in one_row] == [0] * 52  # what is described is the win


def test_nothing_is_left_to_gain() -> None:
    """The waste's top covers what is needed, no pile is empty, and no card fits on another."""
    piles = ("KC", "KD", "KH", "JC", "JD", "JH")
    covered = position_of(*piles, waste="KS TC TD TH TS QS JS QC QD QH")
    chooser = Chooser(TourInfernaleOptions(passes=1))
    assert chooser.look(observation_of(covered)) == 0
    assert Chooser(TourInfernaleOptions(passes=2)).look(observation_of(covered, redeals=1)) == 1
    assert chooser.look(observation_of(covered, redeals=1)) == 1
    assert chooser.line(0) == [REDEAL]


def test_once_nothing_can_be_drawn_lines_lead_elsewhere() -> None:
    rng, chooser, met = np.random.default_rng(0), Chooser(TourInfernaleOptions(passes=1)), 0
    for _ in range(60):
        position = random_position(rng, 46)
        found = chooser.look(observation_of(position))
        lines = [chooser.line(k) for k in range(found)]
        met += found > 1
        for line in lines:
            assert not {DRAW, REDEAL}.intersection(line)
            assert end_of(position, line) != position
        if found == 1:
            continue
        assert len({end_of(position, line) for line in lines}) == found
    assert met > 5


@pytest.mark.parametrize("seed", range(5))
def test_all_components_are_candidates(seed: int) -> None:
    """As long as there are few, and none is far away."""
    rng = np.random.default_rng(seed)
    position, chooser = random_position(rng, 8), Chooser(TourInfernaleOptions(passes=1))
    reach, found = reach_of(position)
    found_here = chooser.look(observation_of(position))
    sizes = reach.components["size"][: max(found, 0)]
    if 0 < found <= MOST_CANDIDATES and sizes.max() <= 100:
        assert found_here == found
    ends = {end_of(position, chooser.line(k)[:-1]).bitboard() for k in range(found_here)}
    assert len(ends) == found_here


# --- What is seen -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_each_card_is_in_one_place(seed: int) -> None:
    rng = np.random.default_rng(seed)
    position, chooser = random_position(rng, int(rng.integers(0, 40))), Chooser(TourInfernaleOptions(passes=1))
    for k in range(chooser.look(observation_of(position))):
        places = [one for one in chooser.inputs(k) if one < 52 * PLACES]
        assert sorted(one // PLACES for one in places) == list(range(52))
        reach = chooser.storage.reach
        component = reach.components[chooser.storage.candidates["component"][k]]
        representative = reach.queue[component["representative"]]
        up = sum(int(representative[word]) >> shift & 15 for word in ("a", "b") for shift in (52, 56))
        assert sum(one % PLACES == 0 for one in places) == up
        if up < 52:
            assert sum(one % PLACES == 1 for one in places) == len(position.stock)


def renamed(position: Position, suits: list[int]) -> Position:
    def name(cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(13 * suits[card // 13] + card % 13 for card in cards)

    return replace(
        position,
        tableau=tuple(name(pile) for pile in position.tableau),
        stock=name(position.stock),
        waste=name(position.waste),
        foundations=tuple(position.foundations[suits.index(suit)] for suit in range(4)),
    )


@pytest.mark.parametrize("pass_number", [1, 2])
def test_suits_are_told_apart_by_how_far_they_are(pass_number: int) -> None:
    """A position in which no two suits are alike is seen as the same whatever its suits are called."""
    piles = ((12, 24, 36), (51,), (8,), (19,), (4,), (43,))  # no top fits on another
    stock = tuple(sorted(set(range(52)) - {card for pile in piles for card in pile}))
    position, seen = Position(tableau=piles, stock=stock, pass_number=pass_number), []
    for suits in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]):
        chooser = Chooser(TourInfernaleOptions(passes=2))
        assert chooser.look(observation_of(renamed(position, suits))) == 1
        seen.append(chooser.rows())
    assert seen[0] == seen[1] == seen[2]


@pytest.mark.parametrize("drawn", [0, 1, 20, 44])
@pytest.mark.parametrize("information", ["memory", "open"])
def test_hidden_cards_change_no_input(information: Literal["memory", "open"], drawn: int) -> None:
    """Not even where they are shown: in pass 1 the stock is a set."""
    rng, options = np.random.default_rng(4), TourInfernaleOptions(passes=2, information=information)
    deck = rng.permutation(52).astype(np.uint8)
    engine = Engine(GAME, options, 3)
    engine.deal_decks([np.r_[deck[: 6 + drawn], rng.permutation(deck[6 + drawn :])] for _ in range(3)])
    for _ in range(drawn):
        engine.step(np.zeros(3, np.int64))
    seen = []
    for row in engine.buffers.observations:
        chooser = Chooser(options)
        chooser.look(row)
        seen.append(
            ([chooser.inputs(k) for k in range(chooser.found)], [chooser.line(k) for k in range(chooser.found)])
        )
    assert seen[0] == seen[1] == seen[2]


def test_in_later_passes_the_order_to_come_is_seen() -> None:
    rng, chooser = np.random.default_rng(5), Chooser(TourInfernaleOptions(passes=2))
    first = random_position(rng, 10)
    second = replace(first, pass_number=2)
    other = replace(second, stock=second.stock[::-1])
    rows = []
    for position in (first, second, other):
        assert chooser.look(observation_of(position)) > 0
        rows.append(chooser.rows())
        coming = [one for one in rows[-1][0] if COMING <= one < NEXT_COMING]
        assert len(coming) == (0 if position is first else len(first.stock))
    assert rows[1] != rows[2]


def test_the_position_after_a_redeal_is_described() -> None:
    """To stay and redeal is seen as to stay and draw, once the waste has been turned over."""
    rng, seen = np.random.default_rng(6), 0
    for _ in range(10):
        position = random_position(rng, 46)
        if not position.waste:
            continue
        before, behind = Chooser(TourInfernaleOptions(passes=3)), Chooser(TourInfernaleOptions(passes=3))
        if before.look(observation_of(position, redeals=2)) < 2 or before.line(0) != [REDEAL]:
            continue
        assert behind.look(observation_of(position.after(REDEAL), redeals=1)) >= 1
        if behind.line(0) == [DRAW]:
            assert sorted(before.inputs(0)) == sorted(behind.inputs(0))
            seen += 1
    assert seen > 2


@pytest.mark.parametrize(("redeals", "expected"), [(0, 0), (1, 1), (2, 2), (3, 3), (40, 3), (-1, 4)], ids=str)
def test_redeals_and_moves_are_seen(redeals: int, expected: int) -> None:
    position, chooser = replace(random_position(np.random.default_rng(7), 10), pass_number=2), Chooser()
    for k in range(chooser.look(observation_of(position, redeals))):
        on = chooser.inputs(k)
        assert [one for one in on if REDEALS <= one < PASS] == [REDEALS + expected]
        assert [one for one in on if PASS <= one < PASS + 3] == [PASS + 1]
        moves = [one for one in on if LINE <= one < COMING]
        assert moves == ([LINE + min(len(chooser.line(k)) - 1, 16)] if redeals < 0 else [])


@pytest.mark.parametrize("piles", [5, 6])
def test_the_number_of_piles_is_seen(piles: int) -> None:
    options = TourInfernaleOptions(passes=1, piles=piles)
    engine, chooser = Engine(GAME, options, 1), Chooser(options)
    engine.deal_numbers([1])
    chooser.look(engine.buffers.observations[0])
    assert PASS + 3 + 6 - piles in chooser.inputs(0)


# --- Games and options ------------------------------------------------------------------------------------------------


def worth_of(**options: Any) -> Callable[[int, int], float]:
    """Returns moves and cards up -> the normalised return."""
    choices = tour_infernale_choices(TourInfernaleOptions(**options))

    def normalised_return(moves: int, score: int) -> float:
        outcomes = np.zeros(1, GAME.outcome_dtype)
        outcomes["moves"], outcomes["score"], outcomes["won"] = moves, score, score == 52
        return float(choices.normalised_returns(outcomes)[0])

    return normalised_return


def test_what_games_are_worth() -> None:
    assert [worth_of(passes=1)(300, score) for score in (51, 52)] == [0, 1]
    assert [worth_of(passes=1, objective="score")(300, score) for score in (0, 26, 52)] == [0, 0.5, 1]
    assert [worth_of()(moves, 52) for moves in (0, 1, 150)] == pytest.approx([1, 0.99, 0.221], abs=0.001)
    assert worth_of()(120, 51) == 0
    assert [tour_infernale_choices(TourInfernaleOptions(passes=passes)).chance for passes in (1, 2, None)] == [
        True,
        True,
        False,
    ]


class WildOptions(TourInfernaleOptions):
    """Options with one that nobody knows."""

    wild: bool = option(False, "A rule from elsewhere.")


def test_what_an_agent_has_to_have_learned() -> None:
    choices = tour_infernale_choices(TourInfernaleOptions(piles=5, passes=2, max_moves=7))
    assert choices.rules == {"piles": 5, "passes": 2}


def test_options_that_it_cannot_do() -> None:
    with pytest.raises(ValueError, match="expected information='memory' or 'open' for trained agents; got 'table'"):
        choices_of(GAME, TourInfernaleOptions(information="table"))
    wild = dataclass(frozen=True, kw_only=True)(WildOptions)
    with pytest.raises(ValueError, match="expected wild=False for trained agents; got True"):
        choices_of(GAME, wild(wild=True))

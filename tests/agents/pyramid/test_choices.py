"""What a network is shown of a position of Pyramid, and what is asked."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.catalogue import choices_of
from solitaire_agents.network import Network, random_network
from solitaire_agents.pyramid import choices as choices_module
from solitaire_agents.pyramid.choices import (
    INPUTS,
    MOST_CANDIDATES,
    MOST_ON,
    count,
    describe,
    mirror_image,
    pyramid_choices,
)
from solitaire_agents.pyramid.solver.api import new_memory, solve
from solitaire_agents.trained_agent import TrainedAgent
from solitaire_envs import pyramid_table
from solitaire_envs.engine import Engine
from solitaire_envs.jit import entry_point
from solitaire_envs.pyramid import GAME, PyramidOptions
from solitaire_envs.pyramid_table import ACTION_OF, KING, NO_PLACE, REDEAL, SECOND, UNSEEN
from solitaire_evaluation.play import play
from tests.agents.test_choosing import read

DEALS = np.arange(2**41, 2**41 + 20, dtype=np.uint64)
WIN, SCORE = PyramidOptions(objective="win"), PyramidOptions()
_count = entry_point("test of choices")(count.py_func)  # type: ignore[attr-defined]
_describe = entry_point("test of choices")(describe.py_func)  # type: ignore[attr-defined]
PLACES = 28 + 2 * 24 + 1
STOCK, UNSEEN_COUNTS = GAME.slots("stock"), GAME.slots("unseen")
MIRROR = mirror_image()
RULES = choices_module._RULES


def symmetric_network(seed: int) -> Network:
    """Returns a network to which the mirror image of a position is worth as much."""
    network = random_network(INPUTS, (8, 4), seed)
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=network.rows.shape).astype(np.float32) * 0.1
    return network._replace(rows=rows + rows[MIRROR[:-1]])


NETWORK = symmetric_network(0)


def positions(seed: int, options: PyramidOptions = WIN) -> list[tuple[NDArray[np.int16], NDArray[np.bool_]]]:
    """Returns what is seen in the games of some random players, and what is legal there."""
    rng, engine, seen = np.random.default_rng(seed), Engine(GAME, options, 4), []
    engine.deal_numbers(rng.integers(2**41, 2**42, 4).astype(np.uint64))
    while not engine.states.ended.all():
        masks = engine.buffers.action_masks
        rows = np.flatnonzero(~engine.states.ended)
        seen += [(engine.buffers.observations[row].copy(), masks[row].copy()) for row in rows]
        engine.step((masks * rng.random(masks.shape)).argmax(axis=1))
    return seen


class Described:
    """The position after a move."""

    def __init__(self, observation: NDArray[np.int16], action: int, options: PyramidOptions = WIN) -> None:
        storage, on = pyramid_choices(options).new_storage(), np.zeros(MOST_ON, np.int64)
        _count(storage, observation, np.ones(pyramid_table.NUM_ACTIONS, np.bool_))
        storage.candidates[0] = action
        self.on = on[: _describe(storage, 0, on)].tolist()
        self.after = storage.after


def inputs(observation: NDArray[np.int16], action: int, options: PyramidOptions = WIN) -> list[int]:
    return sorted(Described(observation, action, options).on)


def asked(observation: NDArray[np.int16], mask: NDArray[np.bool_], options: PyramidOptions = WIN) -> list[int]:
    """Returns the candidates of a choice, as moves."""
    storage = pyramid_choices(options).new_storage()
    found = _count(storage, observation, mask)
    return storage.candidates[:found].tolist()


# --- Candidates -------------------------------------------------------------------------------------------------------


def test_legal_moves_are_the_candidates_but_a_king_goes_unasked() -> None:
    kings = 0
    for observation, mask in positions(5):
        legal = np.flatnonzero(mask).tolist()
        own = [action for action in legal if action > REDEAL and SECOND[action] == NO_PLACE]
        assert asked(observation, mask) == (own[:1] or legal)
        kings += len(legal) > 1 and bool(own)
    assert kings > 5


def test_a_king_that_would_end_the_game_is_a_choice() -> None:
    """It is the last card of the pyramid; where clearing it ends the game, cards of stock and waste may go before."""
    ends, memory, found = PyramidOptions(goal="pyramid"), new_memory(4), 0
    for deal in range(100):
        engine = Engine(GAME, ends, 1)
        engine.deal_numbers([deal])
        deck = engine.states.deck[0].tolist()
        for action in solve(engine.states[0], ends, memory=memory).actions if deck[0] % 13 == KING - 1 else ():
            (observation,), (mask,) = engine.buffers.observations, engine.buffers.action_masks
            candidates, always = asked(observation, mask, ends), asked(observation, mask)
            if engine.states.pyramid[0] == 1 and always == [ACTION_OF[0, 0]]:
                legal = np.flatnonzero(mask).tolist()
                other_kings = [one for one in legal if SECOND[one] == NO_PLACE and one > always[0]]
                assert candidates == (other_kings[:1] or legal)
                found += len(candidates) > 1
            else:
                assert candidates == always
            engine.step(np.array([action]))
    assert found


def test_the_most_candidates_are_no_more_than_there_is_room_for() -> None:
    """Nine cards can be played at most: seven of the pyramid, the tops of stock and waste."""
    most = 0
    for low in range(10):
        ranks = np.array([4] * low + [7] * (9 - low))
        deck = np.arange(52)
        deck[21:28], deck[28] = ranks[:7], ranks[7]
        engine = Engine(GAME, WIN, 1)
        engine.deal_decks([deck.astype(np.uint8)])
        deck[28], deck[29] = ranks[8], ranks[7]
        engine.deal_decks([deck.astype(np.uint8)])
        engine.step(np.array([pyramid_table.DRAW]))
        most = max(most, int(engine.buffers.action_masks.sum()))
    assert 20 <= most <= MOST_CANDIDATES


# --- Positions --------------------------------------------------------------------------------------------------------


def test_the_position_after_a_move_is_what_the_game_shows_but_for_the_next_card() -> None:
    rng, engine = np.random.default_rng(0), Engine(GAME, WIN, 8)
    engine.deal_numbers(DEALS[:8])
    turned_up = 0
    while not engine.states.ended.all():
        before, masks = engine.buffers.observations.copy(), engine.buffers.action_masks
        rows, actions = np.flatnonzero(~engine.states.ended), (masks * rng.random(masks.shape)).argmax(axis=1)
        engine.step(actions)
        for row in rows:
            after = Described(before[row], actions[row]).after
            shown = engine.buffers.observations[row].astype(np.int64)
            top = shown[STOCK.start]
            if after[STOCK.start] == UNSEEN:  # turned up since
                shown[STOCK.start] = UNSEEN
                shown[UNSEEN_COUNTS.start + top - 1] += 1
                turned_up += 1
            hidden = np.flatnonzero(shown[STOCK] == UNSEEN)
            if shown[UNSEEN_COUNTS].sum() == 1:  # it can be told
                shown[STOCK.start + hidden[0]] = after[STOCK.start + hidden[0]]
                shown[UNSEEN_COUNTS] = 0
            assert shown.tolist() == after.tolist()
    assert turned_up > 50


@pytest.mark.parametrize("seed", range(5))
def test_no_input_names_a_rank(seed: int) -> None:
    """Ranks that change places in pairs, and the two of a pair, are not told apart."""
    rng, seen = np.random.default_rng(seed), positions(seed)
    for index in rng.integers(0, len(seen), 20):
        observation, mask = seen[index]
        new_name = np.arange(UNSEEN + 1)
        for low, other in enumerate(rng.permutation(KING // 2) + 1, start=1):
            swapped = other if rng.random() < 0.5 else KING - other
            new_name[low], new_name[KING - low] = swapped, KING - swapped
        renamed = observation.copy()
        renamed[: GAME.slots("pass").start] = new_name[observation[: GAME.slots("pass").start]]
        for rank in range(1, KING + 1):
            renamed[UNSEEN_COUNTS.start + new_name[rank] - 1] = observation[UNSEEN_COUNTS.start + rank - 1]
        for action in np.flatnonzero(mask):
            assert inputs(observation, action) == inputs(renamed, action)


def test_inputs_are_in_range_and_tell_positions_apart() -> None:
    seen = [tuple(inputs(row, int(np.flatnonzero(mask)[0]))) for row, mask in positions(7, SCORE)]
    assert all(0 <= min(one) <= max(one) < INPUTS < 2**16 for one in seen)
    assert len(set(seen)) > 0.95 * len(seen)


def test_the_matches_are_those_of_the_game() -> None:
    """There is an input for each pair of cards that the rules could ever allow, one of them known."""
    pairs = PLACES * (PLACES - 1) // 2
    for observation, mask in positions(3)[::9]:
        described = Described(observation, int(np.flatnonzero(mask)[-1]))
        places = [place for place in range(PLACES - 1) if 0 < described.after[place] < UNSEEN]
        cards, hidden = described.after[places].tolist(), described.after[UNSEEN_COUNTS]
        expected = sum(int(hidden[KING - rank - 1]) for rank in cards if rank < KING)
        for (place, rank), (other, partner) in combinations(zip(places, cards, strict=True), 2):
            expected += rank + partner == KING and not (
                other < pyramid_table.PYRAMID_SIZE and other in pyramid_table.all_covers(place)
            )
        assert sum(one < 2 * pairs for one in described.on) == expected


def test_the_mirror_image_of_inputs_is_that_of_the_position() -> None:
    image = [row * (row + 1) // 2 + row - column for row in range(7) for column in range(row + 1)]
    changed = 0
    for observation, mask in positions(4):
        mirrored = observation.copy()
        mirrored[:28] = observation[image]
        for action in np.flatnonzero(mask[: REDEAL + 1]):  # neither touches the pyramid
            before, after = inputs(observation, action), inputs(mirrored, action)
            assert sorted(MIRROR[before]) == after
            changed += before != after
    assert changed > 50
    assert MIRROR[INPUTS] == INPUTS
    assert np.array_equal(MIRROR[MIRROR], np.arange(INPUTS + 1))


@pytest.mark.parametrize(("pairs", "goal"), [(True, "all"), (False, "all"), (True, "pyramid"), (False, "pyramid")])
def test_rules_are_seen(pairs: bool, goal: Any) -> None:
    options = PyramidOptions(stock_waste_pairs=pairs, goal=goal)
    for observation, mask in positions(1, options)[:20]:
        on = inputs(observation, int(np.flatnonzero(mask)[0]), options)
        assert [one for one in on if one >= RULES] == [RULES] * (not pairs) + [RULES + 1] * (goal == "pyramid")


def test_hidden_cards_change_no_input() -> None:
    rng = np.random.default_rng(1)
    for drawn in (0, 5, 15, 22):
        deck, seen = rng.permutation(52).astype(np.uint8), set()
        for _ in range(5):
            rng.shuffle(deck[28 + drawn + 1 :])
            engine = Engine(GAME, WIN, 1)
            engine.deal_decks(deck[None])
            for _ in range(drawn):
                engine.step(np.array([pyramid_table.DRAW]))
            row, legal = engine.buffers.observations[0], engine.legal_actions(0)
            seen.add(tuple(tuple(inputs(row, action)) for action in legal))
        assert len(seen) == 1


# --- What all games declare -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [WIN, SCORE, PyramidOptions(passes=5, stock_waste_pairs=False, goal="pyramid")])
def test_all_candidates_of_a_choice_are_written(options: PyramidOptions) -> None:
    from solitaire_agents.choosing import kernels_of, new_scratch

    choices = pyramid_choices(options)
    kernels, scratch, longest = kernels_of(choices), new_scratch(choices), 0
    lines, lengths = np.zeros((1, MOST_CANDIDATES, 1), np.int16), np.zeros((1, MOST_CANDIDATES), np.int64)
    rows, counts = np.zeros((1, 1_536), np.uint16), np.zeros(1, np.int64)
    for observation, mask in positions(8, options)[:400]:
        needed = kernels.write(
            NETWORK, scratch, np.array([0]), observation[None], mask[None], rows, counts, lines, lengths
        )
        moves = asked(observation, mask)
        assert lines[0, : counts[0], 0].tolist() == moves
        if len(moves) > 1:
            shared, own = read(rows[0])
            assert [sorted(shared + one) for one in own] == [inputs(observation, move, options) for move in moves]
            assert needed == 2 + len(moves) + len(shared) + sum(map(len, own))
            longest = max(longest, needed)
    assert 200 < longest < rows.size


def test_what_games_are_worth() -> None:
    outcomes = np.zeros(3, GAME.outcome_dtype)
    outcomes["won"], outcomes["score"] = [True, False, False], [50, -1, -52]
    assert pyramid_choices(WIN).normalised_returns(outcomes).tolist() == [1, 0, 0]
    assert pyramid_choices(SCORE).normalised_returns(outcomes) == pytest.approx([1, 0.5, 0])
    assert pyramid_choices(WIN).chance
    assert not pyramid_choices(SCORE).chance


def test_agents_for_many_passes_play_with_more() -> None:
    rules = [pyramid_choices(PyramidOptions(passes=passes)).rules for passes in (1, 2, 5, 6, 100)]
    assert [each["passes"] for each in rules] == [1, 2, 5, 5, 5]
    assert pyramid_choices(PyramidOptions(goal="pyramid", max_moves=7)).rules == {
        "passes": 3,
        "stock_waste_pairs": True,
        "goal": "pyramid",
    }


def test_the_table_alone_is_not_enough() -> None:
    with pytest.raises(ValueError, match="expected information='memory' or 'open' for trained agents; got 'table'"):
        choices_of(GAME, PyramidOptions(information="table"))


def test_every_game_is_legal_to_its_end() -> None:
    for options in (WIN, SCORE, PyramidOptions(passes=5, information="open"), PyramidOptions(max_moves=30)):
        agent = TrainedAgent(pyramid_choices(options), NETWORK, "random")
        assert len(play(agent, GAME, options, DEALS).outcomes) == len(DEALS)

"""Choices of declared games: plays that make progress, so that nobody goes in circles; blind to what is hidden."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import choices_of, find_agent
from solitaire_agents.choices import Choices
from solitaire_agents.network import random_network
from solitaire_agents.piles.progress import BLOCKS, FRESH, LEFT, part_of, survey_of
from solitaire_agents.trained_agent import TrainedAgent
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options
from solitaire_envs.imagination import imagine_games
from solitaire_envs.jit import entry_point
from solitaire_evaluation.play import play
from tests.agents.piles.test_solver import GAMES, SHAPES, option_sets
from tests.agents.suits import with_suits
from tests.environments import walk_agents

DEALS = np.arange(2**42, 2**42 + 12, dtype=np.uint64)
DECKS = 12
MEMORY_AND_TABLE = ("memory", "table")


def chooser(game: Game, options: Any, mode: Any = "sample") -> TrainedAgent:
    """Returns an agent that chooses among all candidates, whatever they are."""
    choices = choices_of(game, options)
    return TrainedAgent(choices, random_network(choices.inputs, (8, 4), 1), "chooser", mode=mode)


def measuring(game: Game, part: int = 0) -> Callable[[Any], list[int]]:
    """Returns what tells the measures of all games of an engine; part 1: their hashes."""
    survey = survey_of(SHAPES[game.name])

    @entry_point("test of choices")
    def write_both(states: Any, found: Any) -> None:
        for i in range(len(states)):
            found[0, i], found[1, i] = survey(states[i])

    def measures(engine: Engine) -> list[int]:
        found = np.zeros((2, engine.num_envs), np.int64)
        write_both(engine.states, found)
        return list(found[part].tolist())

    return measures


def describing(choices: Choices) -> Callable[[Any, Any], list[tuple[list[int], list[int]]]]:
    """Returns what tells the inputs and the moves of each candidate."""
    kernels: list[Any] = [choices.count, choices.describe, choices.moves]
    count, describe, moves = (entry_point("test of choices")(kernel.py_func) for kernel in kernels)

    def described(observation: Any, mask: Any) -> list[tuple[list[int], list[int]]]:
        storage, on, line = choices.new_storage(), np.zeros(choices.most_on, np.int64), np.zeros(200, np.int64)
        found = []
        for k in range(count(storage, observation, mask)):
            inputs = on[: describe(storage, k, on)].tolist()
            assert all(0 <= each < choices.inputs for each in inputs)
            found.append((inputs, line[: moves(storage, k, line)].tolist()))
        return found

    return described


@pytest.mark.parametrize("name", walk_agents(GAMES))
def test_each_candidate_makes_progress_so_play_ends(name: str) -> None:
    """Without a limit of moves, and by moves that are legal. The measure is a number, so it cannot fall for ever."""
    game = GAMES[name]
    measures = measuring(game)
    for options in option_sets(game):
        agent, engine = chooser(game, options), Engine(game, options, len(DEALS))
        engine.deal_numbers(DEALS)
        going = ~engine.states.ended
        while going.any():
            before = measures(engine)
            lines, lengths = agent._choose(engine.buffers.observations, engine.buffers.action_masks)
            going &= lengths > 0
            for move in range(int(lengths[going].max(initial=0))):
                moving = going & (lengths > move)
                engine.step(np.where(moving, lines[:, move], -1))
                assert not engine.buffers.illegal[moving].any()
            after = measures(engine)
            assert all(after[game] < before[game] for game in np.flatnonzero(going))
            going &= ~engine.states.ended


@pytest.mark.parametrize("name", ["spiderette", pytest.param("spider_one_suit", marks=pytest.mark.slow)])
def test_every_move_of_cards_changes_the_hash(name: str) -> None:
    """Also one from a card to another that looks like it, after which the same faces lie on each other."""
    game = GAMES[name]
    options, hashes, rng = game.options(), measuring(game, 1), np.random.default_rng(4)
    engine = Engine(game, options, len(DEALS), autoreset="disabled")
    engine.deal_numbers(DEALS)
    for _ in range(150):
        before, masks, ended = hashes(engine), engine.buffers.action_masks.copy(), engine.states.ended.copy()
        draws = rng.random(len(DEALS)) < 0.1
        masks[~draws & masks[:, 1:].any(axis=1), 0] = False
        actions = np.where(ended, -1, (rng.random(masks.shape) * (masks + 1e-9)).argmax(axis=1))
        engine.step(actions)
        changed = np.array(before) != hashes(engine)
        assert changed[actions > 0].all()


@pytest.mark.parametrize("name", walk_agents(GAMES))
def test_no_move_raises_the_parts_of_the_measure_that_plays_must_not(name: str) -> None:
    """Random legal moves: what `progress` says that no move does."""
    game = GAMES[name]
    options, measures, rng = option_sets(game)[-1], measuring(game), np.random.default_rng(2)
    engine = Engine(game, options, len(DEALS), autoreset="disabled")
    engine.deal_numbers(DEALS)
    parts = lambda: [[part_of(one, part) for part in (LEFT, FRESH, BLOCKS)] for one in measures(engine)]  # noqa: E731
    for _ in range(150):
        before = parts()
        masks = engine.buffers.action_masks
        engine.step(np.where(engine.states.ended, -1, (rng.random(masks.shape) * (masks + 1e-9)).argmax(axis=1)))
        assert all(now <= earlier for now, earlier in zip(parts(), before, strict=True))


@pytest.mark.parametrize("name", walk_agents(GAMES))
def test_hidden_cards_change_neither_candidates_nor_inputs(name: str) -> None:
    game = GAMES[name]
    options, rng = option_sets(game)[-1], np.random.default_rng(5)
    described, agent, compared = describing(choices_of(game, options)), chooser(game, options, "greedy"), 0
    for _ in range(DECKS):
        engine = Engine(game, options, 2, autoreset="disabled")
        deck = rng.permutation(game.num_cards).astype(np.uint8)
        engine.deal_decks([deck, deck])
        other, hidden = deck.copy(), np.asarray(game.hidden(engine.states[0]))
        other[hidden] = rng.permutation(other[hidden])
        engine.deal_decks([deck, other])
        for _ in range(40):
            seen, masks = engine.buffers.observations, engine.buffers.action_masks
            if engine.states.ended.any() or not np.array_equal(*seen):
                break
            assert described(seen[0], masks[0]) == described(seen[1], masks[1])
            compared += 1
            engine.step(agent.act(seen, masks))
    assert compared >= DECKS


@pytest.mark.parametrize("name", walk_agents([name for name in GAMES if SHAPES[name].hole is None]))
def test_the_mirror_image_is_that_of_suits_that_change_places(name: str) -> None:
    """Of candidates that one move leads to: which of several ways is found first depends on the order of the suits."""
    game, rng, found = GAMES[name], np.random.default_rng(6), 0
    options, suits = option_sets(game)[-1], {4: [3, 2, 1, 0], 2: [1, 0, 3, 2], 1: []}[SHAPES[name].game.suits]
    choices, agent = choices_of(game, options), chooser(game, options)
    described, image = describing(choices), choices.mirror
    assert (image is None) == (not suits)
    if image is None:
        return
    assert sorted(image) == list(range(choices.inputs + 1))
    for deal in rng.integers(2**42, 2**43, 4).astype(np.uint64):
        engine = Engine(game, options, 1, autoreset="disabled")
        engine.deal_numbers([deal])
        for _ in range(20):
            seen, masks = engine.buffers.observations, engine.buffers.action_masks
            other = imagine_games(game, options, with_suits(game, seen[0], suits)).buffers
            here = [on for on, line in described(seen[0], masks[0]) if len(line) == 1]
            there = [on for on, line in described(other.observations[0], other.action_masks[0]) if len(line) == 1]
            assert sorted(sorted(image[on].tolist()) for on in here) == sorted(map(sorted, there))
            found += len(here) > 1
            engine.step(agent.act(seen, masks))
            if engine.states.ended[0]:
                break
    assert found > 10


@pytest.mark.parametrize("name", walk_agents(GAMES))
def test_what_has_been_turned_up_is_not_known_before(name: str) -> None:
    """An open game differs from one by memory only in what is hidden, which the candidates do not ask."""
    game = GAMES[name]
    rows = []
    for information in ("memory", "open"):
        options = game.options(information=information)
        engine, choices = Engine(game, options, len(DEALS)), choices_of(game, options)
        engine.deal_numbers(DEALS)
        count = entry_point("test of choices")(choices.count.py_func)  # type: ignore[attr-defined]
        storage = choices.new_storage()
        pairs = zip(engine.buffers.observations, engine.buffers.action_masks, strict=True)
        rows.append([count(storage, *pair) for pair in pairs])
    assert rows[0] == rows[1]


@pytest.mark.parametrize("name", walk_agents([name for name in GAMES if not SHAPES[name].takes_runs]))
def test_greedy_is_better_than_uniform(name: str) -> None:
    """By the cards that they put up; where only whole runs go up, by the games won: see below."""
    assert margin(GAMES[name], GAMES[name].options(), "score", 200) > 3


@pytest.mark.slow
def test_greedy_wins_where_whole_runs_go_up() -> None:
    assert margin(GAMES["simple_simon"], GAMES["simple_simon"].options(), "won", 400) > 3


def margin(game: Game, options: Options, field: str, deals: int) -> float:
    """Returns how much more greedy reaches than uniform, in standard errors of the difference."""
    both: list[Any] = [
        play(find_agent(name, game, options), game, options, np.arange(deals, dtype=np.uint64)).column(field)
        for name in ("greedy", "uniform")
    ]
    difference = both[0].astype(float) - both[1]
    return float(difference.mean() / (difference.std() / deals**0.5 + 1e-9))


@pytest.mark.parametrize("information", MEMORY_AND_TABLE)
@pytest.mark.parametrize("name", walk_agents(GAMES))
def test_greedy_plays_under_all_rules(name: str, information: Any) -> None:
    game = GAMES[name]
    for options in option_sets(game):
        played = {**vars(options), "information": information, "max_moves": 300}
        outcomes = play(
            find_agent("greedy", game, game.options(**played)), game, game.options(**played), DEALS
        ).outcomes
        assert (outcomes["moves"] > 0).any()

"""What games of a network against chance teach, recomputed game by game."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.network import POLICY, VALUE, random_network
from solitaire_agents.pyramid.choices import INPUTS, pyramid_choices
from solitaire_agents.self_play import WAIT, Examples, play_games, play_lines, waiting_engine
from solitaire_agents.trained_agent import TrainedAgent
from solitaire_envs.engine import Engine
from solitaire_envs.pyramid import GAME, PyramidOptions
from solitaire_envs.pyramid_table import DRAW
from solitaire_evaluation.play import play
from tests.agents.pyramid.test_choices import DEALS, MIRROR, NETWORK, SCORE, WIN, asked, inputs
from tests.agents.test_choosing import logit_of


def taught(
    options: PyramidOptions, explore: float, td_lambda: float, deals: Any = DEALS, seed: int = 1, **more: Any
) -> Examples:
    choices = replace(pyramid_choices(options), **more)
    return play_games(options, choices, NETWORK, deals, explore=explore, td_lambda=td_lambda, seed=seed)


def value_of(on: list[int]) -> float:
    return float(1 / (1 + np.exp(-logit_of(NETWORK, VALUE, on))))


class Replayed:
    """One game that was played for lessons: it is found again by the inputs of what was chosen."""

    def __init__(self, options: PyramidOptions, deal: int, lessons: Examples) -> None:
        engine, choice = Engine(GAME, options, 1), 0
        self.best: list[float] = []
        """The highest value at each choice."""
        self.chosen: list[int] = []
        """The number of the candidate that was taken."""
        self.candidates: list[int] = []
        self.moves: list[int] = []
        """The number of moves before each choice."""
        self.explored: list[bool] = []
        """Whether the candidate taken is not the best."""
        engine.deal_numbers([deal])
        while not engine.states.ended[0]:
            row, mask = engine.buffers.observations[0], engine.buffers.action_masks[0]
            moves, k = asked(row, mask), 0
            if len(moves) > 1:
                described = [inputs(row, move, options) for move in moves]
                on = lessons.inputs[choice][lessons.inputs[choice] < INPUTS]
                k = next(k for k, one in enumerate(described) if one in (sorted(on), sorted(MIRROR[on])))
                values = [value_of(one) for one in described]
                self.best.append(max(values))
                self.chosen.append(k)
                self.moves.append(int(engine.states.moves[0]))
                self.candidates.append(len(moves))
                self.explored.append(values[k] < max(values) - 1e-6)
                choice += 1
            engine.step(np.array([moves[k]]))
        assert choice == len(lessons.targets)
        self.outcome = engine.outcome(0)


@pytest.mark.parametrize("options", [WIN, SCORE])
@pytest.mark.parametrize("td_lambda", [0.0, 0.3, 1.0])
def test_the_targets_are_those_of_td_lambda(options: PyramidOptions, td_lambda: float) -> None:
    for deal in DEALS[:4]:
        lessons = taught(options, 0.0, td_lambda, np.array([deal]))
        game = Replayed(options, int(deal), lessons)
        assert not any(game.explored)
        outcome = game.outcome
        target = float(outcome["won"]) if options is WIN else (outcome["score"] + 52) / 102
        expected = [target]
        for best in reversed(game.best[1:]):
            expected.append((1 - td_lambda) * best + td_lambda * expected[-1])
        assert lessons.targets == pytest.approx(expected[::-1], abs=1e-4)
        assert lessons.won == outcome["won"]


@pytest.mark.parametrize("td_lambda", [0.0, 0.3, 1.0])
def test_moves_to_come_are_discounted(td_lambda: float) -> None:
    for deal in DEALS[:4]:
        lessons = taught(SCORE, 0.0, td_lambda, np.array([deal]), discount=0.95)
        game = Replayed(SCORE, int(deal), lessons)
        left = game.outcome["moves"] - game.moves[-1]
        expected = [0.95**left * (game.outcome["score"] + 52) / 102]
        for best, now, then in zip(game.best[:0:-1], game.moves[-2::-1], game.moves[:0:-1], strict=True):
            expected.append(0.95 ** (then - now) * ((1 - td_lambda) * best + td_lambda * expected[-1]))
        assert lessons.targets == pytest.approx(expected[::-1], abs=1e-4)


def test_what_came_of_a_random_choice_does_not_teach_the_choices_before() -> None:
    explored = kept = 0
    for deal in DEALS[:12]:
        lessons = taught(SCORE, 0.4, 0.7, np.array([deal]), seed=int(deal))
        game = Replayed(SCORE, int(deal), lessons)
        for i, target in enumerate(lessons.targets[:-1].tolist()):
            best, next_target = game.best[i + 1], float(lessons.targets[i + 1])
            mixed = best + 0.7 * (next_target - best)
            if game.explored[i + 1]:
                assert target == pytest.approx(best, abs=1e-4)
                explored += 1
            else:  # what is best may have been drawn
                assert min(abs(target - best), abs(target - mixed)) < 1e-4
                kept += abs(target - mixed) < 1e-4
        assert lessons.targets[-1] == pytest.approx((game.outcome["score"] + 52) / 102, abs=1e-6)
    assert explored > 20
    assert kept > 40


@pytest.mark.parametrize(("explore", "low", "high"), [(0.0, 0, 0), (0.2, 0.05, 0.2), (1.0, 0.45, 0.75)])
def test_the_share_of_random_choices(explore: float, low: float, high: float) -> None:
    """Of which some draw the best candidate."""
    games = [
        Replayed(SCORE, int(deal), taught(SCORE, explore, 1.0, np.array([deal]), seed=int(deal))) for deal in DEALS[:12]
    ]
    share = np.mean([explored for game in games for explored in game.explored])
    assert low <= share <= high


def test_random_choices_are_of_all_candidates_alike() -> None:
    places = []
    for deal in range(40):
        game = Replayed(SCORE, deal, taught(SCORE, 1.0, 1.0, np.array([deal], np.uint64), seed=deal))
        places += [(k + 0.5) / n for k, n in zip(game.chosen, game.candidates, strict=True)]
    assert len(places) > 600
    assert np.mean(places) == pytest.approx(0.5, abs=0.04)
    assert np.mean(np.array(places) < 0.5) == pytest.approx(np.mean(np.array(places) > 0.5), abs=0.1)


@pytest.mark.parametrize("options", [WIN, SCORE])
def test_the_games_are_those_of_an_agent_with_this_value_for_its_policy(options: PyramidOptions) -> None:
    network = NETWORK._replace(
        **{name: getattr(NETWORK, name)[[VALUE, POLICY]] for name in ("second", "second_bias", "last", "last_bias")}
    )
    agent = TrainedAgent(pyramid_choices(options), network, "by value", bounds=False)
    outcomes = play(agent, GAME, options, DEALS).outcomes
    examples = taught(options, 0.0, 1.0)
    assert (examples.won, examples.moves) == (outcomes["won"].sum(), outcomes["moves"].sum())
    for deal, outcome in zip(DEALS[:6], outcomes[:6], strict=True):
        lessons = taught(options, 0.0, 1.0, np.array([deal]))
        assert lessons.targets == pytest.approx(pyramid_choices(options).normalised_returns(outcome[None])[0], abs=1e-6)


def test_half_of_the_positions_are_mirrored() -> None:
    plain = taught(WIN, 0.0, 1.0, mirror=None).inputs
    seeds = [taught(WIN, 0.0, 1.0, seed=seed).inputs for seed in (1, 2)]
    for one in seeds:
        same = (one == plain).all(axis=1)
        images = (one == MIRROR[plain]).all(axis=1)
        assert (same | images).all()
        assert 0.4 < same.mean() < 0.6
    assert not np.array_equal(*seeds)


def same(one: Examples, other: Examples) -> bool:
    return (
        one.won == other.won
        and one.inputs.shape == other.inputs.shape
        and np.array_equal(one.inputs, other.inputs)
        and np.array_equal(one.targets, other.targets)
    )


def test_same_seed_same_lessons() -> None:
    one, again, other = (taught(WIN, 0.5, 0.5, seed=seed) for seed in (1, 1, 2))
    assert same(one, again)
    assert not same(one, other)


def test_threads_make_no_difference() -> None:
    alone = [taught(WIN, 0.3, 0.8, seed=seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda seed: taught(WIN, 0.3, 0.8, seed=seed), range(4)))
    assert all(same(one, other) for one, other in zip(alone, together, strict=True))


def test_a_row_of_lessons_is_inputs_then_none() -> None:
    lessons = taught(SCORE, 0.5, 0.9)
    on = lessons.inputs < INPUTS
    assert (on[:, :-1] >= on[:, 1:]).all()
    assert (lessons.inputs[~on] == INPUTS).all()
    assert on.sum(axis=1).min() > 5
    assert lessons.targets.dtype == np.float32
    assert 0 <= lessons.targets.min() <= lessons.targets.max() <= 1


# --- Games given up ---------------------------------------------------------------------------------------------------


def test_a_game_with_nothing_left_to_gain_is_given_up_with_what_it_has() -> None:
    """As of Pyramid, once the pass is not the first any more: there are then no candidates."""
    from solitaire_agents.choices import list_legal
    from solitaire_envs.jit import kernel

    @kernel
    def count(storage: Any, observation: Any, mask: Any) -> int:
        return 0 if observation[PASS] > 1 else int(list_legal(mask, storage.candidates))

    lessons = taught(SCORE, 0.0, 1.0, count=count)
    ended = [taught(SCORE, 0.0, 1.0, np.array([deal]), count=count).targets for deal in DEALS]
    assert lessons.won == 0
    assert max(np.ptp(targets) for targets in ended) < 1e-5
    values = {round(float(targets[0]) * 102 - 52) for targets in ended}
    assert min(values) < 0
    assert len(values) > 3
    assert len(lessons.targets) == sum(map(len, ended))


PASS = GAME.slots("pass").start


def lines_of(*lines: list[int]) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    lengths = np.array([len(line) for line in lines])
    moves = np.full((len(lines), int(lengths.max())), 99, np.int16)
    for row, line in zip(moves, lines, strict=True):
        row[: len(line)] = line
    return moves, lengths


def test_lines_are_played_while_other_games_wait() -> None:
    engine = waiting_engine(GAME, WIN, 3)
    engine.deal_numbers(DEALS[:3])
    before = engine.buffers.observations.copy()
    ended, moves = play_lines(engine, *lines_of([DRAW] * 3, [], [DRAW]))
    assert moves == 4
    assert engine.states.moves.tolist() == [3, 0, 1]
    assert np.array_equal(engine.buffers.observations[1], before[1])
    assert not ended.any()


def test_a_line_ends_with_its_episode() -> None:
    engine = waiting_engine(GAME, replace(WIN, max_moves=2), 2, autoreset="same_step")
    engine.seed([1, 2])
    engine.deal_next()
    ended, moves = play_lines(engine, *lines_of([DRAW] * 3, [DRAW]))
    assert moves == 3
    assert ended.tolist() == [True, False]
    assert engine.states.moves.tolist() == [0, 1]


def test_a_game_may_wait_for_ever() -> None:
    engine = waiting_engine(GAME, WIN, 1)
    engine.deal_numbers([1])
    for _ in range(3_000):
        engine.step(np.array([WAIT]))
    assert not engine.states.ended[0]


def test_other_networks_teach_other_things() -> None:
    other = random_network(INPUTS, (8, 4), 9)
    lessons = play_games(WIN, pyramid_choices(WIN), other, DEALS, explore=0.0, td_lambda=1.0, seed=1)
    assert not same(lessons, taught(WIN, 0.0, 1.0))

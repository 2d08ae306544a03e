"""Games by text in turns: answers, limits, splits, rewards, regret."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from solitaire_agents.catalogue import solver_of
from solitaire_envs.catalogue import CATALOGUE
from solitaire_evaluation.chat_env import ChatEnv
from tests.environments import walk

PYRAMID, FREECELL = "solitaire/Pyramid-v0", "solitaire/FreeCell-v0"
WON_DEAL = 0
"""Place of a validation deal of FreeCell that can be won."""


def moves_of(text: str) -> list[str]:
    return text.rpartition("moves: ")[2].split(", ")


def play(env: ChatEnv, answer: Callable[[str], str], **deal: Any) -> tuple[float, dict[str, Any]]:
    """Plays a game; returns the sum of its rewards, and the last info."""
    text, info = env.reset(**deal)
    total, over = 0.0, env.over
    while not over:
        text, reward, terminated, truncated, info = env.step(answer(text))
        total, over = total + reward, terminated or truncated
    return total, info


def by_chance(seed: int = 0) -> Callable[[str], str]:
    generator = random.Random(seed)
    return lambda text: generator.choice(moves_of(text))


def line_of(env: ChatEnv) -> list[str]:
    """Returns the solver's line to a win in words."""
    other = env.spawn()
    other.reset(split="validation", index=WON_DEAL)
    engine, moves = other._engine, []
    for action in solver_of(engine.game).solve(engine.states[0], engine.options).actions:
        moves.append(engine.move_text(0, action))
        other.step(moves[-1])
    return moves


@pytest.fixture(scope="module")
def line() -> list[str]:
    return line_of(ChatEnv(FREECELL))


# --- Answers ----------------------------------------------------------------------------------------------------------


def test_the_first_text_has_the_rules_and_the_table() -> None:
    env = ChatEnv(PYRAMID, max_turns=1_234)
    text, info = env.reset(split="validation", index=5)
    assert text.startswith("You play the patience game Pyramid.")
    assert "You have 1,234 turns." in text
    assert (info["deal"], info["turns"], info["score"]) == (1_000_005, 0, -52)
    assert env.step("draw")[0].startswith("  ")  # the table alone


def test_the_last_line_is_the_move() -> None:
    env = ChatEnv(PYRAMID)
    env.reset(seed=0)
    *_, info = env.step("KS would be nice.\n\nBut I draw:\n **Draw** \n\n")
    assert (info["moves"], info["illegal_answers"]) == (1, 0)
    *_, info = env.step("draw\nI drew.")
    assert (info["moves"], info["illegal_answers"]) == (1, 1)


@pytest.mark.parametrize("answer", ["", "\n", "take the king", "draw, draw", "\0" * 9, "x" * 100_000])
def test_an_answer_that_is_no_legal_move_costs_a_turn_and_nothing_else(answer: str) -> None:
    env = ChatEnv(PYRAMID)
    table = env.reset(seed=0)[0][len(env.instructions) :]
    text, reward, terminated, truncated, info = env.step(answer)
    assert text.startswith("expected a legal move, one of: draw, ")
    assert text.endswith(table)
    assert len(text) < len(table) + 400
    assert (reward, terminated, truncated) == (0, False, False)
    assert (info["turns"], info["illegal_answers"], info["moves"]) == (1, 1, 0)


def test_moves_on_request() -> None:
    env = ChatEnv(PYRAMID, tell_moves=False)
    text, _ = env.reset(seed=0)
    assert "moves: draw" not in text
    assert "draw," not in env.step("KS+KH")[0]
    text, *_, info = env.step("`Moves`")
    assert text.startswith("moves: draw")
    assert (info["turns"], info["illegal_answers"]) == (2, 1)


def test_several_moves_in_a_turn() -> None:
    env = ChatEnv(PYRAMID, moves_per_turn=3)
    assert "up to 3 moves, with commas between" in env.reset(seed=0)[0]
    *_, info = env.step("draw, draw; draw")
    assert (info["turns"], info["moves"]) == (1, 3)
    text, *_, info = env.step("draw, KS+KH, draw")
    assert text.startswith("move 2 of 3: expected a legal move, one of: draw")
    assert (info["turns"], info["moves"], info["illegal_answers"]) == (2, 4, 1)
    text, *_, info = env.step("draw, draw, draw, draw")
    assert text.startswith("expected at most 3 moves, got 4; none was played")
    assert info["moves"] == 4


def test_the_limit_of_turns() -> None:
    env = ChatEnv(PYRAMID, max_turns=3)
    env.reset(seed=0)
    ends = [env.step(answer)[2:4] for answer in ("draw", "no", "draw")]
    assert ends == [(False, False), (False, False), (False, True)]
    with pytest.raises(ValueError, match="expected a game under way, got none"):
        env.step("draw")


def test_the_end_of_the_game_terminates(line: list[str]) -> None:
    env = ChatEnv(FREECELL, max_turns=len(line))
    env.reset(split="validation", index=WON_DEAL)
    assert [env.step(move)[2:4] for move in line][-2:] == [(False, False), (True, False)]


# --- Deals ------------------------------------------------------------------------------------------------------------


def test_test_deals_come_alone() -> None:
    assert {name: (deals[0], len(deals)) for name, deals in ChatEnv(PYRAMID).splits.items()} == {
        "train": (2**63, 1_000_000),
        "validation": (1_000_000, 10_000),
    }
    assert {name: (deals[0], len(deals)) for name, deals in ChatEnv(PYRAMID, test=True).splits.items()} == {
        "test": (0, 10_000)
    }


def test_a_seed_names_a_deal() -> None:
    env, other = ChatEnv(PYRAMID), ChatEnv(PYRAMID)
    other.reset()
    assert [env.reset(seed=seed) for seed in range(9)] == [other.reset(seed=seed) for seed in range(9)]
    assert len({env.reset(seed=seed)[1]["deal"] for seed in range(9)}) == 9
    assert len({env.reset()[1]["deal"] for _ in range(9)}) == 9
    assert env.reset(seed=1, split="validation")[1]["deal"] < 2**63


def test_chosen_training_deals() -> None:
    env = ChatEnv(PYRAMID, deals=[2**63 + 7, 2**63 + 9])
    assert [env.reset(index=index)[1]["deal"] for index in (0, 1)] == [2**63 + 7, 2**63 + 9]
    assert len(ChatEnv(PYRAMID, winnable=True).splits["train"]) == 66_031  # docs/deals.md


def test_spawned_environments_share_settings_and_nothing_else() -> None:
    env = ChatEnv(PYRAMID, moves_per_turn=2)
    env.reset(seed=0)
    other = env.spawn()
    assert (other.over, other.info()) == (True, {})
    other.reset(seed=0)
    env.step("draw, draw")
    assert (env.info()["moves"], other.info()["moves"]) == (2, 0)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"reward": "regret"}, "expected reward to be 'win' or 'score' or 'shaped', got 'regret'"),
        ({"max_turns": 0}, "expected max_turns to be .*got 0"),
        ({"moves_per_turn": 1.5}, "expected moves_per_turn to be .*got 1.5"),
        ({"deals": range(100)}, "expected training deals, of 2\\*\\*63 and above, got 0 among them"),
        ({"piles": 3}, "expected options among .*got 'piles'"),
        ({"regret": True, "env": "solitaire/PyramidPar-v0"}, "expected a game with a solver"),
    ],
)
def test_wrong_arguments(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ChatEnv(**{"env": PYRAMID, **keywords})


@pytest.mark.parametrize(
    ("deal", "message"),
    [
        ({"split": "test"}, "expected split among train, validation; got 'test'"),
        ({"index": -1}, "expected index to be .*0..999,?999, got -1"),
        ({"seed": -1}, "expected seed to be an integer of 0"),
    ],
)
def test_wrong_deals(deal: dict[str, Any], message: str) -> None:
    env = ChatEnv(PYRAMID)
    _, info = env.reset(seed=0)
    with pytest.raises(ValueError, match=message):
        env.reset(**deal)
    assert env.info() == info


# --- Rewards ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", [PYRAMID, FREECELL, "solitaire/Canfield-v0", "solitaire/Golf-v0"])
def test_shaping_changes_every_game_of_a_deal_by_the_same(env_id: str) -> None:
    """Whatever was played: the sum is that of the wins, less the potential of the deal."""
    env = ChatEnv(env_id, reward="shaped", max_turns=80)
    env.reset(seed=0)
    potential = env._scaled_score()
    for seed in range(5):
        total, info = play(env, by_chance(seed), seed=0)
        assert total == pytest.approx(info["won"] - potential)


@pytest.mark.parametrize("reward", ["win", "score", "shaped"])
def test_a_win_is_worth_one(reward: Any, line: list[str]) -> None:
    moves = iter(line)
    total, info = play(ChatEnv(FREECELL, reward=reward), lambda text: next(moves), split="validation", index=WON_DEAL)
    assert info["won"]
    assert total == pytest.approx(1)


def test_rewards_come_as_the_game_goes(line: list[str]) -> None:
    rewards = {}
    for name in ("win", "shaped"):
        env = ChatEnv(FREECELL, reward=name)
        env.reset(split="validation", index=WON_DEAL)
        rewards[name] = [env.step(move)[1] for move in line]
    assert rewards["win"] == [0.0] * (len(line) - 1) + [1.0]
    assert sum(reward > 0 for reward in rewards["shaped"][:-1]) == 51  # a card goes up each time


# --- Regret -----------------------------------------------------------------------------------------------------------


def test_perfect_play_has_no_regret(line: list[str]) -> None:
    moves = iter(line)
    _, info = play(ChatEnv(FREECELL, regret=True), lambda text: next(moves), split="validation", index=WON_DEAL)
    assert info["regret"] == [0.0] * len(line)


def test_the_move_that_loses_is_found() -> None:
    """It is the one after which the solver finds that no win is left."""
    env = ChatEnv(FREECELL, regret=True, max_turns=40)
    _, info = play(env, by_chance(), split="validation", index=WON_DEAL)
    place = info["regret"].index(1.0)
    assert info["regret"] == [0.0] * place + [1.0] + [0.0] * (39 - place)
    again, answer, verdicts = ChatEnv(FREECELL), by_chance(), []
    text, _ = again.reset(split="validation", index=WON_DEAL)
    for _ in range(place + 2):
        found = solver_of(again._engine.game).solve(again._engine.states[0], again._engine.options)
        verdicts.append(found.status.answer)
        text = again.step(answer(text))[0]
    assert verdicts == [True] * (place + 1) + [False]


def test_regret_of_the_score_is_what_was_missed() -> None:
    """The losses of a game sum to the best possible score less that reached."""
    env = ChatEnv(PYRAMID, reward="score", regret=True)
    for index in range(3):
        env.reset(split="validation", index=index)
        best = env._regret._best if env._regret else None
        total, info = play(env, by_chance(), split="validation", index=index)
        assert best is not None
        assert sum(info["regret"]) == pytest.approx(best - total)
        assert min(info["regret"]) >= 0


def test_illegal_answers_have_no_regret() -> None:
    env = ChatEnv(PYRAMID, regret=True)
    env.reset(seed=0)
    assert len(env.step("no")[-1]["regret"]) == 0
    assert len(env.step("draw")[-1]["regret"]) == 1


# --- All environments -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", walk())
def test_the_score_sums_to_its_place_in_the_range(env_id: str) -> None:
    env = ChatEnv(env_id, reward="score", max_turns=150)
    for seed in range(3):
        total, info = play(env, by_chance(seed), seed=seed)
        low, high = CATALOGUE[env_id].game.score_range(env._engine.options)
        assert total == pytest.approx((info["score"] - low) / (high - low))
        assert 0 <= total <= 1

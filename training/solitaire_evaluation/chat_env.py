"""Games played by text, in turns: what the environments for training and testing language models are made of."""

import re
from copy import copy
from typing import Any, Literal

import numpy as np

from solitaire_agents.text_agent import last_line
from solitaire_envs.cards import FIRST_RANDOM_DEAL
from solitaire_envs.catalogue import choose_deals
from solitaire_envs.checks import check_seed, check_value, did_you_mean, short
from solitaire_envs.deals import Deals
from solitaire_envs.engine import COUNT, Engine
from solitaire_envs.instructions import instructions
from solitaire_envs.render import render_ansi
from solitaire_evaluation.deals import NUM_VALIDATION_DEALS, TEST_DEALS, VALIDATION_DEALS
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.regret import Regret, check_solver

RewardName = Literal["win", "score", "shaped"]
NUM_TRAINING_DEALS, NUM_TEST_DEALS = 1_000_000, 10_000
"""Deals of a split, if no others are chosen."""
LIST_MOVES = "moves"
"""The answer that asks for the legal moves."""
MOST_READ = 20_000
"""Characters of an answer that are read, from its end."""


class ChatEnv:
    """One game at a time: text comes out, an answer in words goes in, rewards come out.

    `reset` and `step` return what Gymnasium's do. The first text of a game begins with `instructions`; after that, each
    text is the table. The last line of an answer is the move; what stands before it is not read. Every answer costs a
    turn. One that is not a legal move changes nothing else, and the next text begins with what was expected.

    The infos are for the trainer, not for the model. They hold the split, index and number of the deal, the turns,
    ``illegal_answers``, the outcome as it would be if the game ended now, and the list ``regret``: what each move has
    lost (`Regret`), if that was asked for.

    Args:
        env: Environment id.
        reward: What the rewards of a game sum to. 'win': 1 for a win, else 0. 'score': the final score, from 0 for the
            lowest to 1 for the highest possible, paid as it changes. 'shaped': as 'win', with potential-based shaping
            by the scaled score, less the potential of the deal; so the best play is that of 'win'.
        tell_moves: Whether each table lists the legal moves; if not, the answer 'moves' lists them, and costs a turn.
        moves_per_turn: Most moves of an answer, with commas between. They are played up to the first illegal one.
        max_turns: The game is truncated after so many turns.
        regret: Whether the solver judges each move, which may take seconds.
        test: Whether to play the split 'test' and no other, for an evaluation; else 'train' and 'validation'.
        deals: The training deals, as in `choose_deals`; None: the first million.
        winnable: As in `choose_deals`.
        difficulty: As in `choose_deals`.
        **options: Options of the game.

    Raises:
        ValueError: An argument is not one of those allowed; or `regret` is asked for, and no solver knows the rules.
    """

    def __init__(
        self,
        env: str,
        *,
        reward: RewardName = "win",
        tell_moves: bool = True,
        moves_per_turn: int = 1,
        max_turns: int = 1_000,
        regret: bool = False,
        test: bool = False,
        deals: Deals | None = None,
        winnable: bool = False,
        difficulty: tuple[float, float] | None = None,
        **options: Any,
    ) -> None:
        check_value("reward", reward, RewardName, {})
        check_value("moves_per_turn", moves_per_turn, int, COUNT)
        check_value("max_turns", max_turns, int, COUNT)
        spec = make_env_spec(env, options)
        chosen = choose_deals(spec.game, spec.options, deals, winnable, difficulty)
        if (chosen < FIRST_RANDOM_DEAL).any():
            raise ValueError(f"expected training deals, of 2**63 and above, got {chosen.min()} among them")
        training = chosen if len(chosen) else range(FIRST_RANDOM_DEAL, FIRST_RANDOM_DEAL + NUM_TRAINING_DEALS)
        validation = range(VALIDATION_DEALS, VALIDATION_DEALS + NUM_VALIDATION_DEALS)
        testing = range(TEST_DEALS, TEST_DEALS + NUM_TEST_DEALS)
        self.splits: dict[str, Any] = {"test": testing} if test else {"train": training, "validation": validation}
        """Name -> the deal numbers, a sequence."""
        self.env_id, self.max_turns = env, max_turns
        self._spec, self._reward, self._tell_moves, self._per_turn = spec, reward, tell_moves, moves_per_turn
        self._judges = regret
        if regret:
            check_solver(spec.game, spec.options)
        self._clear()

    def spawn(self) -> "ChatEnv":
        """Returns another environment with the same settings and a game of its own."""
        other = copy(self)
        other._clear()
        return other

    def _clear(self) -> None:
        self._engine = Engine(self._spec.game, self._spec.options, 1)
        self._random = np.random.default_rng()
        self._task: dict[str, Any] = {}
        self._regret: Regret | None = None
        self.turns = self._illegal = 0
        self.over, self._paid = True, 0.0

    def reset(
        self, *, seed: int | None = None, split: str | None = None, index: int | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Deals a game.

        Args:
            seed: Draws the deal: the same seed draws the same deal of a split.
            split: One of `splits`; None: the first.
            index: The place of the deal in the split; None: a random one.

        Returns:
            The instructions and the first table; the info.

        Raises:
            ValueError: An argument is invalid. Then nothing has changed.
        """
        split = next(iter(self.splits)) if split is None else split
        random = self._random if seed is None else np.random.default_rng(check_seed("seed", seed))
        if index is None:
            index = int(random.integers(self.num_deals(split)))
        self._task = self.task(split, index)
        self._engine.deal_numbers([self._task["deal"]])
        self.turns = self._illegal = 0
        self.over = bool(self._engine.states.ended[0])
        self._paid = self._scaled_score() if self._reward == "shaped" else 0.0
        self._regret = Regret(self._engine, self._scale) if self._judges else None
        return f"{self.instructions}\n\n{self._table()}", self.info()

    def num_deals(self, split: str) -> int:
        """Returns the number of deals of a split.

        Raises:
            ValueError: There is no such split.
        """
        if split not in self.splits:
            names = ", ".join(self.splits)
            raise ValueError(f"expected split among {names}; got {short(split)}{did_you_mean(split, self.splits)}")
        return len(self.splits[split])

    def task(self, split: str, index: int) -> dict[str, Any]:
        """Returns the split, index and number of one deal.

        Raises:
            ValueError: There is no such split or deal.
        """
        check_value("index", index, int, {"minimum": 0, "maximum": self.num_deals(split) - 1})
        return {"split": split, "index": index, "deal": int(self.splits[split][index])}

    def step(self, answer: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Takes an answer of the model.

        Returns:
            The next text, the reward, terminated, truncated, and the info.

        Raises:
            ValueError: No game is under way.
        """
        if self.over:
            raise ValueError("expected a game under way, got none: reset() deals one")
        self.turns += 1
        said = self._play(answer[-MOST_READ:])
        ended = bool(self._engine.states.ended[0])
        truncated = bool(self._engine.buffers.truncated[0]) or (not ended and self.turns >= self.max_turns)
        self.over = ended or truncated
        text = f"{said}\n\n{self._table()}" if said else self._table()
        return text, self._pay(), ended and not truncated, truncated, self.info()

    @property
    def instructions(self) -> str:
        """What the model has to know: the rules, how to read the table, how to answer."""
        many = f"up to {self._per_turn} moves, with commas between," if self._per_turn > 1 else "one move"
        aim = "for a high score" if self._reward == "score" else "to win"
        lines = [
            f"Each turn you see the table and answer with {many} on the last line of your answer.",
            *([] if self._tell_moves else [f"The answer `{LIST_MOVES}` lists the legal moves."]),
            "An answer that is not a legal move changes nothing, but costs a turn, as every answer does. You have "
            f"{self.max_turns:,} turns.",
            f"Play {aim}.",
        ]
        return "\n".join([instructions(self._engine), "\nHow to answer", *(f"- {line}" for line in lines)])

    def info(self) -> dict[str, Any]:
        """Returns what is known about the game under way, as plain values; empty before the first."""
        if not self._task:
            return {}
        regret = {} if self._regret is None else {"regret": list(self._regret.losses)}
        return {
            **self._task,
            **self._engine.outcome(0),
            "turns": self.turns,
            "illegal_answers": self._illegal,
            **regret,
        }

    def _table(self) -> str:
        return render_ansi(self._engine, 0, tell_moves=self._tell_moves)

    def _play(self, answer: str) -> str:
        """Plays the moves of an answer; returns what to say above the table."""
        last = last_line(answer)
        if not self._tell_moves and last.strip("`* .").lower() == LIST_MOVES:
            return render_ansi(self._engine, 0).rpartition("\n")[2].strip()
        moves = re.split("[,;]", last) if self._per_turn > 1 else [last]
        if len(moves) > self._per_turn:
            self._illegal += 1
            return f"expected at most {self._per_turn} moves, got {len(moves)}; none was played"
        for place, move in enumerate(moves, start=1):
            try:
                action = self._engine.parse_move(0, move)
            except ValueError as error:
                self._illegal += 1
                said = str(error) if self._tell_moves else f"expected a legal move, got {short(move)}"
                return said if len(moves) == 1 else f"move {place} of {len(moves)}: {said}"
            self._engine.step(np.array([action]))
            if self._regret is not None:
                self._regret.add(action)
            if self._engine.states.ended[0]:
                break
        return ""

    def _pay(self) -> float:
        won = float(self.over and self._engine.outcome(0)["won"])
        if self._reward == "win":
            return won
        potential = 0.0 if self._reward == "shaped" and self.over else self._scaled_score()
        gain, self._paid = potential - self._paid, potential
        return gain + (won if self._reward == "shaped" else 0.0)

    def _scaled_score(self) -> float:
        return self._scale(self._engine.outcome(0)["score"])

    def _scale(self, score: int) -> float:
        low, high = self._engine.game.score_range(self._engine.options)
        return (score - low) / (high - low)

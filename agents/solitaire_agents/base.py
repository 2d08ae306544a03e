"""The base class of all agents."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.engine import Engine
from solitaire_envs.game import Options
from solitaire_envs.jit import entry_point, kernel

OptionsT = TypeVar("OptionsT", bound=Options)
Observations = NDArray[np.int16]
"""[B, O], as the environments write them."""
ActionMasks = NDArray[np.bool_]
"""[B, A], True for legal actions; each row has one."""
Actions = NDArray[np.int64]
"""[B]"""


class GameBatch(NamedTuple):
    """What an agent is shown of n games that are played side by side. The arrays are its own copies."""

    observations: Observations
    """int16 [n, O]"""
    action_masks: ActionMasks
    """bool [n, A]"""
    games: NDArray[np.int64]
    """[n] which of the games under way each row is."""
    moves: NDArray[np.int32]
    """[n] legal moves made so far; 0: a new deal."""


class ActionValues(NamedTuple):
    """An agent's value of each move of one position, averaged over sampled orders of the hidden cards."""

    unit: Literal["chance", "return", "moves"]
    """'chance': the probability of a win. 'return': 0..1, the objective from its worst to its best. 'moves': minus the
    number of moves to a win."""
    means: NDArray[np.float64]
    """[A] more is better; NaN for illegal actions, and for those that the agent leaves out."""
    errors: NDArray[np.float64]
    """[A] standard errors of the means; 0 where nothing is sampled."""


class Agent(ABC):
    """Chooses moves for any number of games at once, from what a fair player sees of them.

    A class of your own needs `act`, and a constructor that takes the game's options. The class attributes below say
    what kind of agent it is.
    """

    name: str
    """Its name in results; by default that of its class."""
    fair: bool = True
    """False: it needs to see more than a player with perfect memory knows. Its results are marked."""
    memoryless: bool = False
    """True: its move depends on the observation alone, so a game that returns to a position repeats itself."""
    plans: bool = False
    """True: it plans lines of moves and follows them, so its move depends on what it has seen since `seed`."""
    searches: bool = False
    """True: it looks past the next hidden card, or proves moves good or bad, as planners, solvers and bounds do."""
    stochastic: bool = False
    """True: it draws random numbers, so `seed` makes a difference."""
    folder: Path | None = None
    """The folder of a trained agent. Its hash then covers the weights and the card too."""
    quick: bool = False
    """True: it plays hundreds of games per second in compiled code, so threads suit it better than processes."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = cls.__name__
        if cls.shown is not Agent.shown:
            raise TypeError(f"expected `fair = False` of {cls.__name__}, to see more; got a method `shown`")

    @property
    def modules(self) -> tuple[str, ...]:
        """Names of the modules that define it. Its hash covers their sources and those of all that they import."""
        return (type(self).__module__,)

    @final
    def shown(self, options: OptionsT) -> OptionsT:
        """Returns the options under which an environment shows the agent all that it needs."""
        return options if self.fair else replace(options, information="open")

    def seed(self, seed: int) -> None:  # noqa: B027  # most agents draw no random numbers
        """Restarts the agent's random numbers."""

    @abstractmethod
    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Chooses a move in each game.

        Args:
            observations: int16 [B, O].
            action_masks: bool [B, A], True for legal actions.

        Returns:
            A legal action for each row, int64 [B].
        """

    def act_in(self, batch: GameBatch) -> Actions:
        """Chooses a move in each game, before `choose` checks it.

        An agent that remembers its games overrides this, since `act` does not say which game is which.

        Returns:
            As `act`.
        """
        return self.act(batch.observations, batch.action_masks)

    def _ask(self, engine: Engine, games: NDArray[np.int64]) -> Actions:
        """Shows the agent some games of an engine, but never the engine, which knows the hidden cards."""
        buffers, moves = engine.buffers, engine.states.moves
        return self.act_in(GameBatch(buffers.observations[games], buffers.action_masks[games], games, moves[games]))

    @final
    def choose(self, engine: Engine, games: NDArray[np.int64] | slice = slice(None)) -> Actions:
        """Chooses a move in some games of an engine, int64 [n].

        Raises:
            ValueError: The agent does not return one legal action for each game.
        """
        chosen = np.arange(engine.num_envs)[games]
        masks = engine.buffers.action_masks[chosen]
        try:
            actions = np.asarray(self._ask(engine, chosen))
        except ValueError as error:  # from NumPy, for lists of different lengths, or from the agent
            raise ValueError(f"expected actions from {self.name}, got: {error!s:.300}") from error
        if actions.dtype.kind not in "iu" or actions.shape != (len(masks),):
            got = f"{actions.dtype} of shape {actions.shape}"
            raise ValueError(f"expected integers of shape ({len(masks)},) from {self.name}, got {got}")
        inside = (actions >= 0) & (actions < masks.shape[1])
        legal = inside & masks[np.arange(len(masks)), np.where(inside, actions, 0)]
        if not legal.all():
            wrong = int(np.flatnonzero(~legal)[0])
            deal = engine.states.deal[chosen[wrong]]
            raise ValueError(f"expected a legal action from {self.name}, got {actions[wrong]} in deal {deal}")
        return actions.astype(np.int64)

    def action_values(
        self, observation: NDArray[np.int16], action_mask: NDArray[np.bool_], samples: int
    ) -> ActionValues | None:
        """Returns a value for each move of one position, to show to people. It does not change what the agent plays.

        Args:
            observation: int16 [O].
            action_mask: bool [A].
            samples: Number of orders of the hidden cards to sample; more give smaller errors.

        Returns:
            The values; None if the agent has none.
        """
        return None


class RuleAgent(Agent):
    """An agent that is one kernel, (observation [O], action mask [A]) -> action, applied to each row."""

    memoryless = True
    quick = True

    def __init__(self, name: str, choose: Callable[[Any, Any], int]) -> None:
        self.name = name
        self._module = getattr(choose, "py_func", choose).__module__
        self._choose_all = _over_rows(name, choose)

    @property
    def modules(self) -> tuple[str, ...]:
        """Name of the module that holds the rule."""
        return (self._module,)

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Returns a legal action for each row."""
        actions = np.empty(len(observations), np.int64)
        self._choose_all(observations, action_masks, actions)
        return actions


def _over_rows(name: str, choose: Callable[[Any, Any], int]) -> Callable[[Observations, ActionMasks, Actions], None]:
    @entry_point(name)
    def choose_all(observations: Any, action_masks: Any, actions: Any) -> None:
        for i in range(len(observations)):
            actions[i] = choose(observations[i], action_masks[i])

    return choose_all


def judge_by(
    unit: Literal["chance", "return"], values: NDArray[np.floating[Any]], action_mask: NDArray[np.bool_]
) -> ActionValues:
    """Returns the means and standard errors of sampled values, [S, A]."""
    samples = len(values)
    spread = values.std(axis=0, ddof=1) if samples > 1 else np.zeros(values.shape[1])
    means, errors = values.mean(axis=0, dtype=np.float64), spread / np.sqrt(samples)
    return ActionValues(unit, np.where(action_mask, means, np.nan), np.where(action_mask, errors, np.nan))


@kernel
def first_legal(action_mask: Any) -> int:
    """Returns the lowest legal action."""
    for action in range(len(action_mask)):
        if action_mask[action]:
            return action
    return 0

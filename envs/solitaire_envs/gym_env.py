"""The Gymnasium environment: one game at a time."""

import operator
from typing import TYPE_CHECKING, Any, SupportsIndex

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from solitaire_envs.cards import Deck, check_deal, parse_deck
from solitaire_envs.catalogue import choose_deals, find_game
from solitaire_envs.checks import check_seed, check_value, short
from solitaire_envs.deals import Deals
from solitaire_envs.engine import Engine, SavedState
from solitaire_envs.gym_parts import (
    MAX_STREAM,
    IllegalAction,
    PlainSpec,
    both_parts,
    check_reset_options,
    find_draw,
    illegal_action_text,
    observation_space,
    options_of_keywords,
)
from solitaire_envs.imagination import sample_from

if TYPE_CHECKING:
    from solitaire_envs.picture import Window


class SolitaireEnv(PlainSpec, gymnasium.Env[Any, np.int64]):
    """A patience game as a Gymnasium environment; ``gymnasium.make("solitaire/Pyramid-v0")`` builds one.

    Action Space
        ``Discrete(A)``, a fixed list of moves, defined in ``ACTIONS`` of the game's module. Few of them are legal at a
        time. The legal ones are in ``info["action_mask"]``, int8 [A], as ``Discrete.sample`` wants it, and in
        ``action_masks()``, bool [A], as sb3-contrib wants it.

    Observation Space
        ``Box`` of int16 [O]. The game's module defines each slot in ``OBSERVATION``. Under ``privileged=True`` a
        ``Dict`` of two boxes: ``observation``, and ``privileged``, what it would be under ``information="open"``.

    Starting State
        ``reset(seed=s)`` starts a reproducible sequence of deals, one for each reset. ``reset(options={"deal": n})``
        lays out the deck that a deal number names, ``reset(options={"deck": text})`` the deck in the text. The keywords
        ``deals``, ``winnable`` and ``difficulty`` limit the deals that are drawn.

    Rewards
        The option ``objective`` chooses them. ``"score"``: what the move adds to the score, as the game's module
        defines it; ``"win"``: 1 at the move that wins, else 0. A series of deals has rewards of its own.

    Episode End
        Terminated when no move is left. Truncated after ``max_moves`` moves (an option of the game) or
        ``max_illegal_actions`` illegal ones. A deal without any legal move is over as it is dealt: its mask has no
        action, and the first step, whatever its action, terminates the episode with reward 0.

    Info
        The infos of `reset` and `step` have the same keys and types: ``action_mask``, int8 [A]; and as int64
        ``illegal_action``, 1 if the action was illegal, and the fields of the outcome as it would be if the game ended
        now: ``score``, ``won`` (0 or 1), ``moves``, ``passes``, and the others of the game's ``GAME.outcome``. So the
        last info holds the outcome of the episode, also if a wrapper truncates it.

    Arguments:
        See ``__init__`` and the game's ``Options``.

    Version History
        v0: initial.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # as Gymnasium declares it
        "render_modes": ["human", "rgb_array", "ansi"],
        "render_fps": 4,
    }

    def __init__(
        self,
        game: str,
        *,
        render_mode: str | None = None,
        illegal_action: IllegalAction = "ignore",
        max_illegal_actions: int = 1_000,
        deals: Deals | None = None,
        winnable: bool = False,
        difficulty: tuple[float, float] | None = None,
        privileged: bool = False,
        **options: Any,
    ) -> None:
        """Builds the environment.

        Args:
            game: Name of the game.
            render_mode: None; "human", a window; "rgb_array", pictures; or "ansi", text.
            illegal_action: What an illegal action does: 'ignore' leaves the game unchanged, gives reward 0 and sets
                ``info["illegal_action"]`` to 1; 'raise' raises.
            max_illegal_actions: The episode is truncated after this many illegal actions.
            deals: The deals that resets draw from, each entry equally likely: the first n training deals, a range
                or a list of deal numbers, or a file of them; None: all training deals.
            winnable: Draw only from the labelled training deals that can be won with the stock open.
            difficulty: Draw only from a band of the labelled training deals: (low, high), where 0 is the easiest deal
                and 1 the hardest.
            privileged: Whether the observation has a second part that shows the order of the stock, for critics and
                teachers in training.
            **options: The game's options, such as ``passes``.

        Raises:
            TypeError: A keyword is not an option of the game.
            ValueError: An argument is not one of those allowed.
            gymnasium.error.DependencyNotInstalled: The render mode needs a library that is not installed.
        """
        check_value("illegal_action", illegal_action, IllegalAction, {})
        self.game = find_game(game)
        self.options = options_of_keywords(self.game, options)
        self.engine = Engine(
            self.game,
            self.options,
            1,
            max_illegal_actions=max_illegal_actions,
            deals=choose_deals(self.game, self.options, deals, winnable, difficulty),
            privileged=privileged,
        )
        self.render_mode = render_mode
        self._draw = find_draw(render_mode, self.metadata["render_modes"])
        self._window: Window | None = None
        self.observation_space = observation_space(self.game, privileged=privileged)
        self.action_space = spaces.Discrete(self.engine.num_actions)
        self._raise_illegal = illegal_action == "raise"
        self._action = np.zeros(1, dtype=np.int64)
        self._seeded = False
        self._ended = True  # nothing is dealt yet

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deals a new game.

        Args:
            seed: Restarts the sequence of deals; an integer of 0..2**64 - 1.
            options: ``{"deal": n}`` or ``{"deck": "QH AC ..."}`` chooses the deal; the sequence does not advance.
                ``deals``, ``winnable`` and ``difficulty`` choose what this reset and later ones draw from, as
                `set_deals` does.

        Returns:
            The observation and the info.

        Raises:
            ValueError: An argument is invalid. Then nothing has changed.
        """
        seed = None if seed is None else check_seed("seed", seed)
        kind, value = check_reset_options(options)
        deck = parse_deck(value, self.engine.game.num_cards) if kind == "deck" else None
        deal = check_deal(value) if kind == "deal" else None
        if kind == "deals":
            self.set_deals(**value)
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            self.engine.seed([seed if seed is not None else int(self.np_random.integers(MAX_STREAM))])
            self._seeded = True
        if deck is not None:
            self.engine.deal_decks([deck])
        elif deal is not None:
            self.engine.deal_numbers([deal])
        else:
            self.engine.deal_next()
        return self._begin()

    def set_deals(
        self, deals: Deals | None = None, *, winnable: bool = False, difficulty: tuple[float, float] | None = None
    ) -> None:
        """Changes the deals that the next resets draw from; the arguments are those of ``__init__``.

        Raises:
            ValueError: An argument is invalid. Then nothing has changed.
        """
        self.engine.set_deals(choose_deals(self.game, self.options, deals, winnable, difficulty))

    def _begin(self) -> tuple[Any, dict[str, Any]]:
        """Shows the game that was dealt or restored; returns its observation and info."""
        self._ended = bool(self.engine.states.ended[0]) and not self._over_as_dealt
        if self.render_mode == "human":
            self.render()
        return self._seen(), self._info(illegal=False)

    @property
    def _over_as_dealt(self) -> bool:
        """Whether the deal had no legal move, and no step has said so."""
        return bool(self.engine.states.untold[0])

    def _seen(self) -> Any:
        buffers = self.engine.buffers
        return both_parts(buffers.observations[0], buffers.privileged[0])

    def _info(self, *, illegal: bool) -> dict[str, Any]:
        engine = self.engine
        return {
            "action_mask": engine.buffers.action_masks[0].astype(np.int8),
            "illegal_action": np.int64(illegal),
            **dict(zip(engine.outcome_names, engine.outcomes()[0], strict=True)),
        }

    def get_state(self) -> SavedState:
        """Returns the whole state of the game, for `set_state`. It holds the true order of the hidden cards.

        So an agent that plays on from it cheats, except under ``information="open"``. `sample_states` is fair. A state
        also holds the stream of deals.

        Raises:
            gymnasium.error.ResetNeeded: Nothing has been dealt yet.
        """
        if not self._seeded:
            raise gymnasium.error.ResetNeeded("no game to save: call reset() before get_state()")
        return self.engine.get_state(0)

    def sample_states(self, n: int, *, seed: int) -> list[SavedState]:
        """Returns states that agree with all that the player has seen, for `set_state`: the fair way to search.

        The hidden cards are in random order, each order equally likely; as far as the player knows, each of these games
        may be the one in play. Under ``information="open"`` nothing is hidden.

        Args:
            n: Number of states.
            seed: An integer of 0..2**64 - 1. What is sampled depends on the seed and the observation alone.

        Raises:
            ValueError: An argument is invalid; or the information is 'table', which hides what a player has seen.
            gymnasium.error.ResetNeeded: Nothing has been dealt yet.
        """
        if not self._seeded:
            raise gymnasium.error.ResetNeeded("no game to search in: call reset() before sample_states()")
        games = sample_from(self.engine, n, seed=seed)
        return [games.get_state(index) for index in range(n)]

    def set_state(self, state: SavedState) -> tuple[Any, dict[str, Any]]:
        """Puts the game back to a state, of this environment or of another with the same game and options.

        From there the same actions lead to the same observations and rewards, and the next resets without a seed deal
        the same games. A state does not include the counters of wrappers, the list of deals that resets draw from, or
        ``np_random``, which the environment uses only in a first reset without a seed.

        Args:
            state: What `get_state` or `sample_states` returned.

        Returns:
            The observation and the info, as `reset` does.

        Raises:
            ValueError: It is not a state, or it belongs to another game or other options.
        """
        self.engine.set_state(0, state)
        self._seeded = True
        return self._begin()

    def step(self, action: SupportsIndex) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays one action.

        Returns:
            Observation, reward, terminated, truncated, and the info.

        Raises:
            ValueError: The action is not in the action space; or it is illegal and ``illegal_action`` is 'raise'.
            gymnasium.error.ResetNeeded: The episode is over.
        """
        engine, buffers = self.engine, self.engine.buffers
        index = self._check_action(action)
        if self._ended:
            raise gymnasium.error.ResetNeeded("no episode is under way: call reset() before step()")
        if self._raise_illegal and not buffers.action_masks[0, index] and not self._over_as_dealt:
            raise ValueError(illegal_action_text(engine, 0, index))
        self._action[0] = index
        engine.step(self._action)
        info = self._info(illegal=bool(buffers.illegal[0]))
        terminated, truncated = bool(buffers.terminated[0]), bool(buffers.truncated[0])
        self._ended = terminated or truncated
        if self.render_mode == "human":
            self.render()
        return self._seen(), float(buffers.rewards[0]), terminated, truncated, info

    def _check_action(self, action: SupportsIndex) -> int:
        try:
            index = operator.index(action)
        except TypeError:
            raise TypeError(f"expected an action, an integer, got {short(action)}") from None
        if not 0 <= index < self.engine.num_actions:
            raise ValueError(f"expected an action of 0..{self.engine.num_actions - 1}, got {short(index)}")
        return index

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions, bool [A]."""
        return np.array(self.engine.buffers.action_masks[0])

    def outcome(self) -> dict[str, Any]:
        """Returns the outcome as it would be if the game ended now."""
        return self.engine.outcome(0)

    @property
    def deal(self) -> int | None:
        """The number of the deal under way; None if its deck was given."""
        state = self.engine.states[0]
        return int(state.deal) if state.dealt_by_number else None

    @property
    def deck(self) -> Deck:
        """The deck under way, uint8 [52] (or 104)."""
        deck: Deck = self.engine.states.deck[0].copy()
        return deck

    def move_text(self, action: int) -> str:
        """Returns an action as a move in words, such as ``QH+AC``.

        Raises:
            ValueError: The action is not in the action space.
        """
        return self.engine.move_text(0, self._check_action(action))

    def parse_move(self, text: str) -> int:
        """Returns the legal action that a move in words names.

        Raises:
            ValueError: The text is not a legal move.
        """
        return self.engine.parse_move(0, text)

    def render(self) -> Any:
        """Draws the table.

        Returns:
            Under ``render_mode="ansi"`` text; under "rgb_array" a picture, uint8 [height, width, 3]; under "human"
            None: a window shows the table, and `reset` and `step` update it by themselves.
        """
        if self._draw is None:
            gymnasium.logger.warn("expected a render_mode when the environment was made, got None: nothing rendered")
            return None
        drawing = self._draw(self.engine, 0)
        if self.render_mode != "human":
            return drawing
        if self._window is None:
            from solitaire_envs.picture import Window  # noqa: PLC0415  # as in `find_draw`

            title = self.game.name.replace("_", " ").capitalize()
            self._window = Window(title, drawing.shape, self.metadata["render_fps"])
        self._window.show(drawing)
        return None

    def _repr_png_(self) -> bytes | None:
        """Returns the picture for notebooks; None before the first deal, or if Pillow is not installed."""
        try:
            from solitaire_envs.picture import render_png  # noqa: PLC0415  # as in `find_draw`
        except gymnasium.error.DependencyNotInstalled:
            return None
        return render_png(self.engine, 0) if self._seeded else None

    def __getstate__(self) -> dict[str, Any]:
        """Returns what a copy is made of: all but the window. A copy opens its own."""
        return {**self.__dict__, "_window": None}

    def close(self) -> None:
        """Closes the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

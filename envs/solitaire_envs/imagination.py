"""Games as a player can imagine them: states that agree with all that it has seen, to search in without cheating.

The player knows which cards are hidden, but not in which order. So all orders are equally likely, whatever has been
played, since the rules never ask what is hidden (determinisation; Cowling, Powley and Whitehouse, 2012).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import next_random, random_state, shuffle_cards
from solitaire_envs.checks import check_seed, check_value, short
from solitaire_envs.engine import COUNT, Engine
from solitaire_envs.game import NO_LIMIT, Game, Options
from solitaire_envs.jit import entry_point, kernel


def sample_games(
    game: Game, options: Options, observations: NDArray[np.int16], n: int, *, seed: int, moves: Any = 0
) -> Engine:
    """Returns games that show the given observations, with the hidden cards in random order, each order equally likely.

    Under ``information="open"`` nothing is hidden, so all are the true game. Which orders are drawn depends on the seed
    and the observation alone. What no observation shows, such as in which pass a pyramid was cleared, is made up;
    `sample_from` knows it.

    Args:
        game: The game.
        options: Its options.
        observations: int16 [B, O], or [O] of one game.
        n: Number of games for each observation.
        seed: An integer of 0..2**64 - 1.
        moves: The moves made so far, for ``max_moves``: a number, or integers [B].

    Returns:
        An engine of B * n games, those of the first observation first. A game that is over stays over.

    Raises:
        ValueError: An argument is invalid, no game shows the observation under these options, or the information is
            'table', which hides what a player has seen.
    """
    rows = _check_observations(game, observations)
    return _sample(game, options, rows, n, seed, _check_moves(moves, len(rows)))


def sample_from(engine: Engine, n: int, *, seed: int, games: NDArray[np.int64] | slice = slice(None)) -> Engine:
    """Returns games that agree with what the player of each of some games of an engine has seen; as `sample_games`."""
    names = ("moves", *engine.game.remembered)
    known = {name: engine.states[name][games] for name in names}
    return _sample(engine.game, engine.options, engine.buffers.observations[games], n, seed, known)


def imagine_games(
    game: Game,
    options: Options,
    observations: NDArray[np.int16],
    cards: NDArray[Any] | None = None,
    *,
    moves: Any = 0,
) -> Engine:
    """Returns a game for each observation: with the given cards in its hidden places, or with unseen cards.

    An unseen card stays unseen: no move plays it, and when it is turned up, the observation shows it as unseen. So the
    games show what is known after a move, before chance comes in.

    Args:
        game: The game.
        options: Its options.
        observations: int16 [B, O], or [O] of one game.
        cards: Integers [B, H] as slots show cards, for the hidden places slot by slot; None: they stay unseen.
        moves: As in `sample_games`.

    Returns:
        An engine of B games. A game that is over stays over.

    Raises:
        ValueError: An argument is invalid, or no game shows the observation under these options.
    """
    rows = _check_observations(game, observations)
    given = np.zeros((len(rows), 0), np.int64) if cards is None else np.atleast_2d(np.asarray(cards, np.int64))
    if len(given) != len(rows):
        raise ValueError(f"expected cards for {len(rows)} observations, got {len(given)}")
    wrong = given[(given < 1) | (given > game.kinds)]
    if wrong.size:
        raise ValueError(f"expected cards of 1..{game.kinds}, as slots show them; got {wrong[0]}")
    streams = np.zeros(len(rows), np.uint64)
    return _imagine(game, options, rows, given, streams, _check_moves(moves, len(rows)))


def _check_observations(game: Game, observations: object) -> NDArray[np.int16]:
    given = np.atleast_2d(np.asarray(observations))
    if given.ndim != 2 or given.shape[1] != game.observation_size or given.dtype.kind not in "iu" or not len(given):
        raise ValueError(
            f"expected observations of {game.name}, integers [B, {game.observation_size}]; "
            f"got {given.dtype} of shape {given.shape}"
        )
    low, high = game.bounds
    wrong = (given < low) | (given > high)
    if wrong.any():
        raise ValueError(f"expected observations of {game.name}, within its bounds; got {given[wrong][0]}")
    return given.astype(np.int16)


def _check_moves(moves: object, rows: int) -> dict[str, NDArray[Any]]:
    given = np.asarray(moves)
    if given.dtype.kind not in "iu" or given.shape not in ((), (rows,)) or given.min() < 0:
        raise ValueError(f"expected moves to be a number of moves, or one for each of {rows}; got {short(moves)}")
    return {"moves": np.broadcast_to(given, rows)}


def _sample(
    game: Game, options: Options, observations: NDArray[np.int16], n: int, seed: int, known: dict[str, NDArray[Any]]
) -> Engine:
    if options.information == "table":
        raise ValueError("expected information='memory' or 'open', got 'table', which hides what a player has seen")
    check_value("n", n, int, COUNT)
    cards = np.zeros((len(observations) * n, int(observations[:, game.unseen].sum(axis=1).max())), np.int64)
    streams = np.zeros(len(cards), np.uint64)
    _shuffle_all(observations, game.unseen.start, game.kinds, np.uint64(check_seed("seed", seed)), n, cards, streams)
    known = {name: np.repeat(values, n) for name, values in known.items()}
    return _imagine(game, options, np.repeat(observations, n, axis=0), cards, streams, known)


@entry_point("imagination")
def _shuffle_all(observations: Any, first: int, kinds: int, seed: Any, n: int, cards: Any, streams: Any) -> None:
    """Writes the hidden cards of each game, [B * n, H], and the stream of its later deals."""
    for row in range(len(observations)):
        random = random_state(seed, observations[row])
        for each in range(row * n, row * n + n):
            hidden = list_hidden(observations[row], first, kinds, cards[each])
            random = shuffle_cards(cards[each], hidden, random)
            random, streams[each] = next_random(random)


@kernel
def list_hidden(observation: Any, first: int, kinds: int, cards: Any) -> int:
    """Lists the cards whose places an observation does not tell, as slots show cards; returns how many there are.

    Args:
        observation: An observation, int [O].
        first: The first slot of the stretch ``unseen``.
        kinds: The number of its slots.
        cards: Written to.
    """
    hidden = 0
    for kind in range(kinds):
        for _ in range(observation[first + kind]):
            cards[hidden] = kind + 1
            hidden += 1
    return hidden


def _imagine(
    game: Game,
    options: Options,
    observations: NDArray[np.int16],
    cards: NDArray[np.int64],
    streams: NDArray[np.uint64],
    known: dict[str, NDArray[Any]],
) -> Engine:
    engine = Engine(game, options, len(observations))
    states = engine.states
    states.deck[:] = game.num_cards  # nobody knows what has been dealt
    states.stream[:] = streams
    for name, values in known.items():
        states[name] = values
    engine.imagine(np.ascontiguousarray(observations), cards)
    different = np.flatnonzero((engine.buffers.observations != observations).any(axis=1))
    if different.size:
        raise ValueError(
            f"expected observations that {game.name} shows under {short(options)}, got another in row {different[0]}"
        )
    limit = NO_LIMIT if options.max_moves is None else options.max_moves
    states.ended[:] = ~engine.buffers.action_masks.any(axis=1) | (states.moves >= limit)
    return engine

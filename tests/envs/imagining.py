"""Checks of `Game.imagine` that every game has to pass: imagined games look like the true ones and go on like them."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.engine import Engine
from solitaire_envs.game import HEADER, Game

BATCH, STEPS = 32, 120
NO_CARDS = np.zeros((BATCH, 0), np.int64)
OWN_HEADER = {name for name, *_ in HEADER}


def played(game: Game, options: Any, seed: int, steps: int = STEPS) -> Iterator[Engine]:
    """Yields an engine of random games after each step; it also has their open observations."""
    engine, rng = Engine(game, options, BATCH, autoreset="same_step", privileged=True), np.random.default_rng(seed)
    engine.seed(range(seed, seed + BATCH))
    engine.deal_next()
    for _ in range(steps):
        yield engine
        engine.step(random_legal(engine.buffers.action_masks, rng))


def random_legal(masks: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    return (rng.random(masks.shape) * (masks + 1e-9)).argmax(axis=1)


def hidden_places(game: Game, observations: Any) -> NDArray[np.bool_]:
    """Returns which slots show an unseen card, bool [..., O]."""
    unseen = game.kinds + 1
    return np.asarray((observations == unseen) & (game.bounds[1] == unseen))


def true_cards(engine: Engine) -> NDArray[np.int64]:
    """Returns the cards in the hidden places of each game, slot by slot, [B, H]."""
    places = hidden_places(engine.game, engine.buffers.observations)
    cards = np.zeros((len(places), places.sum(axis=1).max()), np.int64)
    for row, hidden, shown in zip(cards, places, engine.buffers.privileged, strict=True):
        row[: hidden.sum()] = shown[hidden]
    return cards


def imagined(engine: Engine, cards: NDArray[np.int64], filled_with: int = 0) -> Engine:
    """Returns what an engine's observations and the given cards make of states that hold other bytes before."""
    twin = Engine(engine.game, engine.options, BATCH, privileged=True)
    twin.states.view(np.uint8)[:] = filled_with
    known = ("moves", "ended", "untold", "illegal_actions", "stream", *engine.game.remembered)
    for name in known:
        twin.states[name] = engine.states[name]
    twin.imagine(engine.buffers.observations, cards)
    return twin


def check_that_it_looks_the_same(game: Game, options: Any, seed: int = 0) -> int:
    """Checks observations and masks of imagined games, with hidden places unseen and filled; returns the positions."""
    for engine in played(game, options, seed):
        for cards in (NO_CARDS, true_cards(engine), true_cards(engine)[:, :3]):
            twin, other = imagined(engine, cards), imagined(engine, cards, filled_with=0x55)
            assert np.array_equal(twin.buffers.observations, engine.buffers.observations)
            assert np.array_equal(twin.buffers.action_masks, engine.buffers.action_masks)
            for name in set(game.state.names or ()) - OWN_HEADER:
                assert np.array_equal(twin.states[name], other.states[name]), name
    return BATCH * STEPS


def both(engine: Engine, cards: NDArray[np.int64]) -> tuple[Engine, Engine]:
    """Returns an engine's games as they are imagined with the given cards, and a copy of the true ones."""
    twin, true = imagined(engine, cards), Engine(engine.game, engine.options, BATCH, privileged=True)
    for own, given in zip(true.arrays, engine.arrays, strict=True):
        own[:] = given
    if engine.game.base:
        twin.states["series"] = true.states["series"]  # what a series deals next is hidden as well
    return twin, true


def check_that_it_goes_on_as_the_true_game(game: Game, options: Any, seed: int = 0) -> int:
    """Checks games imagined with the true cards, to their ends; returns the number of moves."""
    moves, rng = 0, np.random.default_rng(seed)
    for engine in islice(played(game, options, seed), 0, None, 20):
        twin, true = both(engine, true_cards(engine))
        for _ in range(300):
            going = ~true.states.ended
            actions = random_legal(true.buffers.action_masks, rng)
            true.step(actions)
            twin.step(actions)
            for name in ("observations", "action_masks", "rewards", "terminated", "truncated", "privileged"):
                assert np.array_equal(getattr(twin.buffers, name), getattr(true.buffers, name)), name
            assert np.array_equal(twin.outcomes(), true.outcomes())
            moves += int(going.sum())
    return moves


def check_that_unseen_cards_stay_unseen(game: Game, options: Any, seed: int = 0) -> int:
    """Checks that games with unseen cards show nothing false, and no more than is known; returns the moves."""
    moves, rng = 0, np.random.default_rng(seed)
    for engine in islice(played(game, options, seed), 0, None, 20):
        twin, true = both(engine, NO_CARDS)
        going = ~true.states.ended
        for _ in range(300):
            actions = random_legal(twin.buffers.action_masks, rng)
            assert true.buffers.action_masks[going, actions[going]].all()
            deals = [one.states["games"].copy() for one in (twin, true)] if game.base else []
            true.step(actions)
            twin.step(actions)
            going &= ~true.states.ended & ~twin.states.ended
            for one, before in zip((twin, true), deals, strict=False):
                going &= one.states["games"] == before  # a series deals the next game with all its cards
            shown, truth = (one.buffers.observations[going] for one in (twin, true))
            differs = shown != truth
            differs[:, game.unseen] = False
            assert (shown[differs] == game.kinds + 1).all()
            assert (shown[:, game.unseen] >= truth[:, game.unseen]).all()
            assert (twin.buffers.action_masks[going] <= true.buffers.action_masks[going]).all()
            assert (twin.buffers.rewards == true.buffers.rewards)[going].all()
            moves += int(going.sum())
    return moves

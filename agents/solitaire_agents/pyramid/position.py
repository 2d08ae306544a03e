"""Positions of Pyramid in the solver's form: made from observations and states, played on, and shown as observations.

A position is a row of five numbers, the solver's `Position`, and belongs to a deck. An observation does not tell suits,
or where discarded cards were. Neither matters, so they are made up.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Observations
from solitaire_agents.bits import index_of
from solitaire_agents.pyramid.solver.api import Position
from solitaire_envs import pyramid_table
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.jit import entry_point, kernel
from solitaire_envs.pyramid import AT, CLEARED_BONUS
from solitaire_envs.pyramid_table import (
    DRAW,
    FIRST,
    NO_PLACE,
    PYRAMID_SIZE,
    RANK,
    REDEAL,
    SECOND,
    STOCK,
    STOCK_SIZE,
    UNSEEN,
    WASTE,
)

Decks: TypeAlias = NDArray[np.int64]
"""[N, 52], as the solver takes them."""
Positions: TypeAlias = NDArray[np.int64]
"""[N, 5], each row a `Position`."""

_RANK: list[int] = RANK.tolist()


# --- From observations and states -------------------------------------------------------------------------------------


def imagine(observations: Observations) -> tuple[Decks, Positions]:
    """Returns a deck and a position that fit each observation.

    Hidden cards stand in the hidden part of the stock, in order of rank. Discarded cards fill the empty places of the
    pyramid and the end of the deck.
    """
    decks, positions = np.empty((len(observations), NUM_CARDS), np.int64), np.empty((len(observations), 5), np.int64)
    _imagine_all(observations, np.empty(NUM_RANKS + 1, np.int64), decks, positions)
    return decks, positions


def from_observation(row: Sequence[int]) -> tuple[list[int], Position]:
    """Returns a deck and a position that fit one observation.

    Raises:
        ValueError: The observation does not show the order of the stock.
    """
    if UNSEEN in row[: AT.pass_]:
        raise ValueError("expected observations that show the order of the stock (information='open')")
    decks, positions = imagine(np.array([row], np.int16))
    return decks[0].tolist(), Position(*positions[0].tolist())


@entry_point("pyramid position")
def _imagine_all(observations: Any, suits: Any, decks: Any, positions: Any) -> None:
    for i in range(len(observations)):
        suits[:] = 0
        imagine_one(observations[i], suits, decks[i], positions[i])


@kernel
def imagine_one(observation: Any, suits: Any, deck: Any, position: Any) -> None:
    """Does what `imagine` does, for one observation.

    Args:
        observation: int16 [O].
        suits: int64 [14], all 0: number of cards taken of each rank.
        deck: int64 [52], written to.
        position: int64 [5], written to.
    """
    in_pyramid, end = 0, PYRAMID_SIZE
    for place in range(PYRAMID_SIZE):
        if observation[place] > 0:
            deck[place] = _take(suits, observation[place])
            in_pyramid |= 1 << place
    for slot in range(AT.waste + STOCK_SIZE - 1, AT.waste - 1, -1):  # the lowest card was drawn first
        end = _put(suits, observation[slot], deck, end)
    position[0], position[2] = in_pyramid, end - PYRAMID_SIZE
    for slot in range(AT.stock, AT.stock + STOCK_SIZE):
        if observation[slot] < UNSEEN:
            end = _put(suits, observation[slot], deck, end)
    for rank in range(1, NUM_RANKS + 1):
        for _ in range(observation[AT.unseen + rank - 1]):
            end = _put(suits, rank, deck, end)
    position[1] = (1 << end - PYRAMID_SIZE) - 1
    position[3], position[4] = observation[AT.pass_], 0
    rank = 1
    for place in range(NUM_CARDS):
        if place >= end or (place < PYRAMID_SIZE and observation[place] == 0):
            while suits[rank] == 4:
                rank += 1
            deck[place] = _take(suits, rank)


@kernel
def _put(suits: Any, rank: int, deck: Any, end: int) -> int:
    """Puts a card at the end of the deck, unless its rank is 0; returns the new end."""
    if rank == 0:
        return end
    deck[end] = _take(suits, rank)
    return end + 1


@kernel
def _take(suits: Any, rank: int) -> int:
    """Returns a card of a rank that has not been taken yet."""
    card = NUM_RANKS * suits[rank] + rank - 1
    suits[rank] += 1
    return int(card)


def from_state(state: Any) -> Position:
    """Returns the position of a game in play, a record of `pyramid.STATE`; its deck is the state's."""
    index = {card: place - PYRAMID_SIZE for place, card in enumerate(state.deck.tolist())}
    stock = [index[card] for card in pyramid_table.stock_cards(state)]
    waste = [index[card] for card in pyramid_table.waste_cards(state)]
    in_pass = int(state.cleared_in_pass)
    return Position(
        pyramid=int(state.pyramid),
        stock=sum(1 << i for i in stock + waste),
        pointer=min(stock, default=STOCK_SIZE),
        pass_number=int(state.current_pass),
        bonus=int(CLEARED_BONUS[in_pass - 1]) if 1 <= in_pass <= len(CLEARED_BONUS) else 0,
    )


# --- Moves ------------------------------------------------------------------------------------------------------------


@entry_point("pyramid position")
def play_all(actions: Any, positions: Any) -> None:
    """Plays a legal action, int64[N], in each position, int64[N, 5]."""
    for i in range(len(actions)):
        action, position = actions[i], positions[i]
        if action == REDEAL:
            position[2] = 0
            position[3] += 1
        elif action == DRAW:
            position[2] = _stock_top(position) + 1
        else:
            for place in (FIRST[action], SECOND[action]):
                if place == STOCK:
                    position[1] &= ~(1 << _stock_top(position))
                elif place == WASTE:
                    position[1] &= ~(1 << _waste_top(position))
                elif place != NO_PLACE:
                    position[0] &= ~(1 << place)


@kernel
def _stock_top(position: Any) -> int:
    """Returns the index in the stock of the first card left at or after the pointer."""
    ahead = position[1] >> position[2]
    return int(position[2] + index_of(ahead & -ahead))


@kernel
def _waste_top(position: Any) -> int:
    """Returns the index in the stock of the last card left before the pointer."""
    top = position[2] - 1
    while top > 0 and position[1] >> top & 1 == 0:
        top -= 1
    return int(top)


# --- Observations -----------------------------------------------------------------------------------------------------


def show(deck: Sequence[int], position: Position) -> list[int]:
    """Returns the observation of a position, up to its pass slot, with the order of the stock shown."""
    row, left = [0] * (AT.pass_ + 1), position.pyramid | position.stock << PYRAMID_SIZE
    ranks = [_RANK[card] if left >> place & 1 else 0 for place, card in enumerate(deck)]
    pointer = PYRAMID_SIZE + position.pointer
    stock, waste = (list(filter(None, pile)) for pile in (ranks[pointer:], ranks[PYRAMID_SIZE:pointer][::-1]))
    row[:PYRAMID_SIZE] = ranks[:PYRAMID_SIZE]
    row[AT.stock : AT.stock + len(stock)] = stock
    row[AT.waste : AT.waste + len(waste)] = waste
    row[AT.pass_] = position.pass_number
    return row

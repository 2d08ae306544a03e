"""The choices of Pyramid: its legal moves, and the inputs that describe the position after each.

That position is the one before the next card of the stock is turned up. It holds the number of hidden cards of each
rank, but not their order; if only one card is hidden, its place is known. An available king is always discarded; there
is no choice.

In Pyramid the ranks of two cards do not matter, only whether they add up to 13. So no input names a rank. Most inputs
are pairs of places whose cards match: what is learned about fives and eights holds for twos and jacks.
"""

from functools import cache, partial
from itertools import permutations
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.bits import count_ones
from solitaire_agents.choices import (
    FORCED,
    Choices,
    list_legal,
    new_steps,
    one_move,
    steps_over,
    wins,
)
from solitaire_agents.pyramid.bounds import make_bounds
from solitaire_agents.pyramid.heuristics import RELATED
from solitaire_envs import pyramid
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.jit import kernel
from solitaire_envs.pyramid import AT, CLEARED_BONUS
from solitaire_envs.pyramid_table import (
    COVERS,
    FIRST,
    KING,
    NO_PLACE,
    PYRAMID_SIZE,
    REDEAL,
    ROWS,
    SECOND,
    STOCK_SIZE,
    UNSEEN,
)

KNOWN_PLACES: Final = PYRAMID_SIZE + 2 * STOCK_SIZE
"""Number of slots that hold a card. They are the places: pyramid, stock and waste, the piles by depth."""
SOMEWHERE: Final = KNOWN_PLACES
"""The place of all cards that are hidden."""
_PLACES: Final = KNOWN_PLACES + 1
_PAIRS: Final = _PLACES * (_PLACES - 1) // 2
_MOST: Final = 3
"""Larger numbers of passes and redeals are treated as this one."""

_MATCH: Final = 0  # two places whose cards match
_ONLY: Final = _MATCH + _PAIRS  # two such places, where one card has no other partner
_RIVAL: Final = _ONLY + _PAIRS  # two positions of the pyramid with cards of the same rank
_KING: Final = _RIVAL + PYRAMID_SIZE * (PYRAMID_SIZE - 1) // 2
_THERE: Final = _KING + KNOWN_PLACES
_OPEN: Final = _THERE + PYRAMID_SIZE
_PARTNERS: Final = _OPEN + PYRAMID_SIZE  # a position, and how many partners are left
_HIDDEN: Final = _PARTNERS + PYRAMID_SIZE * 5  # a position, and how many of its partners are hidden
_RIVALS: Final = _HIDDEN + PYRAMID_SIZE * 5  # a position, and how many other cards of its rank are left
_IN_STOCK: Final = _RIVALS + PYRAMID_SIZE * 4  # the pass, and the size of the stock
_IN_WASTE: Final = _IN_STOCK + _MOST * (STOCK_SIZE + 1)
_LEFT: Final = _IN_WASTE + STOCK_SIZE + 1
_TO_COME: Final = _LEFT + PYRAMID_SIZE + 1
_STUCK: Final = _TO_COME + _MOST + 1  # the number of pairs of ranks whose cards cannot all be discarded
_RULES: Final = _STUCK + KING // 2 + 1  # the tops of stock and waste may not be paired; the pyramid is enough to win
_ENDS_CLEARED: Final = 1  # the second of these rules
INPUTS: Final = _RULES + 2
"""Number of inputs."""
MOST_ON: Final = 320
"""Most inputs that are on at a time: 96 matches, 72 rivals, 5 for each position, 4 kings, 5 sizes, 2 rules."""
MOST_CANDIDATES: Final = 24
"""At most nine cards are available, with at most 20 pairs that match; drawing is another move."""
MANY_PASSES: Final = 5
"""Agents trained with this many passes also play with more."""

_RELATED: Final = np.pad(RELATED, (0, _PLACES - PYRAMID_SIZE))
"""Whether one place covers the other, directly or not."""

_PERFECT: Final = [sum(1 << (4 * a + b) for a, b in enumerate(one)) for one in permutations(range(4))]
_ALL_CAN_GO: Final = np.any([np.arange(1 << 16) & one == one for one in _PERFECT], axis=0)
"""Whether four cards and their four partners can all be paired off; bit 4a + b is set if card a and partner b match."""

_GONE: Final = np.array(
    [[sum(1 << (4 * a + b) for a in range(m, 4) for b in range(n, 4)) for n in range(5)] for m in range(5)]
)
"""Numbers of cards left of a rank and of the matching rank -> pairs of the cards that are gone."""
_BEST_SCORE: Final = int(CLEARED_BONUS[0])


class Storage(NamedTuple):
    """Working storage for one thread."""

    steps: Any  # Steps
    candidates: Any  # int64 [MOST_CANDIDATES]: legal moves
    after: Any  # int16 [O]: the position after a move, as an observation
    place: Any  # int64 [14, 4]: places of the cards of each rank
    held: Any  # int64 [14]: number of cards of each rank
    rules: Any  # bool [2]: whether each of the inputs of the rules is on


def pyramid_choices(options: pyramid.PyramidOptions) -> Choices:
    """Returns the choices of Pyramid."""
    rules = np.array([not options.stock_waste_pairs, options.goal == "pyramid"])

    def new_storage() -> Storage:
        return Storage(
            new_steps(pyramid.GAME, options),
            np.zeros(MOST_CANDIDATES, np.int64),
            np.zeros(pyramid.GAME.observation_size, np.int16),
            np.zeros((KING + 1, 4), np.int64),
            np.zeros(KING + 1, np.int64),
            rules,
        )

    return Choices(
        game=pyramid.GAME,
        options=options,
        inputs=INPUTS,
        most_on=MOST_ON,
        most_candidates=MOST_CANDIDATES,
        new_storage=new_storage,
        count=count,
        describe=describe,
        moves=one_move,
        normalised_return=wins if options.objective == "win" else _scaled_score,
        rules={
            "passes": min(options.passes, MANY_PASSES),
            "stock_waste_pairs": options.stock_waste_pairs,
            "goal": options.goal,
        },
        mirror=mirror_image(),
        new_bounds=partial(make_bounds, options),
    )


@kernel
def _scaled_score(outcome: Any) -> float:
    return float((outcome.score + NUM_CARDS) / (_BEST_SCORE + NUM_CARDS))


_look, _see_after = steps_over(pyramid.GAME)


@kernel
def count(storage: Any, observation: Any, mask: Any) -> int:
    """Makes each legal move a candidate. A king's discard is the only candidate, since it loses nothing.

    It may lose something where it ends the game before other cards can go: a king at the apex can wait.
    """
    _look(storage.steps, observation)
    for action in range(REDEAL + 1, len(mask)):
        if mask[action] and SECOND[action] == NO_PLACE and not (storage.rules[_ENDS_CLEARED] and FIRST[action] == 0):
            storage.candidates[0] = action
            return FORCED
    return int(list_legal(mask, storage.candidates))


@kernel
def describe(storage: Any, k: int, on: Any) -> int:
    """Writes the inputs that are on after a candidate; returns how many."""
    _see_after(storage.steps, storage.candidates[k], storage.after)
    _tell_the_last(storage.after)
    n = _inputs_of(storage, on)
    for rule in range(len(storage.rules)):
        if storage.rules[rule]:
            on[n] = _RULES + rule
            n += 1
    return n


@kernel
def _tell_the_last(seen: Any) -> None:
    """Writes the hidden card where it lies, if there is only one."""
    hidden, last = 0, 0
    for rank in range(1, KING + 1):
        if seen[AT.unseen + rank - 1]:
            hidden, last = hidden + seen[AT.unseen + rank - 1], rank
    if hidden == 1:
        seen[AT.unseen + last - 1] = 0
        for slot in range(AT.stock, AT.stock + 2 * STOCK_SIZE):
            if seen[slot] == UNSEEN:
                seen[slot] = last


# --- Inputs -----------------------------------------------------------------------------------------------------------


@kernel
def _inputs_of(storage: Any, on: Any) -> int:
    """Writes the inputs that are on for the position in the storage; returns how many."""
    _find_places(storage)
    place, held = storage.place, storage.held
    n, stuck = _size_inputs(storage, on, _pyramid_inputs(storage, on, 0)), 0
    for low in range(1, KING // 2 + 1):
        pairs = _pairs_of(storage, low)
        n = _match_inputs(storage, on, low, pairs, n)
        n = _card_inputs(storage, on, KING - low, _card_inputs(storage, on, low, n))
        stuck += not _ALL_CAN_GO[pairs | _GONE[held[low], held[KING - low]]]
    for k in range(held[KING]):
        if place[KING, k] != SOMEWHERE:
            on[n] = _KING + place[KING, k]
            n += 1
    on[n] = _STUCK + stuck
    return n + 1


@kernel
def _pyramid_inputs(storage: Any, on: Any, n: int) -> int:
    """Adds the cards of the pyramid that are left and those that are open to n inputs; returns the new number."""
    after, present, left = storage.after, 0, 0
    for i in range(PYRAMID_SIZE):
        present |= (after[i] != 0) << i
    for i in range(PYRAMID_SIZE):
        if present >> i & 1:
            on[n], left = _THERE + i, left + 1
            n += 1
            if COVERS[i] & present == 0:
                on[n] = _OPEN + i
                n += 1
    on[n] = _LEFT + left
    return n + 1


@kernel
def _size_inputs(storage: Any, on: Any, n: int) -> int:
    """Adds the pass and the sizes of the piles to n inputs; returns the new number."""
    after, stock, waste = storage.after, 0, 0
    for k in range(STOCK_SIZE):
        stock += after[AT.stock + k] != 0
        waste += after[AT.waste + k] != 0
    on[n] = _IN_STOCK + (min(after[AT.pass_], _MOST) - 1) * (STOCK_SIZE + 1) + stock
    on[n + 1] = _IN_WASTE + waste
    on[n + 2] = _TO_COME + min(after[AT.redeals], _MOST)
    return n + 3


@kernel
def _find_places(storage: Any) -> None:
    """Lists the places of the cards of each rank."""
    after, place, held = storage.after, storage.place, storage.held
    held[:] = 0
    for slot in range(KNOWN_PLACES):
        rank = after[slot]
        if 0 < rank < UNSEEN:
            place[rank, held[rank]] = slot
            held[rank] += 1
    for rank in range(1, KING + 1):
        for _ in range(after[AT.unseen + rank - 1]):
            place[rank, held[rank]] = SOMEWHERE
            held[rank] += 1


@kernel
def _card_inputs(storage: Any, on: Any, rank: int, n: int) -> int:
    """Adds, for each pyramid card of a rank, its hidden partners and its rivals to n inputs; returns the new number."""
    place, held = storage.place, storage.held
    for a in range(held[rank]):
        i = place[rank, a]
        if i >= PYRAMID_SIZE:
            break
        on[n] = _HIDDEN + 5 * i + storage.after[AT.unseen + KING - rank - 1]
        on[n + 1] = _RIVALS + 4 * i + held[rank] - 1
        n += 2
        for b in range(a):
            on[n] = _RIVAL + _pair(place[rank, b], i)
            n += 1
    return n


@kernel
def _match_inputs(storage: Any, on: Any, low: int, pairs: int, n: int) -> int:
    """Adds the pairs of cards of a rank and the matching rank to n inputs; returns the new number."""
    place, high = storage.place, KING - low
    for a in range(storage.held[low]):
        row, x = pairs >> 4 * a & 15, place[low, a]
        for b in range(4):
            if row >> b & 1:
                y = place[high, b]
                column = pairs >> b & 0x1111
                if x != y:  # two hidden cards share a place
                    alone = row & (row - 1) == 0 or column & (column - 1) == 0
                    on[n] = (_ONLY if alone else _MATCH) + _pair(min(x, y), max(x, y))
                    n += 1
        if x < PYRAMID_SIZE:
            on[n] = _PARTNERS + 5 * x + count_ones(row)
            n += 1
    for b in range(storage.held[high]):
        if place[high, b] < PYRAMID_SIZE:
            column = pairs >> b & 0x1111
            on[n] = _PARTNERS + 5 * place[high, b] + count_ones(column)
            n += 1
    return n


@kernel
def _pairs_of(storage: Any, low: int) -> int:
    """Returns which cards of a rank can go with which cards of the matching rank: bit 4a + b."""
    place, high, pairs = storage.place, KING - low, 0
    for a in range(storage.held[low]):
        for b in range(storage.held[high]):
            pairs |= (not _RELATED[place[low, a], place[high, b]]) << (4 * a + b)
    return pairs


@kernel
def _pair(low: int, high: int) -> int:
    """Returns the number of a pair of places."""
    return high * (high - 1) // 2 + low


@cache
def mirror_image() -> NDArray[np.uint16]:
    """Returns input -> its image in the mirrored pyramid, uint16 [INPUTS + 1]; the last entry stands for no input."""
    place, image = np.arange(_PLACES), np.arange(INPUTS + 1, dtype=np.uint16)
    for row in range(ROWS):
        first = row * (row + 1) // 2
        place[first : first + row + 1] = np.arange(first, first + row + 1)[::-1]
    high, low = place[np.array([(b, a) for b in range(_PLACES) for a in range(b)]).T]
    low, high = np.minimum(low, high), np.maximum(low, high)
    pairs = high * (high - 1) // 2 + low
    for block, end in ((_MATCH, _ONLY), (_ONLY, _RIVAL), (_RIVAL, _KING)):
        image[block:end] = block + pairs[: end - block]
    for block, each in ((_KING, 1), (_THERE, 1), (_OPEN, 1), (_PARTNERS, 5), (_HIDDEN, 5), (_RIVALS, 4)):
        moved = np.add.outer(each * place[:PYRAMID_SIZE], np.arange(each))
        image[block : block + moved.size] = block + moved.ravel()
    return image

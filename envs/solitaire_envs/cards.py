"""Cards, decks and deal numbers.

A card is an integer 0..51 = 13 * suit + (rank - 1), with suits in the order clubs, diamonds, hearts, spades and ranks
1 (ace) .. 13 (king). Its text is rank, then suit: ``AC``, ``TD``, ``QH``, ``KS``. In games with two packs, 52..103 are
the cards of the second, which a deck names with an apostrophe: ``AC'``.

A deal number is an unsigned 64-bit integer that names one deck for ever: SplitMix64 seeded with the number drives a
Fisher-Yates shuffle from the last card down. The generator is written out here because NumPy does not promise that its
streams stay the same from version to version.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.checks import short
from solitaire_envs.jit import entry_point, kernel

NUM_CARDS = 52
NUM_RANKS = 13
RANKS = "A23456789TJQK"
SUITS = "CDHS"
MAX_DEAL = 2**64 - 1
SECOND_PACK = "'"
"""Follows the cards of the second pack in the text of a deck."""

BYTE_ORDER_MARK = "\ufeff"
"""Some editors write it at the start of a text file."""

FIRST_RANDOM_DEAL = 2**63
"""Deals drawn at random are never below this number, so frozen lists of deals below it stay unseen in training."""

ALL_DEALS: NDArray[np.uint64] = np.zeros(0, np.uint64)
"""The empty list of deals, which stands for all training deals."""

Deck = NDArray[np.uint8]
"""Distinct cards, shape (52,), of two packs (104,), in the order in which they are dealt."""


def card_text(card: int) -> str:
    """Returns the two characters of a card, such as ``QH``; ``??`` of the number after the last, an unseen card."""
    return "??" if card == NUM_CARDS else RANKS[card % NUM_RANKS] + SUITS[card // NUM_RANKS]


def parse_card(text: str) -> int:
    """Reads a card such as ``QH``, ``qh``, ``TD`` or ``10D``.

    Raises:
        ValueError: The text is not a card.
    """
    name = text.strip().upper().replace("10", "T")
    if len(name) != 2 or name[0] not in RANKS or name[1] not in SUITS:
        raise ValueError(f"expected a card, rank {RANKS} (or 10) then suit {SUITS}, as in QH; got {short(text)}")
    return NUM_RANKS * SUITS.index(name[1]) + RANKS.index(name[0])


def _card_of_deck(card: int) -> str:
    return card_text(card % NUM_CARDS) + SECOND_PACK * (card // NUM_CARDS)


def deck_text(deck: Iterable[int]) -> str:
    """Returns a deck as its cards in dealing order with spaces between them."""
    return " ".join(_card_of_deck(int(card)) for card in deck)


def parse_deck(deck: str | Sequence[int] | Deck, num_cards: int = NUM_CARDS) -> Deck:
    """Reads a deck from text (cards separated by spaces, commas or nothing) or from card numbers.

    Args:
        deck: The cards in dealing order.
        num_cards: Their number, that of a pack or two.

    Raises:
        ValueError: It is not this many distinct cards. The message names the first wrong, missing or repeated card and
            its position.
    """
    if not isinstance(deck, str | Sequence) and not (isinstance(deck, np.ndarray) and deck.ndim == 1):
        raise ValueError(f"expected a deck, {num_cards} cards as text or as card numbers, got {short(deck)}")
    cards = _cards_of_text(deck) if isinstance(deck, str) else deck
    position_of: dict[int, int] = {}
    for position, card in enumerate(cards, start=1):
        if isinstance(card, bool) or not isinstance(card, int | np.integer) or not 0 <= card < num_cards:
            got = f"{_card_of_deck(int(card))}, of a second pack" if isinstance(deck, str) else short(card)
            raise ValueError(f"position {position} of the deck: expected a card number 0..{num_cards - 1}, got {got}")
        if int(card) in position_of:
            raise ValueError(
                f"expected {num_cards} distinct cards, got {_card_of_deck(int(card))} twice, "
                f"at positions {position_of[int(card)]} and {position}"
            )
        position_of[int(card)] = position
    if len(cards) < num_cards:
        missing = next(card for card in range(num_cards) if card not in position_of)
        raise ValueError(
            f"expected {num_cards} cards, got {len(cards)}: nothing at position {len(cards) + 1}, "
            f"and the first missing card is {_card_of_deck(missing)}"
        )
    return np.array(list(position_of), dtype=np.uint8)


def _cards_of_text(text: str) -> list[int]:
    cards, tokens = [], re.findall(r"(?:10[^\s,']|[^\s,']{1,2})'?|'", text.removeprefix(BYTE_ORDER_MARK))
    for position, token in enumerate(tokens, start=1):
        name = token.removesuffix(SECOND_PACK)
        try:
            cards.append(parse_card(name) + NUM_CARDS * (name != token))
        except ValueError as error:
            raise ValueError(f"position {position} of the deck: {error}") from None
    return cards


def check_deal(number: object) -> int:
    """Returns a deal number as an ``int``.

    Raises:
        ValueError: It is not an integer of 0..2**64 - 1.
    """
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 0 <= int(number) <= MAX_DEAL:
        raise ValueError(f"expected a deal number, an integer of 0..2**64 - 1, got {short(number)}")
    return int(number)


def deck_of_deal(number: int, num_cards: int = NUM_CARDS) -> Deck:
    """Returns the deck that a deal number names.

    Raises:
        ValueError: The number is not an integer of 0..2**64 - 1.
    """
    deck: Deck = decks_of_deals(np.array([check_deal(number)], dtype=np.uint64), num_cards)[0]
    return deck


@kernel
def next_random(state: Any) -> tuple[Any, Any]:
    """Advances SplitMix64 (Steele, Lea, Flood 2014): uint64 state -> (next state, uint64 output)."""
    state = np.uint64(state) + np.uint64(0x9E3779B97F4A7C15)
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state, z ^ (z >> np.uint64(31))


@kernel
def random_below(state: Any, bound: Any) -> tuple[Any, Any]:
    """Draws an unbiased number of 0..bound - 1 (Lemire 2019, on the high 32 bits): (next state, number)."""
    bound = np.uint64(bound)
    low_half = np.uint64(0xFFFFFFFF)
    state, output = next_random(state)
    product = (output >> np.uint64(32)) * bound
    if product & low_half < bound:
        threshold = np.uint64(2**32) % bound
        while product & low_half < threshold:
            state, output = next_random(state)
            product = (output >> np.uint64(32)) * bound
    return state, np.int64(product >> np.uint64(32))


@kernel
def random_state(seed: Any, observation: Any) -> Any:
    """Mixes a seed (uint64) and an observation (int16 [O]) into a state of SplitMix64 (uint64).

    So a random choice depends on the seed and the observation alone.
    """
    random = seed
    for slot in range(len(observation)):
        random = random * np.uint64(0x100000001B3) + np.uint64(observation[slot])  # as the FNV hash does
    return random


@kernel
def shuffle_cards(cards: Any, count: int, state: Any) -> Any:
    """Shuffles the first cards of an array; returns the next state of SplitMix64."""
    for last in range(count - 1, 0, -1):
        state, chosen = random_below(state, last + 1)
        card = cards[last]
        cards[last] = cards[chosen]
        cards[chosen] = card
    return state


@kernel
def shuffle(number: Any, deck: Any) -> None:
    """Writes the deck of a deal number into ``deck``, uint8 (52,) or (104,)."""
    for card in range(len(deck)):
        deck[card] = card
    shuffle_cards(deck, len(deck), np.uint64(number))


@kernel
def draw_deal(stream: Any) -> tuple[Any, Any]:
    """Draws a deal number at random: uint64 state of the stream -> (next state, number)."""
    stream, number = next_random(stream)
    return stream, number | np.uint64(FIRST_RANDOM_DEAL)


@kernel
def draw_from(stream: Any, deals: Any) -> tuple[Any, Any]:
    """Draws from a list of deal numbers, uint64 [n], each entry equally likely; from an empty list as `draw_deal`."""
    if len(deals) == 0:
        return draw_deal(stream)
    stream, place = random_below(stream, len(deals))
    return stream, deals[place]


def decks_of_deals(numbers: NDArray[np.uint64], num_cards: int = NUM_CARDS) -> NDArray[np.uint8]:
    """Returns the decks that deal numbers name: uint64 [n] -> uint8 [n, num_cards]."""
    decks = np.empty((len(numbers), num_cards), np.uint8)
    _shuffle_all(numbers, decks)
    return decks


def draw_deals(streams: NDArray[np.uint64], deals: NDArray[np.uint64] = ALL_DEALS) -> NDArray[np.uint64]:
    """Draws a deal number for each stream, uint64 [n], as `draw_from` does, and advances the streams in place."""
    numbers = np.empty_like(streams)
    _draw_all(streams, deals, numbers)
    return numbers


@entry_point("cards")
def _shuffle_all(numbers: Any, decks: Any) -> None:
    for i in range(len(numbers)):
        shuffle(numbers[i], decks[i])


@entry_point("cards")
def _draw_all(streams: Any, deals: Any, numbers: Any) -> None:
    for i in range(len(streams)):
        streams[i], numbers[i] = draw_from(streams[i], deals)

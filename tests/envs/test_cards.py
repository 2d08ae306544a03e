"""Cards, decks and deal numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solitaire_envs.cards import card_text, check_deal, deck_of_deal, deck_text, parse_card, parse_deck
from tests.reference.cards import deck_of

# Golden decks: a deal number names one deck for ever. If one of these changes, the generator is wrong, not the test.
GOLDEN = {
    0: "KC TH 9C TS 3C JS KS QC 3H KD 6D AD JD 3S 4C QS 4H 2D JH AC 5C 5H KH 6S 8H 5S "
    "8S QD TC 4S AS 7H 2H 7C QH 5D 7D AH 9D 8D 6H 4D 2S JC 9H 8C 3D 6C 9S 2C TD 7S",
    1: "9S 7S QH 4S AC 8H QS JH 6C 5H 7D JC 3D 7H QC AS TC 5C 2H 8C 5S KD TD AH 5D AD "
    "2C 9C 4C 2D 6H 3C KS 8S 3H 6S 7C 3S 8D 6D QD 4D 9H KC JD 2S TH JS 9D TS KH 4H",
    2**64 - 1: "3D 7D KC 5D QS 3C JH 7H AH TD QH TC 2H 4H KD 2C 9H JS 5H 9C JD 4C AS 6D 6H 9D "
    "4D 3H 6C TH TS 6S AD 5C 7C 2D QD 8C 2S 3S 7S 4S AC 9S QC 5S KH 8H 8D JC KS 8S",
}


@pytest.mark.parametrize("number", GOLDEN)
def test_golden_decks(number: int) -> None:
    assert deck_text(deck_of_deal(number)) == GOLDEN[number]


@given(st.permutations(range(52)) | st.permutations(range(104)), st.sampled_from([" ", ",", "", "\n", ", "]))
def test_deck_text_round_trip(cards: list[int], separator: str) -> None:
    text, number = deck_text(cards), len(cards)
    assert parse_deck(text.replace(" ", separator), number).tolist() == cards
    assert parse_deck(text.lower().replace("t", "10").replace(" ", separator), number).tolist() == cards
    assert parse_deck(cards, number).tolist() == cards
    assert parse_deck("\ufeff" + text, number).tolist() == cards


def test_decks_of_two_packs() -> None:
    deck = deck_of_deal(7, 104)
    assert sorted(deck.tolist()) == [*range(104)]
    assert deck_text([0, 52, 103]) == "AC AC' KS'"
    with pytest.raises(ValueError, match="position 1 .* 0..51, got AC', of a second pack"):
        parse_deck("AC' " + deck_text(range(51)))
    with pytest.raises(ValueError, match="expected 104 cards, got 52: nothing at position 53.*AC'$"):
        parse_deck(deck_text(range(52)), 104)
    with pytest.raises(ValueError, match="expected 104 distinct cards, got KS' twice, at positions 104 and 105"):
        parse_deck([*range(104), 103], 104)
    with pytest.raises(ValueError, match="position 2 of the deck: expected a card"):
        parse_deck("AC ' 2C", 104)


def test_cards_are_13_times_suit_plus_rank() -> None:
    assert [card_text(card) for card in (0, 12, 13, 26, 39, 51)] == ["AC", "KC", "AD", "AH", "AS", "KS"]
    assert parse_card("10d") == parse_card("TD") == 13 + 9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda cards: [*cards[:7], "QQ", *cards[8:]], "position 8 .* got 'QQ'"),
        (lambda cards: [*cards[:9], cards[2], *cards[10:]], "got 3C twice, at positions 3 and 10"),
        (lambda cards: cards[:-1], "got 51: nothing at position 52, and the first missing card is KS"),
        (lambda cards: [*cards, "AC"], "got AC twice, at positions 1 and 53"),
        (lambda cards: [], "got 0: nothing at position 1, and the first missing card is AC"),
    ],
)
def test_wrong_decks_name_the_card_and_its_position(change, message) -> None:  # type: ignore[no-untyped-def]
    cards = [card_text(card) for card in range(52)]
    with pytest.raises(ValueError, match=message):
        parse_deck(" ".join(change(cards)))


@pytest.mark.parametrize("wrong", [[*range(51), 52], [*range(51), -1], [*range(51), 1.5], [*range(51), True]])
def test_wrong_card_numbers(wrong: list[int]) -> None:
    with pytest.raises(ValueError, match=r"position 52 .* 0\.\.51"):
        parse_deck(wrong)


@given(st.text())
def test_any_text_is_a_deck_or_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        parse_deck(text)


@pytest.mark.parametrize("wrong", [-1, 2**64, 1.0, "7", None, True])
def test_wrong_deal_numbers(wrong: object) -> None:
    with pytest.raises(ValueError, match="expected a deal number"):
        check_deal(wrong)


def test_shuffle_is_uniform_enough() -> None:
    """Each card is as often in each place: chi-squared over 52 x 52 counts of 20,000 decks."""
    decks = np.array([deck_of_deal(number) for number in range(20_000)])
    counts = np.array([np.bincount(decks[:, place], minlength=52) for place in range(52)])
    expected = 20_000 / 52
    chi_squared = ((counts - expected) ** 2 / expected).sum()
    degrees = 51 * 51
    assert abs(chi_squared - degrees) < 5 * np.sqrt(2 * degrees)


def test_draws_that_an_unbiased_generator_has_to_reject() -> None:
    """No one would meet them by chance (one deck in two million), so a deal number is made for each of them."""
    for last in range(51, 1, -1):
        number = (_unmix(0) - (52 - last) * 0x9E3779B97F4A7C15) % 2**64  # its draw for card `last` comes out as 0
        assert deck_text(deck_of_deal(number)).split() == deck_of(number)


def _unmix(output: int) -> int:
    """Returns the state of SplitMix64 that gives an output: its steps taken back one by one."""

    def unshift(value: int, bits: int) -> int:
        found = value
        for _ in range(64 // bits):
            found = value ^ found >> bits
        return found

    value = unshift(output, 31) * pow(0x94D049BB133111EB, -1, 2**64) % 2**64
    value = unshift(value, 27) * pow(0xBF58476D1CE4E5B9, -1, 2**64) % 2**64
    return unshift(value, 30)

"""Values that people choose, as they write them."""

import pytest

from solitaire_envs.checks import did_you_mean, read_number, read_whole, short


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(
            ("12", 12),
            ("0", 0),
            ("-1", -1),
            ("+5", 5),
            ("1_000", 1_000),
            ("20_000_000", 20_000_000),
            ("2e6", 2_000_000),
        ),
        *(
            ("1.5e3", 1_500),
            ("0.5", 0.5),
            (".5", 0.5),
            ("1.", 1.0),
            ("1e-4", 1e-4),
            ("1e1", 10.0),
            ("9" * 30, 10**30 - 1),
        ),
    ],
)
def test_numbers(text: str, number: float) -> None:
    assert (read_number(text), type(read_number(text))) == (number, type(number))


@pytest.mark.parametrize(
    "text",
    [
        *("٣", "3_0", "1__000", "_1", "1_", "017", "00", "1:00:00", "0x10", "1e400", "nan", "inf", "9" * 5_000),
        *("", "-", ".", "e5", ".e5", " 3", "3 ", "3\n", "1,5", "many"),
    ],
)
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match="expected a number, got") as caught:
        read_number(text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("text", ["1.5", "1.0", "1e1", "1e-3"])
def test_what_is_no_whole_number(text: str) -> None:
    with pytest.raises(ValueError, match=f"expected a whole number, got '{text}'"):
        read_whole(text)


def test_a_number_of_any_length_is_shown_in_short() -> None:
    assert short(10**300).startswith("1000")
    assert short([10**10_000]) == "[33,220 bits]"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("carefull", ": did you mean careful?"),
        ("CAREFUL", ": did you mean careful?"),
        ("pyramid-v0", ": did you mean solitaire/Pyramid-v0?"),
        ("nothing like it", ""),
        ("", ""),
        (None, ""),
        ("x" * 10**6, ""),
    ],
)
def test_did_you_mean(name: object, said: str) -> None:
    assert did_you_mean(name, ["uniform", "careful", "solitaire/Pyramid-v0"]) == said

"""Moves in words and games written down."""

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solitaire_agents.uniform import UniformAgent
from solitaire_envs.cards import deck_of_deal
from solitaire_envs.catalogue import GAMES
from solitaire_envs.engine import Engine
from solitaire_envs.transcript import TITLE, Transcript, parse_transcript
from tests.environments import walk


def play_and_write(name: str, deal: int, **options: Any) -> Transcript:
    game = GAMES[name]
    engine = Engine(game, game.options(**options), 1)
    engine.deal_numbers([deal])
    agent, moves = UniformAgent(deal), []
    while not engine.states.ended[0]:
        action = agent.act(engine.buffers.observations, engine.buffers.action_masks)
        moves.append(engine.move_text(0, int(action[0])))
        engine.step(action)
    return Transcript(game=game, options=engine.options, deal=deal, moves=moves, outcome=engine.outcome(0))


@pytest.mark.parametrize("name", walk(GAMES))
@pytest.mark.parametrize("deal", range(5))
def test_what_is_written_can_be_read_and_replayed(name: str, deal: int) -> None:
    written = play_and_write(
        name, deal, **{"passes": 2} if "passes" in GAMES[name].options.__dataclass_fields__ else {}
    )
    read = parse_transcript(written.to_text())
    assert read == written
    assert len(list(read.replay())) == len(written.moves) + 1
    assert max(map(len, written.to_text().splitlines())) <= 100


def test_a_move_is_never_broken() -> None:
    written = Transcript(**{**vars(play_and_write("pyramid", 4)), "moves": ["draw", "turn-over", "a--b"] * 20})
    assert parse_transcript(written.to_text()).moves == written.moves


def test_a_deck_may_stand_in_place_of_the_deal() -> None:
    written = play_and_write("pyramid", 4)
    by_deck = Transcript(**{**vars(written), "deal": None, "deck": deck_of_deal(4)})
    read = parse_transcript(by_deck.to_text())
    assert read.deck is not None
    assert read.deck.tolist() == deck_of_deal(4).tolist()
    assert len(list(read.replay())) == len(written.moves) + 1


def test_a_byte_order_mark_in_front() -> None:
    written = play_and_write("pyramid", 4)
    assert parse_transcript("\ufeff" + written.to_text()).moves == written.moves


def test_moves_in_the_other_order_small_letters_and_10() -> None:
    game = GAMES["pyramid"]
    engine = Engine(game, game.options(), 1)
    engine.deal_numbers([0])
    for action in engine.legal_actions(0):
        text = engine.move_text(0, action)
        turned = "+".join(reversed(text.split("+"))).lower().replace("t", "10")
        assert engine.parse_move(0, text) == engine.parse_move(0, turned) == action or text in ("draw", "redeal")


def test_an_illegal_move_is_named_by_its_number() -> None:
    written = play_and_write("pyramid", 3)
    moves = [*written.moves[:4], "redeal", *written.moves[4:]]
    text = Transcript(**{**vars(written), "moves": moves}).to_text()
    with pytest.raises(ValueError, match=r"move 5: expected a legal move, one of: draw.* got 'redeal'"):
        list(parse_transcript(text).replay())


def test_a_wrong_outcome_is_refused() -> None:
    written = play_and_write("tour_infernale", 3)
    text = Transcript(**{**vars(written), "outcome": {**(written.outcome or {}), "score": 51}}).to_text()
    with pytest.raises(ValueError, match="expected the outcome .*51.*, got"):
        list(parse_transcript(text).replay())
    long = Transcript(**{**vars(written), "outcome": {"x" * 9_999: 1}}).to_text()
    with pytest.raises(ValueError, match="^.{0,480}$"):
        list(parse_transcript(long).replay())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a transcript"),
        ("solitaire-rl transcript 2\n", "expected a transcript"),
        (f"{TITLE}\ngame: pyramid\ndeal: 1\n", "expected a line 'moves:'"),
        (f"{TITLE}\ngame: bridge\ndeal: 1\nmoves:\n", "expected a game among"),
        (f"{TITLE}\ngame: pyramid\nmoves:\n", "either a line 'deal:' or a line 'deck:'"),
        (f"{TITLE}\ngame: pyramid\ndeal: x\nmoves:\n", "expected a deal number"),
        (f"{TITLE}\ngame: pyramid\ndeal: 1\nmoves:\noptions: [\n", "expected JSON after 'options:'"),
        (f"{TITLE}\ngame: pyramid\ndeal: 1\nmoves:\noptions: []\n", "expected a JSON object"),
        (f'{TITLE}\ngame: pyramid\ndeal: 1\nmoves:\noptions: {{"x": 1}}\n', "expected options among"),
        (f"{TITLE}\ngame: pyramid\ndeal: 1\ndeal: 2\nmoves:\n", "expected a line of each"),
        (f"{TITLE}\nhello\n", "expected a line of each"),
    ],
)
def test_foreign_text(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_transcript(text)


@given(st.text(), st.integers(0, 400), st.integers(0, 40))
def test_any_damage_is_a_value_error(insert: str, at: int, cut: int) -> None:
    text = play_and_write("pyramid", 1).to_text()
    damaged = text[:at] + insert + text[at + cut :]
    try:
        for engine in parse_transcript(damaged).replay():
            assert engine.states.moves[0] >= 0
    except ValueError as error:
        assert str(error)


def test_equal_piles_read_the_same_and_the_first_is_taken() -> None:
    game = GAMES["tour_infernale"]
    engine, agent = Engine(game, game.options(), 1), UniformAgent(0)
    engine.deal_numbers([5])
    seen = 0
    for _ in range(400):
        texts = [engine.move_text(0, action) for action in engine.legal_actions(0)]
        for action, text in zip(engine.legal_actions(0), texts, strict=True):
            first = engine.legal_actions(0)[texts.index(text)]
            assert engine.parse_move(0, text) == first
            seen += first != action
        if not texts:
            break
        engine.step(agent.act(engine.buffers.observations, engine.buffers.action_masks))
    assert seen > 0
    assert np.all(engine.states.moves > 0)


def test_a_transcript_cannot_have_a_module_imported() -> None:
    with pytest.raises(ValueError, match="expected the name of a game in the transcript, got 'antigravity:golf'"):
        parse_transcript(f"{TITLE}\ngame: antigravity:golf\ndeal: 1\nmoves:\n")
    assert "antigravity" not in sys.modules

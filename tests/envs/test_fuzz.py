"""Random bytes where files and texts are read: only the documented errors come out, and they say something."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solitaire_agents.catalogue import choices_of, load_trained
from solitaire_agents.network import random_network
from solitaire_agents.trained import CARD, WEIGHTS, write_trained
from solitaire_agents.trained_agent import AS_LEARNED
from solitaire_envs import pyramid
from solitaire_envs.cards import NUM_CARDS, card_text, parse_card, parse_deck
from solitaire_envs.engine import Engine
from solitaire_envs.transcript import TITLE, parse_transcript
from solitaire_training.config import load_config

OPTIONS = pyramid.PyramidOptions()
CHOICES = choices_of(pyramid.GAME, OPTIONS)
with_files = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
bytes_or_text = st.one_of(st.binary(max_size=300), st.text(max_size=200).map(lambda text: text.encode("utf-8")))
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
)


def only_value_errors(read: Callable[[], object]) -> None:
    try:
        read()
    except ValueError as error:
        assert "expected" in str(error)


@given(st.text(max_size=200) | st.lists(st.integers(-60, 60) | st.text(max_size=3), max_size=60))
def test_decks(deck: Any) -> None:
    only_value_errors(lambda: parse_deck(deck))


@given(st.permutations(range(NUM_CARDS)), st.integers(0, 51), st.text(max_size=4))
def test_almost_a_deck(cards: list[int], at: int, text: str) -> None:
    words = [card_text(card) for card in cards]
    assert parse_deck(" ".join(words)).tolist() == cards
    words[at] = text
    only_value_errors(lambda: parse_deck(" ".join(words)))


@given(st.text(max_size=6))
def test_cards(text: str) -> None:
    only_value_errors(lambda: parse_card(text))


@given(st.text(max_size=30))
def test_moves(text: str) -> None:
    engine = Engine(pyramid.GAME, OPTIONS, 1)
    engine.deal_numbers([0])
    only_value_errors(lambda: engine.parse_move(0, text))


@given(st.text(max_size=200))
def test_transcripts(text: str) -> None:
    only_value_errors(lambda: list(parse_transcript(text).replay()))
    only_value_errors(lambda: list(parse_transcript(f"{TITLE}\n{text}").replay()))
    only_value_errors(lambda: list(parse_transcript(f"{TITLE}\ngame: pyramid\ndeal: 1\nmoves: {text}").replay()))


@with_files
@given(content=bytes_or_text)
def test_yaml(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(content)
    only_value_errors(lambda: load_config(path, {}))


@with_files
@given(key=st.sampled_from(["env", "options", "seed", "num_envs", "learning_rate", "option_sets"]), value=json_values)
def test_yaml_values(tmp_path: Path, key: str, value: Any) -> None:
    import yaml

    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump({key: value}), encoding="utf-8")
    only_value_errors(lambda: load_config(path, {}))


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    network = random_network(CHOICES.inputs, (4, 2), seed=0)
    write_trained(folder, pyramid.GAME, OPTIONS, [CHOICES.rules], [AS_LEARNED], {}, network)
    return folder


@with_files
@given(file=st.sampled_from([CARD, WEIGHTS]), content=bytes_or_text, cut=st.floats(0, 1), flip=st.floats(0, 0.999))
def test_files_of_agents(trained: Path, tmp_path: Path, file: str, content: bytes, cut: float, flip: float) -> None:
    """Replaced by random bytes, cut short, or with one byte changed."""
    whole = (trained / file).read_bytes()
    changed = bytearray(whole)
    changed[int(flip * len(whole))] ^= 0xFF
    for name in (CARD, WEIGHTS):
        (tmp_path / name).write_bytes((trained / name).read_bytes())
    for damaged in (content, whole[: int(cut * len(whole))], bytes(changed)):
        (tmp_path / file).write_bytes(damaged)
        only_value_errors(lambda: load_trained(tmp_path, pyramid.GAME, OPTIONS, "agent"))


@with_files
@given(key=st.sampled_from(["format", "game", "options", "rules", "inputs", "widths"]), value=json_values)
def test_cards_of_agents(trained: Path, tmp_path: Path, key: str, value: Any) -> None:
    import json

    card = json.loads((trained / CARD).read_text(encoding="utf-8"))
    (tmp_path / WEIGHTS).write_bytes((trained / WEIGHTS).read_bytes())
    (tmp_path / CARD).write_text(json.dumps({**card, key: value}), encoding="utf-8")
    only_value_errors(lambda: load_trained(tmp_path, pyramid.GAME, OPTIONS, "agent"))

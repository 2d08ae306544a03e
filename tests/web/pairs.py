"""Pairs of games that differ only in hidden cards: the server answers both alike, in every field.

    python -m tests.web.pairs [COUNT [GAME ...]]    # COUNT pairs for each of the three games, or of some of them

Each endpoint is asked. What looks at all cards by its nature is left out: `perfect`, the solver's verdict in an
analysis or a review, and agents that are not fair. `about` and `agents` are told no deal.
"""

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from starlette.testclient import TestClient
from tqdm import tqdm

from solitaire_agents.catalogue import agents_of, find_agent
from solitaire_envs import cards
from solitaire_envs.engine import Engine
from solitaire_envs.render import layout_of
from solitaire_evaluation.env_spec import EnvSpec, make_env_spec
from solitaire_evaluation.people import COUNTED_DEALS, Games
from solitaire_web.analyses import Analyses
from solitaire_web.app import Server, make_app
from solitaire_web.positions import PositionCache

HOST = "127.0.0.1:8765"
FIRST = 2**40
"""The first deal number that stands for a deck of these games."""
SLOW = 0.01
"""Share of the pairs in which a slow agent is asked, which takes seconds."""
Rules = tuple[str, dict[str, Any]]
GAMES: dict[str, list[Rules]] = {
    "pyramid": [
        ("solitaire/Pyramid-v0", {}),
        ("solitaire/Pyramid-v0", {"objective": "win", "passes": 1}),
        ("solitaire/PyramidPar-v0", {"games": 2}),
    ],
    "tour_infernale": [
        ("solitaire/TourInfernale-v0", {"max_moves": 300}),
        ("solitaire/TourInfernaleOnePass-v0", {}),
        ("solitaire/TourInfernaleSprint-v0", {"budget": 200}),
    ],
    "klondike": [
        ("solitaire/Klondike-v0", {"max_moves": 300}),
        ("solitaire/KlondikeDrawOne-v0", {"max_moves": 300}),
        ("solitaire/Klondike-v0", {"passes": 2, "max_moves": 200}),
    ],
}


class Dealer:
    """Deals decks of the test by numbers, also in games that count."""

    def __init__(self) -> None:
        self.decks: list[Any] = []

    def deal(self, deck: Any) -> int:
        """Gives a deck a number; it is also the deck of every game that counts, until another comes."""
        self.decks.append(deck)
        return FIRST + len(self.decks) - 1

    def decks_of(self, numbers: Any, num_cards: int = 52) -> Any:
        """Returns the decks of deal numbers, uint8 [n, 52]."""
        assert num_cards == 52
        return np.array([self.deck_of(int(number)) for number in numbers], np.uint8).reshape(-1, 52)

    def deck_of(self, number: int, num_cards: int = 52) -> Any:
        """Returns the deck of a deal number, uint8 [52]."""
        if number in COUNTED_DEALS:
            return self.decks[-1]
        return self.decks[number - FIRST] if number >= FIRST else cards.deck_of_deal(number)


class Pairs:
    """Makes pairs of games, and asks the server about both."""

    def __init__(self, client: TestClient, server: Server, dealer: Dealer) -> None:
        self._client, self._server, self._dealer = client, server, dealer
        self._kinds: dict[tuple[Any, ...], dict[bool, list[str]]] = {}
        self.answers = 0

    def check(self, rules: Rules, seed: int) -> str:
        """Plays a deal, shuffles the cards that are hidden in one of its positions, and compares all answers.

        Returns:
            What the server says of the end of the game there; empty if it is open.
        """
        random, spec = np.random.default_rng(seed), make_env_spec(*rules)
        kinds = self._kinds.setdefault((spec.env, spec.options), _kinds(spec))
        deck, moves, hidden, places = _position(spec, kinds[True], random)
        other = deck.copy()
        while (other == deck).all():
            other[hidden] = random.permutation(deck[hidden])
        names = kinds[random.random() >= SLOW] or kinds[True]
        agents = random.choice(names, 3).tolist()
        told = [list(self._answers(spec, one, moves, agents, places)) for one in (deck, other)]
        self.answers += len(told[0])
        for mine, others in zip(*told, strict=True):
            assert mine == others, f"{rules}, seed {seed}, {' '.join(moves)}:\n{mine}\n{others}"
        return " ".join(json.loads(told[0][0].partition(": ")[2])["finish"])

    def _answers(
        self, spec: EnvSpec, deck: Any, moves: list[str], agents: list[str], places: list[str]
    ) -> Iterator[str]:
        """Yields all that is answered about a game in one position, without its number."""
        number = self._dealer.deal(deck)
        player = f"player {number}"
        rules = {"env": spec.env, "options": asdict(spec.options)}
        here = {**rules, "deal": str(number), "moves": " ".join(moves)}
        where = {"source": places[0], "target": places[1]}
        asked: list[tuple[str, dict[str, Any]]] = [
            ("position", here),
            ("position", {**here, "moves": f"{here['moves']} KS+KH"}),
            ("why", {**here, **where}),
            ("write", here),
            ("choice", {**here, "agent": agents[0]}),
            ("analyse", {**here, "agent": agents[1]}),
            ("review", {**here, "agent": agents[2]}),
            ("stuck", here),
        ]
        answers = [self._ask(name, content) for name, content in asked]
        answers.append(self._ask("read", {"text": json.loads(answers[3])["text"]}))
        self._server._positions = PositionCache()  # the number of a game that counts may have had another deck
        begun = self._ask("count/start", {**rules, "player": player})
        game = {"game": json.loads(begun)["game"]}
        answers += [begun, self._ask("count/move", {**game, "moves": here["moves"]})]
        answers += [self._ask("why", {**game, **where}), self._ask("stuck", game)]
        answers += [self._ask("count/move", {**game, "moves": here["moves"], "give_up": True})]
        answers += [self._ask("count/games", {**rules, "player": player})]
        own = {str(number), game["game"], json.loads(begun)["deal"], player}
        for name, answer in zip([*(name for name, _ in asked), "read", *["count"] * 6], answers, strict=True):
            yield f"{name}: {_without(answer, own)}"

    def _ask(self, name: str, content: dict[str, Any]) -> str:
        answer = self._client.post(f"/api/{name}", json=content)
        assert answer.status_code == 200 or "KS+KH" in content.get("moves", ""), answer.text
        assert '"kind": "error"' not in answer.text, answer.text
        return answer.text


def _without(answer: str, own: set[str]) -> str:
    """Returns an answer without the name of its game and the time of its end."""
    lines = []
    for line in answer.splitlines():
        content = json.loads(line)
        content = {name: value for name, value in content.items() if not (isinstance(value, str) and value in own)}
        for game in content.get("games", ()):
            del game["deal"], game["finished"]
        if "text" in content and "deal: " in content["text"]:
            content["text"] = [part for part in content["text"].splitlines() if not part.startswith("deal: ")]
        lines.append(json.dumps(content))
    return "\n".join(lines)


def _kinds(spec: EnvSpec) -> dict[bool, list[str]]:
    """Returns the fair agents that play under some rules: True -> the quick ones, False -> the others."""
    kinds: dict[bool, list[str]] = {True: [], False: []}
    for name in agents_of(spec.game):
        try:
            agent = find_agent(name, spec.game, spec.options)
        except ValueError:
            continue
        if agent.fair:
            kinds[agent.quick].append(name)
    return kinds


def _position(spec: EnvSpec, names: list[str], random: Any) -> tuple[Any, list[str], Any, list[str]]:
    """Plays a random deck; returns it, the moves to a position in it, the places of hidden cards, two spots.

    In half of the pairs the position is the last in which cards are hidden, where the end may be near.
    """
    deck, engine = random.permutation(52).astype(np.uint8), Engine(spec.game, spec.options, 1)
    engine.deal_decks([deck])
    agent, careless = find_agent(str(random.choice(names)), spec.game, spec.options), random.choice([0.0, 0.1, 0.5])
    moves, found = list[str](), list[tuple[int, Any, list[str]]]()
    while not engine.states.ended[0] and (engine.states.deck[0] == deck).all():
        hidden = spec.game.hidden(engine.states[0])
        if len(hidden) < 2:
            break
        spots = [spot.place for spot in layout_of(engine, 0).spots]
        found.append((len(moves), hidden, random.choice(spots, 2).tolist()))
        legal = engine.legal_actions(0)
        action = int(random.choice(legal) if random.random() < careless else agent.choose(engine)[0])
        moves.append(engine.move_text(0, action))
        engine.step(np.array([engine.parse_move(0, moves[-1])]))
    count, hidden, places = found[-1 if random.random() < 0.5 else random.integers(len(found))]
    return deck, moves[:count], hidden, places


@contextmanager
def pairs() -> Iterator[Pairs]:
    """Yields what compares pairs, with a server of its own."""
    dealer = Dealer()
    with ExitStack() as stack:
        stack.enter_context(patch("solitaire_envs.engine.decks_of_deals", dealer.decks_of))
        stack.enter_context(patch("solitaire_envs.transcript.deck_of_deal", dealer.deck_of))
        stack.enter_context(patch("solitaire_evaluation.people.decks_of_deals", dealer.decks_of))
        stack.enter_context(patch.object(Analyses, "_solver", lambda self, game: None))
        server = Server(Games(Path(stack.enter_context(tempfile.TemporaryDirectory()))))
        stack.callback(server.close)
        app: Any = make_app(server, [HOST])
        client = stack.enter_context(TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False))
        yield Pairs(client, server, dealer)


def run(count: int, first: int = 0, games: Sequence[str] = tuple(GAMES)) -> None:
    """Compares so many pairs for each of some games, and prints how many answers they had.

    Raises:
        AssertionError: Two answers differ.
    """
    with pairs() as compared:
        for game in games:
            before, rules = compared.answers, GAMES[game]
            for seed in tqdm(range(first, first + count), desc=game, disable=None, leave=False):
                compared.check(rules[seed % len(rules)], seed)
            print(f"{game}: {count:,} pairs, {compared.answers - before:,} pairs of answers, 0 differences", flush=True)


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000, games=sys.argv[2:] or tuple(GAMES))

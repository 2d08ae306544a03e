"""Patience games of piles in plain Python, by the words of the list of games: lists of cards, and nothing shared.

A card is its text, such as ``QH``. A move is its text: ``AC>F``, ``9S>TH``, ``KD>empty``, ``9S>cell``, ``2C>hole``,
``draw`` or ``redeal``; the card named is the undermost that moves.

In games of two packs a card of the second ends with an apostrophe, ``QH'``. Moves name cards as they look, without it
and in the suit that they count as, with the pile, from 1, of those that lie on one: ``9S:3>TH:5``.
"""

from typing import Any

RANKS, SUITS, RED = "A23456789TJQK", "CDHS", "DH"
COUNT_AS = {4: SUITS, 2: "SHHS", 1: "SSSS"}  # number of suits -> the suit that each of SUITS counts as
EIGHT, STAIRS = "7 7 7 7 6 6 6 6", "1 2 3 4 5 6 7"

WHOLE_RUNS: dict[str, Any] = {"build": "any", "moves": "runs", "run": "suit", "whole_runs": True}
DEALT_ON: dict[str, Any] = {**WHOLE_RUNS, "up": 1, "stock": "tableau"}
SPIDER: dict[str, Any] = {**DEALT_ON, "piles": "6 6 6 6 5 5 5 5 5 5", "draw_over_spaces": False, "packs": 2}

GAMES: dict[str, dict[str, Any]] = {
    "freecell": {"piles": EIGHT, "build": "alt", "cells": 4},
    "bakers_game": {"piles": EIGHT, "build": "suit", "cells": 4},
    "eight_off": {"piles": "6 " * 8, "build": "suit", "spaces": "kings", "cells": 8, "filled": 4},
    "seahaven_towers": {"piles": "5 " * 10, "build": "suit", "spaces": "kings", "cells": 4, "filled": 2},
    "fore_cell": {"piles": "6 " * 8, "build": "alt", "spaces": "kings", "cells": 4, "filled": 4},
    "beleaguered_castle": {"piles": "6 " * 8, "build": "any", "start": "aces"},
    "streets_and_alleys": {"piles": EIGHT, "build": "any"},
    "siegecraft": {"piles": "6 " * 8, "build": "any", "start": "aces", "cells": 1},
    "stronghold": {"piles": EIGHT, "build": "any", "cells": 1},
    "fan": {"piles": "3 " * 17 + "1", "build": "suit", "spaces": "kings", "returns": True},
    "king_albert": {"piles": "1 2 3 4 5 6 7 8 9", "build": "alt", "returns": True, "reserve": 7},
    "raglan": {"piles": "1 2 3 4 5 6 7 7 7", "build": "alt", "returns": True, "start": "aces", "reserve": 6},
    "somerset": {"piles": "1 2 3 4 5 6 7 8 8 8", "build": "alt", "returns": True},
    "alpha_star": {"piles": "4 " * 12, "build": "suit", "moves": "runs", "start": "aces"},
    "bakers_dozen": {"piles": "4 " * 13, "sunk": "K", "build": "any", "spaces": "none"},
    "delta_star": {"piles": "4 " * 12, "build": "suit", "start": "aces"},
    "american_canister": {"piles": EIGHT, "build": "alt", "moves": "runs"},
    "simple_simon": {**WHOLE_RUNS, "piles": "8 8 8 7 6 5 4 3 2 1"},
    "trigon": {
        "piles": STAIRS,
        "up": 1,
        "build": "suit",
        "moves": "runs",
        "spaces": "kings",
        "stock": "waste",
        "draw": 1,
        "passes": None,
    },
    "canfield": {
        "piles": "1 " * 4,
        "build": "alt",
        "wrap": True,
        "moves": "runs",
        "refill": ["reserve"],
        "start": "base",
        "stock": "waste",
        "draw": 3,
        "passes": None,
        "reserve": 13,
        "stacked": True,
        "whole_piles": False,
    },
    "east_haven": {
        "piles": "3 " * 7,
        "up": 1,
        "build": "alt",
        "moves": "runs",
        "returns": True,
        "stock": "tableau",
    },
    "northwest_territory": {
        "piles": STAIRS + " 8",
        "up": 1,
        "build": "alt",
        "moves": "runs",
        "spaces": "kings",
        "returns": True,
        "reserve": 16,
    },
    "fortunes_favor": {
        "piles": "1 " * 12,
        "build": "suit",
        "spaces": "none",
        "refill": ["waste", "stock"],
        "start": "aces",
        "stock": "waste",
        "draw": 1,
        "passes": 1,
    },
    "thirty_six": {"piles": "6 " * 6, "build": "any", "moves": "runs", "stock": "waste", "draw": 1, "passes": 1},
    "spiderette": {**DEALT_ON, "piles": STAIRS},
    "will_o_the_wisp": {**DEALT_ON, "piles": "3 " * 7},
    "golf": {"piles": "5 " * 7, "build": "none", "spaces": "none", "hole": "first", "stock": "hole"},
    "black_hole": {"piles": "3 " * 17, "build": "none", "spaces": "none", "hole": "AS", "turns": True},
    "worm_hole": {"piles": "3 " * 17, "build": "none", "spaces": "none", "hole": "AS", "turns": True, "cells": 1},
    "yukon": {
        "piles": "1 6 7 8 9 10 11",
        "up": 5,
        "build": "alt",
        "moves": "groups",
        "spaces": "kings",
        "returns": True,
    },
    "spider": SPIDER,
    "spider_two_suits": {**SPIDER, "suits": 2},
    "spider_one_suit": {**SPIDER, "suits": 1},
    "forty_thieves": {
        "piles": "4 " * 10,
        "build": "suit",
        "stock": "waste",
        "draw": 1,
        "passes": 1,
        "packs": 2,
    },
}


class Game:
    """One game.

    Args:
        name: One of `GAMES`.
        deck: The cards in dealing order.
        options: What differs from the facts of the game: ``cells``, ``draw``, ``passes``, ``returns``, ``whole_piles``.
    """

    def __init__(self, name: str, deck: list[str], **options: Any) -> None:
        self.facts = {**GAMES[name], **options}
        self.base = deck[0][0] if self.facts.get("start") == "base" else "A"
        self.packs: int = self.facts.get("packs", 1)
        self.foundations: dict[str, list[str]] = {suit + pack: [] for pack in ("", "'")[: self.packs] for suit in SUITS}
        self.hole: list[str] = []
        self.cells: list[str | None] = [None] * self.facts.get("cells", 0)
        self.reserve: list[str] = []
        self.waste: list[str] = []
        self.current_pass = 1
        self._deal(list(deck))

    def _deal(self, deck: list[str]) -> None:
        facts = self.facts
        if facts.get("start") == "aces":
            for card in [card for card in deck if card[0] == "A"]:
                deck.remove(card)
                self.foundations[card[1:]].append(card)
        if facts.get("start") == "base":
            self.foundations[deck[0][1:]].append(deck.pop(0))
        if facts.get("hole") == "AS":
            deck.remove("AS")
            self.hole.append("AS")
        for _ in range(facts.get("reserve", 0)):
            self.reserve.append(deck.pop(0))
        sizes = [int(size) for size in facts["piles"].split()]
        self.piles: list[list[str]] = [[] for _ in sizes]
        for row in range(max(sizes)):
            for pile, size in zip(self.piles, sizes, strict=True):
                if row < size:
                    pile.append(deck.pop(0))
        for pile in self.piles:
            pile.sort(key=lambda card: card[0] != facts.get("sunk"))  # stable
        self.down = [max(0, size - facts["up"]) if "up" in facts else 0 for size in sizes]
        self.first_down = list(self.down)
        for cell in range(facts.get("filled", 0)):
            self.cells[cell] = deck.pop(0)
        if facts.get("hole") == "first":
            self.hole.append(deck.pop(0))
        self.stock = deck  # its top first
        self.seen = {card for pile, down in zip(self.piles, self.down, strict=True) for card in pile[down:]}
        self.seen |= {card for cards in self.foundations.values() for card in cards}
        self.seen |= {*self.hole, *(card for card in self.cells if card)}
        self.seen |= set(self.reserve[-1:] if facts.get("stacked") else self.reserve)

    # --- What the rules ask

    def rank(self, card: str) -> int:
        """Returns 1 for the base rank, 13 for the last."""
        return (RANKS.index(card[0]) - RANKS.index(self.base)) % 13 + 1

    def suit(self, card: str) -> str:
        """Returns the suit that a card counts as."""
        return COUNT_AS[self.facts.get("suits", 4)][SUITS.index(card[1])]

    def name(self, card: str, pile: int | None = None) -> str:
        """Returns how moves name a card that lies on a pile, if it lies on one."""
        return card[0] + self.suit(card) + ("" if pile is None or self.packs == 1 else f":{pile + 1}")

    def home(self, card: str) -> str | None:
        """Returns the foundation that a card may go to, the first one of two."""
        homes = [home for home, cards in self.foundations.items() if len(cards) == self.rank(card) - 1]
        return next((home for home in homes if self.suit("A" + home) == self.suit(card)), None)

    def goes_on(self, card: str, under: str, build: str) -> bool:
        """Returns whether a card may lie on another."""
        lower = self.rank(under) - 1
        if lower == 0 and self.facts.get("wrap"):
            lower = 13
        suits = {
            "any": True,
            "alt": (self.suit(card) in RED) != (self.suit(under) in RED),
            "suit": self.suit(card) == self.suit(under),
            "none": False,
        }[build]
        return self.rank(card) == lower and suits

    def heads(self, pile: int) -> list[str]:
        """Returns the cards of a pile that may move with all that lie on them."""
        cards = self.piles[pile][self.down[pile] :]
        moves = self.facts.get("moves", "tops")
        if moves == "groups" or not cards:
            return cards
        if moves == "tops":
            return cards[-1:]
        run = [cards[-1]]
        for card in cards[-2::-1]:
            if not self.goes_on(run[0], card, self.facts.get("run", self.facts["build"])):
                break
            run.insert(0, card)
        return run

    def single(self) -> list[str]:
        """Returns the cards outside the tableau and the foundations that may be played."""
        reserve = self.reserve[-1:] if self.facts.get("stacked") else self.reserve
        return [card for card in [*self.cells, *reserve, *self.waste[-1:]] if card]

    @property
    def won(self) -> bool:
        """Whether the game is won."""
        if "hole" in self.facts:
            return not any(self.piles) and not any(self.cells)
        return sum(map(len, self.foundations.values())) == 52 * self.packs

    @property
    def score(self) -> int:
        """The cards on the foundations; or those played to the hole from the tableau."""
        if "hole" in self.facts:
            return sum(map(int, self.facts["piles"].split())) - sum(
                map(len, [*self.piles, [c for c in self.cells if c]])
            )
        return sum(map(len, self.foundations.values()))

    def moves(self) -> list[str]:
        """Returns the legal moves."""
        if self.won:
            return []
        found = []
        if self.stock:
            found += ["draw"] * (self.facts.get("draw_over_spaces", True) or [] not in self.piles)
        elif self.waste and (self.facts["passes"] is None or self.current_pass < self.facts["passes"]):
            found.append("redeal")
        tops = {place: pile[-1] for place, pile in enumerate(self.piles) if pile}
        found += self._moves_up([*tops.items(), *((None, card) for card in self.single())])
        backs = [cards[-1] for cards in self.foundations.values() if cards] if self.facts.get("returns") else []
        for card in [*self.single(), *backs]:
            found += self._moves_to_piles(card, None)
        for pile, cards in enumerate(self.piles):
            for card in self.heads(pile):
                if not self.facts.get("whole_piles") or card == cards[0]:
                    found += self._moves_to_piles(card, pile)
        if None in self.cells:
            found += [f"{self.name(card, pile)}>cell" for pile, card in tops.items()]
        return found

    def _moves_up(self, cards: list[tuple[int | None, str]]) -> list[str]:
        if "hole" in self.facts:
            top = self.rank(self.hole[-1])
            near = {top - 1, top + 1}
            if self.facts.get("turns"):
                near = {(rank - 1) % 13 + 1 for rank in near}
            return [f"{self.name(card, pile)}>hole" for pile, card in cards if self.rank(card) in near]
        if self.facts.get("whole_runs"):
            runs = [self.heads(pile) for pile in range(len(self.piles))]
            return [f"{self.name(run[0], pile)}>F" for pile, run in enumerate(runs) if len(run) == 13]
        return [f"{self.name(card, pile)}>F" for pile, card in cards if self.home(card)]

    def _moves_to_piles(self, card: str, source: int | None) -> list[str]:
        found, name = [], self.name(card, source)
        for target, cards in enumerate(self.piles):
            if cards and target != source and self.goes_on(card, cards[-1], self.facts["build"]):
                found.append(f"{name}>{self.name(cards[-1], target)}")
        spaces, alike = self.facts.get("spaces", "any"), source is not None and self.piles[source][0] == card
        if [] in self.piles and not alike and (spaces == "any" or (spaces == "kings" and self.rank(card) == 13)):
            found.append(f"{name}>empty")
        return found

    # --- Moves

    def play(self, move: str) -> int:
        """Plays a move; returns the change of the score."""
        before = self.score
        if move == "draw":
            self._draw()
        elif move == "redeal":
            self.stock, self.waste = self.waste, []
            self.current_pass += 1
        else:
            card, target = move.split(">")
            pile = next((pile for k, pile in enumerate(self.piles) if pile and self.name(pile[-1], k) == target), None)
            if target == "empty":
                pile = self.piles[self.piles.index([])]
            moving = self._take(card)
            if target == "F":
                home = moving[-1][1:] if len(moving) > 1 else self.home(moving[0])
                self.foundations[str(home)] += moving[::-1]
            elif target == "hole":
                self.hole += moving
            elif target == "cell":
                self.cells[self.cells.index(None)] = moving[0]
            elif pile is not None:
                pile += moving
        self._turn_and_fill()
        return self.score - before

    def _draw(self) -> None:
        to = self.facts["stock"]
        for place in range({"waste": self.facts.get("draw", 1), "tableau": len(self.piles), "hole": 1}[to]):
            if self.stock:
                card = self.stock.pop(0)
                self.seen.add(card)
                {"waste": self.waste, "hole": self.hole, "tableau": self.piles[place]}[to].append(card)

    def _take(self, card: str) -> list[str]:
        """Takes a card, by its name in a move, from where it lies, with all cards on it."""
        for place, pile in enumerate(self.piles):
            names = [self.name(each, place) for each in pile]
            if card in names:
                first = len(pile) - 1 - names[::-1].index(card)
                moving = pile[first:]
                del pile[first:]
                return moving
        for cards in (self.waste, self.reserve, *self.foundations.values()):
            top_alone = cards is not self.reserve or self.facts.get("stacked")
            if top_alone and cards and self.name(cards[-1]) == card:
                return [cards.pop()]
        if card in self.cells:
            self.cells[self.cells.index(card)] = None
        else:
            self.reserve[self.reserve.index(card)] = ""
        return [card]

    def _turn_and_fill(self) -> None:
        for place, pile in enumerate(self.piles):
            if pile and len(pile) == self.down[place]:
                self.down[place] -= 1
                self.seen.add(pile[-1])
            for origin in self.facts.get("refill", []):
                if not pile:
                    cards = {"reserve": self.reserve, "waste": self.waste, "stock": self.stock[::-1]}[origin]
                    if cards:
                        pile.append(cards[-1])
                        self.seen.add(cards[-1])
                        (self.stock if origin == "stock" else cards).remove(cards[-1])
        if self.facts.get("stacked"):
            self.seen |= set(self.reserve[-1:])

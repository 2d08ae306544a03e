"""Klondike, move by move: written from the text of the rules alone, before a look at the environments.

Nothing here was taken from the environments. A card is a string such as `QH`; slow and obvious beats fast.

A move is a tuple; piles are numbers from 0 to 6, suits letters:

- `("draw",)` and `("redeal",)`;
- `("waste", "foundation")` and `("waste", pile)`: the waste's top;
- `(pile, "foundation")`: a pile's top;
- `(pile, other)`: from a pile to another one. The cards that move are those from the one card that fits there upwards;
  only one can fit, as the ranks of a pile's face-up cards differ, and on an empty pile only a king does;
- `("foundation", suit, pile)`: the top of a foundation back on to a pile.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

RANKS = "A23456789TJQK"
SUITS = "CDHS"
RED = "DH"

Move = tuple[str | int, ...]


def rank(card: str) -> int:
    """A is 1, K is 13."""
    return RANKS.index(card[0]) + 1


def red(card: str) -> bool:
    """Diamonds and hearts are red, clubs and spades black."""
    return card[1] in RED


class Known(NamedTuple):
    """What a player knows: None stands for a card of which only the place is known."""

    tableau: list[list[str | None]]  # each pile's top comes last
    stock: list[str | None]  # its top comes first
    waste: list[str | None]  # its top comes last
    unseen: set[str]  # the cards that the Nones stand for


@dataclass
class Game:
    """One game of Klondike."""

    deck: list[str]
    draw: int = 3
    returns: bool = True
    passes: int | None = None
    max_moves: int = 1000
    information: str = "memory"
    face_down: list[list[str]] = field(init=False)  # of each pile; the card nearest to the top comes last
    face_up: list[list[str]] = field(init=False)  # of each pile, on its face-down cards; the top comes last
    stock: list[str] = field(init=False)  # its top comes first
    waste: list[str] = field(init=False)  # its top comes last
    foundations: dict[str, list[str]] = field(init=False)
    seen: set[str] = field(init=False)  # all cards that have been face up
    current_pass: int = field(init=False)
    played: int = field(init=False)
    legal: list[Move] = field(init=False)

    def __post_init__(self) -> None:
        """Deal: row by row, the first card of each row face up; the 24 cards left are the stock."""
        if sorted(self.deck) != sorted(r + s for r in RANKS for s in SUITS):
            raise ValueError("a deck is 52 distinct cards")
        if self.draw not in (1, 3):
            raise ValueError("a draw turns 1 or 3 cards")
        if self.passes is not None and self.passes < 1:
            raise ValueError("there is at least one pass")
        if self.information not in ("memory", "table", "open"):
            raise ValueError("information is 'memory', 'table' or 'open'")
        cards = list(self.deck)
        self.face_down = [[] for _ in range(7)]
        self.face_up = [[] for _ in range(7)]
        for row in range(7):
            self.face_up[row].append(cards.pop(0))
            for pile in range(row + 1, 7):
                self.face_down[pile].append(cards.pop(0))
        self.stock = cards
        self.waste = []
        self.foundations = {suit: [] for suit in SUITS}
        self.seen = {pile[0] for pile in self.face_up}
        self.current_pass = 1
        self.played = 0
        self.legal = self.find_moves()

    @property
    def score(self) -> int:
        """The number of cards on the foundations."""
        return sum(len(cards) for cards in self.foundations.values())

    @property
    def won(self) -> bool:
        """Whether all 52 cards are on the foundations."""
        return self.score == 52

    @property
    def lost(self) -> bool:
        """Whether no move is legal, in a game not won."""
        return not self.won and not self.moves()

    @property
    def truncated(self) -> bool:
        """Whether the moves have run out before the game was won or lost."""
        return self.played >= self.max_moves and not self.won and not self.lost

    @property
    def over(self) -> bool:
        """Whether the game is won, lost or cut short."""
        return self.won or self.lost or self.truncated

    def moves(self) -> list[Move]:
        """All legal moves, found once after each move."""
        return self.legal

    def on_foundation(self, card: str) -> bool:
        """Whether a card is the next one of its suit."""
        return rank(card) == len(self.foundations[card[1]]) + 1

    def on_pile(self, card: str, pile: int) -> bool:
        """Whether a card fits on a pile."""
        # The top of a pile is always face up, so a pile without face-up cards is empty.
        if not self.face_up[pile]:
            return rank(card) == 13
        top = self.face_up[pile][-1]
        return rank(card) == rank(top) - 1 and red(card) != red(top)

    def find_moves(self) -> list[Move]:
        """All legal moves; none once the game is won, though kings could return. Each empty pile is its own target."""
        if self.won:
            return []
        found: list[Move] = []

        if self.stock:
            found.append(("draw",))
        elif self.waste and (self.passes is None or self.current_pass < self.passes):
            found.append(("redeal",))

        if self.waste:
            card = self.waste[-1]
            if self.on_foundation(card):
                found.append(("waste", "foundation"))
            for pile in range(7):
                if self.on_pile(card, pile):
                    found.append(("waste", pile))

        for pile in range(7):
            if self.face_up[pile] and self.on_foundation(self.face_up[pile][-1]):
                found.append((pile, "foundation"))
            for other in range(7):
                if other == pile:
                    continue
                for card in self.face_up[pile]:
                    whole_pile = not self.face_down[pile] and card == self.face_up[pile][0]
                    if whole_pile and not self.face_up[other]:
                        continue  # to an empty pile: it changes nothing
                    if self.on_pile(card, other):
                        found.append((pile, other))

        if self.returns:
            for suit in SUITS:
                for pile in range(7):
                    if self.foundations[suit] and self.on_pile(self.foundations[suit][-1], pile):
                        found.append(("foundation", suit, pile))
        return found

    def play(self, move: Move) -> float:
        """Play a legal move; the reward is 1 for the move that wins, else 0."""
        if self.truncated:
            raise ValueError("the moves have run out")
        if move not in self.moves():
            raise ValueError(f"not a legal move: {move}")
        self.played += 1

        if move == ("draw",):
            for _ in range(min(self.draw, len(self.stock))):
                card = self.stock.pop(0)
                self.seen.add(card)
                self.waste.append(card)
        elif move == ("redeal",):
            # Turned over, the waste's lowest card is the stock's top.
            self.stock = self.waste
            self.waste = []
            self.current_pass += 1
        else:
            target = move[-1]
            cards = self.take(move)
            if target == "foundation":
                self.foundations[cards[0][1]] += cards
            else:
                self.face_up[target] += cards
            self.turn_up()
        self.legal = self.find_moves()
        return 1.0 if self.won else 0.0

    def take(self, move: Move) -> list[str]:
        """Take the cards that a move moves away from where they lie, the undermost first."""
        source, target = move[0], move[-1]
        if source == "waste":
            return [self.waste.pop()]
        if source == "foundation":
            return [self.foundations[move[1]].pop()]
        if target == "foundation":
            return [self.face_up[source].pop()]
        cards = [self.face_up[source].pop()]
        while not self.on_pile(cards[0], target):
            cards.insert(0, self.face_up[source].pop())
        return cards

    def turn_up(self) -> None:
        """Turn up each face-down card that is left on top."""
        for pile in range(7):
            if self.face_down[pile] and not self.face_up[pile]:
                card = self.face_down[pile].pop()
                self.seen.add(card)
                self.face_up[pile].append(card)

    def known(self) -> Known:
        """What a player knows. Face-up cards of the tableau and all of the foundations are known to everybody.

        - `memory`: every card that has been face up, and where it is. Nothing is concluded: the only card not seen yet
          counts as unseen.
        - `table`: of the waste its top only (with draw 3, too), of the stock nothing.
        - `open`: everything, the face-down cards of the tableau included. The rules say 'the order of the stock too',
          which in the other games is all that is hidden; and they call it thoughtful play, which in Klondike means
          that all cards are known.
        """
        up = {card for pile in self.face_up for card in pile}
        if self.information == "memory":
            cards = self.seen
        elif self.information == "table":
            cards = up | set(self.waste[-1:])
        else:
            cards = set(self.deck)
        tableau = [self.face_down[pile] + self.face_up[pile] for pile in range(7)]
        places = [*tableau, self.stock, self.waste]
        return Known(
            tableau=[[card if card in cards else None for card in pile] for pile in tableau],
            stock=[card if card in cards else None for card in self.stock],
            waste=[card if card in cards else None for card in self.waste],
            unseen={card for place in places for card in place} - cards,
        )

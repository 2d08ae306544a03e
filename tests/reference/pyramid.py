"""Pyramid, move by move: written from the text of the rules alone, before a look at the environments.

Nothing here was taken from the environments. A card is a string such as `QH`; slow and obvious beats fast.
"""

from dataclasses import dataclass, field

RANKS = "A23456789TJQK"
SUITS = "CDHS"
BONUS = {1: 50, 2: 35, 3: 20}


def rank(card: str) -> int:
    """A is 1, K is 13."""
    return RANKS.index(card[0]) + 1


def same(a: str, b: str) -> bool:
    """Whether two texts name the same move: in a pair, either card may come first."""
    return sorted(a.split("+")) == sorted(b.split("+"))


@dataclass
class Game:
    """One game of Pyramid."""

    deck: list[str]
    passes: int = 3
    stock_waste_pairs: bool = True
    goal: str = "all"
    rows: list[list[str | None]] = field(init=False)
    stock: list[str] = field(init=False)  # its top comes first
    waste: list[str] = field(init=False)  # its top comes last
    discarded: list[str] = field(init=False)
    current_pass: int = field(init=False)
    bonus: int = field(init=False)
    legal: list[str] = field(init=False)

    def __post_init__(self) -> None:
        """Deal: rows of 1 to 7 cards, the other 24 are the stock."""
        if sorted(self.deck) != sorted(r + s for r in RANKS for s in SUITS):
            raise ValueError("a deck is 52 distinct cards")
        if self.goal not in ("all", "pyramid"):
            raise ValueError("goal is 'all' or 'pyramid'")
        if self.passes < 1:
            raise ValueError("there is at least one pass")
        cards = list(self.deck)
        self.rows = []
        for length in range(1, 8):
            self.rows.append([cards.pop(0) for _ in range(length)])
        self.stock = cards
        self.waste = []
        self.discarded = []
        self.current_pass = 1
        self.bonus = 0
        self.legal = self.find_moves()

    def open_pyramid_cards(self) -> list[str]:
        """The pyramid's cards that are still there and that no card covers any more."""
        cards = []
        for r in range(7):
            for c in range(r + 1):
                card = self.rows[r][c]
                if card is None:
                    continue
                if r == 6 or (self.rows[r + 1][c] is None and self.rows[r + 1][c + 1] is None):
                    cards.append(card)
        return cards

    @property
    def cleared(self) -> bool:
        """Whether all 28 cards of the pyramid are discarded."""
        return all(card is None for row in self.rows for card in row)

    @property
    def won(self) -> bool:
        """Whether the goal is reached: all 52 cards discarded, or the 28 of the pyramid."""
        if self.goal == "pyramid":
            return self.cleared
        return len(self.discarded) == 52

    @property
    def over(self) -> bool:
        """Whether the game is won or no move is left."""
        return not self.moves()

    @property
    def score(self) -> int:
        """The bonus less the cards not discarded."""
        return self.bonus - (52 - len(self.discarded))

    def moves(self) -> list[str]:
        """All legal moves, found once after each move."""
        return self.legal

    def find_moves(self) -> list[str]:
        """All legal moves; none once the game is won."""
        if self.won:
            return []
        found = []

        available = self.open_pyramid_cards()
        if self.stock:
            available.append(self.stock[0])
        if self.waste:
            available.append(self.waste[-1])

        for card in available:
            if rank(card) == 13:
                found.append(card)

        for i, first in enumerate(available):
            for second in available[i + 1 :]:
                if rank(first) + rank(second) != 13:
                    continue
                both_tops = bool(self.stock and self.waste) and {first, second} == {self.stock[0], self.waste[-1]}
                if both_tops and not self.stock_waste_pairs:
                    continue
                found.append(f"{first}+{second}")

        if self.stock:
            found.append("draw")
        elif self.waste and self.current_pass < self.passes:
            found.append("redeal")
        return found

    def play(self, move: str) -> float:
        """Play a legal move; the reward is one for each card discarded, and the bonus when it clears the pyramid."""
        if not any(same(move, legal) for legal in self.moves()):
            raise ValueError(f"not a legal move: {move}")
        reward = self.carry_out(move)
        self.legal = self.find_moves()
        return reward

    def carry_out(self, move: str) -> float:
        """Change the table, and tell the reward."""
        if move == "draw":
            self.waste.append(self.stock.pop(0))
            return 0.0
        if move == "redeal":
            # Turned over, the waste's lowest card is the stock's top.
            self.stock = self.waste
            self.waste = []
            self.current_pass += 1
            return 0.0

        was_cleared = self.cleared
        cards = move.split("+")
        for card in cards:
            self.discard(card)
        reward = float(len(cards))
        if self.cleared and not was_cleared:
            self.bonus = BONUS.get(self.current_pass, 0)
            reward += self.bonus
        return reward

    def discard(self, card: str) -> None:
        """Take an available card away from wherever it lies."""
        if self.stock and self.stock[0] == card:
            self.stock.pop(0)
        elif self.waste and self.waste[-1] == card:
            self.waste.pop()
        else:
            for row in self.rows:
                if card in row:
                    row[row.index(card)] = None
        self.discarded.append(card)

"""La tour infernale, move by move: written from the text of the rules alone, before a look at the environments.

Nothing here was taken from the environments. A card is a string such as `QH`; slow and obvious beats fast.
"""

from dataclasses import dataclass, field

RANKS = "A23456789TJQK"
SUITS = "CDHS"


def rank(card: str) -> int:
    """A is 1, K is 13."""
    return RANKS.index(card[0]) + 1


def same(a: str, b: str) -> bool:
    """Whether two texts name the same move."""
    return a == b


@dataclass
class Game:
    """One game of La tour infernale."""

    deck: list[str]
    piles: int = 6
    passes: int | None = None
    max_moves: int = 1000
    tableau: list[list[str]] = field(init=False)  # each pile's top comes last
    stock: list[str] = field(init=False)  # its top comes first
    waste: list[str] = field(init=False)  # its top comes last
    foundations: dict[str, list[str]] = field(init=False)
    current_pass: int = field(init=False)
    played: int = field(init=False)
    legal: list[str] = field(init=False)

    def __post_init__(self) -> None:
        """Deal: one card to each pile, the others are the stock."""
        if sorted(self.deck) != sorted(r + s for r in RANKS for s in SUITS):
            raise ValueError("a deck is 52 distinct cards")
        if self.piles not in (5, 6):
            raise ValueError("there are 5 or 6 piles")
        if self.passes is not None and self.passes < 1:
            raise ValueError("there is at least one pass")
        cards = list(self.deck)
        self.tableau = [[cards.pop(0)] for _ in range(self.piles)]
        self.stock = cards
        self.waste = []
        self.foundations = {suit: [] for suit in SUITS}
        self.current_pass = 1
        self.played = 0
        self.legal = self.find_moves()

    @property
    def score(self) -> int:
        """The number of cards on the foundations (the rules name no other score)."""
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

    def moves(self) -> list[str]:
        """All legal moves, found once after each move."""
        return self.legal

    def find_moves(self) -> list[str]:
        """All moves that the rules allow; two empty piles make one and the same move."""
        found = []

        for pile in [*self.tableau, self.waste]:
            if not pile:
                continue
            card = pile[-1]
            next_rank = rank(card) + 1

            if rank(card) == len(self.foundations[card[1]]) + 1:
                found.append(f"{card}>F")

            for other in self.tableau:
                if other is not pile and other and rank(other[-1]) == next_rank:
                    found.append(f"{card}>{other[-1]}")

            lone_in_its_pile = pile is not self.waste and len(pile) == 1
            if [] in self.tableau and not lone_in_its_pile:
                found.append(f"{card}>empty")

        if self.stock:
            found.append("draw")
        elif self.waste and (self.passes is None or self.current_pass < self.passes):
            found.append("redeal")
        return found

    def play(self, move: str) -> float:
        """Play a legal move; the reward is 1 for the move that wins, else 0."""
        if self.truncated:
            raise ValueError("the moves have run out")
        if not any(same(move, legal) for legal in self.moves()):
            raise ValueError(f"not a legal move: {move}")
        self.played += 1

        if move == "draw":
            self.waste.append(self.stock.pop(0))
        elif move == "redeal":
            # Turned over, the waste's lowest card is the stock's top.
            self.stock = self.waste
            self.waste = []
            self.current_pass += 1
        else:
            card, target = move.split(">")
            # The target is looked up first: an empty pile must have been empty before the move.
            if target == "F":
                destination = self.foundations[card[1]]
            elif target == "empty":
                destination = next(pile for pile in self.tableau if not pile)
            else:
                destination = next(pile for pile in self.tableau if pile and pile[-1] == target)
            source = next(pile for pile in [*self.tableau, self.waste] if pile and pile[-1] == card)
            source.pop()
            destination.append(card)
        self.legal = self.find_moves()
        return 1.0 if self.won else 0.0

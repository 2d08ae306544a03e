"""Golf once more in plain Python, written from the text of the rules: slow and obvious, to test the kernels against.

A card is a text such as ``QH``. Nothing here comes from `golf.game`.
"""

from dataclasses import dataclass, field

RANKS = "A23456789TJQK"


@dataclass
class Golf:
    """One game of Golf."""

    deck: list[str]
    wrap: bool = False
    columns: list[list[str]] = field(init=False)  # each column's top comes last
    stock: list[str] = field(init=False)  # its top comes first
    waste: list[str] = field(init=False)  # its top comes last

    def __post_init__(self) -> None:
        """Deals five rows of seven cards, one to the waste, and the others to the stock."""
        cards = list(self.deck)
        self.columns = [[] for _ in range(7)]
        for _ in range(5):
            for column in self.columns:
                column.append(cards.pop(0))
        self.waste = [cards.pop(0)]
        self.stock = cards

    @property
    def score(self) -> int:
        """Minus the number of cards left in the columns."""
        return -sum(len(column) for column in self.columns)

    @property
    def won(self) -> bool:
        """Whether the columns are empty."""
        return self.score == 0

    def moves(self) -> list[str]:
        """Returns the legal moves in words; there are none when the game is over."""
        if self.won:
            return []
        plays = [column[-1] for column in self.columns if column and self.fits(column[-1])]
        return plays + (["draw"] if self.stock else [])

    def fits(self, card: str) -> bool:
        """Whether a card may go on the waste."""
        one, other = RANKS.index(card[0]), RANKS.index(self.waste[-1][0])
        return abs(one - other) == 1 or (self.wrap and {one, other} == {0, 12})

    def play(self, move: str) -> float:
        """Plays a legal move; returns the reward under the objective 'score'."""
        if move not in self.moves():
            raise ValueError(f"not a legal move: {move}")
        if move == "draw":
            self.waste.append(self.stock.pop(0))
            return 0.0
        column = next(column for column in self.columns if column and column[-1] == move)
        self.waste.append(column.pop())
        return 1.0

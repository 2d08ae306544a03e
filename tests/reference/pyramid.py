"""Pyramid, move by move."""

from collections.abc import Iterator, Sequence
from itertools import combinations

VALUE = {rank: value for value, rank in enumerate("A23456789TJQK", start=1)}
BONUS = {1: 50, 2: 35, 3: 20}


class Pyramid:
    """One game; moves are texts: ``QH+AC`` (higher rank first), ``KS``, ``draw``, ``redeal``."""

    truncated = False

    def __init__(
        self, deck: Sequence[str], *, passes: int = 3, stock_waste_pairs: bool = True, goal: str = "all"
    ) -> None:
        self.pyramid: list[str | None] = list(deck[:28])
        self.stock = list(deck[28:])
        self.waste: list[str] = []
        self.moves = 0
        self.passes_used = 1
        self.cleared_in_pass = 0
        self.pair_counts = {"pyramid-pyramid": 0, "stock-waste": 0}
        self._passes, self._stock_waste_pairs, self._goal = passes, stock_waste_pairs, goal
        self._hidden = set(self.stock[1:])
        self._legal = self._find_moves()

    @property
    def cleared(self) -> bool:
        return not any(self.pyramid)

    @property
    def left(self) -> int:
        return sum(card is not None for card in self.pyramid) + len(self.stock) + len(self.waste)

    @property
    def won(self) -> bool:
        return self.cleared if self._goal == "pyramid" else self.left == 0

    @property
    def over(self) -> bool:
        return not self._legal

    @property
    def score(self) -> int:
        return BONUS.get(self.cleared_in_pass, 0) - self.left

    def known_stock(self) -> list[str | None]:
        return [None if card in self._hidden else card for card in self.stock]

    def unseen(self) -> set[str]:
        return set(self._hidden)

    def legal_moves(self) -> list[str]:
        return list(self._legal)

    def play(self, move: str) -> float:
        if move not in self._legal:
            raise ValueError(f"expected one of {self._legal}, got {move}")
        before = self.score
        if move == "draw":
            self.waste.insert(0, self.stock.pop(0))
        elif move == "redeal":
            self.stock, self.waste = self.waste[::-1], []
            self.passes_used += 1
        else:
            self._discard(move.split("+"))
        if self.stock:
            self._hidden.discard(self.stock[0])
        self.moves += 1
        self._legal = self._find_moves()
        return float(self.score - before)

    def _discard(self, cards: list[str]) -> None:
        was_cleared, sources = self.cleared, []
        for card in cards:
            if card in self.pyramid:
                self.pyramid[self.pyramid.index(card)] = None
                sources.append("pyramid")
            elif self.stock and self.stock[0] == card:
                sources.append("stock")
                self.stock.pop(0)
            else:
                sources.append("waste")
                self.waste.pop(0)
        kind = "-".join(sorted(sources))
        if kind in self.pair_counts:
            self.pair_counts[kind] += 1
        if self.cleared and not was_cleared:
            self.cleared_in_pass = self.passes_used

    def _open_cards(self) -> Iterator[str]:
        """Yields the pyramid cards with nothing upon them."""
        for row in range(7):
            start = row * (row + 1) // 2
            for column in range(row + 1):
                card = self.pyramid[start + column]
                below = start + row + 1 + column
                if card and (row == 6 or not (self.pyramid[below] or self.pyramid[below + 1])):
                    yield card

    def _find_moves(self) -> list[str]:
        if self.won:
            return []
        moves = []
        if self.stock:
            moves.append("draw")
        elif self.waste and self.passes_used < self._passes:
            moves.append("redeal")
        tops = self.stock[:1] + self.waste[:1]
        available = [*self._open_cards(), *tops]
        moves += [card for card in available if card[0] == "K"]
        for one, other in combinations(available, 2):
            high, low = (one, other) if VALUE[one[0]] > VALUE[other[0]] else (other, one)
            both_tops = one in tops and other in tops
            if VALUE[high[0]] + VALUE[low[0]] == 13 and (self._stock_waste_pairs or not both_tops):
                moves.append(f"{high}+{low}")
        return moves

"""La tour infernale, move by move."""

from collections.abc import Sequence

VALUE = {rank: value for value, rank in enumerate("A23456789TJQK", start=1)}


class TourInfernale:
    """One game; moves are texts: ``AC>F``, ``9S>TC``, ``KD>empty`` (once for each empty pile), ``draw``, ``redeal``."""

    def __init__(
        self, deck: Sequence[str], *, piles: int = 6, passes: int | None = None, max_moves: int = 1000
    ) -> None:
        self.tableau: list[list[str]] = [[card] for card in deck[:piles]]
        self.stock = list(deck[piles:])
        self.waste: list[str] = []
        self.foundations = dict.fromkeys("CDHS", 0)
        self.moves = 0
        self.passes_used = 1
        self._passes, self._max_moves = passes, max_moves
        self._hidden = set(self.stock)
        self._legal = self._find_moves()

    @property
    def won(self) -> bool:
        return sum(self.foundations.values()) == 52

    @property
    def over(self) -> bool:
        return self.won or not self._legal

    @property
    def truncated(self) -> bool:
        return not self.over and self.moves >= self._max_moves

    def known_stock(self) -> list[str | None]:
        return [None if card in self._hidden else card for card in self.stock]

    def unseen(self) -> set[str]:
        return set(self._hidden)

    def legal_moves(self) -> list[str]:
        return [] if self.over or self.truncated else list(self._legal)

    def play(self, move: str, pile: int | None = None) -> float:
        if self.truncated or move not in self._legal:
            raise ValueError(f"expected one of {self._legal}, got {move}")
        if move == "draw":
            self.waste.insert(0, self.stock.pop(0))
            self._hidden.discard(self.waste[0])
        elif move == "redeal":
            self.stock, self.waste = self.waste[::-1], []
            self.passes_used += 1
        else:
            self._move(*move.split(">"), pile)
        self.moves += 1
        self._legal = self._find_moves()
        return 1.0 if self.won else 0.0

    def _move(self, card: str, target: str, pile: int | None) -> None:
        empty = [index for index, cards in enumerate(self.tableau) if not cards]
        if self.waste and self.waste[0] == card:
            self.waste.pop(0)
        else:
            next(cards for cards in self.tableau if cards and cards[-1] == card).pop()
        if target == "F":
            self.foundations[card[1]] += 1
        elif target == "empty":
            index = empty[0] if pile is None else pile
            if index not in empty:
                raise ValueError(f"expected one of the empty piles {empty}, got {index}")
            self.tableau[index].append(card)
        else:
            next(cards for cards in self.tableau if cards and cards[-1] == target).append(card)

    def _find_moves(self) -> list[str]:
        moves = []
        if self.stock:
            moves.append("draw")
        elif self.waste and (self._passes is None or self.passes_used < self._passes):
            moves.append("redeal")
        sources = [(cards[-1], len(cards) == 1) for cards in self.tableau if cards]
        sources += [(self.waste[0], False)] if self.waste else []
        for card, alone in sources:
            if self.foundations[card[1]] == VALUE[card[0]] - 1:
                moves.append(f"{card}>F")
            for cards in self.tableau:
                if not cards:
                    moves += [] if alone else [f"{card}>empty"]
                elif VALUE[cards[-1][0]] == VALUE[card[0]] + 1:
                    moves.append(f"{card}>{cards[-1]}")
        return moves

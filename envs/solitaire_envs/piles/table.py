"""How people see a declared game: moves in words, layout, gestures."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from solitaire_envs.cards import NUM_RANKS, SUITS, card_text
from solitaire_envs.layout import (
    BACK,
    FOUNDATION_NAME,
    PIPS,
    STOCK_NAME,
    WASTE_NAME,
    Gesture,
    Layout,
    Spot,
    pile_spots,
    stock_spot,
    waste_spots,
)
from solitaire_envs.piles.shape import EMPTY, REAL, PileShape, neighbours

HOLE_NAME, CELL_NAME, RESERVE_NAME = "hole", "cell", "reserve"
MOST_BESIDE = 10
"""Piles side by side; more stand in two rows."""
CROWDED = 8
"""Open cards of a reserve that lie side by side; more overlap them."""


class PileTable:
    """The table of a game.

    Args:
        shape: The game.
    """

    def __init__(self, shape: PileShape) -> None:
        self._shape, self._sizes, self._places, self._actions = shape, shape.sizes, shape.places, shape.actions
        self._pack, self._neighbours = shape.pack, neighbours(shape.pack, shape.hole is not None and shape.hole.wrap)
        reserves = self._places.waste - self._places.reserve
        self._names = [
            *(f"pile {pile + 1}" for pile in range(self._sizes.piles)),
            *(f"{CELL_NAME} {cell + 1}" for cell in range(self._sizes.cells)),
            *([RESERVE_NAME] if self._sizes.stacked else [f"{RESERVE_NAME} {i + 1}" for i in range(reserves)]),
            WASTE_NAME,
            *([HOLE_NAME] if shape.hole else [self._foundation_name(line) for line in range(self._pack.lines)]),
        ]

    def _pip(self, line: int) -> str:
        return PIPS[SUITS[self._pack.suit[NUM_RANKS * line + 1]]]

    def _foundation_name(self, line: int) -> str:
        earlier = sum(self._pip(each) == self._pip(line) for each in range(line))
        return (
            f"{FOUNDATION_NAME} {earlier + 1} {self._pip(line)}" if earlier else f"{FOUNDATION_NAME} {self._pip(line)}"
        )

    # --- Moves in words and by hand

    def _move(self, state: Any, action: int) -> tuple[int, int]:
        """Returns the card that moves, EMPTY if there is none, and the place that it goes to."""
        at = self._actions
        if at.to_space >= 0 and action >= at.to_space:
            k = action - at.to_space
            return (k + 1 if self._shape.game.tableau.spaces == "any" else 13 * k + 13), self._empty(state, 0)
        if at.to_cell >= 0 and action >= at.to_cell:
            return int(state.tops[action - at.to_cell]), self._empty(state, self._places.cell)
        if at.to_pile >= 0 and action >= at.to_pile:
            pile, k = divmod(action - at.to_pile, self._sizes.fits)
            return int(self._shape.fits[state.tops[pile], k]), pile
        k = action - at.up
        if self._shape.hole:
            return int(self._neighbours[state.tops[self._places.foundation], k]), self._places.foundation
        if self._shape.takes_runs:
            return self._king_above(state, 13 * k + 1), self._places.foundation + k
        line, copy = divmod(k, self._pack.copies)
        return int(self._pack.next_up[line, state.foundations[line], copy]), self._places.foundation + line

    def _king_above(self, state: Any, ace: int) -> int:
        """Returns the king of the run that an ace ends; where there is none, the king of the same line."""
        pile = int(state.where[ace])
        if pile < self._sizes.piles and state.tops[pile] == ace and state.heights[pile] >= NUM_RANKS:
            return int(state.tableau[self._sizes.rows * pile + state.heights[pile] - NUM_RANKS])
        return ace + NUM_RANKS - 1

    def _empty(self, state: Any, first: int) -> int:
        """Returns the first empty place from a place on; that place itself if none is."""
        return next((place for place in range(first, self._places.waste) if state.tops[place] == EMPTY), first)

    def move_text(self, state: Any, action: int) -> str:
        """Returns a move as ``AC>F``, ``9S>TH`` (the undermost card that moves), ``KD>empty``, ``9S>cell``.

        In games with two packs, a card of a pile is named with it, as in ``9S:3>TH:5``.
        """
        if action in (self._actions.draw, self._actions.redeal):
            return "draw" if action == self._actions.draw else "redeal"
        card, target = self._move(state, action)
        moving = self._text(state, card, int(state.where[card])) if card else "(nothing)"
        if target >= self._places.foundation:
            return f"{moving}>{HOLE_NAME if self._shape.hole else 'F'}"
        if target >= self._places.cell:
            return f"{moving}>{CELL_NAME}"
        top = int(state.tops[target])
        return f"{moving}>{self._text(state, top, target) if top else 'empty'}"

    def _text(self, state: Any, card: int, place: int) -> str:
        """Returns a card at a place in words."""
        text = card_text(self._face(self._number(state, card)))
        return f"{text}:{place + 1}" if self._pack.copies > 1 and place < self._sizes.piles else text

    def _number(self, state: Any, card: int) -> int:
        """Returns the number of a card, from 0; that after the last if it is unseen, which is `BACK` with one pack."""
        return int(REAL[state.base_rank, card] if self._shape.start == "base" else card) - 1

    def _face(self, number: int) -> int:
        """Returns what a card looks like, 0..51, or `BACK`."""
        return int(self._pack.face[number + 1]) - 1

    def _seen(self, spot: Spot) -> Spot:
        """Returns a spot with what its card looks like, and which of those it is."""
        if spot.card is None or spot.place == STOCK_NAME:
            return spot
        face = self._face(spot.card)
        alike = [0] if face == BACK else self._pack.next_up[spot.card // NUM_RANKS, face % NUM_RANKS].tolist()
        return replace(spot, card=face, copy=alike.index(spot.card + 1) if face != BACK else 0)

    def gestures(self, state: Any, action: int) -> list[Gesture]:
        """Returns how a move is played: the undermost card is dropped on its target; to draw, touch the stock.

        Any empty pile, or free cell, stands for the first.
        """
        if action in (self._actions.draw, self._actions.redeal):
            return [Gesture(STOCK_NAME)]
        card, target = self._move(state, action)
        source = int(state.where[card])
        name, targets = self._names[source], [target]
        if source < self._sizes.piles and int(state.tops[source]) != card:
            first = self._sizes.rows * source
            cards = state.tableau[first : first + int(state.heights[source])].tolist()
            name = self._card_name(source, self._down(state, source) + cards.index(card))
        if target < self._places.reserve and state.tops[target] == EMPTY:
            kind = (
                range(self._sizes.piles)
                if target < self._places.cell
                else range(self._places.cell, self._last_cell(state))
            )
            targets = [place for place in kind if state.tops[place] == EMPTY]
        if target >= self._places.foundation and not self._shape.hole:
            targets = self._as_high(state, target - self._places.foundation)
        return [Gesture(name, self._names[place]) for place in targets]

    def _as_high(self, state: Any, line: int) -> list[int]:
        """Returns the foundations of a line's suit that are as high as its own."""
        lines = [each for each in range(self._pack.lines) if self._pip(each) == self._pip(line)]
        return [self._places.foundation + each for each in lines if state.foundations[each] == state.foundations[line]]

    def _last_cell(self, state: Any) -> int:
        return self._places.cell + int(state.num_cells)

    def _card_name(self, pile: int, depth: int) -> str:
        return f"{self._names[pile]}, card {depth + 1}"

    def _down(self, state: Any, pile: int) -> int:
        return int(state.downs[pile]) if self._sizes.downs else 0

    # --- The layout

    def layout(self, state: Any, options: Any, legal: Collection[int]) -> Layout:
        """Returns where the cards lie: stock, waste, cells, reserve, and foundations above; the piles below."""
        playable = {gesture.source for action in legal for gesture in self.gestures(state, action)}
        spots = [
            *self._stock(state, options, playable=WASTE_NAME in playable, redeal=self._actions.redeal in legal),
            *self._beside(state, options),
            *self._goal(state, options),
            *self._tableau(state),
        ]
        spots, playable = [self._seen(spot) for spot in spots], playable - {STOCK_NAME, WASTE_NAME}
        can = [spot.place in playable and spot.card is not None for spot in spots]
        spots = [replace(spot, playable=True) if may else spot for spot, may in zip(spots, can, strict=True)]
        return Layout(height=5.1 if self._two_rows else 4.7, columns=self._columns, spots=spots)

    @property
    def _two_rows(self) -> bool:
        return self._sizes.piles > MOST_BESIDE

    @property
    def _in_a_row(self) -> int:
        """Piles of the upper row."""
        return -(-self._sizes.piles // 2) if self._two_rows else self._sizes.piles

    @property
    def _left(self) -> int:
        """The column after stock and waste, which is fanned out."""
        return 3 if self._shape.to_waste else int(self._sizes.stock > 0)

    @property
    def _right(self) -> int:
        """The column after cells and reserve."""
        return self._left + self._sizes.cells + min(CROWDED, self._places.waste - self._places.reserve)

    @property
    def _columns(self) -> int:
        return max(7, self._in_a_row, self._right + (1 if self._shape.hole else self._pack.lines))

    def _stock(self, state: Any, options: Any, *, playable: bool, redeal: bool) -> Iterator[Spot]:
        """Yields stock and waste, whose top may be playable."""
        if self._sizes.stock:
            size = int(state.stock_size)
            yield stock_spot(BACK if size else None, size, playable=False, redeal=redeal)
        if self._shape.to_waste:
            cards = state.talon[self._sizes.stock : self._sizes.stock + int(state.waste_size)].tolist()[::-1]
            shown = [self._number(state, card) for card in cards[: 1 if options.information == "table" else 3]]
            yield from waste_spots(shown, len(cards), playable=playable)

    def _beside(self, state: Any, options: Any) -> Iterator[Spot]:
        """Yields cells and reserve."""
        cells = options.cells if self._sizes.cells else 0
        for cell in range(cells):
            yield self._open(state, self._places.cell + cell, self._left + cell)
        reserve = self._places.waste - self._places.reserve
        for index in range(reserve):
            row, column = divmod(index, CROWDED)
            spot = self._open(state, self._places.reserve + index, self._left + cells + column)
            spot = replace(spot, y=0.3 * row, line=2 * row)
            yield replace(spot, caption=f"reserve {int(state.reserve_size)}") if self._sizes.stacked else spot

    def _open(self, state: Any, place: int, x: int) -> Spot:
        card = int(state.tops[place])
        shown = self._number(state, card) if card else None
        return Spot(x=x, card=shown, available=card != EMPTY, place=self._names[place])

    def _goal(self, state: Any, options: Any) -> Iterator[Spot]:
        if self._shape.hole:
            yield replace(self._open(state, self._places.foundation, self._right), available=False)
            return
        for line, top in enumerate(self._tops_up(state)):
            card = self._number(state, top) if top else None
            free = self._shape.returns and options.returns and card is not None
            place, x = self._names[self._places.foundation + line], self._columns - self._pack.lines + line
            yield Spot(x=x, card=card, available=free, sign=self._pip(line), place=place)

    def _tops_up(self, state: Any) -> list[int]:
        """Returns the top of each foundation. Of cards that look alike, those are there that lie nowhere else."""
        tops, names = list[int](), [name for name in ("tableau", "face_down", "talon") if name in state.dtype.names]
        lie = {
            *state.tops[: self._places.foundation].tolist(),
            *(card for name in names for card in state[name].tolist()),
        }
        for line, count in enumerate(state.foundations.tolist()):
            alike = self._pack.next_up[line, count - 1].tolist() if count else [EMPTY]
            tops.append(next((card for card in alike if card not in lie and card not in tops), alike[0]))
        return tops

    def _tableau(self, state: Any) -> Iterator[Spot]:
        """Yields the spots of the piles."""
        piles = [self._pile(state, pile) for pile in range(self._sizes.piles)]
        room = 0.9 if self._two_rows else 2.4
        lower = 5 + max(len(cards) for cards in piles[: self._in_a_row])
        for pile, cards in enumerate(piles):
            row, column = divmod(pile, self._in_a_row)
            y, line = (3.2, lower) if row else (1.3, 4)
            spots = pile_spots(cards, column, playable=False, place=self._names[pile], y=y, line=line, room=room)
            for depth, spot in enumerate(spots):
                yield spot if depth >= len(cards) - 1 else replace(spot, place=self._card_name(pile, depth))

    def _pile(self, state: Any, pile: int) -> Sequence[int]:
        first = self._sizes.rows * pile
        up = state.tableau[first : first + int(state.heights[pile])].tolist()
        return [*[self._pack.number] * self._down(state, pile), *(self._number(state, card) for card in up)]

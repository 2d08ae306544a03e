"""Draws tables as pictures, with Pillow (extra ``render``): only what a person at the table would see."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from solitaire_envs import pyramid, tour_infernale
from solitaire_envs.cards import card_text
from solitaire_envs.engine import Engine

if TYPE_CHECKING:
    from PIL.Image import Image

WIDTH, HEIGHT = 800, 608  # multiples of 16, as video codecs like them
CARD_WIDTH, CARD_HEIGHT = 64, 88
SUPERSAMPLING = 4  # cards are drawn larger and scaled down, for smooth edges without any font of suits
FELT, FAINT, WHITE, BLACK, RED = (34, 92, 66), (46, 110, 81), (252, 252, 248), (28, 28, 32), (192, 30, 45)
BACK_BLUE, GLOW = (52, 84, 140), (255, 209, 72)

BACK, NOTHING = -1, -2


@dataclass(frozen=True)
class Place:
    """A card on the table."""

    x: float
    y: float
    card: int
    """Card number, or BACK, or NOTHING for a place without a card."""
    hint: bool = False
    """Whether a legal move plays it."""


def render_picture(engine: Engine, index: int) -> NDArray[np.uint8]:
    """Returns the table of one environment, uint8 [HEIGHT, WIDTH, 3]; cards that may be played glow.

    Raises:
        gymnasium.error.DependencyNotInstalled: Pillow is missing.
    """
    image_module, draw_module, _ = _pillow()
    table = image_module.new("RGB", (WIDTH, HEIGHT), FELT)
    draw = draw_module.Draw(table)
    lay_out = next(lay_out for name, lay_out in LAYOUTS.items() if engine.game.name.startswith(name))
    playable = _cards_that_move(engine, index)
    for place in lay_out(engine.states[index], playable):
        corner = (round(place.x), round(place.y))
        if place.hint:
            draw.rounded_rectangle(_box(*corner, 4), 10, fill=GLOW)
        picture = _card_picture(place.card)
        table.paste(picture, corner, picture)
    outcome = engine.outcome(index)
    status = f"pass {outcome['passes']}    move {outcome['moves']}    score {outcome['score']}"
    draw.text((20, HEIGHT - 30), status, fill=WHITE, font=_font(18))
    return np.asarray(table, dtype=np.uint8)


def _pillow() -> tuple[Any, Any, Any]:
    try:
        from PIL import Image, ImageDraw, ImageFont  # noqa: PLC0415
    except ImportError as error:
        raise gymnasium.error.DependencyNotInstalled(
            'Pillow is not installed, run `pip install "solitaire-rl[render]"`'
        ) from error
    return Image, ImageDraw, ImageFont


def _cards_that_move(engine: Engine, index: int) -> set[str]:
    """Returns the texts of the cards that some legal move plays; of a move on to a card, the one that moves."""
    moves = [engine.move_text(index, action) for action in engine.legal_actions(index)]
    return {card for move in moves for card in move.split(">")[0].split("+")}


def _lay_out_pyramid(state: Any, playable: set[str]) -> list[Place]:
    places = []
    for row in range(pyramid.ROWS):
        for column in range(row + 1):
            position = row * (row + 1) // 2 + column
            if state.pyramid >> position & 1:
                card = int(state.deck[position])
                x = WIDTH / 2 + (column - row / 2) * 80 - CARD_WIDTH / 2
                places.append(Place(x, 16 + row * 48, card, card_text(card) in playable))
    stock, waste = pyramid.stock_cards(state), pyramid.waste_cards(state)
    return places + _lay_out_piles(stock, waste, playable, stock_up=True)


def _lay_out_tour_infernale(state: Any, playable: set[str]) -> list[Place]:
    places = []
    for suit in range(4):
        count = int(state.foundations[suit])
        places.append(Place(WIDTH - 100, 16 + suit * 100, 13 * suit + count - 1 if count else NOTHING))
    for pile in range(tour_infernale.MAX_PILES):
        cards = [int(card) - 1 for card in state.tableau[pile] if card]
        x = 30 + pile * 100
        places += [Place(x, 16 + depth * 28, card) for depth, card in enumerate(cards[:-1])]
        if cards:
            places.append(Place(x, 16 + (len(cards) - 1) * 28, cards[-1], card_text(cards[-1]) in playable))
        else:
            places.append(Place(x, 16, NOTHING))
    stock, waste = tour_infernale.stock_cards(state), tour_infernale.waste_cards(state)
    return places + _lay_out_piles(stock, waste, playable, stock_up=False)


def _lay_out_piles(stock: list[int], waste: list[int], playable: set[str], *, stock_up: bool) -> list[Place]:
    """Places the stock and, fanned to the left of its top, the latest cards of the waste."""
    y = HEIGHT - CARD_HEIGHT - 48
    below = [Place(30 - 2 * k, y - 2 * k, BACK) for k in range(min(3, len(stock) - 1), 0, -1)]
    top = stock[0] if stock and stock_up else BACK if stock else NOTHING
    places = [*below, Place(30, y, top, stock_up and bool(stock) and card_text(stock[0]) in playable)]
    fan = waste[:14][::-1]
    places += [Place(140 + 26 * k, y, card) for k, card in enumerate(fan[:-1])]
    if fan:
        places.append(Place(140 + 26 * (len(fan) - 1), y, fan[-1], card_text(fan[-1]) in playable))
    else:
        places.append(Place(140, y, NOTHING))
    return places


LAYOUTS: dict[str, Callable[[Any, set[str]], list[Place]]] = {
    "pyramid": _lay_out_pyramid,
    "tour_infernale": _lay_out_tour_infernale,
}
"""Game -> where its cards lie; a series is drawn as its game."""


# --- Cards ------------------------------------------------------------------------------------------------------------


@cache
def _card_picture(card: int) -> "Image":
    image_module, draw_module, _ = _pillow()
    scale = SUPERSAMPLING
    picture = image_module.new("RGBA", (CARD_WIDTH * scale, CARD_HEIGHT * scale))
    draw = draw_module.Draw(picture)
    whole = (0, 0, CARD_WIDTH * scale - 1, CARD_HEIGHT * scale - 1)
    if card == NOTHING:
        draw.rounded_rectangle(whole, 7 * scale, outline=FAINT, width=2 * scale)
    elif card == BACK:
        draw.rounded_rectangle(whole, 7 * scale, fill=WHITE, outline=BLACK, width=scale)
        inside = (5 * scale, 5 * scale, whole[2] - 5 * scale, whole[3] - 5 * scale)
        draw.rounded_rectangle(inside, 4 * scale, fill=BACK_BLUE)
    else:
        draw.rounded_rectangle(whole, 7 * scale, fill=WHITE, outline=BLACK, width=scale)
        _draw_face(draw, card, scale)
    small: Image = picture.resize((CARD_WIDTH, CARD_HEIGHT), image_module.Resampling.LANCZOS)
    return small


def _draw_face(draw: Any, card: int, scale: int) -> None:
    rank, suit = card_text(card)[0], card_text(card)[1]
    colour = RED if suit in "DH" else BLACK
    text = "10" if rank == "T" else rank
    draw.text((6 * scale, 2 * scale), text, fill=colour, font=_font(22 * scale))
    _draw_suit(draw, suit, colour, (51 * scale, 15 * scale), 8 * scale)
    _draw_suit(draw, suit, colour, (32 * scale, 55 * scale), 20 * scale)


def _draw_suit(draw: Any, suit: str, colour: tuple[int, int, int], centre: tuple[int, int], size: int) -> None:
    """Draws a suit's sign of about twice `size` around a centre."""
    x, y = centre

    def circle(dx: float, dy: float, radius: float) -> None:
        left, top, reach = x + dx * size, y + dy * size, radius * size
        draw.ellipse((left - reach, top - reach, left + reach, top + reach), fill=colour)

    def shape(*points: tuple[float, float]) -> None:
        draw.polygon([(x + dx * size, y + dy * size) for dx, dy in points], fill=colour)

    if suit == "D":
        shape((0, -1.05), (0.78, 0), (0, 1.05), (-0.78, 0))
    elif suit == "H":
        circle(-0.44, -0.4, 0.48)
        circle(0.44, -0.4, 0.48)
        shape((-0.86, -0.17), (0.86, -0.17), (0, 1.0))
    elif suit == "S":
        circle(-0.42, 0.25, 0.46)
        circle(0.42, 0.25, 0.46)
        shape((-0.83, 0.07), (0.83, 0.07), (0, -1.05))
        shape((0, 0.2), (0.36, 1.0), (-0.36, 1.0))
    else:
        circle(0, -0.48, 0.44)
        circle(-0.48, 0.22, 0.44)
        circle(0.48, 0.22, 0.44)
        circle(0, 0, 0.2)
        shape((0, -0.1), (0.36, 1.0), (-0.36, 1.0))


@cache
def _font(size: int) -> Any:
    return _pillow()[2].load_default(size)


def _box(x: int, y: int, margin: int) -> tuple[int, int, int, int]:
    return x - margin, y - margin, x + CARD_WIDTH + margin - 1, y + CARD_HEIGHT + margin - 1


# --- A window ---------------------------------------------------------------------------------------------------------


class Window:
    """A window that shows pictures of tables, through pygame (extra ``render``).

    Raises:
        gymnasium.error.DependencyNotInstalled: pygame is missing.
    """

    def __init__(self, frames_per_second: int) -> None:
        try:
            import pygame  # noqa: PLC0415
        except ImportError as error:
            raise gymnasium.error.DependencyNotInstalled(
                'pygame is not installed, run `pip install "solitaire-rl[render]"`'
            ) from error
        self._pygame, self._frames_per_second = pygame, frames_per_second
        pygame.display.init()
        pygame.display.set_caption("solitaire-rl")
        self._surface = pygame.display.set_mode((WIDTH, HEIGHT))
        self._clock = pygame.time.Clock()

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Shows a picture, uint8 [HEIGHT, WIDTH, 3], and waits for the next frame's time."""
        self._pygame.event.pump()
        self._surface.blit(self._pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        self._pygame.display.flip()
        self._clock.tick(self._frames_per_second)

    def close(self) -> None:
        """Closes the window."""
        self._pygame.display.quit()

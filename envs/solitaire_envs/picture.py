"""Draws tables as pictures, and shows them in a window. Needs Pillow, and for the window pygame."""

from functools import cache
from io import BytesIO
from math import ceil

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from solitaire_envs.cards import NUM_RANKS, RANKS, SUITS
from solitaire_envs.engine import Engine
from solitaire_envs.layout import BACK, PIPS, REDEAL_SIGN, Spot
from solitaire_envs.render import layout_of, status_text

INSTALL = 'pip install "solitaire-rl[render]"'
try:
    from PIL import Image, ImageDraw, ImageFilter, ImageFont
except ImportError as error:
    raise DependencyNotInstalled(f"pictures need Pillow: {INSTALL}") from error

# In pixels; width and height of a picture are multiples of 16, as video encoders like them.
CARD_WIDTH, CARD_HEIGHT = 80, 112
_PITCH = 88
_MARGIN = 16
STATUS_HEIGHT = 40
CORNER = 8
GLOW = 10
FINE = 4
"""Cards are drawn this many times larger and then shrunk, which makes edges smooth."""

FELT, FAINT, CHALK = (33, 91, 70), (52, 112, 90), (226, 238, 231)
PAPER, DULL_PAPER, EDGE = (253, 252, 248), (216, 220, 214), (128, 138, 132)
BLACK, _RED = (34, 36, 42), (196, 30, 46)
BLUE, LIGHT_BLUE, GOLD = (46, 82, 138), (92, 128, 184), (255, 205, 64)

Colour = tuple[int, int, int]


def render_rgb(engine: Engine, index: int) -> NDArray[np.uint8]:
    """Returns the table of one environment as a picture, uint8 [height, width, 3].

    A golden rim marks the cards for which there is a legal move.
    """
    layout = layout_of(engine, index)
    width = _multiple_of_16(2 * _MARGIN + (layout.columns - 1) * _PITCH + CARD_WIDTH)
    height = _multiple_of_16(_MARGIN + layout.height * CARD_HEIGHT + STATUS_HEIGHT)
    image = Image.new("RGB", (width, height), FELT)
    for spot in sorted(layout.spots, key=lambda spot: spot.card is not None):  # empty places first: they hide no card
        _place(image, spot)
    pen = ImageDraw.Draw(image)
    pen.text((_MARGIN, height - STATUS_HEIGHT // 2), status_text(engine, index), CHALK, _font(17), anchor="lm")
    return np.array(image)


def _multiple_of_16(pixels: float) -> int:
    return ceil(pixels / 16) * 16


def render_png(engine: Engine, index: int) -> bytes:
    """Returns the table of one environment as a PNG file."""
    file = BytesIO()
    Image.fromarray(render_rgb(engine, index)).save(file, "PNG")
    return file.getvalue()


def _place(image: Image.Image, spot: Spot) -> None:
    x, y = _MARGIN + round(spot.x * _PITCH), _MARGIN + round(spot.y * CARD_HEIGHT)
    if spot.playable:
        image.paste(GOLD, (x - GLOW, y - GLOW), _glow())
    picture = _picture(spot)
    image.paste(picture, (x, y), picture)
    if spot.caption:
        middle = x + CARD_WIDTH // 2
        ImageDraw.Draw(image).text((middle, y + CARD_HEIGHT + 5), spot.caption, CHALK, _font(14), anchor="mt")


# --- Cards, each drawn once -------------------------------------------------------------------------------------------


def _picture(spot: Spot) -> Image.Image:
    if spot.card is None:
        return _empty_place(spot.sign)
    return _back() if spot.card == BACK else _face(spot.card, spot.available)


@cache
def _face(card: int, bright: bool) -> Image.Image:
    paper = PAPER if bright else DULL_PAPER
    image, pen = _blank_card(paper, EDGE)
    suit, rank = SUITS[card // NUM_RANKS], RANKS[card % NUM_RANKS].replace("T", "10")
    ink = _RED if suit in "DH" else BLACK
    font = _font(21 * FINE)
    pen.text((6 * FINE, 13 * FINE), rank, ink, font, anchor="lm", stroke_width=2)
    _draw_suit(pen, suit, x=16 + font.getlength(rank) / FINE, y=13, size=16, colour=ink)
    _draw_suit(pen, suit, x=CARD_WIDTH / 2, y=68, size=52, colour=ink if bright else _mixed(ink, paper))
    if rank in "JQK":
        pen.text((CARD_WIDTH / 2 * FINE, 67 * FINE), rank, paper, font, anchor="mm", stroke_width=2)
    return _shrunk(image)


def _mixed(ink: Colour, paper: Colour) -> Colour:
    red, green, blue = ((one + 2 * other) // 3 for one, other in zip(ink, paper, strict=True))
    return red, green, blue


@cache
def _back() -> Image.Image:
    image, pen = _blank_card(PAPER, EDGE)
    inset = 6 * FINE
    panel = (inset, inset, CARD_WIDTH * FINE - inset, CARD_HEIGHT * FINE - inset)
    pen.rounded_rectangle(panel, 4 * FINE, BLUE)
    for x in range(13, CARD_WIDTH - 6, 9):
        for y in range(11, CARD_HEIGHT - 6, 9):
            _draw_suit(pen, "D", x=x, y=y, size=7, colour=LIGHT_BLUE)
    return _shrunk(image)


@cache
def _empty_place(sign: str) -> Image.Image:
    image, pen = _blank_card(FELT, FAINT, rim=2)
    middle, centre = CARD_WIDTH / 2, CARD_HEIGHT / 2
    if sign == REDEAL_SIGN:
        box = ((middle - 20) * FINE, (centre - 20) * FINE, (middle + 20) * FINE, (centre + 20) * FINE)
        pen.ellipse(box, outline=FAINT, width=6 * FINE)
    for suit, pip in PIPS.items():
        if sign == pip:
            _draw_suit(pen, suit, x=middle, y=centre, size=40, colour=FAINT)
    return _shrunk(image)


@cache
def _glow() -> Image.Image:
    """Returns the mask of the golden rim around a card."""
    mask = Image.new("L", (CARD_WIDTH + 2 * GLOW, CARD_HEIGHT + 2 * GLOW))
    box = (GLOW - 4, GLOW - 4, GLOW + CARD_WIDTH + 3, GLOW + CARD_HEIGHT + 3)
    ImageDraw.Draw(mask).rounded_rectangle(box, CORNER + 4, 255)
    return mask.filter(ImageFilter.GaussianBlur(2))


def _blank_card(fill: Colour, edge: Colour, rim: int = 1) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("RGBA", (CARD_WIDTH * FINE, CARD_HEIGHT * FINE))
    pen = ImageDraw.Draw(image)
    pen.rounded_rectangle((0, 0, image.width - 1, image.height - 1), CORNER * FINE, fill, edge, rim * FINE)
    return image, pen


def _shrunk(image: Image.Image) -> Image.Image:
    return image.resize((CARD_WIDTH, CARD_HEIGHT), Image.Resampling.LANCZOS)


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)  # comes with Pillow, so every machine draws the same picture


# --- Suits: shapes, since few fonts have them -------------------------------------------------------------------------

Shape = NDArray[np.float64]
"""The corners (right, down) of a polygon, [n, 2], about 1 wide and 1 high with its centre at (0, 0)."""


def _circle(x: float, y: float, radius: float) -> Shape:
    angle = np.linspace(0, 2 * np.pi, 60)
    return np.stack([x + radius * np.cos(angle), y + radius * np.sin(angle)], axis=1)


def _heart() -> Shape:
    angle = np.linspace(0, 2 * np.pi, 90)
    down = -13 * np.cos(angle) + 5 * np.cos(2 * angle) + 2 * np.cos(3 * angle) + np.cos(4 * angle)
    return np.stack([16 * np.sin(angle) ** 3, down - 2.5], axis=1) / 32


HEART = _heart()
DIAMOND = np.array([(0, -0.54), (0.39, 0), (0, 0.54), (-0.39, 0)])
STEM = np.array([(0, 0), (0.05, 0.3), (0.2, 0.5), (-0.2, 0.5), (-0.05, 0.3)])
SHAPES: dict[str, list[Shape]] = {
    "C": [_circle(0, -0.24, 0.25), _circle(-0.25, 0.1, 0.25), _circle(0.25, 0.1, 0.25), _circle(0, 0, 0.2), STEM],
    "D": [DIAMOND],
    "H": [HEART],
    "S": [HEART * (0.92, -0.85) - (0, 0.06), STEM],
}


def _draw_suit(pen: ImageDraw.ImageDraw, suit: str, *, x: float, y: float, size: float, colour: Colour) -> None:
    for shape in SHAPES[suit]:
        corners = (np.array([x, y]) + shape * size) * FINE
        pen.polygon([(right, down) for right, down in corners.tolist()], colour)


# --- The window -------------------------------------------------------------------------------------------------------


class Window:
    """Shows pictures on the screen, at most ``fps`` a second."""

    def __init__(self, title: str, shape: tuple[int, ...], fps: int) -> None:
        """Opens a window for pictures of a shape, [height, width, 3]."""
        try:
            import pygame  # noqa: PLC0415  # only the window needs it
        except ImportError as error:
            raise DependencyNotInstalled(f"render_mode 'human' needs pygame: {INSTALL}") from error
        pygame.display.init()
        pygame.display.set_caption(title)
        self._screen = pygame.display.set_mode((shape[1], shape[0]))
        self._clock = pygame.time.Clock()
        self._pygame = pygame
        self._fps = fps

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Shows a picture, uint8 [height, width, 3]."""
        self._pygame.surfarray.blit_array(self._screen, picture.swapaxes(0, 1))
        self._pygame.display.flip()
        self._pygame.event.pump()  # otherwise the system reports that the window does not respond
        self._clock.tick(self._fps)

    def close(self) -> None:
        """Closes the window."""
        self._pygame.display.quit()

"""What makes a position worth looking at for the solver of declared games: sets of weights, one for each search.

`experiments/search_weights.py` found those of games where cards go up one by one, but for the last set, the first three
of games where whole runs go up, and the first four of holes with cells. In the first, `down` and `stock` were set by
hand.
"""

from typing import Final, NamedTuple

from solitaire_envs.piles.shape import PileShape


class SearchWeights(NamedTuple):
    """What makes a position worth looking at. All are numbers of points."""

    up: int
    """For a card on the foundations, or gone to the hole."""
    space: int
    free_cell: int
    blocked: int
    """Lost for a card that lies on a lower one."""
    buried: int
    """Lost for a card that lies on one that can go up next; in games with one pack where cards go up one by one."""
    broken: int
    """Lost for a card that does not belong on the one below."""
    down: int
    """Lost for a face-down card."""
    stock: int
    """Lost for a card of the stock that has not been turned over."""


CARD_WEIGHTS: Final = (
    SearchWeights(up=24, space=1, free_cell=6, blocked=32, buried=12, broken=3, down=16, stock=16),
    SearchWeights(up=24, space=0, free_cell=48, blocked=0, buried=3, broken=32, down=1, stock=6),
    SearchWeights(up=1, space=12, free_cell=2, blocked=8, buried=6, broken=0, down=10, stock=6),
    SearchWeights(up=24, space=4, free_cell=0, blocked=3, buried=3, broken=2, down=10, stock=3),
    SearchWeights(up=6, space=0, free_cell=3, blocked=3, buried=12, broken=32, down=16, stock=4),
    SearchWeights(up=6, space=8, free_cell=4, blocked=3, buried=0, broken=3, down=10, stock=0),
)
"""For games where cards go up one by one."""
RUN_WEIGHTS: Final = (
    SearchWeights(up=32, space=1, free_cell=0, blocked=16, buried=0, broken=24, down=2, stock=24),
    SearchWeights(up=6, space=32, free_cell=0, blocked=6, buried=0, broken=16, down=24, stock=12),
    SearchWeights(up=24, space=0, free_cell=0, blocked=2, buried=0, broken=48, down=32, stock=24),
    SearchWeights(up=2, space=60, free_cell=0, blocked=0, buried=0, broken=20, down=60, stock=20),
    SearchWeights(up=10, space=15, free_cell=0, blocked=0, buried=0, broken=6, down=15, stock=3),
)
"""For games where whole runs go up."""
EAGER_WEIGHTS: Final = (
    SearchWeights(up=2, space=60, free_cell=0, blocked=0, buried=0, broken=20, down=60, stock=20),
    SearchWeights(up=5, space=60, free_cell=0, blocked=0, buried=0, broken=30, down=15, stock=45),
    SearchWeights(up=0, space=40, free_cell=0, blocked=0, buried=0, broken=20, down=40, stock=30),
    SearchWeights(up=2, space=40, free_cell=0, blocked=0, buried=0, broken=15, down=25, stock=15),
)
"""For those with two packs: they deal the stock early."""
HOLE_WEIGHTS: Final = (SearchWeights(up=6, space=0, free_cell=4, blocked=0, buried=0, broken=0, down=10, stock=0),)
CELLED_HOLE_WEIGHTS: Final = (
    SearchWeights(up=0, space=12, free_cell=8, blocked=0, buried=0, broken=6, down=0, stock=0),
    SearchWeights(up=8, space=8, free_cell=16, blocked=2, buried=0, broken=6, down=0, stock=0),
    SearchWeights(up=0, space=1, free_cell=1, blocked=0, buried=0, broken=2, down=0, stock=0),
    SearchWeights(up=0, space=2, free_cell=1, blocked=0, buried=0, broken=1, down=0, stock=0),
    SearchWeights(up=0, space=0, free_cell=1, blocked=0, buried=0, broken=0, down=0, stock=0),
    SearchWeights(up=1, space=0, free_cell=0, blocked=0, buried=0, broken=0, down=0, stock=0),
    SearchWeights(up=1, space=0, free_cell=6, blocked=0, buried=0, broken=0, down=0, stock=0),
    SearchWeights(up=6, space=0, free_cell=8, blocked=0, buried=0, broken=0, down=0, stock=0),
)
"""For those with cells."""


def weights_of(shape: PileShape) -> tuple[SearchWeights, ...]:
    """Returns the weights of the searches of a game, one after another."""
    if shape.hole:
        return CELLED_HOLE_WEIGHTS if shape.sizes.cells else HOLE_WEIGHTS
    if not shape.takes_runs:
        return CARD_WEIGHTS
    return EAGER_WEIGHTS if shape.game.packs == 2 else RUN_WEIGHTS

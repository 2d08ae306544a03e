"""What a kit made from a record adds to the planner of all games."""

import numpy as np
import pytest

from solitaire_agents.catalogue import choices_of, kit_of, labels_of
from solitaire_agents.kit import Status, dealt
from solitaire_agents.network import random_network
from solitaire_agents.tree_planner import TreePlanner
from solitaire_envs.catalogue import GAMES
from solitaire_envs.deals import read_label_file
from solitaire_envs.engine import Engine
from solitaire_envs.game import make_options

GOLF, OPTIONS = GAMES["golf"], GAMES["golf"].options()


def test_once_all_is_known_the_planner_follows_the_solver() -> None:
    solver = kit_of(GOLF).finisher(OPTIONS)
    assert solver is not None
    labels = read_label_file(labels_of(GOLF).file(OPTIONS) or "")
    quick = labels["nodes"] < 20_000
    for status in (Status.SOLVED, Status.IMPOSSIBLE):
        deals = labels["deal"][quick & (labels["winnable"] == status)][:5]
        for deal, state in zip(deals.tolist(), dealt(GOLF, OPTIONS, deals), strict=True):
            line = solver.finish(state, OPTIONS)
            assert (line is not None) == (status is Status.SOLVED)
            if line is not None:
                assert played(deal, line)


def played(deal: int, line: object) -> bool:
    """Plays a line from a new deal; returns whether it wins."""
    engine = Engine(GOLF, OPTIONS, 1, autoreset="disabled")
    engine.deal_numbers([deal])
    for action in np.array(line):
        assert engine.buffers.action_masks[0, action]
        engine.step(np.array([action]))
    return bool(engine.buffers.outcomes["won"][0])


def test_a_search_with_open_cards_takes_that_line() -> None:
    options = GOLF.options(information="open")
    choices = choices_of(GOLF, options)
    network = random_network(choices.inputs, (64, 32), 0)
    deals = read_label_file(labels_of(GOLF).file(OPTIONS) or "")
    deal = int(deals["deal"][(deals["winnable"] == Status.SOLVED) & (deals["nodes"] < 20_000)][0])
    engine = Engine(GOLF, options, 1, autoreset="disabled")
    engine.deal_numbers([deal])
    planner = TreePlanner(choices, network, simulations=1, solver=kit_of(GOLF).finisher(choices.options))
    while not engine.states.ended[0]:
        engine.step(planner.act(engine.buffers.observations, engine.buffers.action_masks))
    assert engine.buffers.outcomes["won"][0]


@pytest.mark.parametrize(("name", "values"), [("freecell", {}), ("canfield", {"passes": 256})])
def test_no_solver_takes_over(name: str, values: dict[str, int]) -> None:
    """Where no card is hidden the network would have nothing to do; and the solver does not know all rules."""
    game = GAMES[name]
    assert kit_of(game).finisher(make_options(game.options, values)) is None

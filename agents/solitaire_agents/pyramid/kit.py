"""The kit of Pyramid."""

from pathlib import Path

from solitaire_agents.kit import Kit, rule_agents
from solitaire_agents.pyramid.choices import pyramid_choices
from solitaire_agents.pyramid.heuristics import RULES
from solitaire_agents.pyramid.planner import PatientAgent, PlannerAgent
from solitaire_agents.pyramid.solving import PyramidLabels, PyramidSolver
from solitaire_agents.pyramid.uses import USES
from solitaire_envs import pyramid

KIT: Kit = Kit(
    game=pyramid.GAME,
    agents={
        **rule_agents(RULES),
        "patient": PatientAgent,
        "planner": PlannerAgent,
    },
    uses=USES,
    choices=pyramid_choices,
    trained=("pyramid-win", "pyramid-score", "pyramid-win-other-rules", "pyramid-score-other-rules"),
    solver=PyramidSolver,
    labels=PyramidLabels,
    advisers=lambda options: ("best", "careful"),
    languages=(Path(__file__).parent / "languages",),
)

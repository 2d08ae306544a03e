"""The plots of a report."""

from solitaire_training.evaluation.env_spec import make_env_spec
from solitaire_training.evaluation.labels import label_deals
from solitaire_training.report.plots import Plots
from tests.training.comparing import DEALS, PYRAMID, compared


def test_the_share_that_can_be_won_is_in_the_plot() -> None:
    found, labels = compared(deals=DEALS[:40]), label_deals(make_env_spec(PYRAMID, {}), DEALS[:40])
    (axes,) = Plots(found.outcomes, found.metrics, labels).shares_won().axes
    assert axes.get_xlim()[1] > 100 * labels["winnable"].mean()

"""The plots of a report."""

from solitaire_training.evaluation.env_spec import make_env_spec
from solitaire_training.evaluation.labels import label_deals
from solitaire_training.report.plots import Plots
from tests.training.comparing import DEALS, PYRAMID, compared


def test_the_share_that_can_be_won_is_in_the_plot() -> None:
    found, labels = compared(deals=DEALS[:40]), label_deals(make_env_spec(PYRAMID, {}), DEALS[:40])
    (axes,) = Plots(found.outcomes, found.metrics, labels).shares_won().axes
    assert axes.get_xlim()[1] > 100 * labels["winnable"].mean()


def test_regret_rises_from_zero_points_to_all_deals() -> None:
    found, labels = (
        compared(agents="careful,oracle", deals=DEALS[:40]),
        label_deals(make_env_spec(PYRAMID, {}), DEALS[:40]),
    )
    figure = Plots(found.outcomes, found.metrics, labels).regret()
    assert figure is not None
    careful, oracle = (line.get_xydata() for line in figure.axes[0].get_lines())
    scores = found.outcomes.loc[found.outcomes["agent"] == "careful", "score"]
    assert careful[:, 0].tolist() == sorted((labels["best_score"].to_numpy() - scores.to_numpy()).tolist())
    assert (careful[-1, 1], set(oracle[:, 0])) == (100, {0})


def test_a_line_marks_the_mean_score() -> None:
    found, labels = compared(deals=DEALS[:40]), label_deals(make_env_spec(PYRAMID, {}), DEALS[:40])
    figure = Plots(found.outcomes, found.metrics, labels).scores()
    for name, axes in zip(("uniform", "careful"), figure.axes, strict=True):
        mean = found.outcomes.loc[found.outcomes["agent"] == name, "score"].mean()
        (line,) = axes.get_lines()
        assert list(line.get_xdata()) == [mean, mean]
        assert axes.get_title(loc="left") == f"{name}: mean {mean:.1f}"

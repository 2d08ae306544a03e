"""The plots of a report."""

import io

import pytest

from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.labels import label_deals
from solitaire_evaluation.report.plots import COLOURS, Plots, colours_of
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


def luminance(colour: str) -> float:
    parts = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("paper", ["#ffffff", "#171c1e"])
def test_colours_can_be_told_from_the_page(paper: str) -> None:
    """As WCAG asks of pictures: a contrast of 3 or more, on white and on the dark page of report.css."""
    for colour in COLOURS:
        low, high = sorted((luminance(colour), luminance(paper)))
        assert (high + 0.05) / (low + 0.05) >= 3


def test_an_agent_has_one_colour() -> None:
    colours = colours_of(["careful", "best", "careful", "oracle"])
    assert list(colours) == ["careful", "best", "oracle"]
    assert list(colours.values()) == list(COLOURS[:3])


@pytest.mark.filterwarnings("error")
def test_a_long_name_leaves_room_for_the_plot() -> None:
    name = "/a/very/long/path" * 10
    found, labels = (
        compared(agents=f"{name}=careful", deals=DEALS[:6]),
        label_deals(make_env_spec(PYRAMID, {}), DEALS[:6]),
    )
    figure = Plots(found.outcomes, found.metrics, labels).shares_won()
    figure.savefig(io.BytesIO())
    (label,) = figure.axes[0].get_yticklabels()
    assert label.get_text() == "…" + name[-31:]

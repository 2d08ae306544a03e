"""The policy that MaskablePPO trains, against plain sums over candidates."""

from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces

from solitaire_agents.network import POLICY, VALUE
from solitaire_training.sb3_policy import ChoicePolicy
from tests.agents.made_up import MOST, ROW
from tests.agents.test_choosing import logit_of
from tests.training.learning.test_torch_network import NETWORK, some_choices

LOUD = NETWORK._replace(last=NETWORK.last * np.array([[40], [3]], np.float32))


def made_policy() -> Any:
    observed = spaces.Box(0, 2**16 - 1, (ROW,), np.uint16)
    return ChoicePolicy(observed, spaces.Discrete(MOST), lambda _: 1e-3, start=LOUD)


def plain(candidates: list[list[int]]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Returns probabilities and values of candidates."""
    logits = np.array([logit_of(LOUD, POLICY, one) for one in candidates])
    chances = np.exp(logits - logits.max())
    values = 1 / (1 + np.exp(-np.array([logit_of(LOUD, VALUE, one) for one in candidates])))
    return chances / chances.sum(), values


def real_choices() -> tuple[list[list[list[int]]], torch.Tensor]:
    candidates, rows = some_choices(5)
    asked = [i for i, one in enumerate(candidates) if len(one) > 1]
    return [candidates[i] for i in asked], torch.from_numpy(rows[asked])


@torch.no_grad()
def test_candidates_are_judged_by_the_softmax_of_their_logits() -> None:
    candidates, rows = real_choices()
    taken = np.array([len(one) - 1 for one in candidates])
    values, log_chances, entropies = made_policy().evaluate_actions(rows, torch.from_numpy(taken))
    critics = made_policy().predict_values(rows)
    for i, one in enumerate(candidates):
        chances, worths = plain(one)
        assert values[i].item() == pytest.approx(worths[taken[i]], abs=1e-4)
        assert log_chances[i].item() == pytest.approx(np.log(chances[taken[i]]), abs=1e-3)
        assert entropies[i].item() == pytest.approx(-(chances * np.log(chances)).sum(), abs=1e-3)
        assert critics[i].item() == pytest.approx(chances @ worths, abs=1e-4)
    assert torch.isfinite(entropies).all()


@torch.no_grad()
def test_actions_come_with_their_values_and_log_probabilities() -> None:
    candidates, rows = real_choices()
    policy = made_policy()
    for deterministic in (True, False):
        actions, values, log_chances = policy(rows, deterministic)
        for i, one in enumerate(candidates):
            chances, worths = plain(one)
            assert 0 <= actions[i] < len(one)
            assert values[i].item() == pytest.approx(chances @ worths, abs=1e-4)
            assert log_chances[i].item() == pytest.approx(np.log(chances[actions[i]]), abs=1e-3)
            if deterministic:
                assert chances[actions[i]] == pytest.approx(chances.max(), abs=1e-6)
    assert torch.equal(policy._predict(rows, deterministic=True), policy(rows, True)[0])


@torch.no_grad()
def test_actions_are_drawn_by_their_probabilities() -> None:
    candidates, rows = real_choices()
    place = max(range(len(candidates)), key=lambda i: np.ptp(plain(candidates[i])[0]))
    chances, _ = plain(candidates[place])
    torch.manual_seed(0)
    drawn = made_policy()(rows[place].repeat(4_000, 1))[0]
    shares = np.bincount(drawn.numpy(), minlength=len(chances)) / 4_000
    assert len(shares) == len(chances)
    assert abs(shares - chances).max() < 0.035
    assert np.ptp(chances) > 0.1


def test_its_weights_are_those_of_the_network_and_no_others() -> None:
    policy = made_policy()
    assert {name for name, _ in policy.named_parameters()} == {f"network.{name}" for name in NETWORK._fields}
    assert len(policy.optimizer.param_groups[0]["params"]) == len(NETWORK)
    assert all(np.array_equal(a, b) for a, b in zip(policy.network.arrays(), LOUD, strict=True))

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import agent_scorecard as ags


def test_a_row_of_weight_two_counts_as_two_rows():
    y, p = [1, 0, 1], [0.9, 0.4, 0.3]
    for rule in (ags.brier_score(), ags.log_score(), ags.spherical_score(), ags.beta_score(2, 4)):
        weighted = rule.mean(y, p, sample_weight=[1, 2, 1])
        assert weighted == pytest.approx(rule.mean([1, 0, 0, 1], [0.9, 0.4, 0.4, 0.3]), abs=1e-15)


def test_the_mean_is_the_mean_of_the_scores():
    generator = np.random.default_rng(1)
    p, y = generator.random(500), generator.random(500) < 0.5
    for rule in (ags.brier_score(), ags.log_score(), ags.power_score(3.0), ags.pseudospherical_score(2.5)):
        assert rule.mean(y, p) == pytest.approx(rule.score(y, p).mean(), abs=1e-12)


def test_brier_and_log_scores_are_their_formulas():
    p, y = np.array([0.25, 0.75]), np.array([True, False])
    assert ags.brier_score().score(y, p).tolist() == [-0.5625, -0.5625]
    assert ags.log_score().score(y, p) == pytest.approx([math.log(0.25)] * 2, abs=1e-15)


def test_a_wrong_certainty_has_an_infinite_log_loss_unless_clipped():
    assert ags.log_loss([1], [0.0]) == math.inf
    assert ags.log_loss([1], [0.0], clip=1e-6) == pytest.approx(-math.log(1e-6))


@pytest.mark.parametrize("p", [[1.5, 0.5], [math.nan, 0.5], [-0.1, 0.5]])
def test_a_number_that_is_no_probability_is_refused_with_its_row(p):
    with pytest.raises(ValueError, match="0"):
        ags.brier_score().mean([1, 0], p)


def test_outcomes_other_than_zero_and_one_are_refused_with_their_row():
    with pytest.raises(ValueError, match="row 1 is 2"):
        ags.brier_score().mean([1, 2], [0.5, 0.5])


def test_arrays_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="expected"):
        ags.brier_score().mean([1, 0], [0.5])


def test_views_with_strides_and_other_types_give_the_same_bits():
    generator = np.random.default_rng(2)
    p = generator.random(20).astype(np.float32)
    y = generator.integers(0, 2, 20)
    whole = ags.auroc(y[::2].astype(bool), p[::2].astype(np.float64).copy())
    for outcomes in (y[::2], y[::2].tolist(), y[::2].astype(np.uint8), y[::2].astype(float)):
        assert ags.auroc(outcomes, p[::2]) == whole
    assert ags.auroc(y[::2], p.astype(np.float64)[::2]) == whole


def test_eight_threads_give_the_same_bits():
    generator = np.random.default_rng(3)
    p, y = generator.random(200_000), generator.random(200_000) < 0.3
    def work(_):
        return ags.auroc(y, p), ags.log_score().mean(y, p), ags.brier_loss(y, p)
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(work, range(16)))) == 1

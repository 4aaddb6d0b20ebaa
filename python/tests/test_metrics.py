import math

import numpy as np
import pytest

import agent_scorecard as ags


def test_auroc_is_the_share_of_pairs_in_order_with_ties_as_one_half():
    generator = np.random.default_rng(1)
    for _ in range(50):
        y = generator.integers(0, 2, 12)
        y[:2] = 0, 1
        s = generator.integers(0, 4, 12).astype(float)
        pairs = [(a > b) + 0.5 * (a == b) for a in s[y == 1] for b in s[y == 0]]
        assert ags.auroc(y, s) == pytest.approx(np.mean(pairs), abs=1e-14)


def test_one_class_is_undefined_or_nan_where_asked():
    with pytest.raises(ags.UndefinedError):
        ags.auroc([1, 1], [0.1, 0.2])
    assert math.isnan(ags.auroc([1, 1], [0.1, 0.2], undefined="nan"))
    assert math.isnan(ags.auroc([], [], undefined="nan"))


def test_invalid_input_is_an_error_even_where_nan_is_asked_for():
    with pytest.raises(ValueError):
        ags.auroc([1, 0], [math.nan, 0.2], undefined="nan")
    with pytest.raises(ValueError, match="undefined"):
        ags.auroc([1, 0], [0.1, 0.2], undefined="zero")


def test_the_area_under_the_curves_is_the_metric():
    generator = np.random.default_rng(2)
    y, s = generator.integers(0, 2, 200), generator.integers(0, 20, 200) / 20
    roc = ags.roc_curve(y, s)
    assert np.trapezoid(roc.true_positive_rate, roc.false_positive_rate) == pytest.approx(ags.auroc(y, s))
    curve = ags.precision_recall_curve(y, s)
    steps = np.diff(np.concatenate([[0.0], curve.recall]))
    assert float(steps @ curve.precision) == pytest.approx(ags.average_precision(y, s))


def test_corp_terms_add_up_to_the_mean_loss():
    generator = np.random.default_rng(3)
    y, p = generator.integers(0, 2, 100), generator.random(100)
    terms = ags.corp(ags.brier_score(), y, p)
    assert terms.mean_loss == pytest.approx(ags.brier_loss(y, p))
    total = terms.miscalibration - terms.discrimination + terms.uncertainty
    assert total == pytest.approx(terms.mean_loss)


def test_the_expected_calibration_error_is_the_weighted_gap_of_the_diagram():
    generator = np.random.default_rng(4)
    y, p = generator.integers(0, 2, 300), generator.random(300)
    bins = ags.reliability_diagram(y, p, n_bins=7)
    gaps = abs(bins.success_rate - bins.mean_probability)
    assert ags.calibration_error(y, p, n_bins=7) == pytest.approx(float(gaps @ bins.weight) / 300)
    largest = ags.calibration_error(y, p, n_bins=7, norm="maximum")
    assert largest == pytest.approx(float(gaps.max()))


def test_bins_of_equal_width_contain_their_upper_ends():
    # 100 runs at 0.9, all right, and 100 at 1, of which 80 are: their errors do not cancel.
    p = np.repeat([0.9, 1.0], 100)
    y = (np.arange(200) < 100) | (np.arange(200) % 5 > 0)
    assert ags.calibration_error(y, p) == pytest.approx(0.15)
    generator = np.random.default_rng(5)
    p = np.concatenate([np.arange(11) / 10, generator.random(2000).round(2)])
    y, w = generator.random(len(p)) < p, generator.integers(0, 4, len(p)).astype(float)
    bins = np.searchsorted(np.arange(1, 10) / 10, p)
    for weights in (None, w):
        each = np.ones(len(p)) if weights is None else weights
        gaps = np.abs(np.bincount(bins, each * (p - y), minlength=10))
        found = ags.calibration_error(y, p, sample_weight=weights)
        assert found == pytest.approx(gaps.sum() / each.sum(), rel=1e-12)
        sizes = np.bincount(bins, each, minlength=10)
        largest = ags.calibration_error(y, p, sample_weight=weights, norm="maximum")
        assert largest == pytest.approx((gaps / sizes).max(), rel=1e-12)
        diagram = ags.reliability_diagram(y, p, sample_weight=weights)
        assert diagram.weight == pytest.approx(sizes)
        assert diagram.success_rate == pytest.approx(np.bincount(bins, each * y) / sizes)
        # The order of the rows does not change a bit.
        order = generator.permutation(len(p))
        shuffled = None if weights is None else weights[order]
        assert ags.calibration_error(y[order], p[order], sample_weight=shuffled) == found


def test_the_murphy_curve_is_the_mean_elementary_loss():
    y, p = [0, 1, 1, 0], [0.1, 0.4, 0.8, 0.6]
    for threshold in (0.2, 0.5, 0.7):
        loss = -ags.elementary_score(threshold).mean(y, p)
        assert ags.murphy_curve(y, p, [threshold])[0] == pytest.approx(loss)


def test_perfect_forecasts_dominate():
    assert ags.dominance([0, 1], [0.5, 0.5], [0.0, 1.0]) == "second"
    assert ags.dominance([0, 1], [0.2, 0.7], [0.2, 0.7]) == "equal"


def test_calibrators_keep_probabilities_and_lower_the_log_loss():
    generator = np.random.default_rng(5)
    truth = generator.random(2000)
    y = generator.random(2000) < truth
    p = truth**3
    for calibrator in (ags.PlattCalibrator(), ags.BetaCalibrator(), ags.TemperatureCalibrator(),
                       ags.IsotonicCalibrator(), ags.VennAbersCalibrator()):
        calibrated = calibrator.fit(p, y).predict(p)
        assert calibrated.min() >= 0.0 and calibrated.max() <= 1.0
        assert ags.log_loss(y, calibrated, clip=1e-6) < ags.log_loss(y, p, clip=1e-6)


def test_a_calibrator_that_is_not_fitted_says_so():
    with pytest.raises(ValueError, match="not fitted"):
        ags.PlattCalibrator().predict([0.5])


def test_bootstrap_of_groups_is_wider_where_groups_repeat_rows():
    values = np.repeat(np.random.default_rng(6).random(40), 10)
    groups = np.repeat(np.arange(40), 10)
    rows = ags.bootstrap_mean(values, n_resamples=500)
    whole = ags.bootstrap_mean(values, groups=groups, n_resamples=500)
    assert np.ptp(whole.interval) > 2 * np.ptp(rows.interval)
    assert rows == ags.bootstrap_mean(values, n_resamples=500)
    assert ags.mean(values, groups).standard_error == pytest.approx(whole.standard_error, rel=0.2)


def test_numbers_may_lie_anywhere_in_memory():
    generator = np.random.default_rng(8)
    y, p = generator.random(50) < 0.5, generator.random(50)
    whole = [ags.auroc(y, p), ags.brier_loss(y, p, sample_weight=p)]
    rows = np.empty(50, dtype=[("y", "?"), ("count", "<i8"), ("p", "<f8")])
    rows["y"], rows["count"], rows["p"] = y, y, p
    assert rows["p"].strides == (17,)
    unaligned = np.frombuffer(b"-" + p.tobytes(), dtype=np.float64, offset=1)
    assert not unaligned.flags.aligned
    for outcomes in (y, rows["y"], rows["count"], np.repeat(y, 3)[::3], y[::-1][::-1]):
        for forecasts in (rows["p"], unaligned, np.repeat(p, 2)[::2], p[::-1][::-1], p.astype(">f8")):
            assert [ags.auroc(outcomes, forecasts), ags.brier_loss(outcomes, forecasts, sample_weight=forecasts)] == whole
    assert ags.path_distances([(rows["count"], y.astype(np.int64))]).exact_match_rate == 1.0


def test_the_loss_of_an_ensemble_does_not_depend_on_how_many_there_are():
    generator = np.random.default_rng(9)
    members = generator.choice([-1.0, -0.0, 0.0, 0.5, 1e-300, 3.0], size=(400, 7)) * generator.choice([1.0, 0.3], size=(400, 7))
    y = generator.choice([-0.5, 0.0, 0.5], size=400)
    for fair in (False, True):
        together = ags.crps_ensemble(y, members, fair=fair)
        one_by_one = [ags.crps_ensemble(y[i : i + 1], members[i : i + 1], fair=fair)[0] for i in range(400)]
        assert together.tobytes() == np.array(one_by_one).tobytes()
        assert ags.crps_ensemble(y, members.astype(object), fair=fair).tobytes() == together.tobytes()
    members[300, 1] = np.nan
    with pytest.raises(ValueError, match="index 1|member 1|ensemble members.* 1"):
        ags.crps_ensemble(y, members)
    with pytest.raises(ValueError, match="two dimensions"):
        ags.crps_ensemble(y, np.zeros((400, 7, 1)))


def test_means_and_differences_have_the_intervals_of_the_reports():
    rng = np.random.default_rng(3)
    tasks = np.repeat(np.arange(20), 3)
    alpha, beta = (rng.random(60) < 0.5 + 0.02 * tasks).astype(int), (rng.random(60) < 0.4).astype(int)
    side = {}
    for name, outcomes in (("alpha", alpha), ("beta", beta)):
        side[name] = [
            {"id": f"{task}", "trial": at % 3, "task": f"task {task:02}", "confidence": 0.5, "correct": bool(outcome)}
            for at, (task, outcome) in enumerate(zip(tasks, outcomes, strict=True))
        ]
    report = ags.reports.compare(side).to_dict()
    found = ags.success_rate(alpha, tasks)
    assert found == ags.mean(alpha, tasks, (0, 1))
    rate = report["files"][0]["success_rate"]
    assert (found.value, *found.interval) == pytest.approx((rate["value"], rate["ci_low"], rate["ci_high"]), abs=1e-12)
    found = ags.difference(np.r_[alpha, beta], np.repeat([0, 1], 60), np.r_[tasks, tasks], (0, 1))
    apart = report["difference"]["success_rate"]
    assert (found.value, *found.interval) == pytest.approx((apart["value"], apart["ci_low"], apart["ci_high"]), abs=1e-12)
    tokens = np.exp(rng.normal(8, 1, 60))
    skewed, plain = ags.mean(tokens, tasks, (0, None)), ags.mean(tokens, tasks)
    assert skewed.value == plain.value and skewed.interval.high > plain.interval.high
    with pytest.raises(ValueError, match="value 0 is 2"):
        ags.mean([2.0, 0.5], [1, 2], (0, 1))

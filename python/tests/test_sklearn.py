"""The calibrators inside scikit-learn."""

import pickle

import numpy as np
import pytest

import agent_scorecard as ags

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import cross_val_predict  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

CALIBRATORS = [
    ags.IsotonicCalibrator, ags.PlattCalibrator, ags.BetaCalibrator, ags.TemperatureCalibrator,
    ags.VennAbersCalibrator,
]


def behind_logistic_function(calibrator):
    """A class that takes any number of columns of any numbers, as the checks of scikit-learn give.

    It calibrates the logistic function of the first column, and leaves everything else to the calibrator.
    """

    class Behind(calibrator):
        def _column(self, X, reset=False):
            from sklearn.utils.validation import validate_data

            X = validate_data(self, X, reset=reset, dtype=np.float64)
            return 1.0 / (1.0 + np.exp(-X[:, 0]))

        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.one_d_array, tags.input_tags.two_d_array = False, True
            return tags

    Behind.__name__ = Behind.__qualname__ = f"Behind{calibrator.__name__}"
    globals()[Behind.__name__] = Behind  # so that it can be pickled
    return Behind


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("calibrator", CALIBRATORS)
def test_a_calibrator_passes_the_checks_of_scikit_learn(calibrator):
    check_estimator(calibrator())
    results = check_estimator(behind_logistic_function(calibrator)(), on_fail=None, on_skip=None)
    failed = {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}
    assert failed == {}
    assert sum(result["status"] == "passed" for result in results) >= 40


@pytest.mark.parametrize("calibrator", CALIBRATORS)
def test_a_calibrator_works_in_a_pipeline_and_in_cross_validation(calibrator):
    generator = np.random.default_rng(1)
    truth = generator.random(600)
    y = (generator.random(600) < truth).astype(int)
    overconfident = truth**3
    out_of_fold = cross_val_predict(calibrator(), overconfident, y, cv=5)
    assert ags.brier_loss(y, out_of_fold) < ags.brier_loss(y, overconfident)

    pipeline = make_pipeline(calibrator(), LogisticRegression())
    pipeline.fit(overconfident[:, None], y)
    assert pipeline.score(overconfident[:, None], y) > 0.6


@pytest.mark.parametrize("calibrator", CALIBRATORS)
def test_a_stored_calibrator_gives_the_same_bits(calibrator):
    generator = np.random.default_rng(2)
    p, y = generator.random(300), generator.random(300) < 0.4
    fitted = calibrator().fit(p, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.predict(p).tobytes() == fitted.predict(p).tobytes()
    assert not hasattr(clone(fitted), "map_")


def test_the_penalty_and_the_clip_are_parameters():
    generator = np.random.default_rng(3)
    p = generator.uniform(0.2, 0.8, 50)
    y = generator.random(50) < p
    plain, strong = ags.PlattCalibrator(), ags.PlattCalibrator(penalty=1e6)
    spread = [np.ptp(calibrator.fit(p, y).predict(p)) for calibrator in (plain, strong)]
    assert spread[1] < 1e-3 < spread[0]
    assert clone(strong).get_params() == {"penalty": 1e6, "clip": 1e-6}
    assert repr(strong.set_params(clip=0.1)) == "PlattCalibrator(penalty=1000000.0, clip=0.1)"
    # As the logistic regression of scikit-learn with the same penalty on the same column.
    x = np.log(p / (1 - p))
    x = (x - x.mean()) / x.std()
    reference = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(x[:, None], y).predict_proba(x[:, None])[:, 1]
    assert plain.fit(p, y).predict(p) == pytest.approx(reference, abs=1e-7)
    assert ags.PlattCalibrator().fit(p, p < 0.5).predict([0.3, 0.7]) == pytest.approx([np.mean(p < 0.5)] * 2)
    for calibrator in (ags.BetaCalibrator(clip=0.25), ags.TemperatureCalibrator(clip=0.25), ags.PlattCalibrator(clip=0.25)):
        assert calibrator.fit(p, y).predict([0.0, 1.0]) == pytest.approx(calibrator.predict([0.25, 0.75]))
    for calibrator in (ags.PlattCalibrator(penalty=0.0), ags.BetaCalibrator(clip=0.5), ags.TemperatureCalibrator(clip=-1.0)):
        with pytest.raises(ValueError, match="penalty|clip"):
            calibrator.fit(p, y)


def test_missing_and_masked_labels_are_refused_with_their_row():
    p = [0.25, 0.5, 0.75]
    for y in ([1, 0, np.nan], [1.0, np.nan, np.nan], ["won", "lost", None], np.ma.array([1, 0, 1], mask=[0, 0, 1])):
        with pytest.raises(ValueError, match="y: row [12] is"):
            ags.PlattCalibrator().fit(p, y)


def test_labels_are_ordered_and_not_more_than_two():
    fitted = ags.IsotonicCalibrator().fit([0.25, 0.75], ["lost", "won"])
    assert fitted.predict([0.1, 0.9]).tolist() == [0.0, 1.0]
    with pytest.raises(ValueError, match="two labels"):
        ags.IsotonicCalibrator().fit([0.25, 0.5, 0.75], [1, 2, 3])

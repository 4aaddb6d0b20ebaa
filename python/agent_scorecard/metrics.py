"""Ranking, calibration and decompositions of probabilities of success.

Every function takes outcomes (booleans, or 0 and 1), then scores or probabilities, and optionally a weight per row.
Where a quantity does not exist, the functions raise ``UndefinedError``, or return nan with ``undefined="nan"``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from agent_scorecard import _native
from agent_scorecard._native import ScoringRule, UndefinedError
from agent_scorecard.arguments import RESAMPLES, RandomState, choice, count, seed
from agent_scorecard.records import Figure, figure

Undefined = Literal["raise", "nan"]
Strategy = Literal["uniform", "quantile", "distinct"]
Array = npt.NDArray[np.float64]
Groups = npt.ArrayLike | Iterable[Hashable]
_BRIER = ScoringRule("brier")
_LOG = ScoringRule("log")


class AurocEstimate(NamedTuple):
    """An area under the ROC curve with its standard error by DeLong's method."""

    auroc: float
    standard_error: float


class AurocTest(NamedTuple):
    """The first AUROC minus the second AUROC on the same rows; ``p_value`` is None if the difference has no spread."""

    difference: float
    standard_error: float
    p_value: float | None


class RocCurve(NamedTuple):
    """The points of a ROC curve. The first threshold is infinite."""

    false_positive_rate: Array
    true_positive_rate: Array
    thresholds: Array


class PrecisionRecallCurve(NamedTuple):
    """The points of a precision-recall curve, by falling threshold."""

    precision: Array
    recall: Array
    thresholds: Array


class RiskCoverageCurve(NamedTuple):
    """The risk (rate of failures) of the rows at or above each threshold, and their share of all rows."""

    coverage: Array
    risk: Array
    thresholds: Array


class ReliabilityDiagram(NamedTuple):
    """The rate of success, the mean probability and the weight of the rows of each bin."""

    success_rate: Array
    mean_probability: Array
    weight: Array


class ReliabilityBand(NamedTuple):
    """The rate of success at each distinct probability by isotonic regression, with bounds of its consistency band."""

    probability: Array
    success_rate: Array
    low: Array
    high: Array


class Corp(NamedTuple):
    """The decomposition of a mean loss: miscalibration - discrimination + uncertainty."""

    mean_loss: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def _or_nan(undefined: Undefined, value: Callable[[], float]) -> float:
    choice("undefined", undefined, "raise", "nan")
    try:
        return value()
    except UndefinedError:
        if undefined == "nan":
            return math.nan
        raise


def _of(name: str, pos_label: int) -> str:
    """The name of a quantity of successes, or of failures."""
    if pos_label not in (0, 1):
        raise ValueError(f"pos_label is {pos_label!r}; it must be 0 or 1")
    return name if pos_label == 1 else f"{name}_of_failures"


def auroc(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    undefined: Undefined = "raise",
) -> float:
    """Return the area under the ROC curve. A tie counts one half.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    y_score : array-like of finite numbers
        Higher means that success is more likely.
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.
    undefined : {"raise", "nan"}
        The result if one class has no rows: an error, or nan.

    Returns
    -------
    float
        From 0 to 1; higher is better.

    Examples
    --------
    >>> auroc([0, 1, 1], [0.2, 0.2, 0.9])
    0.75
    >>> auroc([1, 1], [0.2, 0.9], undefined="nan")
    nan
    """
    return _or_nan(undefined, lambda: _native.rank_metric("auroc", y_true, y_score, sample_weight))


def average_precision(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Literal[0, 1] = 1,
    undefined: Undefined = "raise",
) -> float:
    """Return the average precision. Rows of equal score are one block.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    y_score : array-like of finite numbers
        Higher means that success is more likely.
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.
    pos_label : {1, 0}
        The class to find: 1 for successes, from the highest score down, or 0 for failures, from the lowest score up.
    undefined : {"raise", "nan"}
        The result if the class to find has no rows: an error, or nan.

    Returns
    -------
    float
        From 0 to 1; higher is better.

    Examples
    --------
    >>> average_precision([0, 1, 1], [0.1, 0.5, 0.9])
    1.0
    """
    name = _of("average_precision", pos_label)
    return _or_nan(undefined, lambda: _native.rank_metric(name, y_true, y_score, sample_weight))


def aurc(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    undefined: Undefined = "raise",
) -> float:
    """Return the area under the steps of the risk-coverage curve.

    The area is a sum over the distinct scores. A term is the share of the weight that has this score, times the failure
    rate among the rows with at least this score. Rows of equal score are thus accepted together. The scale of the
    weights does not matter.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    y_score : array-like of finite numbers
        Higher means that success is more likely.
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.
    undefined : {"raise", "nan"}
        The result if there are no rows: an error, or nan.

    Returns
    -------
    float
        From 0 to 1; lower is better. The area depends on the failure rate; `excess_aurc` depends on it less.

    Examples
    --------
    >>> aurc([0, 1], [0.1, 0.9])
    0.25
    """
    return _or_nan(undefined, lambda: _native.rank_metric("aurc", y_true, y_score, sample_weight))


def excess_aurc(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    undefined: Undefined = "raise",
) -> float:
    """Return the area under the steps of the risk-coverage curve minus the area of a perfect ranking.

    In the perfect ranking every success precedes every failure, and failures keep their order and their ties.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    y_score : array-like of finite numbers
        Higher means that success is more likely.
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.
    undefined : {"raise", "nan"}
        The result if there are no rows: an error, or nan.

    Returns
    -------
    float
        From 0 to 1; lower is better.

    Examples
    --------
    >>> excess_aurc([0, 1], [0.1, 0.9])
    0.0
    """
    return _or_nan(
        undefined, lambda: _native.rank_metric("excess_aurc", y_true, y_score, sample_weight)
    )


def augrc(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    undefined: Undefined = "raise",
) -> float:
    """Return the area under the generalised risk-coverage curve.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    y_score : array-like of finite numbers
        Higher means that success is more likely.
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.
    undefined : {"raise", "nan"}
        The result if there are no rows: an error, or nan.

    Returns
    -------
    float
        From 0 to 1/2; lower is better.

    Examples
    --------
    >>> augrc([1, 1], [0.1, 0.9])
    0.0
    """
    return _or_nan(undefined, lambda: _native.rank_metric("augrc", y_true, y_score, sample_weight))


def auroc_delong(
    y_true: npt.ArrayLike, y_score: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> AurocEstimate:
    """Return the area under the ROC curve with its standard error by DeLong's method.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    y_score : array-like of finite numbers
        Higher means that success is more likely.
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.

    Returns
    -------
    AurocEstimate

    Examples
    --------
    >>> auroc_delong([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9])
    AurocEstimate(auroc=1.0, standard_error=0.0)
    """
    return AurocEstimate(*_native.auroc_delong(y_true, y_score, sample_weight))


def auroc_test(
    y_true: npt.ArrayLike,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
) -> AurocTest:
    """Return the difference of two AUROCs on the same independent rows, with DeLong's test (DeLong and others, 1988).

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    first, second : array-like of probabilities
        The forecasts of two models for the same rows.
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.

    Returns
    -------
    AurocTest
        For runs that depend on each other, such as trials of a task, see `cluster_auroc_difference`.

    Examples
    --------
    >>> test = auroc_test([0, 0, 1, 1, 0, 1], [0.1, 0.3, 0.2, 0.8, 0.6, 0.9], [0.5, 0.5, 0.5, 0.5, 0.5, 0.6])
    >>> round(test.difference, 3), test.p_value > 0.3
    (0.111, True)
    """
    return AurocTest(*_native.auroc_test(y_true, first, second, sample_weight))


def cluster_auroc_difference(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    second: npt.ArrayLike,
    groups: Groups,
    *,
    confidence_level: float = 0.95,
) -> Figure:
    """Return the AUROC of a second model minus the AUROC of a first model, each on its own runs of the same tasks.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
        The outcomes of the runs of both models.
    y_prob : array-like of probabilities
    second : array-like of bool or 0 and 1
        Whether a run is of the second model.
    groups : array-like
        The task of each run.
    confidence_level : float

    Returns
    -------
    Figure
        The interval is robust to dependence inside tasks (Obuchowski, 1997).

    Examples
    --------
    >>> y, p = [1, 0, 1, 0, 1, 0, 1, 0], [0.9, 0.2, 0.6, 0.7, 0.6, 0.5, 0.8, 0.3]
    >>> cluster_auroc_difference(y, p, [0, 0, 0, 0, 1, 1, 1, 1], ["a", "a", "b", "b"] * 2).value
    0.25
    """
    return figure(_native.cluster_auroc_difference(y_true, y_prob, second, groups, confidence_level))


def roc_curve(
    y_true: npt.ArrayLike, y_score: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> RocCurve:
    """Return the ROC curve.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    y_score : array-like of finite numbers
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.

    Returns
    -------
    RocCurve

    Examples
    --------
    >>> roc_curve([0, 1], [0.1, 0.9]).true_positive_rate
    array([0., 1., 1.])
    """
    return RocCurve(*_native.curve("roc", y_true, y_score, sample_weight))


def precision_recall_curve(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Literal[0, 1] = 1,
) -> PrecisionRecallCurve:
    """Return the precision-recall curve.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    y_score : array-like of finite numbers
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.
    pos_label : {1, 0}
        The class to find: 1 for successes, from the highest score down, or 0 for failures, from the lowest score up.

    Returns
    -------
    PrecisionRecallCurve

    Examples
    --------
    >>> precision_recall_curve([0, 1], [0.1, 0.9]).precision
    array([1. , 0.5])
    """
    name = _of("precision_recall", pos_label)
    return PrecisionRecallCurve(*_native.curve(name, y_true, y_score, sample_weight))


def risk_coverage_curve(
    y_true: npt.ArrayLike, y_score: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> RiskCoverageCurve:
    """Return the risk-coverage curve.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    y_score : array-like of finite numbers
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.

    Returns
    -------
    RiskCoverageCurve

    Examples
    --------
    >>> risk_coverage_curve([0, 1], [0.1, 0.9]).risk
    array([0. , 0.5])
    """
    return RiskCoverageCurve(*_native.curve("risk_coverage", y_true, y_score, sample_weight))


def calibration_error(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    norm: Literal["expected", "maximum", "root_mean_square"] = "expected",
    strategy: Strategy = "uniform",
    n_bins: int = 10,
    sample_weight: npt.ArrayLike | None = None,
    undefined: Undefined = "raise",
) -> float:
    """Return the calibration error over bins of probabilities.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    y_prob : array-like of probabilities
    norm : {"expected", "maximum", "root_mean_square"}
        How the distances between mean probability and success rate are combined over the bins: their weighted mean,
        their maximum, or their root mean square.
    strategy : {"uniform", "quantile", "distinct"}
        Bins of equal width, each with its upper bound (Guo and others, 2017; scikit-learn's ``calibration_curve``);
        bins of equal weight; or one bin for each distinct probability.
    n_bins : int
        The number of bins; not used with ``"distinct"``.
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.
    undefined : {"raise", "nan"}
        The result if there are no rows: an error, or nan.

    Returns
    -------
    float
        From 0 to 1; lower is better.

    Examples
    --------
    >>> calibration_error([0, 1], [0.25, 0.75])
    0.25
    """
    settings = norm, strategy, count("n_bins", n_bins)
    return _or_nan(
        undefined, lambda: _native.calibration_error(*settings, y_true, y_prob, sample_weight)
    )


def reliability_diagram(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    strategy: Strategy = "uniform",
    n_bins: int = 10,
    sample_weight: npt.ArrayLike | None = None,
) -> ReliabilityDiagram:
    """Return the bins of a reliability diagram that are not empty.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    y_prob : array-like of probabilities
    strategy : {"uniform", "quantile", "distinct"}
        Bins of equal width, each with its upper bound (Guo and others, 2017; scikit-learn's ``calibration_curve``);
        bins of equal weight; or one bin for each distinct probability.
    n_bins : int
        The number of bins; not used with ``"distinct"``.
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.

    Returns
    -------
    ReliabilityDiagram

    Examples
    --------
    >>> reliability_diagram([0, 1], [0.25, 0.75]).mean_probability
    array([0.25, 0.75])
    """
    bins = count("n_bins", n_bins)
    return ReliabilityDiagram(*_native.reliability(strategy, bins, y_true, y_prob, sample_weight))


def reliability_band(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    confidence_level: float = 0.95,
    n_resamples: int = RESAMPLES,
    random_state: RandomState = 0,
) -> ReliabilityBand:
    """Return the reliability curve without bins (CORP), with a band that holds it if probabilities are calibrated.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    y_prob : array-like of probabilities
    confidence_level : float
        The coverage of the band, at each probability separately: the share of the curves of calibrated probabilities
        that it contains.
    n_resamples : int
        The number of times that outcomes are drawn with the given probabilities.
    random_state : int, Generator or None

    Returns
    -------
    ReliabilityBand
        A curve outside the band indicates miscalibration (Dimitriadis, Gneiting and Jordan, 2021).

    Examples
    --------
    >>> band = reliability_band([True] * 60 + [False] * 40, [0.9] * 100)
    >>> bool(band.low[0] < 0.9 < band.high[0]), bool(band.success_rate[0] < band.low[0])
    (True, True)
    """
    settings = confidence_level, count("n_resamples", n_resamples), seed(random_state)
    return ReliabilityBand(*_native.consistency(y_true, y_prob, *settings))


def brier_loss(
    y_true: npt.ArrayLike, y_prob: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Return the mean squared distance of probabilities and outcomes.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    y_prob : array-like of probabilities
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.

    Returns
    -------
    float
        From 0 to 1; lower is better.

    Examples
    --------
    >>> brier_loss([0, 1], [0.5, 1.0])
    0.125
    """
    return 0.0 - _BRIER.mean(y_true, y_prob, sample_weight=sample_weight)


def log_loss(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    clip: float | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    """Return the mean log loss in nats, infinite at a wrong certainty unless forecasts are clipped.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    y_prob : array-like of probabilities
    clip : float, optional
        Probabilities are clipped into ``[clip, 1 - clip]``.
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.

    Returns
    -------
    float
        At least 0; lower is better.

    Examples
    --------
    >>> log_loss([1], [0.0])
    inf
    """
    rule = _LOG if clip is None else ScoringRule("log", clip)
    return 0.0 - rule.mean(y_true, y_prob, sample_weight=sample_weight)


def corp(
    rule: ScoringRule,
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
) -> Corp:
    """Return the CORP decomposition of the mean loss of a rule (Dimitriadis, Gneiting and Jordan, 2021).

    Parameters
    ----------
    rule : ScoringRule
    y_true : array-like of bool or 0 and 1
    y_prob : array-like of probabilities
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.

    Returns
    -------
    Corp

    Examples
    --------
    >>> from agent_scorecard import brier_score
    >>> corp(brier_score(), [0, 1], [0.0, 1.0])
    Corp(mean_loss=0.0, miscalibration=0.0, discrimination=0.25, uncertainty=0.25)
    """
    return Corp(*_native.corp(rule, y_true, y_prob, sample_weight))


def murphy_curve(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    thresholds: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
) -> Array:
    """Return the mean elementary loss at each threshold between 0 and 1.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    y_prob : array-like of probabilities
    thresholds : array-like of numbers between 0 and 1
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.

    Returns
    -------
    numpy.ndarray
        One mean loss per threshold.

    Examples
    --------
    >>> murphy_curve([0, 1], [0.0, 1.0], [0.25, 0.5])
    array([0., 0.])
    """
    return _native.murphy(y_true, y_prob, thresholds, sample_weight)


def dominance(
    y_true: npt.ArrayLike,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
) -> Literal["first", "second", "equal", "neither"]:
    """Return which forecasts are at least as good under every proper score.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    first, second : array-like of probabilities
        Two forecasts of the same rows.
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.

    Returns
    -------
    {"first", "second", "equal", "neither"}

    Examples
    --------
    >>> dominance([0, 1], [0.0, 1.0], [0.5, 0.5])
    'first'
    """
    return _native.dominance(y_true, first, second, sample_weight)

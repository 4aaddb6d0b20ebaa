"""Ranking, calibration and decompositions of probabilities of success.

Every function takes outcomes (booleans, or 0 and 1), then scores or probabilities, and optionally a weight per row.
Where a quantity does not exist, the functions raise ``UndefinedError``, or return nan with ``undefined="nan"``.
"""

import math
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from agent_scorecard import _native
from agent_scorecard._native import ScoringRule, UndefinedError

_Undefined = Literal["raise"] | Literal["nan"]
_Strategy = Literal["uniform"] | Literal["quantile"] | Literal["distinct"]
_Array = npt.NDArray[np.float64]
_BRIER = ScoringRule("brier")
_LOG = ScoringRule("log")


class AurocEstimate(NamedTuple):
    """An area under the ROC curve with its standard error by DeLong's method."""

    auroc: float
    standard_error: float


class RocCurve(NamedTuple):
    """The points of a ROC curve. The first threshold is infinite."""

    false_positive_rate: _Array
    true_positive_rate: _Array
    thresholds: _Array


class PrecisionRecallCurve(NamedTuple):
    """The points of a precision-recall curve, by falling threshold."""

    precision: _Array
    recall: _Array
    thresholds: _Array


class RiskCoverageCurve(NamedTuple):
    """The risk (rate of failures) of the rows at or above each threshold, and their share of all rows."""

    coverage: _Array
    risk: _Array
    thresholds: _Array


class ReliabilityDiagram(NamedTuple):
    """Per bin, the rate of success, the mean probability and the weight of its rows."""

    success_rate: _Array
    mean_probability: _Array
    weight: _Array


class Corp(NamedTuple):
    """A mean loss as miscalibration - discrimination + uncertainty."""

    mean_loss: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def _check(undefined: _Undefined) -> None:
    if undefined not in ("raise", "nan"):
        raise ValueError(f"undefined is {undefined!r}; it must be 'raise' or 'nan'")


def _metric(
    name: str, y_true: Any, y_score: Any, sample_weight: Any, undefined: _Undefined, pos_label: int = 1
) -> float:
    _check(undefined)
    try:
        return _native.rank_metric(name, y_true, y_score, sample_weight, pos_label)
    except UndefinedError:
        if undefined == "nan":
            return math.nan
        raise


def auroc(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    undefined: _Undefined = "raise",
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
        What to do without rows of both classes.

    Examples
    --------
    >>> auroc([0, 1, 1], [0.2, 0.2, 0.9])
    0.75
    >>> auroc([1, 1], [0.2, 0.9], undefined="nan")
    nan
    """
    return _metric("auroc", y_true, y_score, sample_weight, undefined)


def average_precision(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Literal[0, 1] = 1,
    undefined: _Undefined = "raise",
) -> float:
    """Return the average precision. Rows of equal score are one block.

    With ``pos_label=0``, failures are looked for, from the lowest score up.

    Examples
    --------
    >>> average_precision([0, 1, 1], [0.1, 0.5, 0.9])
    1.0
    """
    return _metric("average_precision", y_true, y_score, sample_weight, undefined, pos_label)


def aurc(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    undefined: _Undefined = "raise",
) -> float:
    """Return the area under the risk-coverage curve; lower is better.

    Examples
    --------
    >>> aurc([0, 1], [0.1, 0.9])
    0.25
    """
    return _metric("aurc", y_true, y_score, sample_weight, undefined)


def excess_aurc(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    undefined: _Undefined = "raise",
) -> float:
    """Return the area under the risk-coverage curve minus that of a perfect ranking.

    Examples
    --------
    >>> excess_aurc([0, 1], [0.1, 0.9])
    0.0
    """
    return _metric("excess_aurc", y_true, y_score, sample_weight, undefined)


def augrc(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    undefined: _Undefined = "raise",
) -> float:
    """Return the area under the generalised risk-coverage curve; lower is better.

    Examples
    --------
    >>> augrc([1, 1], [0.1, 0.9])
    0.0
    """
    return _metric("augrc", y_true, y_score, sample_weight, undefined)


def auroc_delong(
    y_true: npt.ArrayLike, y_score: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> AurocEstimate:
    """Return the area under the ROC curve with its standard error by DeLong's method.

    Examples
    --------
    >>> auroc_delong([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9])
    AurocEstimate(auroc=1.0, standard_error=0.0)
    """
    return AurocEstimate(*_native.auroc_delong(y_true, y_score, sample_weight))


def roc_curve(
    y_true: npt.ArrayLike, y_score: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> RocCurve:
    """Return the ROC curve.

    Examples
    --------
    >>> roc_curve([0, 1], [0.1, 0.9]).true_positive_rate
    array([0., 1., 1.])
    """
    return RocCurve(*_native.curve("roc", y_true, y_score, sample_weight, 1))


def precision_recall_curve(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Literal[0, 1] = 1,
) -> PrecisionRecallCurve:
    """Return the precision-recall curve.

    Examples
    --------
    >>> precision_recall_curve([0, 1], [0.1, 0.9]).precision
    array([1. , 0.5])
    """
    return PrecisionRecallCurve(
        *_native.curve("precision_recall", y_true, y_score, sample_weight, pos_label)
    )


def risk_coverage_curve(
    y_true: npt.ArrayLike, y_score: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> RiskCoverageCurve:
    """Return the risk-coverage curve.

    Examples
    --------
    >>> risk_coverage_curve([0, 1], [0.1, 0.9]).risk
    array([0. , 0.5])
    """
    return RiskCoverageCurve(*_native.curve("risk_coverage", y_true, y_score, sample_weight, 1))


def calibration_error(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    norm: Literal["expected", "maximum", "root_mean_square"] = "expected",
    strategy: _Strategy = "uniform",
    n_bins: int = 10,
    sample_weight: npt.ArrayLike | None = None,
    undefined: _Undefined = "raise",
) -> float:
    """Return the calibration error over bins of probabilities.

    Examples
    --------
    >>> calibration_error([0, 1], [0.25, 0.75])
    0.25
    """
    if norm not in ("expected", "maximum", "root_mean_square"):
        raise ValueError(f"norm is {norm!r}; it must be expected, maximum or root_mean_square")
    _check(undefined)
    try:
        return _native.reliability(norm, y_true, y_prob, sample_weight, strategy, n_bins)[0]
    except UndefinedError:
        if undefined == "nan":
            return math.nan
        raise


def reliability_diagram(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    strategy: _Strategy = "uniform",
    n_bins: int = 10,
    sample_weight: npt.ArrayLike | None = None,
) -> ReliabilityDiagram:
    """Return the bins of a reliability diagram that are not empty.

    Examples
    --------
    >>> reliability_diagram([0, 1], [0.25, 0.75]).mean_probability
    array([0.25, 0.75])
    """
    columns = _native.reliability("diagram", y_true, y_prob, sample_weight, strategy, n_bins)[1]
    assert columns is not None
    return ReliabilityDiagram(*columns)


def brier_loss(
    y_true: npt.ArrayLike, y_prob: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Return the mean squared distance of probabilities and outcomes.

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
) -> _Array:
    """Return the mean elementary loss at each threshold between 0 and 1.

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
) -> str:
    """Return which forecasts are at least as good under every proper score: first, second, equal or neither.

    Examples
    --------
    >>> dominance([0, 1], [0.0, 1.0], [0.5, 0.5])
    'first'
    """
    return _native.dominance(y_true, first, second, sample_weight)

"""Intervals and tests with whole groups (tasks) as units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agent_scorecard import _native
from agent_scorecard.arguments import RESAMPLES, RandomState, count, seed
from agent_scorecard.metrics import Groups
from agent_scorecard.records import Figure, figure


class SignFlipTest(NamedTuple):
    """A mean difference with its two-sided p-value, and whether every assignment of signs was tried."""

    mean: float
    p_value: float
    exact: bool


def _settings(n_resamples: int, confidence_level: float, random_state: RandomState) -> tuple[int, float, int]:
    return count("n_resamples", n_resamples), confidence_level, seed(random_state)


def bootstrap(
    statistic: Callable[..., float],
    *arrays: npt.ArrayLike,
    groups: Groups | None = None,
    n_resamples: int = RESAMPLES,
    confidence_level: float = 0.95,
    random_state: RandomState = 0,
) -> Figure:
    """Return any statistic of rows with a bootstrap interval.

    Parameters
    ----------
    statistic : callable
        Receives the arrays with the rows of a resample, and returns a number.
    *arrays : array-like
        Each array has one entry per row.
    groups : array-like, optional
        The group of each row, such as its task. Whole groups are resampled.
    n_resamples : int
    confidence_level : float
        The coverage of the interval.
    random_state : int, Generator or None

    Returns
    -------
    Figure
        ``undefined`` counts the resamples for which the statistic raised ``UndefinedError``. The interval is the expanded
        percentile interval (Hesterberg, 2015), which is wide enough for few groups.

    Examples
    --------
    >>> from agent_scorecard import average_precision
    >>> y, p = [0, 1] * 10, [0.1 * (row % 7) for row in range(20)]
    >>> found = bootstrap(average_precision, y, p, n_resamples=50)
    >>> found.value == average_precision(y, p), found.interval is not None
    (True, True)
    """
    columns = [np.asarray(_native.plain_array("arrays", array)) for array in arrays]
    lengths = {len(column) for column in columns}
    if len(lengths) != 1:
        raise ValueError(f"arrays have {sorted(lengths)} rows; give one or more of the same length")

    def of_rows(rows: Any) -> float:
        return float(statistic(*(column[rows] for column in columns)))

    settings = _settings(n_resamples, confidence_level, random_state)
    return figure(_native.bootstrap_of(of_rows, lengths.pop(), groups, settings))


def bootstrap_mean(
    values: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    groups: Groups | None = None,
    n_resamples: int = RESAMPLES,
    confidence_level: float = 0.95,
    random_state: RandomState = 0,
) -> Figure:
    """Return the mean with a bootstrap interval that resamples rows, or whole groups where given.

    Parameters
    ----------
    values : array-like of finite numbers
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.
    groups : array-like, optional
        The group of each row, such as its task: texts, numbers or other hashable objects. A missing group is refused.
    n_resamples : int
    confidence_level : float
        The coverage of the interval.
    random_state : int, Generator or None
        The same seed gives the same bits.

    Returns
    -------
    Figure
        The figure has no interval if there are fewer than 6 groups (at 95 %), or if the value does not vary.

    Examples
    --------
    >>> bootstrap_mean([2.0, 3.0], n_resamples=10).no_interval
    '2 clusters; a 95 % interval needs at least 6'
    """
    settings = _settings(n_resamples, confidence_level, random_state)
    return figure(_native.bootstrap_mean(values, sample_weight, groups, settings))


def bootstrap_auroc(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    groups: Groups | None = None,
    n_resamples: int = RESAMPLES,
    confidence_level: float = 0.95,
    random_state: RandomState = 0,
) -> Figure:
    """Return the area under the ROC curve with a bootstrap interval, which needs 6 groups with each outcome.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    y_score : array-like of finite numbers
        Higher means that success is more likely.
    groups : array-like, optional
        The group of each row, such as its task: texts, numbers or other hashable objects. A missing group is refused.
    n_resamples : int
    confidence_level : float
        The coverage of the interval.
    random_state : int, Generator or None
        The same seed gives the same bits.

    Returns
    -------
    Figure
        ``undefined`` counts the resamples in which all rows have one outcome.

    Examples
    --------
    >>> bootstrap_auroc([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], n_resamples=20).interval is None
    True
    """
    settings = _settings(n_resamples, confidence_level, random_state)
    return figure(_native.bootstrap_auroc(y_true, y_score, groups, settings))


def sign_flip_test(
    differences: npt.ArrayLike,
    groups: Groups | None = None,
    *,
    n_resamples: int = 10000,
    random_state: RandomState = 0,
) -> SignFlipTest:
    """Return the paired permutation test of a mean difference, which flips the signs of whole groups.

    Parameters
    ----------
    differences : array-like of finite numbers
        One per pair of rows.
    groups : array-like, optional
        The task of each pair; by default, each pair is a separate group.
    n_resamples : int
        The number of random assignments of signs, if more assignments than this are possible.
    random_state : int, Generator or None

    Returns
    -------
    SignFlipTest

    Examples
    --------
    >>> sign_flip_test([0.1, 0.3, 0.2, 0.4]).p_value
    0.125
    """
    if groups is None:
        groups = np.arange(len(np.atleast_1d(differences)))
    settings = count("n_resamples", n_resamples), seed(random_state)
    return SignFlipTest(*_native.sign_flip_test(differences, groups, *settings))

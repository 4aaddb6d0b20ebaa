"""Bootstrap intervals and standard errors with whole groups (tasks) as units."""

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy.typing as npt

from agent_scorecard import _native


class BootstrapEstimate(NamedTuple):
    """An estimate with a confidence interval: the expanded percentile interval (Hesterberg 2015), which is wide
    enough for few groups. Without an interval, ``low`` and ``high`` are None and ``no_interval`` says why: fewer
    than 6 groups for 95 %, or a value that does not vary. ``undefined`` counts the resamples without a value.
    """

    estimate: float
    low: float | None
    high: float | None
    standard_error: float | None
    undefined: int
    no_interval: str | None


class ClusterEstimate(NamedTuple):
    """An estimate with an interval and a standard error from the spread between groups. ``low`` and ``high`` are
    None if there is no spread.
    """

    estimate: float
    low: float | None
    high: float | None
    standard_error: float


def bootstrap_mean(
    values: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | Iterable[Hashable] | None = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    random_state: int = 0,
) -> BootstrapEstimate:
    """Return the mean with a bootstrap interval that resamples rows, or whole groups where given.

    Parameters
    ----------
    values : array-like of finite numbers
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.
    groups : array-like, optional
        The task of each row, or whatever rows depend on: texts, numbers or other hashable objects. A missing one is refused.
    n_resamples : int
    confidence_level : float
        The coverage of the interval.
    random_state : int
        The same seed gives the same bits.

    Returns
    -------
    BootstrapEstimate

    Examples
    --------
    >>> bootstrap_mean([2.0, 3.0], n_resamples=10).no_interval
    '2 clusters; a 95 % interval needs at least 6'
    """
    return BootstrapEstimate(
        *_native.bootstrap_mean(
            values, sample_weight, groups, n_resamples, confidence_level, random_state
        )
    )


def bootstrap_auroc(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    groups: npt.ArrayLike | Iterable[Hashable] | None = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    random_state: int = 0,
) -> BootstrapEstimate:
    """Return the area under the ROC curve with a bootstrap interval, which needs 6 groups with either outcome.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
    y_score : array-like of finite numbers
        Higher means that success is more likely.
    groups : array-like, optional
        The task of each row, or whatever rows depend on: texts, numbers or other hashable objects. A missing one is refused.
    n_resamples : int
    confidence_level : float
        The coverage of the interval.
    random_state : int
        The same seed gives the same bits.

    Returns
    -------
    BootstrapEstimate
        ``undefined`` counts the resamples in which all rows have one outcome.

    Examples
    --------
    >>> bootstrap_auroc([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], n_resamples=20)[:3]
    (1.0, None, None)
    """
    return BootstrapEstimate(
        *_native.bootstrap_auroc(
            y_true, y_score, groups, n_resamples, confidence_level, random_state
        )
    )


def cluster_mean(
    values: npt.ArrayLike,
    groups: npt.ArrayLike | Iterable[Hashable],
    *,
    sample_weight: npt.ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> ClusterEstimate:
    """Return the mean with a standard error that is robust to dependence inside groups.

    Parameters
    ----------
    values : array-like of finite numbers
    groups : array-like
        The task of each row, or whatever rows depend on: texts, numbers or other hashable objects. A missing one is refused.
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.
    confidence_level : float
        The coverage of the interval.

    Returns
    -------
    ClusterEstimate

    Examples
    --------
    >>> cluster_mean([1.0, 1.0, 3.0, 3.0], ["a", "a", "b", "b"]).estimate
    2.0
    """
    return ClusterEstimate(
        *_native.cluster_mean(values, sample_weight, groups, confidence_level)
    )

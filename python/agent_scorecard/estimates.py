"""Means, rates and differences with intervals that treat whole groups (tasks) as units, without resampling."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agent_scorecard import _native
from agent_scorecard.metrics import Groups
from agent_scorecard.records import Figure, figure

Bounds = tuple[float | None, float | None]


def mean(
    values: npt.ArrayLike,
    groups: Groups,
    bounds: Bounds | None = None,
    *,
    sample_weight: npt.ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> Figure:
    """Return the mean of rows that may be dependent within groups, with the interval of the reports.

    Parameters
    ----------
    values : array-like of finite numbers
    groups : array-like
        The group of each row, such as its task: texts, numbers or other hashable objects. A missing group is refused.
    bounds : pair of float or None, optional
        The smallest and the largest possible value: (0, 1) for outcomes and scores, whose interval stays within these
        bounds; (0, None) for amounts such as tokens, which are often skewed. By default, the interval uses Student's t
        distribution.
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.
    confidence_level : float
        The coverage of the interval.

    Returns
    -------
    Figure
        The figure has no interval if there are fewer than 6 groups (at 95 %), or if unbounded values have no spread
        between groups. The interval uses a variance that allows for groups of different sizes (CR2). The standard error
        is the plain error by group (CR1).

    Examples
    --------
    >>> mean([1.0, 1.0, 3.0, 3.0], ["a", "a", "b", "b"]).value
    2.0
    """
    return figure(_native.mean(values, sample_weight, groups, bounds, confidence_level))


def success_rate(y_true: npt.ArrayLike, groups: Groups, *, confidence_level: float = 0.95) -> Figure:
    """Return the share of runs that succeeded, with the interval of the reports, which stays within 0 and 1.

    Parameters
    ----------
    y_true : array-like of bool, 0 and 1, or scores between
        The outcome of each run.
    groups : array-like
        The task of each run.
    confidence_level : float
        The coverage of the interval.

    Returns
    -------
    Figure
        The figure has no interval if there are fewer than 6 groups (at 95 %).

    Examples
    --------
    >>> success_rate([1] * 30, range(30)).interval.high
    1.0
    """
    return mean(np.asarray(y_true, dtype=float), groups, (0, 1), confidence_level=confidence_level)


def difference(
    values: npt.ArrayLike,
    second: npt.ArrayLike,
    groups: Groups,
    bounds: Bounds | None = None,
    *,
    confidence_level: float = 0.95,
) -> Figure:
    """Return the mean of the second arm minus the mean of the first, with the interval of `compare`. A group counts once.

    Parameters
    ----------
    values : array-like of finite numbers
        The rows of both arms.
    second : array-like of bool or 0 and 1
        Whether a row is of the second arm.
    groups : array-like
        The task of each row. Tasks that both arms have make the difference more certain.
    bounds : pair of float or None, optional
        The smallest and the largest possible value, such as (0, 1) for outcomes and scores.
    confidence_level : float
        The coverage of the interval.

    Returns
    -------
    Figure

    Examples
    --------
    >>> difference([1.0, 2.0, 2.0, 4.0], [0, 0, 1, 1], ["a", "b", "a", "b"]).value
    1.5
    """
    return figure(_native.difference(values, second, groups, bounds, confidence_level))

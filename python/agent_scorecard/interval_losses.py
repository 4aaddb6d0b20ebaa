"""Losses of intervals, quantiles and ensembles. Lower is better; all functions return one loss per row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agent_scorecard import _native

_Array = npt.NDArray[np.float64]


def interval_loss(
    y_true: npt.ArrayLike, lower: npt.ArrayLike, upper: npt.ArrayLike, *, coverage: float
) -> _Array:
    """Return the interval loss (Winkler's score) of central intervals with this coverage.

    Parameters
    ----------
    y_true : array-like of finite numbers
    lower, upper : array-like of numbers
        The bounds of the interval of each row.
    coverage : float
        The nominal coverage of the intervals, between 0 and 1.

    Returns
    -------
    numpy.ndarray
        One loss per row; lower is better.

    Examples
    --------
    >>> interval_loss([1.0, 3.0], [0.0, 0.0], [2.0, 2.0], coverage=0.5)
    array([2., 6.])
    """
    return _native.interval_loss(y_true, lower, upper, coverage)


def pinball_loss(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, level: float) -> _Array:
    """Return the pinball loss of quantiles at this level.

    Parameters
    ----------
    y_true : array-like of finite numbers
    y_pred : array-like of finite numbers
        The quantile of each row.
    level : float
        Between 0 and 1.

    Returns
    -------
    numpy.ndarray
        One loss per row; lower is better.

    Examples
    --------
    >>> pinball_loss([2.0], [1.0], level=0.75)
    array([0.75])
    """
    return _native.pinball_loss(y_true, y_pred, level)


def crps_ensemble(y_true: npt.ArrayLike, members: npt.ArrayLike, *, fair: bool = False) -> _Array:
    """Return the continuous ranked probability score of ensembles, one row of members per outcome.

    Parameters
    ----------
    y_true : array-like of finite numbers
    members : array-like of two dimensions
        One row of members per outcome.
    fair : bool
        Whether to compute the fair score. Its expectation over drawn ensembles is the score of their distribution.

    Returns
    -------
    numpy.ndarray
        One loss per row; lower is better.

    Examples
    --------
    >>> crps_ensemble([0.0], [[-1.0, 1.0]])
    array([0.5])
    """
    return _native.crps_ensemble(y_true, members, fair)


def crps_quantiles(y_true: npt.ArrayLike, quantiles: npt.ArrayLike, levels: npt.ArrayLike) -> _Array:
    """Return the approximation of the continuous ranked probability score by quantiles.

    The loss is the sum of ``2 w * pinball loss``, where ``w`` is the share of
    (0, 1) that is nearer to the level than to any other level.

    Parameters
    ----------
    y_true : array-like of finite numbers
    quantiles : array-like of two dimensions
        One row of quantiles per outcome.
    levels : array-like of numbers between 0 and 1
        The level of each column.

    Returns
    -------
    numpy.ndarray
        One loss per row; lower is better.

    Examples
    --------
    >>> crps_quantiles([2.0], [[1.0]], [0.5])
    array([1.])
    """
    return _native.crps_quantiles(y_true, quantiles, levels)


def weighted_interval_loss(
    y_true: npt.ArrayLike, quantiles: npt.ArrayLike, levels: npt.ArrayLike
) -> _Array:
    """Return the weighted interval score (Bracher et al., 2021) of a median and pairs of quantiles.

    Parameters
    ----------
    y_true : array-like of finite numbers
    quantiles : array-like of two dimensions
        One row of quantiles per outcome.
    levels : array-like of numbers between 0 and 1
        The level of each column: 0.5, and pairs that add up to 1.

    Returns
    -------
    numpy.ndarray
        One loss per row; lower is better.

    Examples
    --------
    >>> weighted_interval_loss([2.0], [[0.0, 1.0, 3.0]], [0.25, 0.5, 0.75]).round(6)
    array([0.833333])
    """
    return _native.weighted_interval_loss(y_true, quantiles, levels)

"""Losses of intervals, quantiles and ensembles. Lower is better; all functions return one loss per row."""

import numpy as np
import numpy.typing as npt

from agent_scorecard import _native

_Array = npt.NDArray[np.float64]


def interval_loss(
    y_true: npt.ArrayLike, lower: npt.ArrayLike, upper: npt.ArrayLike, *, coverage: float
) -> _Array:
    """Return the interval loss (Winkler's score) of central intervals with this coverage.

    Examples
    --------
    >>> interval_loss([1.0, 3.0], [0.0, 0.0], [2.0, 2.0], coverage=0.5)
    array([2., 6.])
    """
    return _native.interval_loss(y_true, lower, upper, coverage)


def pinball_loss(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, level: float) -> _Array:
    """Return the pinball loss of quantiles at this level.

    Examples
    --------
    >>> pinball_loss([2.0], [1.0], level=0.75)
    array([0.75])
    """
    return _native.pinball_loss(y_true, y_pred, level)


def crps_ensemble(y_true: npt.ArrayLike, members: npt.ArrayLike, *, fair: bool = False) -> _Array:
    """Return the continuous ranked probability score of ensembles, one row of members per outcome.

    With ``fair=True``, the expectation over ensembles is that of their distribution.

    Examples
    --------
    >>> crps_ensemble([0.0], [[-1.0, 1.0]])
    array([0.5])
    """
    return _native.crps_ensemble(y_true, members, fair)


def crps_quantiles(y_true: npt.ArrayLike, quantiles: npt.ArrayLike, levels: npt.ArrayLike) -> _Array:
    """Return the approximation of the continuous ranked probability score by quantiles.

    ``quantiles`` has one row per outcome. The loss is the sum of ``2 w * pinball loss``, where ``w`` is the share of
    (0, 1) that is nearer to the level than to any other level.

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

    Examples
    --------
    >>> weighted_interval_loss([2.0], [[0.0, 1.0, 3.0]], [0.25, 0.5, 0.75]).round(6)
    array([0.833333])
    """
    return _native.weighted_interval_loss(y_true, quantiles, levels)

"""Streams of probabilities: one trace per run, with one outcome."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from agent_scores._native import Traces


def traces(y_true: npt.ArrayLike, forecasts: Any, offsets: npt.ArrayLike | None = None) -> Traces:
    """Return traces of flat values with offsets, of a list of arrays, or of an Arrow or awkward list array.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1, one per trace
    forecasts : array-like, or iterable of array-likes
    offsets : array-like of int, optional
        Trace ``i`` is ``forecasts[offsets[i]:offsets[i + 1]]``; the first offset is 0.

    Examples
    --------
    >>> traces([1, 0], [[0.5, 0.9], [0.2]])
    Traces(2 traces, 3 steps)
    >>> traces([1, 0], [0.5, 0.9, 0.2], offsets=[0, 2, 3])
    Traces(2 traces, 3 steps)
    """
    if offsets is not None:
        ends = np.asarray(offsets, dtype=np.int64)
        if ends.ndim != 1 or len(ends) == 0 or ends[0] != 0 or np.any(ends < 0):
            raise ValueError("offsets must be one array of integers that starts with 0")
        return Traces(y_true, forecasts, ends[1:].tolist())
    if hasattr(forecasts, "value_lengths"):  # a list array of Arrow
        lengths = np.asarray(forecasts.value_lengths(), dtype=np.int64)
        values = np.asarray(forecasts.flatten(), dtype=np.float64)
        return Traces(y_true, values, np.cumsum(lengths).tolist())
    if not isinstance(forecasts, Iterable):
        raise ValueError("forecasts must be an array with offsets, or an iterable of arrays")
    arrays = [np.asarray(trace, dtype=np.float64) for trace in forecasts]
    if any(array.ndim != 1 for array in arrays):
        raise ValueError("each trace must have one dimension; give flat values with offsets")
    ends = np.cumsum([len(array) for array in arrays], dtype=np.int64)
    return Traces(y_true, np.concatenate(arrays) if arrays else np.empty(0), ends.tolist())

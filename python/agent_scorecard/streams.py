"""Streams of probabilities: one trace per run, with one outcome."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from agent_scorecard import _native
from agent_scorecard._native import Traces


def _whole_numbers(what: str, values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """The array-like as integers; a number with a fraction, NaN or a missing entry is refused."""
    numbers = _native.float_array(what, values)
    wrong = ~((numbers == np.floor(numbers)) & (np.abs(numbers) < 2.0**53))
    if wrong.any():
        row = int(np.argwhere(wrong)[0][0])
        raise ValueError(f"{what}: row {row} is {numbers[row]}; it must be a whole number")
    return numbers.astype(np.int64)


def flat(forecasts: Any) -> tuple[npt.NDArray[np.float64], list[int]]:
    """The values of all runs, one after the other, and where each run ends."""
    if hasattr(forecasts, "value_lengths"):  # a list array of Arrow
        lengths = _whole_numbers("the lengths of forecasts", forecasts.value_lengths())
        return _native.float_array("forecasts", forecasts.flatten()), np.cumsum(lengths).tolist()
    if not isinstance(forecasts, Iterable) or getattr(forecasts, "ndim", 1) == 0:
        raise ValueError("forecasts must be an array with offsets, or an iterable of arrays")
    arrays = [
        _native.float_array(f"forecasts of run {run}", values) for run, values in enumerate(forecasts)
    ]
    for run, array in enumerate(arrays):
        if array.ndim != 1:
            raise ValueError(f"forecasts of run {run} must have one dimension, not {array.ndim}")
    ends = np.cumsum([len(array) for array in arrays], dtype=np.int64)
    return np.concatenate(arrays) if arrays else np.empty(0), ends.tolist()


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
        ends = _whole_numbers("offsets", offsets)
        if ends.ndim != 1 or len(ends) == 0 or ends[0] != 0 or np.any(ends < 0):
            raise ValueError("offsets must be one array of integers that starts with 0")
        return Traces(y_true, forecasts, ends[1:].tolist())
    return Traces(y_true, *flat(forecasts))

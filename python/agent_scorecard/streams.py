"""Streams of probabilities: one trace per run, with one outcome."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from agent_scorecard import _native
from agent_scorecard._native import Traces
from agent_scorecard.records import Record

Array = npt.NDArray[np.float64]
Missing = Literal["refuse", "leave-out", "skip", "carry-forward", "clip"]


class CheckedForecasts(NamedTuple):
    """The forecasts of the runs that are kept, flat with offsets; the positions of these runs; and counts."""

    values: Array
    offsets: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    counts: Record


class FrameTraces(NamedTuple):
    """Traces of a table, with the name and the task of each run."""

    traces: Traces
    runs: npt.NDArray[Any]
    tasks: npt.NDArray[Any] | None


def _whole_numbers(what: str, values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """The array-like as integers; a number with a fraction, NaN or a missing entry is refused."""
    numbers = _native.float_array(what, values)
    wrong = ~((numbers == np.floor(numbers)) & (np.abs(numbers) < 2.0**53))
    if wrong.any():
        row = int(np.argwhere(wrong)[0][0])
        raise ValueError(f"{what}: row {row} is {numbers[row]}; it must be a whole number")
    whole: npt.NDArray[np.int64] = numbers.astype(np.int64)
    return whole


def flat(forecasts: Any) -> tuple[Array, list[int]]:
    """The values of all runs, one after the other, and where each run ends."""
    if hasattr(forecasts, "value_lengths"):  # a list array of Arrow
        lengths = _whole_numbers("the lengths of forecasts", forecasts.value_lengths())
        return _native.float_array("forecasts", forecasts.flatten()), np.cumsum(lengths).tolist()
    if hasattr(forecasts, "columns"):
        raise ValueError("forecasts is a table; traces_from_frame takes one with a row per step")
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


def _flat(forecasts: Any, offsets: npt.ArrayLike | None) -> tuple[Any, list[int]]:
    if offsets is None:
        return flat(forecasts)
    ends = _whole_numbers("offsets", offsets)
    if ends.ndim != 1 or len(ends) == 0 or ends[0] != 0 or np.any(ends < 0):
        raise ValueError("offsets must be one array of integers that starts with 0")
    return forecasts, ends[1:].tolist()


def traces(y_true: npt.ArrayLike, forecasts: Any, offsets: npt.ArrayLike | None = None) -> Traces:
    """Return traces from flat values with offsets, from a list of arrays, or from an Arrow or awkward list array.

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1, one per trace
    forecasts : array-like, or iterable of array-likes
        See `traces_from_frame` for a table with a row per step.
    offsets : array-like of int, optional
        Trace ``i`` is ``forecasts[offsets[i]:offsets[i + 1]]``; the first offset is 0.

    Returns
    -------
    Traces

    Examples
    --------
    >>> traces([1, 0], [[0.5, 0.9], [0.2]])
    Traces(2 traces, 3 steps)
    >>> traces([1, 0], [0.5, 0.9, 0.2], offsets=[0, 2, 3])
    Traces(2 traces, 3 steps)
    """
    return Traces(y_true, *_flat(forecasts, offsets))


def check_forecasts(
    forecasts: Any,
    offsets: npt.ArrayLike | None = None,
    *,
    missing: Missing = "leave-out",
    first: float | None = None,
) -> CheckedForecasts:
    """Return the forecasts of the runs that are kept if some forecasts are NaN or outside [0, 1].

    Leaving out and repairing runs changes the sample: report the counts together with the scores.

    Parameters
    ----------
    forecasts : array-like, or iterable of array-likes
        As for `traces`; NaN is missing.
    offsets : array-like of int, optional
        As for `traces`.
    missing : {"refuse", "leave-out", "skip", "carry-forward", "clip"}
        The policy for such a forecast: refuse it; leave its run out; skip its step; repeat the previous forecast, or
        leave the run out if its first forecast is missing or outside [0, 1]; or move values outside [0, 1] to 0 or 1,
        and refuse missing values.
    first : float, optional
        With ``"carry-forward"``, the value before the first valid forecast.

    Returns
    -------
    CheckedForecasts

    Examples
    --------
    >>> nan = float("nan")
    >>> kept = check_forecasts([[0.5, nan], [0.2, 0.9]])
    >>> kept.rows, traces([1, 0], [[0.5, 0.7], [0.2, 0.9]]), kept.counts.left_out_runs
    (array([1]), Traces(2 traces, 4 steps), 1)
    >>> check_forecasts([[0.5, nan], [0.2, 0.9]], missing="carry-forward").values
    array([0.5, 0.5, 0.2, 0.9])
    """
    values, ends = _flat(forecasts, offsets)
    kept, kept_ends, rows, counts = _native.check_forecasts(values, ends, missing, first)
    offsets = np.array([0, *kept_ends], dtype=np.int64)
    return CheckedForecasts(kept, offsets, np.array(rows, dtype=np.int64), Record(counts))


def traces_from_frame(
    frame: Any, *, run: str, step: str, y: str, p: str, task: str | None = None
) -> FrameTraces:
    """Return the traces of a table with one row per step, in any order.

    Parameters
    ----------
    frame : table of pandas, Polars or Arrow, or mapping of names to columns
    run, step, y, p : str
        The names of four columns: the run, the number of the step, the outcome of the run, and the reported probability
        of success. The outcome is the same in all rows of a run.
    task : str, optional
        The name of the column with the task, which is the same in all rows of a run.

    Returns
    -------
    FrameTraces
        The traces in ascending order of runs, with ``runs`` and ``tasks``. `bootstrap_mean` and other functions take
        both as ``groups``.

    Examples
    --------
    >>> steps = {"run": ["b", "a", "a"], "step": [1, 2, 1], "y": [0, 1, 1], "p": [0.2, 0.9, 0.5], "task": ["t", "s", "s"]}
    >>> found = traces_from_frame(steps, run="run", step="step", y="y", p="p", task="task")
    >>> found.traces, found.runs, found.tasks, found.traces.summary("last")
    (Traces(2 traces, 3 steps), array(['a', 'b'], dtype=object), array(['s', 't'], dtype=object), array([0.9, 0.2]))
    """
    for name, column in (("run", run), ("step", step), ("y", y), ("p", p), ("task", task)):
        if column is not None and column not in getattr(frame, "column_names", getattr(frame, "columns", frame)):
            raise ValueError(f"{name}: the table has no column {column!r}")
    codes = _native.group_numbers(frame[run])
    steps = _native.float_array(step, frame[step])
    order = np.lexsort((steps, codes))
    codes, steps = codes[order], steps[order]
    starts = np.flatnonzero(np.diff(codes, prepend=np.uint64(2**64 - 1)) != 0)
    names = np.asarray(frame[run], dtype=object)[order]
    twice = np.flatnonzero((np.diff(codes) == 0) & (np.diff(steps) == 0))
    if len(twice) > 0:
        raise ValueError(f"{step}: run {names[twice[0]]!r} has step {steps[twice[0]]:g} twice")

    def of_runs(column: str, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        values = values[order]
        firsts = np.repeat(values[starts], np.diff([*starts, len(values)]))
        differs = np.flatnonzero(firsts != values)
        if len(differs) > 0:
            row = differs[0]
            raise ValueError(f"{column}: run {names[row]!r} has {firsts[row]} and {values[row]}; it must have one value")
        return values[starts]

    outcomes = of_runs(y, _native.outcome_array(y, frame[y]))
    tasks = None if task is None else of_runs(task, np.asarray(frame[task], dtype=object))
    values = _native.float_array(p, frame[p])[order]
    ends = [*starts[1:].tolist(), len(values)] if len(values) > 0 else []
    return FrameTraces(Traces(outcomes, values, ends), names[starts], tasks)

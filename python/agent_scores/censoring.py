"""Scores of runs that were cut off before their outcome was known."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from agent_scores import _native
from agent_scores._native import TPS
from agent_scores.records import Record

_Array = npt.NDArray[np.float64]


class AuditRow(NamedTuple):
    """Runs of one class that ended for one reason."""

    stop_class: str
    reason: str | None
    runs: int
    mean_length: float
    mean_forecast: float


class TerminationAudit(NamedTuple):
    """How runs ended, and the share of censored ones among complete and censored runs."""

    rows: list[AuditRow]
    censoring_rate: float | None


class Bounds(NamedTuple):
    """The smallest and the largest possible value."""

    low: float
    high: float


class SurvivalCurve(NamedTuple):
    """A step function: from each time on, the probability of lasting longer."""

    times: _Array
    survival: _Array


def stop_class(reason: str) -> str:
    """Return how a run without an outcome is treated that ended for this reason.

    A budget that was fixed in advance makes the run ``censored``; any other reason makes it ``excluded``.

    Examples
    --------
    >>> stop_class("max_turns"), stop_class("parse_error")
    ('censored', 'excluded')
    """
    return _native.stop_class(reason)


class StoppedRuns:
    """Runs with their forecasts up to the stop; the outcome may be missing.

    Parameters
    ----------
    y_true : sequence of bool or None
    forecasts : sequence of array-likes
    reasons : sequence of str or None, optional
        Why each run ended, in the words of the tool that ran it.
    horizons : sequence of int or None, optional
        The number of steps over which a run is evaluated; by default the number of its forecasts.

    Examples
    --------
    >>> from agent_scores import TPS, brier_score
    >>> runs = StoppedRuns([True, None], [[0.5, 1.0], [0.5, 1.0]], ["completed", "max_steps"])
    >>> runs.mean_score(TPS(brier_score(), "uniform"))
    -0.375
    >>> runs.bounds(TPS(brier_score(), "uniform"))
    Bounds(low=-0.375, high=-0.125)
    """

    def __init__(
        self,
        y_true: Sequence[bool | None],
        forecasts: Sequence[npt.ArrayLike],
        reasons: Sequence[str | None] | None = None,
        horizons: Sequence[int | None] | None = None,
    ) -> None:
        arrays = [np.asarray(run, dtype=np.float64) for run in forecasts]
        if any(array.ndim != 1 for array in arrays):
            raise ValueError("each run must have its forecasts in one dimension")
        n = len(arrays)
        self._lengths = [len(array) for array in arrays]
        self._runs = _native.StoppedRuns(
            np.concatenate(arrays) if arrays else np.empty(0),
            np.cumsum(self._lengths, dtype=np.int64).tolist(),
            [None if outcome is None else bool(outcome) for outcome in y_true],
            [None] * n if reasons is None else list(reasons),
            [None] * n if horizons is None else list(horizons),
        )

    def __len__(self) -> int:
        return len(self._runs)

    def __repr__(self) -> str:
        return repr(self._runs)

    def audit(self) -> TerminationAudit:
        """Count the runs by class and reason."""
        rows, rate = self._runs.audit()
        return TerminationAudit([AuditRow(*row) for row in rows], rate)

    def mean_score(
        self,
        tps: TPS,
        *,
        success_probability: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> float:
        """Return the mean score.

        Without ``success_probability``, forecasts of cut-off runs are scored as if the runs had failed (the simple
        score). With it, one probability of success after the stop per run, both outcomes are averaged (the exact score).
        """
        return self._runs.mean_score(tps, success_probability, sample_weight)

    def bounds(self, tps: TPS, *, sample_weight: npt.ArrayLike | None = None) -> Bounds:
        """Return the bounds of the mean score over all outcomes of the cut-off runs."""
        return Bounds(*self._runs.bounds(tps, sample_weight))

    def expected_scores(self, tps: TPS, success_probability: npt.ArrayLike) -> _Array:
        """Return the exact score of each run."""
        return self._runs.expected_scores(tps, success_probability)

    def success_probability(
        self,
        groups: npt.ArrayLike,
        *,
        others: Sequence[Sequence[npt.ArrayLike]] = (),
        n_folds: int = 5,
        penalty: float = 1.0,
        branches: Sequence[tuple[int, int]] | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> _Array:
        """Return a cross-fitted probability of success after the stop of each run.

        A logistic regression learns from complete runs, cut off at each of their steps, and from branches of cut-off
        runs. Its features are the number of steps and the forecasts of ``others`` so far, never the forecasts that are
        scored, which it would confirm whether they are right or wrong. No run is judged by a model that has seen its
        group. An exact score with it is right only for forecasts that know no more than its features.

        Parameters
        ----------
        groups : array-like
            One per run, such as the task.
        others : sequence of streams, optional
            Forecasts of the same runs, step by step, from streams that are not scored.
        n_folds : int
        penalty : float
            The ridge penalty.
        branches : sequence of (successes, failures), optional
            How continuations of each run ended; (0, 0) for a run without any.
        sample_weight : array-like, optional
            Without branches, complete runs should also stand for the runs that were cut off: see `ipcw_weights`.

        Examples
        --------
        >>> good, bad = [0.6, 0.7, 0.9], [0.5, 0.4, 0.2]
        >>> y, other = [None, None] + [True, False] * 4, [good[:2], bad[:2]] + [good, bad] * 4
        >>> runs = StoppedRuns(y, [[0.5] * len(run) for run in other])
        >>> high, low, *_ = runs.success_probability(range(10), others=[other])
        >>> bool(low < 0.5 < high)
        True
        """
        numbered = np.unique(np.asarray(groups), return_inverse=True)[1].tolist()
        counts = None if branches is None else [(int(won), int(lost)) for won, lost in branches]
        streams = []
        for stream in others:
            arrays = [np.asarray(run, dtype=np.float64) for run in stream]
            if [array.shape for array in arrays] != [(length,) for length in self._lengths]:
                raise ValueError("each stream of others must have a forecast for every step of every run")
            streams.append(np.concatenate(arrays) if arrays else np.empty(0))
        return self._runs.success_probability(numbered, (n_folds, penalty), streams, counts, sample_weight)

    def report(
        self,
        groups: npt.ArrayLike,
        *,
        assumption: Literal["non_informative", "failure_side", "none"],
        success_probability: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        n_resamples: int = 1000,
        confidence_level: float = 0.95,
        random_state: int = 0,
    ) -> list[Record]:
        """Compare the treatments of cut-off runs, per rule and schedule, with intervals that resample groups."""
        numbered = np.unique(np.asarray(groups), return_inverse=True)[1].tolist()
        settings = (n_resamples, random_state, confidence_level)
        rows: list[dict[str, Any]] = self._runs.report(
            assumption, numbered, settings, success_probability, sample_weight
        )
        return [Record(row) for row in rows]


def kaplan_meier(
    times: npt.ArrayLike,
    censored: Iterable[bool],
    *,
    of: Literal["event", "censoring"] = "event",
    sample_weight: npt.ArrayLike | None = None,
) -> SurvivalCurve:
    """Return the Kaplan-Meier curve of the events, or of the censorings.

    Examples
    --------
    >>> kaplan_meier([1.0, 2.0, 3.0, 4.0], [False, True, False, True]).survival
    array([0.75 , 0.375])
    """
    if of not in ("event", "censoring"):
        raise ValueError(f"of is {of!r}; it must be event or censoring")
    flags = [bool(flag) for flag in censored]
    return SurvivalCurve(*_native.kaplan_meier(times, flags, of == "censoring", sample_weight))


def ipcw_weights(
    times: npt.ArrayLike, censored: Iterable[bool], *, max_weight: float = 20.0
) -> _Array:
    """Return inverse-probability-of-censoring weights; a censored run has weight 0.

    Examples
    --------
    >>> ipcw_weights([1.0, 2.0, 3.0], [False, True, False])
    array([1., 0., 2.])
    """
    return _native.ipcw_weights(times, [bool(flag) for flag in censored], max_weight)

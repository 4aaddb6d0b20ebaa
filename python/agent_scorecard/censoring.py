"""Scores of runs that were cut off before their outcome was known."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from agent_scorecard import _native
from agent_scorecard._native import TPS
from agent_scorecard.arguments import RESAMPLES, RandomState, choice, count, seed
from agent_scorecard.records import Interval, Record
from agent_scorecard.streams import flat

_Array = npt.NDArray[np.float64]


class AuditRow(NamedTuple):
    """Runs of one class that ended for one reason."""

    stop_class: str
    reason: str | None
    runs: int
    mean_length: float
    mean_forecast: float


class TerminationAudit(NamedTuple):
    """Counts of runs by how they ended, and the share of censored runs among complete and censored runs."""

    rows: list[AuditRow]
    censoring_rate: float | None


class SurvivalCurve(NamedTuple):
    """A step function: from each time on, the probability of lasting longer."""

    times: _Array
    survival: _Array


def stop_class(reason: str) -> str:
    """Return the treatment of a run that ended for this reason without an outcome.

    Parameters
    ----------
    reason : str
        The reason, in the words of the tool that ran it.

    Returns
    -------
    {"censored", "excluded"}
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
    y_true : array-like of bool or 0 and 1
        None, NaN or NA is a missing outcome.
    forecasts : iterable of array-likes
    reasons : sequence of str or None, optional
        The reason why each run ended, in the words of the tool that ran it.
    horizons : sequence of int or None, optional
        The number of steps over which each run is evaluated; by default the number of its forecasts. With a longer
        horizon, steps after the stop count 0, which is the best Brier and log score. An earlier cut-off therefore
        improves the score. For example, the log score of a failed run with forecasts of 0.9 is -2.30 if all 10 steps of
        its horizon were observed, and -0.42 after one observed step. This is the definition of the paper, which is for
        runs with one budget. Do not set horizons to compare runs with different budgets, or agents that are cut off at
        different rates.

    Notes
    -----
    Choose a treatment of the runs that were cut off:

    - ``bounds`` are valid without any assumption, but wide.
    - ``mean_score`` without ``success_probability`` (the simple score) is right if no run would have succeeded after
      its stop.
    - ``mean_score`` with ``success_probability`` (the exact score) is right if the probabilities are right. Take the
      probabilities from continuations of the runs, or from a model of another stream. A stream must not supply the
      probability by which it is scored.
    - The mean over complete runs with weights of `ipcw_weights` is right if budgets differ and are independent of the
      runs. With one budget for all runs, the weights change nothing, and `ipcw_coverage` shows this.
    - The unweighted mean over complete runs favours the properties of short runs.

    Examples
    --------
    >>> from agent_scorecard import TPS, brier_score
    >>> runs = StoppedRuns([True, None], [[0.5, 1.0], [0.5, 1.0]], ["completed", "max_steps"])
    >>> runs.mean_score(TPS(brier_score(), "uniform"))
    -0.375
    >>> runs.bounds(TPS(brier_score(), "uniform"))
    Interval(low=-0.375, high=-0.125)
    """

    def __init__(
        self,
        y_true: npt.ArrayLike | Iterable[bool | float | None],
        forecasts: Iterable[npt.ArrayLike],
        reasons: Sequence[str | None] | None = None,
        horizons: npt.ArrayLike | Sequence[int | None] | None = None,
    ) -> None:
        values, self._ends = flat(forecasts)
        self._runs = _native.StoppedRuns(values, self._ends, y_true, reasons, horizons)

    def __len__(self) -> int:
        return len(self._runs)

    def __repr__(self) -> str:
        return repr(self._runs)

    def audit(self) -> TerminationAudit:
        """Count the runs by class and reason.

        Returns
        -------
        TerminationAudit
        """
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

        Parameters
        ----------
        tps : TPS
        success_probability : array-like, optional
            The probability of success after the stop of each run; entries of complete runs are ignored. If it is given,
            both outcomes of a cut-off run are averaged (the exact score). If not, forecasts of cut-off runs are scored
            as if the runs had failed (the simple score).
        sample_weight : array-like, optional
            A row of weight 2 counts as two equal rows.

        Returns
        -------
        float
            The mean score. An excluded run has no score and raises an error; see `audit`.
        """
        return self._runs.mean_score(tps, success_probability, sample_weight)

    def bounds(self, tps: TPS, *, sample_weight: npt.ArrayLike | None = None) -> Interval:
        """Return the bounds of the mean score over all outcomes of the cut-off runs.

        Parameters
        ----------
        tps : TPS
        sample_weight : array-like, optional
            A row of weight 2 counts as two equal rows.

        Returns
        -------
        Interval
        """
        return Interval(*self._runs.bounds(tps, sample_weight))

    def expected_scores(self, tps: TPS, success_probability: npt.ArrayLike) -> _Array:
        """Return the exact score of each run.

        Parameters
        ----------
        tps : TPS
        success_probability : array-like
            The probability of success after the stop of each run; entries of complete runs are ignored.

        Returns
        -------
        numpy.ndarray
        """
        return self._runs.expected_scores(tps, success_probability)

    def flipping_odds(
        self, tps: TPS, success_probability: npt.ArrayLike, threshold: float
    ) -> tuple[float | None, float | None]:
        """Return the factors on the odds of success of cut-off runs at which the exact mean score crosses a threshold.

        Parameters
        ----------
        tps : TPS
        success_probability : array-like
            The probability of success after the stop of each run; entries of complete runs are ignored.
        threshold : float
            The threshold, such as the score of another agent.

        Returns
        -------
        (float or None, float or None)
            The nearest factor of at most 1, and the nearest factor of at least 1. A factor is None if it does not
            exist. The farther both factors are from 1, the firmer is the conclusion.

        Examples
        --------
        >>> from agent_scorecard import TPS, brier_score
        >>> runs = StoppedRuns([True, None], [[0.8], [0.9]], [None, "max_steps"])
        >>> tps, chance = TPS(brier_score()), [1.0, 0.5]
        >>> below, above = runs.flipping_odds(tps, chance, -0.3)
        >>> runs.mean_score(tps, success_probability=chance) > -0.3, round(below, 2), above
        (True, 0.45, None)
        """
        below, above = self._runs.flipping_odds(tps, success_probability, threshold)
        return below, above

    def success_probability(
        self,
        groups: npt.ArrayLike | Iterable[Hashable],
        *,
        others: Sequence[Sequence[npt.ArrayLike]] = (),
        n_folds: int = 5,
        penalty: float = 1.0,
        branches: Sequence[tuple[int, int]] | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> _Array:
        """Return a cross-fitted probability of success after the stop of each run.

        A logistic regression learns from complete runs, cut off at each of their steps, and from branches of cut-off
        runs. Its features are the number of steps, and the forecasts of ``others`` so far. The scored forecasts are
        never features, because the model would confirm them even if they are wrong. The model for a run never saw the
        group of the run. An exact score with these probabilities is right only for forecasts that contain no more
        information than the features.

        Parameters
        ----------
        groups : array-like
            The group of each run, such as its task: texts, numbers or other hashable objects. A missing group is
            refused.
        others : sequence of streams, optional
            Forecasts of the same runs, step by step, from streams that are not scored.
        n_folds : int
        penalty : float
            The ridge penalty.
        branches : sequence of (successes, failures), optional
            The numbers of continuations of each run that succeeded and failed; (0, 0) for a run without continuations.
        sample_weight : array-like, optional
            Without branches, the weights should make the complete runs also represent the runs that were cut off; see
            `ipcw_weights`.

        Returns
        -------
        numpy.ndarray

        Examples
        --------
        >>> good, bad = [0.6, 0.7, 0.9], [0.5, 0.4, 0.2]
        >>> y, other = [None, None] + [True, False] * 4, [good[:2], bad[:2]] + [good, bad] * 4
        >>> runs = StoppedRuns(y, [[0.5] * len(run) for run in other])
        >>> high, low, *_ = runs.success_probability(range(10), others=[other])
        >>> bool(low < 0.5 < high)
        True
        """
        counts = None if branches is None else [(int(won), int(lost)) for won, lost in branches]
        streams = []
        for stream in others:
            values, ends = flat(stream)
            if ends != self._ends:
                raise ValueError("each stream of others must have a forecast for every step of every run")
            streams.append(values)
        return self._runs.success_probability(
            groups, (count("n_folds", n_folds), penalty), streams, counts, sample_weight
        )

    def report(
        self,
        groups: npt.ArrayLike | Iterable[Hashable],
        *,
        assumption: Literal["non_informative", "failure_side", "none"],
        success_probability: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        n_resamples: int = RESAMPLES,
        confidence_level: float = 0.95,
        random_state: RandomState = 0,
        odds_ratio: float = 2.0,
    ) -> list[Record]:
        """Compare the treatments of cut-off runs, per rule and schedule, with intervals that resample groups.

        Parameters
        ----------
        groups : array-like
            The group of each run, such as its task.
        assumption : {"non_informative", "failure_side", "none"}
            The assumption about the cut-off runs. No data can test the assumption, so the report states it. It selects
            the figure ``under_assumption``, and changes no other figure. ``"non_informative"``: given the observed
            steps of a run, its stop carries no information about its outcome, and ``exact`` is right.
            ``"failure_side"``: the cut-off runs would have failed, and ``simple`` is right. ``"none"``: only ``bounds``
            are valid.
        success_probability : array-like, optional
            The probability of success after the stop of each run. Without it, ``exact`` and ``sensitivity`` are None.
        sample_weight : array-like, optional
            A row of weight 2 counts as two equal rows.
        n_resamples : int
        confidence_level : float
        random_state : int, Generator or None
        odds_ratio : float
            ``sensitivity`` is the range of the exact score if the odds of success of each cut-off run are wrong by at most
            this factor.

        Returns
        -------
        list of Record
            Each record has ``rule``, ``schedule``, the figures, ``assumption``, ``under_assumption``, ``odds_ratio``
            and ``ipcw_coverage``. The coverage is the share of the runs that the complete runs could represent if they
            were weighted by `ipcw_weights` with their numbers of steps. If the coverage is below 1, for example with
            one budget for all runs, no weights can correct for the runs that were cut off.
        """
        settings = (count("n_resamples", n_resamples), seed(random_state), confidence_level, odds_ratio)
        rows, coverage = self._runs.report(
            assumption, groups, settings, success_probability, sample_weight
        )
        figure = {"non_informative": "exact", "failure_side": "simple", "none": "bounds"}[assumption]
        return [
            Record(
                {
                    "assumption": assumption,
                    **row,
                    "under_assumption": row[figure],
                    "odds_ratio": odds_ratio,
                    "ipcw_coverage": coverage,
                }
            )
            for row in rows
        ]


def kaplan_meier(
    times: npt.ArrayLike,
    censored: npt.ArrayLike | Iterable[bool],
    *,
    of: Literal["event", "censoring"] = "event",
    sample_weight: npt.ArrayLike | None = None,
) -> SurvivalCurve:
    """Return the Kaplan-Meier curve of the events, or of the censorings.

    Parameters
    ----------
    times : array-like of numbers of at least 0
        The time at which each run stopped, in steps, tokens, seconds or cost.
    censored : array-like of bool or 0 and 1
        Whether the run was cut off at this time.
    of : {"event", "censoring"}
    sample_weight : array-like, optional
        A row of weight 2 counts as two equal rows.

    Returns
    -------
    SurvivalCurve
        The times at which the curve falls, and the value of the curve from each of these times on.

    Examples
    --------
    >>> kaplan_meier([1.0, 2.0, 3.0, 4.0], [False, True, False, True]).survival
    array([0.75 , 0.375])
    """
    choice("of", of, "event", "censoring")
    return SurvivalCurve(*_native.kaplan_meier(times, censored, of == "censoring", sample_weight))


def ipcw_weights(
    times: npt.ArrayLike, censored: npt.ArrayLike | Iterable[bool], *, max_weight: float = np.inf
) -> _Array:
    """Return inverse-probability-of-censoring weights; a censored run has weight 0.

    A complete run also represents runs that were cut off before its time. This needs budgets that differ between runs
    and are independent of the course of a run. If every run that reaches some time is cut off there, for example by one
    budget for all runs, no complete run represents longer runs. The weights then represent only the runs that end
    within the budget, as the unweighted mean does, and a ``UserWarning`` reports this.

    Parameters
    ----------
    times : array-like of numbers of at least 0
        The time at which each run stopped, in the unit of the budget: steps, tokens, seconds or cost.
    censored : array-like of bool or 0 and 1
        Whether the run was cut off at this time.
    max_weight : float
        Larger weights are reduced to this limit. The limit reduces the influence of single runs, but adds a bias. By
        default, there is no limit. `ipcw_coverage` with the same limit returns the share of the runs that the weights
        represent.

    Returns
    -------
    numpy.ndarray
        One weight per run: 0, or at least 1.

    Warns
    -----
    UserWarning
        If the weights represent less than 99 % of the runs; see `ipcw_coverage`.

    Examples
    --------
    >>> ipcw_weights([1.0, 2.0, 3.0], [False, True, False])
    array([1., 0., 2.])
    """
    weights, coverage, _ = _native.ipcw_weights(times, censored, max_weight)
    if coverage < 0.99 and len(weights) > 0:
        last = float(np.max(_native.float_array("times", times), where=weights > 0, initial=0.0))
        warnings.warn(
            f"the weights represent {coverage:.0%} of the runs".replace("%", " %")
            + f": every run that went on beyond {last:g} was cut off, so no complete run stands for longer ones."
            " Weights cannot correct this; StoppedRuns has bounds and exact scores.",
            UserWarning,
            stacklevel=2,
        )
    return weights


def ipcw_coverage(
    times: npt.ArrayLike, censored: npt.ArrayLike | Iterable[bool], *, max_weight: float = np.inf
) -> float:
    """Return the share of the runs that the weights of `ipcw_weights` represent.

    Without a limit, the share is 1 if the longest run is complete. Otherwise it is the estimated share of runs that end
    no later than the last time at which an end could be observed. No weights can correct for the other runs.

    Parameters
    ----------
    times : array-like of numbers of at least 0
        The time at which each run stopped.
    censored : array-like of bool or 0 and 1
        Whether the run was cut off at this time.
    max_weight : float
        As for `ipcw_weights`.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> ipcw_coverage([1.0, 2.0, 8.0, 8.0], [False, False, True, True])
    0.5
    """
    coverage: float = _native.ipcw_weights(times, censored, max_weight)[2]
    return coverage

"""Savings and losses of stop rules on finished runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import overload

import numpy.typing as npt

from agent_scorecard import _native
from agent_scorecard.arguments import amounts, count
from agent_scorecard.budgets import BudgetSamples, Rollouts
from agent_scorecard.records import Record


@overload
def early_stopping(
    rollouts: Rollouts,
    samples: BudgetSamples,
    *,
    impossible_in_a_row: int | None = ...,
    failure_probability: float | None = ...,
    worth: Mapping[str, float] | None = ...,
    cap_exceeded: bool = ...,
    failure_probabilities: npt.ArrayLike | None = ...,
) -> Record: ...
@overload
def early_stopping(
    rollouts: Rollouts,
    samples: Sequence[BudgetSamples],
    *,
    impossible_in_a_row: int | None = ...,
    failure_probability: float | None = ...,
    worth: Mapping[str, float] | None = ...,
    cap_exceeded: bool = ...,
    failure_probabilities: npt.ArrayLike | None = ...,
) -> list[Record]: ...
def early_stopping(
    rollouts: Rollouts,
    samples: BudgetSamples | Sequence[BudgetSamples],
    *,
    impossible_in_a_row: int | None = None,
    failure_probability: float | None = None,
    worth: Mapping[str, float] | None = None,
    cap_exceeded: bool = False,
    failure_probabilities: npt.ArrayLike | None = None,
) -> Record | list[Record]:
    """Count the savings and losses of stop rules on finished runs.

    A run stops at the first turn at which a rule applies, and the cost of its later turns is saved.

    Parameters
    ----------
    rollouts : Rollouts
    samples : BudgetSamples or sequence of BudgetSamples
        The estimates of `score_rollouts`, or a sequence with the estimates of several resources. For several resources,
        a run stops if a rule applies to the estimate of any resource, and the result is a list with one record per
        resource.
    impossible_in_a_row, failure_probability, worth
        The rules, as in `BudgetMonitor`.
    cap_exceeded : bool
        Whether a run also stops once it exceeds its cap.
    failure_probabilities : array-like, optional
        The stated probability of failure at each sample.

    Returns
    -------
    Record
        Counts, the cost ``saved`` out of ``spent_by_failures``, and the rates ``false_abort_rate``, ``success_lost``,
        ``success_rate_lost`` and ``saved_share``. A rate is None if its denominator is 0.

    Examples
    --------
    >>> from agent_scorecard import Rollouts, score_rollouts
    >>> rollouts = Rollouts("tokens")
    >>> rollouts.append([50, 20, 30], succeeded=True)
    >>> rollouts.append([90, 70, 40], succeeded=False)
    >>> def careful(spent, left):
    ...     used = spent.sum()
    ...     return "impossible" if used > 150 else (used, 2 * used)
    >>> stops = early_stopping(rollouts, score_rollouts(rollouts, careful), impossible_in_a_row=1)
    >>> stops.saved, stops.saved_share, stops.false_abort_rate
    (40.0, 0.2, 0.0)
    """
    parts = [samples] if isinstance(samples, BudgetSamples) else list(samples)
    in_a_row = None if impossible_in_a_row is None else count("impossible_in_a_row", impossible_in_a_row)
    rules = (in_a_row, failure_probability, amounts("worth", worth), _native.flag("cap_exceeded", cap_exceeded))
    found = _native.early_stopping(
        rollouts._rollouts, [part._samples for part in parts], failure_probabilities, rules
    )
    records = [Record(stops) for stops in found]
    return records[0] if isinstance(samples, BudgetSamples) else records


def stopping_curve(
    rollouts: Rollouts, samples: BudgetSamples, failure_probabilities: npt.ArrayLike
) -> list[Record]:
    """Return the savings and losses of stopping at each stated probability of failure, in descending order.

    Parameters
    ----------
    rollouts : Rollouts
    samples : BudgetSamples
    failure_probabilities : array-like
        One per sample.

    Returns
    -------
    list of Record
        The records of `early_stopping`, with the threshold as ``at_least``.

    Examples
    --------
    >>> from agent_scorecard import Rollouts, score_rollouts
    >>> rollouts = Rollouts("tokens")
    >>> rollouts.append([50, 20, 30], succeeded=True)
    >>> rollouts.append([90, 70, 40], succeeded=False)
    >>> samples = score_rollouts(rollouts, lambda spent, left: None)
    >>> curve = stopping_curve(rollouts, samples, [0.1, 0.3, 0.2, 0.8])
    >>> [(point.at_least, point.saved, point.success_lost) for point in curve[:2]]
    [(0.8, 40.0, 0.0), (0.3, 40.0, 1.0)]
    """
    points = _native.stopping_curve(rollouts._rollouts, samples._samples, failure_probabilities)
    return [Record(point) for point in points]

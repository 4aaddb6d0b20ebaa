"""Estimates of the remaining cost of a run: their scores, a default estimator, and advice inside the loop of an agent.

An estimate is ``(low, high)``, ``"impossible"``, or ``None`` where there is no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from agent_scorecard import _native
from agent_scorecard.arguments import RandomState, amounts, count, seed
from agent_scorecard.records import Record
from agent_scorecard.replayed import Replayed, again

Estimate = tuple[float, float] | Literal["impossible"] | None
Estimator = Callable[[npt.NDArray[np.float64], float | None], Estimate]


class Advice(NamedTuple):
    """The advice after a turn, and its reason."""

    action: Literal["continue", "warn", "stop"]
    reason: str | None


class BudgetSample(NamedTuple):
    """One estimate and its outcome. Runs and turns are counted from 0."""

    run: int
    turn: int
    spent: float
    remaining: float
    feasible: bool
    estimate: Estimate


class Rollouts(Replayed):
    """Recorded runs: the cost of each turn in one or several resources, and whether the run succeeded.

    Parameters
    ----------
    resources : str or sequence of str
    caps : mapping of str to float, optional
        The largest allowed cost of a run, by resource.

    Examples
    --------
    >>> rollouts = Rollouts("tokens", caps={"tokens": 250})
    >>> rollouts.append([50, 30, 60, 40], succeeded=True)
    >>> rollouts.append([90, 80, 70, 60], succeeded=False)
    >>> rollouts
    Rollouts(2 runs)
    """

    def __init__(self, resources: str | Sequence[str], caps: Mapping[str, float] | None = None) -> None:
        self.resources = (resources,) if isinstance(resources, str) else tuple(resources)
        self._made, self._calls = (self.resources, dict(caps or {})), []
        self._rollouts = _native.Rollouts(list(self.resources))
        for resource, cap in (caps or {}).items():
            self._rollouts.set_cap(resource, cap)

    def __len__(self) -> int:
        return len(self._rollouts)

    def __repr__(self) -> str:
        return repr(self._rollouts)

    def append(
        self,
        costs: npt.ArrayLike,
        succeeded: bool | float,
        *,
        censored: bool | float = False,
        id: str | None = None,
        task: str | None = None,
        contents: Sequence[str] | None = None,
    ) -> None:
        """Append a run.

        Parameters
        ----------
        costs : array-like
            One cost per turn, or one row per turn with one cost per resource.
        succeeded : bool, or 0 or 1
        censored : bool, or 0 or 1
            Whether a budget cut the run off.
        id, task : str, optional
            Several runs may have the same task.
        contents : sequence of str, optional
            The texts for `BudgetBenchmark`: the text that was known before the first turn, and then the text of each
            turn.
        """
        array = _native.float_array("costs", costs)
        width = array.shape[1] if array.ndim == 2 else 1
        if array.ndim not in (1, 2) or width != len(self.resources):
            raise ValueError(
                f"costs: expected one row per turn with {len(self.resources)} costs, found shape {array.shape}"
            )
        self._push(array.ravel(), succeeded, censored, id, task, list(enumerate(contents or ())))

    def _push(self, *run: Any) -> None:
        self._rollouts.append(*run)
        self._calls.append(("_push", run))


class RecordedRun(Replayed):
    """A run in progress, with the cost of each turn in one or several resources.

    Parameters
    ----------
    resources : str or sequence of str
    caps : mapping of str to float, optional

    Examples
    --------
    >>> rollouts = Rollouts(["tokens", "seconds"])
    >>> for _ in range(30):
    ...     rollouts.append([[10, 1], [10, 2], [10, 3]], succeeded=True)
    >>> estimator = BudgetEstimator(0.8)
    >>> for resource in rollouts.resources:
    ...     _ = estimator.learn(rollouts, resource)
    >>> run = RecordedRun(rollouts.resources, caps={"tokens": 100})
    >>> run.push([10, 1])
    >>> [estimator.estimate(run, resource=resource) is None for resource in run.resources]
    [False, False]
    """

    def __init__(self, resources: str | Sequence[str], caps: Mapping[str, float] | None = None) -> None:
        self.resources = (resources,) if isinstance(resources, str) else tuple(resources)
        self._made, self._calls = (self.resources, dict(caps or {})), []
        self._run = _native.RecordedRun(list(self.resources), list((caps or {}).items()))

    def __len__(self) -> int:
        return len(self._run)

    def __repr__(self) -> str:
        return f"RecordedRun({len(self)} turns)"

    def push(self, spent: float | Iterable[float | None]) -> None:
        """Append a turn.

        Parameters
        ----------
        spent : float, or iterable of float or None
            The cost of the turn in each resource; None is an unknown cost.
        """
        costs = [spent] if isinstance(spent, (int, float)) else list(spent)
        self._run.push(costs)
        self._calls.append(("push", (costs,)))


class BudgetEstimator(Replayed):
    """The default estimator, which learns from runs that have ended and needs no language model.

    Parameters
    ----------
    coverage : float
        The nominal coverage: the share of intervals that contain the remaining cost, for runs that succeed within their
        cap. On runs that fail, coverage is lower. For example, with a coverage of 0.8, successes of 3 to 11 turns and
        failures of 6 to 19 turns, the intervals contained the remaining cost at 0.80 of the turns of successes and 0.38
        of the turns of failures. While a run is in progress, nobody knows whether it will succeed.
    random_state : int, Generator or None

    Notes
    -----
    Several threads must not use one estimator at the same time. `score_rollouts` is an exception, because it works on a
    copy.

    Examples
    --------
    >>> rollouts = Rollouts("tokens")
    >>> for _ in range(30):
    ...     rollouts.append([10, 10, 10, 10], succeeded=True)
    >>> low, high = BudgetEstimator(0.8).learn(rollouts, "tokens").estimate([10, 10])
    >>> low <= 20 <= high
    True
    """

    def __init__(self, coverage: float = 0.9, *, random_state: RandomState = 0) -> None:
        self._of_seed(coverage, seed(random_state))

    def _of_seed(self, coverage: float, number: int) -> None:
        self._made, self._calls = (coverage,), [("_of_seed", (coverage, number))]
        self._estimator = _native.BudgetEstimator(coverage, random_state=number)
        self._resource = "cost"

    def learn(self, rollouts: Rollouts, resource: str | None = None) -> BudgetEstimator:
        """Learn from runs in their order, in addition to the runs of earlier calls.

        One estimator may learn several resources, one after the other.

        Parameters
        ----------
        rollouts : Rollouts
        resource : str, optional
            By default, the first resource.

        Returns
        -------
        BudgetEstimator
            The estimator itself.
        """
        self._resource = resource or rollouts.resources[0]
        self._estimator.learn(rollouts._rollouts, self._resource)
        # Runs that are appended later are not learnt.
        self._calls.append(("_learn_again", (rollouts._made, tuple(rollouts._calls), self._resource)))
        return self

    def _learn_again(self, made: Any, calls: Any, resource: str) -> None:
        self.learn(again(Rollouts, made, calls), resource)

    def estimate(
        self, run: RecordedRun | npt.ArrayLike, *, cap: float | None = None, resource: str | None = None
    ) -> Estimate:
        """Return the estimate of the remaining cost of a run in a resource.

        Parameters
        ----------
        run : RecordedRun or array-like
            The run, or the cost of each of its turns in one resource.
        cap : float, optional
            The largest allowed cost of a run that is given as costs.
        resource : str, optional
            By default, the first resource of a `RecordedRun`, or the learned resource if the run is given as costs.

        Returns
        -------
        (float, float), "impossible" or None
        """
        if isinstance(run, RecordedRun):
            if cap is not None:
                raise ValueError("give cap to RecordedRun, not to estimate")
            return self._estimator.estimate(run._run, resource or run.resources[0])
        name = resource or self._resource
        live = RecordedRun(name, {} if cap is None else {name: cap})
        costs = _native.float_array("run", run)
        if costs.ndim != 1:
            raise ValueError(f"run: expected one cost per turn, found {costs.ndim} dimensions")
        for cost in costs.tolist():
            live.push(cost)
        return self._estimator.estimate(live._run, name)


class BudgetSamples:
    """Estimates for each turn of each run, with the remaining costs."""

    def __init__(self, samples: _native.BudgetSamples) -> None:
        self._samples = samples

    def __len__(self) -> int:
        return len(self._samples)

    def __repr__(self) -> str:
        return f"BudgetSamples({len(self)} samples)"

    def rows(self) -> list[BudgetSample]:
        """Return the samples, sorted by run and turn.

        Returns
        -------
        list of BudgetSample
        """
        return [BudgetSample(*row) for row in self._samples.rows()]

    def scores(self, *, coverage: float | None = None, bins: int = 5) -> Record:
        """Return the measures over all turns, over first turns, and by progress.

        Parameters
        ----------
        coverage : float, optional
            The nominal coverage of the estimator. If it is given, proper losses of the intervals are included.
        bins : int
            The number of bins of progress.

        Returns
        -------
        Record
        """
        return Record(self._samples.scores(coverage, count("bins", bins)))


def score_rollouts(
    rollouts: Rollouts, estimator: BudgetEstimator | Estimator, resource: str | None = None
) -> BudgetSamples:
    """Replay runs to an estimator without showing it the future.

    A `BudgetEstimator` is copied before it is scored. The copy estimates after each turn of a run, and learns from the
    run after its end. The estimator itself does not change, so scoring again gives the same numbers. To let the
    estimator learn from the runs, call `BudgetEstimator.learn` after scoring.

    Parameters
    ----------
    rollouts : Rollouts
    estimator : BudgetEstimator or callable
        A callable receives two arguments: the costs of the completed turns, and the amount left under the cap or None.
    resource : str, optional
        By default, the first resource.

    Returns
    -------
    BudgetSamples
        The estimates with the remaining costs. Measures of intervals, such as hit rates, cover the turns of runs that
        succeed within the cap. `BudgetSamples.rows` has every turn.

    Examples
    --------
    >>> rollouts = Rollouts("tokens", caps={"tokens": 250})
    >>> rollouts.append([50, 30, 60, 40], succeeded=True)
    >>> rollouts.append([90, 80, 70, 60], succeeded=False)
    >>> def estimate(spent, left):
    ...     used = spent.sum()
    ...     return "impossible" if used > left else (0.5 * used, 3 * used)
    >>> score_rollouts(rollouts, estimate).scores().all_turns.intervals.hits
    2.0
    """
    inner = estimator._estimator if isinstance(estimator, BudgetEstimator) else estimator
    return BudgetSamples(
        _native.estimate_rollouts(rollouts._rollouts, resource or rollouts.resources[0], inner)
    )


class BudgetMonitor(Replayed):
    """Advice to continue, to warn or to stop, after each turn of an agent.

    Parameters
    ----------
    caps : mapping of str to float or None
        The resources, each with the largest allowed cost, or None for no cap.
    impossible_in_a_row : int, optional
        Stop after this number of consecutive estimates that success within the caps is impossible.
    failure_probability : float, optional
        Stop if the stated probability of failure is at least this value.
    worth : mapping of str to float, optional
        The value of success in the unit of a resource, such as ``{"usd": 5}``. Stop if the rest of the run is expected
        to cost more of this resource than its success is worth.
    warning_at : float, optional
        Warn once this share of a cap is spent.

    Examples
    --------
    >>> monitor = BudgetMonitor({"tokens": 1000}, impossible_in_a_row=1, warning_at=0.5)
    >>> monitor.push(400, (100, 300))
    Advice(action='continue', reason=None)
    >>> monitor.push(200, (100, 300)).reason
    'the cap on tokens is near'
    >>> monitor.push(100, "impossible").action
    'stop'
    """

    def __init__(
        self,
        caps: Mapping[str, float | None],
        *,
        impossible_in_a_row: int | None = None,
        failure_probability: float | None = None,
        worth: Mapping[str, float] | None = None,
        warning_at: float | None = None,
    ) -> None:
        rules = impossible_in_a_row, failure_probability, amounts("worth", worth), warning_at
        self._of_rules(dict(caps), *rules)

    def _of_rules(self, caps: dict[str, float | None], *rules: Any) -> None:
        self._made, self._calls = (caps,), [("_of_rules", (caps, *rules))]
        in_a_row = None if rules[0] is None else count("impossible_in_a_row", rules[0])
        self._monitor = _native.BudgetMonitor(list(caps.items()), in_a_row, *rules[1:])
        self._single = len(caps) == 1

    def push(
        self,
        spent: float | Iterable[float],
        estimate: Estimate | Sequence[Estimate] = None,
        *,
        failure_probability: float | None = None,
    ) -> Advice:
        """Record the cost of a turn and the estimate of the remaining cost, and return the advice.

        Parameters
        ----------
        spent : float or iterable of float
            With several resources, one entry per resource.
        estimate : (float, float), "impossible" or None
            With several resources, one entry per resource.
        failure_probability : float, optional
            The stated probability of failure.

        Returns
        -------
        Advice
        """
        costs = [spent] if isinstance(spent, (int, float)) else list(spent)
        if self._single:
            estimates: list[object] = [estimate]
        else:
            estimates = [None] * len(costs) if estimate is None else list(estimate)
        turn = costs, estimates, failure_probability
        advice = Advice(*self._monitor.push(*turn))
        self._calls.append(("_push", turn))
        return advice

    def _push(self, *turn: Any) -> None:
        self._monitor.push(*turn)
        self._calls.append(("_push", turn))

    @property
    def spent(self) -> list[float]:
        """The sums so far, one per resource."""
        return self._monitor.spent

    @property
    def turns(self) -> int:
        """The number of turns so far."""
        return self._monitor.turns

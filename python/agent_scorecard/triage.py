"""Plans for many tasks under one budget, scored between a random plan (0) and the best plan (1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from agent_scorecard import _native
from agent_scorecard._native import UnsolvableCounts
from agent_scorecard.arguments import count
from agent_scorecard.records import Record
from agent_scorecard.replayed import Replayed

Step = tuple[str, int]


class Oracle(NamedTuple):
    """The best value within a budget, and the ids of tasks that reach it."""

    value: float
    chosen: list[str]


class KnapsackSolution(NamedTuple):
    """A choice of items that is proved to be the best."""

    value: int
    weight: int
    chosen: list[int]


class PlanReading(NamedTuple):
    """The result of reading a plan from the text of a model.

    ``kind`` is ``plan``, ``over_budget``, ``duplicate_id`` or ``unparseable``; ``steps`` is the plan if it is valid.
    """

    kind: str
    steps: list[Step] | None
    repairs: list[Any]


class Pool(Replayed):
    """Tasks with a value, the cost of an attempt, and whether the attempt solved the task.

    Parameters
    ----------
    tasks : iterable of (id, value, cost, solved)
        ``solved`` is a boolean, or 0 or 1.

    Examples
    --------
    >>> pool = Pool([("parser", 1, 500, True), ("docs", 1, 300, True), ("race", 1, 900, False), ("typo", 1, 100, True)])
    >>> budget = pool.budget(0.5)
    >>> budget
    900
    >>> pool.oracle(budget).value
    3.0
    >>> plan = [("typo", 150), ("parser", 400), ("docs", 350)]
    >>> pool.execute(plan, budget, regime="enforced").earned
    2.0
    >>> round(pool.efficiency(plan, budget, regime="enforced"), 6)
    0.333333
    """

    def __init__(self, tasks: Iterable[tuple[str, float, int, bool | float]]) -> None:
        rows = [(id, value, count(f"cost of task {id!r}", cost), solved) for id, value, cost, solved in tasks]
        self._made, self._calls = (rows,), []
        self._pool = _native.Pool(rows)

    def __len__(self) -> int:
        return len(self._pool)

    def __repr__(self) -> str:
        return repr(self._pool)

    @property
    def total_cost(self) -> int:
        """The sum of the costs."""
        return self._pool.total_cost

    def budget(self, alpha: float) -> int:
        """Return the share of the total cost, rounded down.

        Parameters
        ----------
        alpha : float
            Above 0 and at most 1.

        Returns
        -------
        int
        """
        return self._pool.budget(alpha)

    def oracle(self, budget: int) -> Oracle:
        """Return the best value within the budget.

        Parameters
        ----------
        budget : int

        Returns
        -------
        Oracle
        """
        return Oracle(*self._pool.oracle(count("budget", budget)))

    def random_value(self, budget: int) -> float:
        """Return the expected value of attempting the tasks in a random order.

        Parameters
        ----------
        budget : int

        Returns
        -------
        float
        """
        return self._pool.random_value(count("budget", budget))

    def read_plan(self, text: str, budget: int, *, strict: bool = False) -> PlanReading:
        """Read the plan in the text of a model, and list the repairs.

        Parameters
        ----------
        text : str
        budget : int
        strict : bool
            Refuse a plan that has a task twice, and drop allocations that are not numbers of tokens. Otherwise, as in the
            paper, the first of several entries counts and such an allocation is 0.

        Returns
        -------
        PlanReading
        """
        return PlanReading(*self._pool.read_plan(text, count("budget", budget), strict))

    def execute(
        self,
        plan: Sequence[Step],
        budget: int,
        *,
        regime: Literal["advisory", "enforced"] = "advisory",
        attempt_zero: bool = False,
    ) -> Record:
        """Execute a plan.

        Parameters
        ----------
        plan : sequence of (str, int)
            Pairs of an id and an allocation, in order.
        budget : int
        regime : {"advisory", "enforced"}
            With ``"enforced"``, an attempt is cut off at its allocation; otherwise it runs to its end.
        attempt_zero : bool
            Also attempt tasks with an allocation of 0. The paper's planned set excludes these tasks.

        Returns
        -------
        Record
        """
        return Record(self._pool.execute(list(plan), count("budget", budget), regime, attempt_zero))

    def efficiency(
        self,
        plan: Sequence[Step],
        budget: int,
        *,
        regime: Literal["advisory", "enforced"] = "advisory",
        attempt_zero: bool = False,
    ) -> float:
        """Return the triage efficiency of a plan: 0 for a random plan and 1 for the best one.

        Parameters
        ----------
        plan : sequence of (str, int)
        budget : int
        regime : {"advisory", "enforced"}
        attempt_zero : bool
            Both as for `execute`.

        Returns
        -------
        float
        """
        earned = self.execute(plan, budget, regime=regime, attempt_zero=attempt_zero).earned
        return triage_efficiency(
            achieved=earned, random=self.random_value(budget), oracle=self.oracle(budget).value
        )

    def unsolvable_counts(
        self, plan: Sequence[Step], budget: int, unsolvable: Iterable[str]
    ) -> UnsolvableCounts:
        """Count the unsolvable tasks that a plan leaves out, and sum its allocations to the other unsolvable tasks.

        Parameters
        ----------
        plan : sequence of (str, int)
        budget : int
        unsolvable : iterable of str
            The ids of the unsolvable tasks.

        Returns
        -------
        UnsolvableCounts
            The counts of several pools are added with ``+``.

        Examples
        --------
        >>> pool = Pool([("a", 1, 100, True), ("b", 1, 100, False), ("c", 1, 100, False)])
        >>> counts = pool.unsolvable_counts([("a", 150), ("b", 50)], 300, ["b", "c"])
        >>> counts
        UnsolvableCounts(unsolvable=2, left_out=1, allocated=200, wasted=50)
        >>> counts.detection_rate(), (counts + counts).waste_rate()
        (0.5, 0.25)
        """
        return self._pool.unsolvable_counts(list(plan), count("budget", budget), set(unsolvable))


def triage_efficiency(*, achieved: float, random: float, oracle: float) -> float:
    """Return the triage efficiency of a value: 0 for the value of a random plan, 1 for the value of the best plan.

    Parameters
    ----------
    achieved, random, oracle : float
        The values of the plan, of a random plan and of the best plan.

    Returns
    -------
    float
        0 for a random plan and 1 for the best one.

    Examples
    --------
    >>> triage_efficiency(achieved=2.0, random=1.0, oracle=3.0)
    0.5
    """
    return _native.triage_efficiency(achieved, random, oracle)


def knapsack(profits: Iterable[int], weights: Iterable[int], capacity: int) -> KnapsackSolution:
    """Return the items of largest total profit whose weights fit into the capacity.

    Parameters
    ----------
    profits, weights : iterable of int
        One per item, at least 0.
    capacity : int

    Returns
    -------
    KnapsackSolution

    Examples
    --------
    >>> knapsack([60, 100, 120], [10, 20, 30], 50)
    KnapsackSolution(value=220, weight=50, chosen=[1, 2])
    """
    items = ([count(name, value) for value in values] for name, values in (("profits", profits), ("weights", weights)))
    return KnapsackSolution(*_native.knapsack(*items, count("capacity", capacity)))

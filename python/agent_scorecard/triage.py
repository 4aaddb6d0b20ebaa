"""Plans for many tasks under one budget, scored between a random plan (0) and the best plan (1)."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from agent_scorecard import _native
from agent_scorecard._native import UnsolvableCounts
from agent_scorecard.records import Record

Step = tuple[str, int]


class Oracle(NamedTuple):
    """The best value within a budget, and the ids of tasks that reach it."""

    value: float
    chosen: list[str]


class KnapsackSolution(NamedTuple):
    """The best choice of items, which is proved to be the best one."""

    value: int
    weight: int
    chosen: list[int]


class PlanReading(NamedTuple):
    """What was read from the text of a model.

    ``kind`` is ``plan``, ``over_budget``, ``duplicate_id`` or ``unparseable``; ``steps`` is the plan if it is valid.
    """

    kind: str
    steps: list[Step] | None
    repairs: list[Any]


class Pool:
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
        self._pool = _native.Pool(list(tasks))

    def __len__(self) -> int:
        return len(self._pool)

    def __repr__(self) -> str:
        return repr(self._pool)

    @property
    def total_cost(self) -> int:
        """The sum of the costs."""
        return self._pool.total_cost

    def budget(self, alpha: float) -> int:
        """Return the share ``alpha`` of the total cost, rounded down."""
        return self._pool.budget(alpha)

    def oracle(self, budget: int) -> Oracle:
        """Return the best value within the budget."""
        return Oracle(*self._pool.oracle(budget))

    def random_value(self, budget: int) -> float:
        """Return the expected value of attempting the tasks in a random order."""
        return self._pool.random_value(budget)

    def read_plan(self, text: str, budget: int) -> PlanReading:
        """Read the plan in the text of a model, and list what had to be repaired."""
        return PlanReading(*self._pool.read_plan(text, budget))

    def execute(
        self,
        plan: Sequence[Step],
        budget: int,
        *,
        regime: Literal["advisory", "enforced"] = "advisory",
    ) -> Record:
        """Execute a plan: pairs of an id and an allocation, in order.

        With ``enforced``, an attempt is cut off at its allocation; otherwise it runs to its end.
        """
        return Record(self._pool.execute(list(plan), budget, regime))

    def efficiency(
        self,
        plan: Sequence[Step],
        budget: int,
        *,
        regime: Literal["advisory", "enforced"] = "advisory",
    ) -> float:
        """Return the triage efficiency of a plan: 0 for a random plan and 1 for the best one."""
        earned = self.execute(plan, budget, regime=regime).earned
        return triage_efficiency(earned, self.random_value(budget), self.oracle(budget).value)

    def unsolvable_counts(
        self, plan: Sequence[Step], budget: int, unsolvable: Iterable[str]
    ) -> UnsolvableCounts:
        """Count what a plan does with the tasks that cannot be solved, which are given by their ids.

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
        return self._pool.unsolvable_counts(list(plan), budget, set(unsolvable))


def triage_efficiency(achieved: float, random: float, oracle: float) -> float:
    """Return where a value lies between that of a random plan and that of the best plan.

    Examples
    --------
    >>> triage_efficiency(2.0, 1.0, 3.0)
    0.5
    """
    return _native.triage_efficiency(achieved, random, oracle)


def knapsack(profits: Iterable[int], weights: Iterable[int], capacity: int) -> KnapsackSolution:
    """Return the items of largest total profit whose weights fit into the capacity.

    Examples
    --------
    >>> knapsack([60, 100, 120], [10, 20, 30], 50)
    KnapsackSolution(value=220, weight=50, chosen=[1, 2])
    """
    return KnapsackSolution(*_native.knapsack(list(profits), list(weights), capacity))

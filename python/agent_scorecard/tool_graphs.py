"""Cheapest plans over typed tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from agent_scorecard import _native
from agent_scorecard.arguments import count
from agent_scorecard.records import Record


class Plan(NamedTuple):
    """The names of the tools in the order of their calls, and their total cost."""

    tools: list[str]
    cost: float


class PathCoverage(NamedTuple):
    """The numbers of listed plans, of possible plans, of repeated paths, and of paths that are not plans."""

    covered: int
    possible: int
    repeated: int
    not_plans: int
    rate: float | None


class ToolGraph:
    """Tools with typed inputs, typed outputs and a cost.

    Parameters
    ----------
    tools : iterable of mappings
        Each has ``name``, ``inputs``, ``outputs``, ``cost``, and optionally ``components``.

    Examples
    --------
    >>> graph = ToolGraph([
    ...     {"name": "search", "inputs": ["query"], "outputs": ["hits"], "cost": 2.0},
    ...     {"name": "pick", "inputs": ["hits"], "outputs": ["answer"], "cost": 1.0},
    ...     {"name": "guess", "inputs": ["query"], "outputs": ["answer"], "cost": 9.0},
    ... ])
    >>> graph.optimal_plan(["query"], ["answer"])
    Plan(tools=['search', 'pick'], cost=3.0)
    >>> graph.score_path(["query"], ["answer"], ["guess"]).cost_gap
    6.0
    """

    def __init__(self, tools: Iterable[Mapping[str, Any]]) -> None:
        rows = []
        for place, tool in enumerate(tools):
            lacks = [key for key in ("name", "inputs", "outputs", "cost") if key not in tool]
            if lacks:
                raise ValueError(f"tools[{place}] has no {lacks[0]!r}; it needs name, inputs, outputs and cost")
            name, inputs, outputs, cost = (tool[key] for key in ("name", "inputs", "outputs", "cost"))
            rows.append((name, list(inputs), list(outputs), float(cost), list(tool.get("components", ()))))
        self._graph = _native.ToolGraph(rows)

    def __len__(self) -> int:
        return len(self._graph)

    def __repr__(self) -> str:
        return repr(self._graph)

    def optimal_plan(self, initial: Iterable[str], goal: Iterable[str]) -> Plan | None:
        """Return the cheapest plan.

        Parameters
        ----------
        initial, goal : iterable of str
            The types that are present at the start, and the types to reach.

        Returns
        -------
        Plan or None
            None if the goal cannot be reached.
        """
        plan = self._graph.optimal_plan(list(initial), list(goal))
        return None if plan is None else Plan(*plan)

    def best_plans(self, initial: Iterable[str], goal: Iterable[str], most: int) -> list[Plan]:
        """Return the cheapest plans.

        Parameters
        ----------
        initial, goal : iterable of str
        most : int
            The largest number of plans.

        Returns
        -------
        list of Plan
        """
        plans = self._graph.best_plans(list(initial), list(goal), count("most", most))
        return [Plan(*plan) for plan in plans]

    def greedy_plan(
        self,
        initial: Iterable[str],
        goal: Iterable[str],
        *,
        rule: Literal["chain_or_any", "chain", "any"] = "chain_or_any",
    ) -> Plan | None:
        """Return the plan that takes the cheapest next tool.

        Parameters
        ----------
        initial, goal : iterable of str
        rule : {"chain_or_any", "chain", "any"}
            With ``"chain"``, the rule of CostBench, each tool must use an output of the previous tool. If the graph is
            not a chain, this rule can get stuck before the goal. ``"chain_or_any"`` then takes any tool.

        Returns
        -------
        Plan or None
            None if the policy does not reach the goal.
        """
        plan = self._graph.greedy_plan(list(initial), list(goal), rule)
        return None if plan is None else Plan(*plan)

    def count_shortest_plans(self, initial: Iterable[str], goal: Iterable[str]) -> int:
        """Return the number of plans with the fewest calls.

        Parameters
        ----------
        initial, goal : iterable of str

        Returns
        -------
        int
        """
        return self._graph.count_shortest_plans(list(initial), list(goal))

    def path_coverage(
        self, initial: Iterable[str], goal: Iterable[str], paths: Iterable[Iterable[str]]
    ) -> PathCoverage:
        """Return the number of plans that the paths contain; each tool must have one input and one output.

        Parameters
        ----------
        initial, goal : iterable of str
        paths : iterable of iterables of str
            The names of the tools of each path.

        Returns
        -------
        PathCoverage
        """
        found, rate = self._graph.path_coverage(
            list(initial), list(goal), [list(path) for path in paths]
        )
        return PathCoverage(**found, rate=rate)

    def score_path(
        self,
        initial: Iterable[str],
        goal: Iterable[str],
        calls: Iterable[str],
        *,
        answer_is_right: bool = True,
    ) -> Record:
        """Return the scores of an agent's calls against the cheapest plan.

        Parameters
        ----------
        initial, goal : iterable of str
        calls : iterable of str
            The names of the tools that were called.
        answer_is_right : bool

        Returns
        -------
        Record
        """
        right = _native.flag("answer_is_right", answer_is_right)
        return Record(self._graph.score_path(list(initial), list(goal), list(calls), right))

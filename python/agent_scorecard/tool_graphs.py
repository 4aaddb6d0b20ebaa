"""Cheapest plans over typed tools."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from agent_scorecard import _native
from agent_scorecard.records import Record


class Plan(NamedTuple):
    """The names of the tools in the order of their calls, and their total cost."""

    tools: list[str]
    cost: float


class PathCoverage(NamedTuple):
    """How many of the possible plans were listed, and how many paths were repeated or no plans."""

    covered: int
    possible: int
    repeated: int
    not_plans: int
    rate: float | None


class ToolGraph:
    """Tools with typed inputs and outputs and a cost each.

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
        self._graph = _native.ToolGraph(
            [
                (
                    tool["name"],
                    list(tool["inputs"]),
                    list(tool["outputs"]),
                    float(tool["cost"]),
                    list(tool.get("components", ())),
                )
                for tool in tools
            ]
        )

    def __len__(self) -> int:
        return len(self._graph)

    def __repr__(self) -> str:
        return repr(self._graph)

    def optimal_plan(self, initial: Iterable[str], goal: Iterable[str]) -> Plan | None:
        """Return the cheapest plan from initial types to goal types, or None if the goal is out of reach."""
        plan = self._graph.optimal_plan(list(initial), list(goal))
        return None if plan is None else Plan(*plan)

    def best_plans(self, initial: Iterable[str], goal: Iterable[str], most: int) -> list[Plan]:
        """Return the cheapest plans, at most ``most`` of them."""
        return [Plan(*plan) for plan in self._graph.best_plans(list(initial), list(goal), most)]

    def greedy_plan(
        self,
        initial: Iterable[str],
        goal: Iterable[str],
        *,
        rule: Literal["chain_or_any", "chain", "any"] = "chain_or_any",
    ) -> Plan | None:
        """Return the plan that takes the cheapest next tool, or None if it does not reach the goal.

        By ``"chain"``, the rule of CostBench, each tool needs an output of the one before it, which can
        end before the goal on a graph that is no chain; ``"chain_or_any"`` takes any tool then.
        """
        plan = self._graph.greedy_plan(list(initial), list(goal), rule)
        return None if plan is None else Plan(*plan)

    def count_shortest_plans(self, initial: Iterable[str], goal: Iterable[str]) -> int:
        """Return the number of plans with the fewest calls."""
        return self._graph.count_shortest_plans(list(initial), list(goal))

    def path_coverage(
        self, initial: Iterable[str], goal: Iterable[str], paths: Iterable[Iterable[str]]
    ) -> PathCoverage:
        """Return how many of the plans are among the paths; each tool must have one input and one output."""
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
        """Return the scores of an agent's calls against the cheapest plan."""
        return Record(
            self._graph.score_path(list(initial), list(goal), list(calls), answer_is_right)
        )

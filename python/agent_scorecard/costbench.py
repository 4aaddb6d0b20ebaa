"""CostBench (Liu and others, 2025) for a live model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from agent_scorecard import _native
from agent_scorecard._native import CostBenchQuery, CostBenchRun
from agent_scorecard.arguments import RESAMPLES, RandomState, count, seed
from agent_scorecard.models import Model, figures, replies
from agent_scorecard.records import Record


def costbench_queries(
    split: Literal["train", "test"] = "test", *, random_state: RandomState = 42
) -> list[CostBenchQuery]:
    """Return the queries: 381 to test and 3,000 to train.

    Parameters
    ----------
    split : {"test", "train"}
    random_state : int, Generator or None

    Returns
    -------
    list of CostBenchQuery

    Examples
    --------
    >>> len(costbench_queries())
    381
    """
    return _native.costbench_queries(split, seed(random_state))


class CostBench:
    """The benchmark with its settings.

    Parameters
    ----------
    level : int
        The refinement level of the tools. Tasks have ``level + 3`` steps.
    events : sequence of {"ban_tool", "preference_change", "cost_change", "remove_tools"}
        The changes during a run.
    mixed_events : int, optional
        The number of events, instead of ``events``. Each query draws the kinds of its events.
    costs_shown : bool, optional
        Whether requests state the costs of the tools.
    call_limit, global_seed : int, optional

    Examples
    --------
    >>> def model(request):
    ...     return {"choices": [{"message": {"role": "assistant", "content": "I do not know."}}]}
    >>> bench = CostBench()
    >>> run = bench.run(costbench_queries()[0], model)
    >>> run.outcome
    False
    >>> costbench_figures([run])[0].task_completion_ratio is None  # A run without calls does not count.
    True
    """

    def __init__(
        self,
        level: int = 2,
        *,
        events: Iterable[str] = (),
        mixed_events: int | None = None,
        costs_shown: bool | None = None,
        call_limit: int | None = None,
        global_seed: int | None = None,
    ) -> None:
        self._bench = _native.CostBench(
            count("level", level),
            events=[events] if isinstance(events, str) else list(events),
            mixed_events=mixed_events,
            costs_shown=costs_shown,
            call_limit=call_limit,
            global_seed=global_seed,
        )

    def __repr__(self) -> str:
        return repr(self._bench)

    @property
    def task_length(self) -> int:
        """The number of steps of the tasks."""
        return self._bench.task_length

    def run(self, query: CostBenchQuery, model: Model, *, name: str = "model") -> CostBenchRun:
        """Let a model answer a query.

        Parameters
        ----------
        query : CostBenchQuery
        model : callable
            Receives the body of a request of OpenAI's chat completions as a dictionary, and returns the response: a
            dictionary, JSON text, an object with ``model_dump_json``, or None if the server did not answer.
        name : str
            The name of the model in the requests.

        Returns
        -------
        CostBenchRun
        """

        return self._bench.converse(query, name, replies(model))


def costbench_figures(
    runs: Iterable[CostBenchRun],
    *,
    model: str = "model",
    confidence_level: float = 0.95,
    n_resamples: int = RESAMPLES,
    random_state: RandomState = 0,
) -> list[Record]:
    """Return the figures of the paper, with intervals over queries.

    Parameters
    ----------
    runs : iterable of CostBenchRun
    model : str
        The name of the model in the records.
    confidence_level : float
    n_resamples : int
    random_state : int, Generator or None

    Returns
    -------
    list of Record
        One per task length and kind of events. Figures are `Figure`, or None if they are undefined.

    Examples
    --------
    >>> costbench_figures([])
    []
    """
    rows = _native.costbench_figures(
        model, list(runs), confidence_level, count("n_resamples", n_resamples), seed(random_state)
    )
    return [Record(figures(row)) for row in rows]

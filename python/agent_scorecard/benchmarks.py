"""TRIAGE, stated confidence and budget estimation for a live model.

A model is a function, as for `CostBench`. It takes the body of a request of OpenAI's chat completions, and returns the
response: a dictionary, JSON text, an object with ``model_dump_json``, or None if the server did not answer.

A question is a mapping with ``id``, ``text`` and ``answer``. The answer is true or false, a number, or a text. If the
question has ``options``, the answer is the position, the letter or the text of an option. ``tolerance``, ``value``, and
the ``output_tokens`` and ``solved`` of a recorded attempt are optional.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from agent_scorecard import _native
from agent_scorecard._native import BenchmarkRun
from agent_scorecard.arguments import RESAMPLES, RandomState, count, seed
from agent_scorecard.budgets import Rollouts
from agent_scorecard.models import Model, as_json, figures, replies
from agent_scorecard.records import Record

Question = Mapping[str, Any]


def _lines(questions: Iterable[Question]) -> str:
    return "\n".join(as_json(dict(question)) for question in questions)


class Triage:
    """Plans for a pool of questions under a budget.

    Parameters
    ----------
    alpha : float
        The budget, as a share of the cost of the recorded attempts.
    framing : {"neutral", "agent", "exam"}
        The opening of the request.
    subject : str
        The name of the questions in the request.
    live : {"advisory", "enforced"}, optional
        The regime in which the model also solves the questions of its plan; in ``"enforced"``, allocations are limits.
        By default, the recorded attempts are used.

    Examples
    --------
    >>> recorded = {"text": "What is 6 times 7?", "answer": 42, "output_tokens": 300, "solved": True}
    >>> questions = [{"id": "a", **recorded}, {"id": "b", **recorded}]
    >>> def model(request):
    ...     text = '{"plan": [{"id": "a", "allocation": 300}]}'
    ...     return {"choices": [{"message": {"role": "assistant", "content": text}}]}
    >>> run = Triage(0.5).run(questions, model)
    >>> run.scores()["advisory"]["efficiency"]
    1.0
    >>> benchmark_figures([run])[0].efficiency.value
    1.0
    """

    def __init__(
        self,
        alpha: float,
        *,
        framing: Literal["neutral", "agent", "exam"] = "neutral",
        subject: str = "problems",
        live: Literal["advisory", "enforced"] | None = None,
    ) -> None:
        self._settings = (alpha, framing, subject, live)

    def run(
        self, questions: Iterable[Question], model: Model, *, pool: str = "pool", name: str = "model"
    ) -> BenchmarkRun:
        """Let a model plan for a pool of questions.

        Parameters
        ----------
        questions : iterable of mappings
        model : callable
        pool : str
            The name of the pool; intervals resample pools.
        name : str
            The name of the model in the requests.

        Returns
        -------
        BenchmarkRun
        """
        return _native.run_triage(self._settings, pool, _lines(questions), name, replies(model))


class StatedConfidence:
    """Answers to questions in steps, each with a stated confidence.

    Parameters
    ----------
    step_limit : int
    patience : int
        The number of consecutive replies that lack a readable action or a confidence from 0 to 1 after which the run
        ends.
    top_logprobs : int, optional
        The number of most probable tokens whose log-probabilities are requested; None for no log-probabilities.

    Examples
    --------
    >>> steps = iter([("continue", 0.6), ("answer: yes", 0.9)])
    >>> def model(request):
    ...     action, stated = next(steps)
    ...     text = f"<thought>Ice floats.</thought><action>{action}</action><confidence>{stated}</confidence>"
    ...     return {"choices": [{"message": {"role": "assistant", "content": text}}]}
    >>> question = {"id": "q1", "text": "Is ice lighter than water?", "answer": True}
    >>> run = StatedConfidence(4).run(question, model)
    >>> run.outcome, run.scores()["stated_confidence"]
    (True, [0.6, 0.9])
    """

    def __init__(self, step_limit: int, *, patience: int = 3, top_logprobs: int | None = 5) -> None:
        self._settings = (count("step_limit", step_limit), count("patience", patience), top_logprobs)

    def run(self, question: Question, model: Model, *, name: str = "model") -> BenchmarkRun:
        """Let a model answer a question.

        Parameters
        ----------
        question : mapping
        model : callable
        name : str
            The name of the model in the requests.

        Returns
        -------
        BenchmarkRun
        """
        return _native.run_confidence(self._settings, _lines([question]), name, replies(model))


class BudgetBenchmark:
    """Estimates of the remaining cost of recorded runs, requested after each of their turns.

    Parameters
    ----------
    resources : mapping of str to {"tokens", "money", "time", "space"}
        The resources whose remaining cost is asked for, each with its kind.
    strict : bool
        Whether an answer must have exactly the requested form.

    Examples
    --------
    >>> rollouts = Rollouts("output_tokens")
    >>> rollouts.append([50, 20, 80], succeeded=True, contents=["Sort the boxes.", "I look at the board."])
    >>> def model(request):
    ...     return {"choices": [{"message": {"role": "assistant", "content": "<answer>[80, 100]</answer>"}}]}
    >>> run = BudgetBenchmark({"output_tokens": "tokens"}).run(rollouts, 0, model)
    >>> run.scores()["output_tokens"]
    [(1, 50.0, 100.0, True, (80.0, 100.0)), (2, 70.0, 80.0, True, (80.0, 100.0))]
    >>> benchmark_figures([run])[0].hit_rate.value
    1.0
    """

    def __init__(
        self,
        resources: Mapping[str, Literal["tokens", "money", "time", "space"]],
        *,
        strict: bool = False,
    ) -> None:
        self._resources: list[tuple[str, str]] = list(resources.items())
        self._strict = _native.flag("strict", strict)

    def run(
        self, rollouts: Rollouts, index: int, model: Model, *, name: str = "model"
    ) -> BenchmarkRun:
        """Ask a model about the run at a position of the rollouts.

        The scores of the returned run have one tuple per resource and answer: turn, spent, remaining, feasible,
        estimate.

        Parameters
        ----------
        rollouts : Rollouts
            The rollouts. Their turns need ``contents``, which the model reads.
        index : int
        model : callable
        name : str
            The name of the model in the requests.

        Returns
        -------
        BenchmarkRun
        """
        return _native.run_budget(
            self._resources, self._strict, rollouts._rollouts, count("index", index), name, replies(model)
        )


def benchmark_figures(
    runs: Iterable[BenchmarkRun],
    *,
    model: str = "model",
    confidence_level: float = 0.95,
    n_resamples: int = RESAMPLES,
    random_state: RandomState = 0,
) -> list[Record]:
    """Return the figures of runs, with intervals over pools, questions or tasks.

    Parameters
    ----------
    runs : iterable of BenchmarkRun
    model : str
        The name of the model in the records.
    confidence_level : float
    n_resamples : int
    random_state : int, Generator or None

    Returns
    -------
    list of Record
        One record per setting and regime of `Triage`, per stream of confidence of `StatedConfidence`, or per resource
        of `BudgetBenchmark`. Figures are `Figure`, or None if they are undefined.

    Examples
    --------
    >>> benchmark_figures([])
    []
    """
    rows = _native.benchmark_figures(
        model, list(runs), confidence_level, count("n_resamples", n_resamples), seed(random_state)
    )
    return [Record(figures(row)) for row in rows]

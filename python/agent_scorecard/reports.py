"""The evaluations of the command as functions. There is one function per question, and each returns a `Report`.

Every function takes runs. Its keywords are the options of the subcommand with the same name. Runs are one of these:

- the path of a file or of a folder of logs, as for the command, or a list of paths,
- a list of dictionaries, one per run, with the fields of a line of such a file, or a table of pandas, Polars or Arrow
  with these fields as columns (None, NaN and NA are missing values; other fields are not read; the named levels of a
  pandas index count as columns),
- a mapping of names to any of the above, with a column for each name and for each ``model`` in the rows,
- None, for the bundled runs of the command.

An option that names another file also accepts a list of dictionaries or a table.

Examples
--------
>>> from agent_scorecard import reports
>>> runs = [{"id": str(run), "forecasts": [0.5, run % 10 / 10], "outcome": run % 10 > 4} for run in range(40)]
>>> report = reports.traces(runs, n_resamples=200)
>>> report.n, report.auroc.value
(40, 1.0)
>>> report.fails("auroc < 0.9")
False
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from agent_scorecard import _native
from agent_scorecard.arguments import RESAMPLES, RandomState, path, seed
from agent_scorecard.records import Record

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped, import-not-found, unused-ignore]

Path = str | os.PathLike[str]
Rows = Iterable[Mapping[str, Any]]
Runs = Path | Sequence[Path] | Rows | Mapping[str, Any] | None
Schedule = Literal["linear-front", "uniform", "exponential-front", "linear-back"]
Calibration = Literal["none", "platt", "isotonic"]
AtLimit = Literal["graded", "failed", "unknown"]


class Report(Record):
    """The result of an evaluation: the JSON object of the command as a dictionary, with methods for other views.

    ``str`` returns the table of the command, which a notebook shows too. ``json.dumps`` returns the output of the
    command with ``--json``.

    Examples
    --------
    >>> report = paths([{"id": "a", "task": "t", "success": True, "agent_calls": [], "expected_calls": [{"name": "look"}]}])
    >>> report.in_order_match.value, report["n"]
    (0.0, 1)
    >>> report.to_figures()[0]["figure"]
    'exact_match'
    """

    __slots__ = ("_views",)

    def __init__(self, fields: Mapping[str, Any], views: Any) -> None:
        super().__init__(fields)
        object.__setattr__(self, "_views", views)

    def __str__(self) -> str:
        return self._views.text()

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        views = self._views
        if isinstance(views, _native.Report):
            views = _Views(views.text(), views.page(), views.part(), views.figures())
        return Report, (dict(self), views)

    def _repr_html_(self) -> str:
        """Return the conclusion, the tables and the notes as HTML, for notebooks."""
        return self._views.part()

    def to_html(self) -> str:
        """Return the page of the command, with all pictures.

        Returns
        -------
        str
            A page that has no scripts and needs no other files.
        """
        return self._views.page()

    def to_figures(self) -> list[dict[str, Any]]:
        """Return one dictionary per column and figure.

        Returns
        -------
        list of dict
            ``column``, ``figure``, ``value``, ``ci_low``, ``ci_high``, ``standard_error`` (nan where there is none),
            ``better`` (``"higher"``, ``"lower"``, a number that is best, or None), ``undefined`` (the reason),
            ``help``, and ``path``, its name in conditions of `fails`. A report whose rows have no figures, such as the
            report of `logs`, raises ``ValueError`` with the name of the attribute of these rows.
        """
        figures, rows = self._views.figures()
        if not figures:
            known = " and ".join(f"report.{name}" for name in rows) or f"one of {', '.join(self)}"
            raise ValueError(f"this report has no figures; its rows are in {known}")
        return figures

    def to_frame(self) -> pandas.DataFrame:
        """Return the figures of `to_figures` as a table of pandas.

        Returns
        -------
        pandas.DataFrame
            One row per column and figure. A report without figures raises ``ValueError``, as `to_figures` does.
        """
        import pandas

        return pandas.DataFrame(self.to_figures())

    def fails(self, condition: str) -> bool:
        """Return whether a condition of ``--fail-if`` holds.

        Parameters
        ----------
        condition : str
            The condition, such as ``"tps_log < -0.6"`` or ``"files.0.auroc < 0.5"``, or for a difference
            ``"difference.tps_log.ci_high < 0"``.

        Returns
        -------
        bool
            A condition on a value that does not exist or is undefined raises ``ValueError``.
        """
        if not isinstance(self._views, _native.Report):
            raise ValueError("conditions are checked on a report that was made here, not on one that was stored")
        return self._views.failure(condition) is not None


class _Views:
    """The views of a report that was stored."""

    def __init__(self, *views: Any) -> None:
        self._stored = views

    def text(self) -> str:
        return self._stored[0]

    def page(self) -> str:
        return self._stored[1]

    def part(self) -> str:
        return self._stored[2]

    def figures(self) -> tuple[list[dict[str, Any]], list[str]]:
        return self._stored[3]


# A path or the name of rows, the expression of the caller, the rows, and what their index calls them.
_Source = tuple[str, str, list[dict[str, Any]] | None, list[str] | None]


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def _is_table(value: Any) -> bool:
    kind = type(value)
    return hasattr(kind, "to_pylist") and hasattr(kind, "column_names") or hasattr(kind, "columns")


def _of_table(argument: str, table: Any) -> tuple[list[dict[str, Any]], list[str] | None]:
    """The rows of a table of pandas, Polars or Arrow, and what its index calls them."""
    if hasattr(table, "to_pylist"):
        return table.to_pylist(), None
    if hasattr(table, "to_dicts"):
        return table.to_dicts(), None
    if hasattr(table, "collect"):
        raise ValueError(f"{argument} is a {type(table).__name__}, which has no rows yet; give what its method collect returns")
    if not hasattr(table, "to_dict") or not hasattr(table, "index"):
        kind = type(table).__name__
        raise ValueError(f"{argument} is a {kind}; give a table of pandas, Polars or Arrow, or a list of dictionaries")
    columns = list(table.columns)
    twice = [name for at, name in enumerate(columns) if name in columns[:at]]
    if twice:
        raise ValueError(f"{argument}: two columns are called {twice[0]!r}; give each a name of its own")
    index = table.index
    is_named = [name is not None for name in index.names]
    kinds = [index.get_level_values(level).inferred_type for level in range(index.nlevels)]
    if any(not named and kind not in ("integer", "empty") for named, kind in zip(is_named, kinds)):
        raise ValueError(
            f"{argument}: the index of the table has no name, so that it is not known what it holds; name it, as in "
            "table.rename_axis('id'), or drop it with table.reset_index(drop=True)"
        )
    labels = None if list(index) == list(range(len(index))) else [repr(label) for label in index]
    named = {name: index.get_level_values(level) for level, name in enumerate(index.names) if is_named[level]}
    rows = table.to_dict("records")
    for name, values in named.items():
        # A column of this name is what the caller sees.
        if name not in columns:
            for row, value in zip(rows, values):
                row[name] = value
    return rows, labels


def _source(argument: str, value: Any, name: str, expression: str) -> _Source:
    """A source of an argument, whose rows reports call by a name."""
    if _is_path(value):
        return path(value), "", None, None
    labels = None
    if _is_table(value):
        rows, labels = _of_table(expression, value)
    else:
        rows = [dict(row) if isinstance(row, Mapping) else row for row in value]
        for at, row in enumerate(rows):
            if not isinstance(row, dict):
                raise ValueError(f"{expression}: entry {at} is {row!r}; it must be a dictionary with the fields of a {argument}")
    if not rows:
        raise ValueError(f"{expression} has no rows; give at least one")
    return name, expression, rows, labels


def _runs(runs: Any) -> list[_Source]:
    if runs is None:
        return []
    if isinstance(runs, Mapping):
        return [_source("run", value, str(name), f"runs[{name!r}]") for name, value in runs.items()]
    if _is_path(runs) or _is_table(runs):
        return [_source("run", runs, "runs", "runs")]
    runs = list(runs)
    if runs and all(_is_path(run) for run in runs):
        return [_source("run", run, "runs", "runs") for run in runs]
    return [_source("run", runs, "runs", "runs")]


def _beside(argument: str, value: Any) -> list[_Source]:
    """The source of an argument beside the runs: a path or rows."""
    return [] if value is None else [_source("row", value, argument, argument)]


def _named(argument: str, value: Any) -> list[_Source]:
    """As `_beside`, or a name that the evaluation knows."""
    return [(value, "", None, None)] if isinstance(value, str) else _beside(argument, value)


def _report(question: str, sources: Mapping[str, list[_Source]], **options: Mapping[str, Any]) -> Report:
    """Ask a question of sources by their arguments, with the options of each part of an evaluation; None is the default."""
    given = {part: {name: value for name, value in all.items() if value is not None} for part, all in options.items()}
    views = _native.evaluate(question, sources, given)
    return Report(json.loads(views.to_json()), views)


def traces(
    runs: Runs = None,
    *,
    schedule: Schedule = "linear-front",
    summary: str | None = None,
    calibrate: Calibration = "none",
    calibrate_on: Literal["complete", "cut-off-as-failures"] = "complete",
    n_resamples: int = RESAMPLES,
    random_state: RandomState = 1,
    cluster_by: Literal["task", "task-only", "run"] = "task",
    pool: bool = False,
    missing: str | None = None,
    confidence: Literal["strict", "lenient"] = "strict",
    confidence_pattern: str | None = None,
    runs_by: Literal["trace", "session"] = "trace",
    field: Sequence[str] = (),
    at_limit: AtLimit | None = None,
    scorer: str | None = None,
    success_at: float | None = None,
    score_range: str | None = None,
    repeats: Literal["drop", "keep"] = "drop",
    percent: bool | None = None,
    outcomes: Path | Rows | None = None,
    curves: bool = False,
) -> Report:
    """Report the quality of the probabilities of success that agents reported along their runs.

    Parameters
    ----------
    runs : runs
        Fields ``id``, ``forecasts``, ``outcome`` and optionally ``task``, ``stop``, ``horizon``; or logs. See the module.
    schedule : {"linear-front", "uniform", "exponential-front", "linear-back"}
        The weights of the steps of a run.
    summary : str, optional
        The single forecast that represents a run in figures of ranking and calibration: ``"last"``, ``"mean"``,
        ``"minimum"``, or the name of a schedule for the mean with its weights; by default ``schedule``.
    calibrate : {"none", "platt", "isotonic"}
        The method that calibrates the forecasts before they are scored. Each half of the runs is calibrated by a fit to
        the other half.
    calibrate_on : {"complete", "cut-off-as-failures"}
        The runs to which the calibration is fitted: the complete runs, or with ``"cut-off-as-failures"`` also the
        cut-off runs, as failures.
    n_resamples : int
        The number of bootstrap resamples for the 95 % intervals; 0 gives no intervals.
    random_state : int, Generator or None
        The seed of the bootstrap.
    cluster_by : {"task", "task-only", "run"}
        The unit that the bootstrap resamples. ``"task"``: all runs of a task together, or single runs if all runs are
        of one task. ``"task-only"``: tasks, which every run must name. ``"run"``: single runs.
    pool : bool
        Add a report on all runs together.
    missing : str, optional
        What to do about forecasts that are missing or outside [0, 1]: ``"refuse"``, ``"leave-out"``, ``"skip"``,
        ``"carry-forward"``, ``"carry-forward-from=P"`` or ``"clip"``; by default ``"refuse"``, and ``"leave-out"`` for
        logs.
    confidence : {"strict", "lenient"}
        How stated confidence in logs is read.
    confidence_pattern : str, optional
        A regular expression that finds the stated confidence; its first group is the number.
    runs_by : {"trace", "session"}
        What counts as a run in logs of spans.
    field : sequence of str
        For JSON Lines of another program, the fields that hold the facts of a run, such as
        ``"outcome=metadata.result"``.
    at_limit : {"graded", "failed", "unknown"}, optional
        The outcome of a run that ended at a limit. ``"graded"`` takes it from the grade, if there is one. ``"failed"``
        counts the run as a failure. ``"unknown"`` ignores the grade. The default is ``"graded"``, and ``"unknown"`` for
        `cut_off`.
    scorer : str, optional
        The name of the scorer whose score counts; by default the first scorer in the log.
    success_at : float, optional
        The lowest score that counts as a success. By default, 1 is a success, 0 is a failure, and a score in between is
        a partial success.
    score_range : str, optional
        The lowest and the highest possible score, such as ``"1..10"``, if these are not 0 and 1.
    repeats : {"drop", "keep"}
        How to count a run that occurs several times, such as in a retry or a copy: ``"drop"`` counts one of them, and
        ``"keep"`` counts all of them.
    percent : bool, optional
        Whether confidences are percentages. By default, confidences above 1 are refused.
    outcomes : path, optional
        Outcomes or grades for the runs of logs, from another source: fields ``id``, ``outcome`` or ``grade``, and
        optionally ``task``, ``trial``, ``model``, ``expected_calls``, ``horizon``.
    curves : bool
        Add curves and bins even if there are no resamples.

    Returns
    -------
    Report

    Examples
    --------
    >>> both = traces({"sure": [{"id": "a", "forecasts": [1.0], "outcome": True}],
    ...     "unsure": [{"id": "a", "forecasts": [0.5], "outcome": True}]}, n_resamples=0)
    >>> [round(column.tps_brier.value, 2) for column in both.files]
    [0.0, -0.25]
    """
    return _report(
        "traces",
        {"runs": _runs(runs), "outcomes": _beside("outcomes", outcomes)},
        how={"schedule": schedule, "summary": summary, "calibrate": calibrate, "calibrate_on": calibrate_on, "n_resamples": n_resamples,
             "random_state": seed(random_state), "cluster_by": cluster_by, "pool": pool, "missing": missing, "curves": curves},
        judging={"confidence": confidence, "confidence_pattern": confidence_pattern, "runs_by": runs_by, "field": list(field)},
        rules={"at_limit": at_limit, "scorer": scorer, "success_at": success_at, "score_range": score_range, "repeats": repeats,
               "percent": percent},
    )


def calibration(
    runs: Runs = None,
    *,
    schedule: Schedule = "linear-front",
    halves: Literal["tasks", "runs"] = "tasks",
    n_resamples: int = RESAMPLES,
    random_state: RandomState = 1,
    missing: str | None = None,
    stream: str = "stated_confidence",
    confidence: Literal["strict", "lenient"] = "strict",
    confidence_pattern: str | None = None,
    runs_by: Literal["trace", "session"] = "trace",
    field: Sequence[str] = (),
    at_limit: AtLimit | None = None,
    scorer: str | None = None,
    success_at: float | None = None,
    score_range: str | None = None,
    repeats: Literal["drop", "keep"] = "drop",
    percent: bool | None = None,
    outcomes: Path | Rows | None = None,
) -> Report:
    """Report the change of each metric by cross-fitted Platt scaling, in standard errors of the change.

    Parameters
    ----------
    runs : runs
        As for `traces`, but with only one stream of a log.
    schedule : {"linear-front", "uniform", "exponential-front", "linear-back"}
        The weights of the steps of a run.
    halves : {"tasks", "runs"}
        The units that are split into two halves: whole tasks, or runs. With runs, as in the paper, a task may have runs
        in both halves.
    n_resamples : int
    random_state : int, Generator or None
        The number of bootstrap resamples of whole tasks, and their seed.
    missing : str, optional
        As for `traces`.
    stream : str
        The kind of confidence that is read from logs.
    confidence, confidence_pattern, runs_by, field, at_limit, scorer, success_at, score_range, repeats, percent, outcomes
        Options for logs, as for `traces`.

    Returns
    -------
    Report

    Examples
    --------
    >>> list(calibration(n_resamples=100))[2:4]
    ['schedule', 'halves']
    """
    return _report(
        "calibration",
        {"runs": _runs(runs), "outcomes": _beside("outcomes", outcomes)},
        how={"schedule": schedule, "halves": halves, "n_resamples": n_resamples, "random_state": seed(random_state)},
        read={"stream": stream, "missing": missing},
        judging={"confidence": confidence, "confidence_pattern": confidence_pattern, "runs_by": runs_by, "field": list(field)},
        rules={"at_limit": at_limit, "scorer": scorer, "success_at": success_at, "score_range": score_range, "repeats": repeats,
               "percent": percent},
    )


def cut_off(
    runs: Runs = None,
    *,
    schedule: Schedule = "linear-front",
    missing: str | None = None,
    calibrate: Calibration = "none",
    calibrate_on: Literal["complete", "cut-off-as-failures"] = "complete",
    parse_errors_as_stops: bool = False,
    assume: Literal["non-informative", "failure-side", "none"] = "non-informative",
    odds_ratio: float = 2,
    n_resamples: int = RESAMPLES,
    random_state: RandomState = 0,
    hide: float | None = None,
    hide_after: float | None = None,
    success_chance: Path | Rows | None = None,
    chance_from: Path | Sequence[Path] | Rows | None = None,
    continuations: Path | Rows | None = None,
    curve_groups: Path | Rows | None = None,
    min_valid: int = 5,
    stream: str = "stated_confidence",
    confidence: Literal["strict", "lenient"] = "strict",
    confidence_pattern: str | None = None,
    runs_by: Literal["trace", "session"] = "trace",
    field: Sequence[str] = (),
    at_limit: AtLimit | None = None,
    scorer: str | None = None,
    success_at: float | None = None,
    score_range: str | None = None,
    repeats: Literal["drop", "keep"] = "drop",
    percent: bool | None = None,
    outcomes: Path | Rows | None = None,
) -> Report:
    """Report five ways to count runs that a budget cut off.

    Parameters
    ----------
    runs : runs
        As for `traces`, but with only one stream of a log, and optionally with the field ``success_chance``.
    schedule : {"linear-front", "uniform", "exponential-front", "linear-back"}
        The weights of the steps of a run.
    missing : str, optional
        As for `traces`.
    calibrate : {"none", "platt", "isotonic"}
        The method that calibrates the forecasts before they are scored. Each half of the runs is calibrated by a fit to
        the other half.
    calibrate_on : {"complete", "cut-off-as-failures"}
        The runs to which the calibration is fitted: the complete runs, or with ``"cut-off-as-failures"`` also the
        cut-off runs, as failures.
    parse_errors_as_stops : bool
        Count a run that ended because a reply could not be read as cut off, instead of excluding it.
    assume : {"non-informative", "failure-side", "none"}
        The assumption about the outcomes of cut-off runs. The report states it; no figure depends on it.
    odds_ratio : float
        For the sensitivity analysis: the largest factor by which the odds of success of cut-off runs may be wrong, at
        least 1.
    n_resamples : int
    random_state : int, Generator or None
        The number of resamples of whole tasks, and their seed.
    hide, hide_after : float, optional
        Hide the outcomes of complete runs, as if they had been cut off, and report the two parts of the shift of the
        score. ``hide`` is the share of the complete runs to cut off at random steps. ``hide_after`` is the share of its
        steps after which every complete run is cut off.
    success_chance : path, optional
        The probability that each cut-off run would have succeeded without the budget: fields ``id`` and
        ``success_chance``.
    chance_from : path, optional
        Streams that are not scored. The model that predicts the success of cut-off runs uses their forecasts as
        features.
    continuations : path, optional
        The results of continuing each cut-off run several times: fields ``id``, ``successes``, ``failures`` and
        optionally ``unresolved``, ``invalid``.
    curve_groups : path, optional
        The group of each run, for example by difficulty: fields ``id`` and ``group``. The weighted means then estimate
        a separate probability of being cut off in each group.
    min_valid : int
        The minimum number of continuations with an outcome that a run needs.
    stream : str
        The kind of confidence that is read from logs.
    confidence, confidence_pattern, runs_by, field, at_limit, scorer, success_at, score_range, repeats, percent, outcomes
        Options for logs, as for `traces`.

    Returns
    -------
    Report

    Examples
    --------
    >>> report = cut_off(n_resamples=50)
    >>> report.fails("files.0.n_censored < 1")
    False
    """
    given = {"success_chance": success_chance, "continuations": continuations, "curve_groups": curve_groups, "outcomes": outcomes}
    others = chance_from if isinstance(chance_from, (list, tuple)) and all(_is_path(it) for it in chance_from) else [chance_from]
    return _report(
        "cut_off",
        {
            "runs": _runs(runs),
            "chance_from": [source for it in others for source in _beside("chance_from", it)],
            **{name: _beside(name, value) for name, value in given.items()},
        },
        how={"schedule": schedule, "calibrate": calibrate, "calibrate_on": calibrate_on,
             "parse_errors_as_stops": parse_errors_as_stops, "assume": assume, "odds_ratio": odds_ratio, "n_resamples": n_resamples,
             "random_state": seed(random_state), "hide": hide, "hide_after": hide_after, "min_valid": min_valid},
        read={"stream": stream, "missing": missing},
        judging={"confidence": confidence, "confidence_pattern": confidence_pattern, "runs_by": runs_by, "field": list(field)},
        rules={"at_limit": at_limit, "scorer": scorer, "success_at": success_at, "score_range": score_range, "repeats": repeats,
               "percent": percent},
    )


def paths(
    runs: Runs = None,
    *,
    ignore_arguments: bool = False,
    pool: bool = False,
    confidence: Literal["strict", "lenient"] = "strict",
    confidence_pattern: str | None = None,
    runs_by: Literal["trace", "session"] = "trace",
    field: Sequence[str] = (),
    at_limit: AtLimit | None = None,
    scorer: str | None = None,
    success_at: float | None = None,
    score_range: str | None = None,
    repeats: Literal["drop", "keep"] = "drop",
    percent: bool | None = None,
    outcomes: Path | Rows | None = None,
) -> Report:
    """Report the agreement of tool calls with the calls that their tasks expect.

    Parameters
    ----------
    runs : runs
        Fields ``id``, ``task``, ``agent_calls``, ``expected_calls``, ``success`` and optionally ``model``; or logs.
    ignore_arguments : bool
        Compare calls only by name.
    pool : bool
        Add a report on all runs together.
    confidence, confidence_pattern, runs_by, field, at_limit, scorer, success_at, score_range, repeats, percent, outcomes
        Options for logs, as for `traces`.

    Returns
    -------
    Report

    Examples
    --------
    >>> 0 < paths(ignore_arguments=True).any_order_match.value < 1
    True
    """
    return _report(
        "paths",
        {"runs": _runs(runs), "outcomes": _beside("outcomes", outcomes)},
        how={"ignore_arguments": ignore_arguments, "pool": pool},
        judging={"confidence": confidence, "confidence_pattern": confidence_pattern, "runs_by": runs_by, "field": list(field)},
        rules={"at_limit": at_limit, "scorer": scorer, "success_at": success_at, "score_range": score_range, "repeats": repeats,
               "percent": percent},
    )


def costbench(
    *,
    queries: Path | Rows | None = None,
    refinement_level: int = 2,
    random_state: RandomState = 42,
    noise_std: float = 0.1,
    min_cost: float = 15,
    max_cost: float = 25,
    rules: Literal["paper", "released"] = "paper",
    costs: Literal["paper", "released"] = "released",
    trigger: Literal["paper", "released"] = "released",
    block: Literal["none", "ban-tool", "preference-change", "cost-change", "remove-tools", "mixed"] = "none",
    blocks: int = 1,
    paths: bool = False,
    results: Path | None = None,
    checkout: Path | None = None,
) -> Report:
    """Report the distance of the greedy policy from the cheapest plan over CostBench queries.

    Parameters
    ----------
    queries : path, optional
        By default, 120 invented queries.
    refinement_level : int
        The refinement level. Tasks of level L have L + 3 steps.
    random_state : int, Generator or None
        The seed of costs and events.
    noise_std : float
        The standard deviation of the noise in the costs of composite tools.
    min_cost, max_cost : float
        The range of the costs of atomic tools.
    rules : {"paper", "released"}
        The rules to follow where the paper and its released code differ.
    costs : {"paper", "released"}
        The random streams from which costs are drawn: one per tool, or one per query.
    trigger : {"paper", "released"}
        The rule for the time of events: the formula of the paper, or the released code.
    block : str
        The kind of events that change the tools during a run.
    blocks : int
        The number of events per run.
    paths : bool
        List the plans of every query.
    results, checkout : path, optional
        A released file ``results_*.json`` and the checkout with its queries: the runs of its model are reported instead
        of the greedy policy. The file sets the tools, costs and events.

    Returns
    -------
    Report

    Examples
    --------
    >>> costbench(refinement_level=0).queries
    120
    """
    if (results is None) != (checkout is None):
        raise ValueError("results and checkout belong together; give both")
    if results is not None and (queries is not None or paths):
        raise ValueError("results states its queries, and has no paths; leave queries and paths out")
    return _report(
        "costbench",
        {name: _beside(name, value) for name, value in (("queries", queries), ("results", results), ("checkout", checkout))},
        world={"refinement_level": refinement_level, "random_state": seed(random_state), "noise_std": noise_std,
               "min_cost": min_cost, "max_cost": max_cost, "rules": rules, "costs": costs, "trigger": trigger},
        how={"block": block, "blocks": blocks, "paths": paths},
    )


def triage(
    runs: Runs = None,
    *,
    alpha: Sequence[float] = (),
    pool_size: int = 30,
    planner: str | Path | Rows = "all-in-order",
    strict_plans: bool = False,
    attempt_zero: bool = False,
    random_state: RandomState = 1,
    shuffles: int = 1000,
    orders: int = 1000,
    capped: Path | Rows | None = None,
    unsolvable: Path | Rows | None = None,
    ratio: Sequence[float] = (),
) -> Report:
    """Report how well tasks were chosen under a budget, from 0 (random plan) to 1 (best plan).

    Parameters
    ----------
    runs : runs
        Problems: fields ``problem``, ``solved``, ``output_tokens`` and optionally ``value``.
    alpha : sequence of float
        The budgets of a pool, as shares of the total cost of its problems; by default 0.25, 0.5, 0.75 and 1.
    pool_size : int
        The number of problems in a pool.
    planner : str or path
        ``"all-in-order"``, ``"cheapest-first"``, ``"random"``, ``"oracle"``, or plans.
    strict_plans : bool
        Leave out a plan that names a problem twice, and drop an allocation that is not a number of tokens. By default,
        as in the paper, the first entry of a problem counts, and an allocation that is not a number counts as 0.
    attempt_zero : bool
        In the advisory regime, also attempt problems to which the plan allocates 0 tokens.
    random_state : int, Generator or None
        The seed of all random numbers.
    shuffles, orders : int
        The number of shuffles per pool of the sampled random plan, and the number of orders per pool of the planner
        ``"random"``.
    capped : path, optional
        The outcomes of attempts that were really cut off at their allocations.
    unsolvable : path, optional
        Unsolvable problems. They replace a share of the problems in each pool.
    ratio : sequence of float
        The shares of a pool that unsolvable problems replace.

    Returns
    -------
    Report

    Examples
    --------
    >>> report = triage(alpha=[0.5], planner="oracle")
    >>> round(report.alphas[0].eta_advisory.value, 6)
    1.0
    """
    given = {"capped": capped, "unsolvable": unsolvable}
    return _report(
        "triage",
        {
            "runs": _runs(runs),
            "planner": _named("planner", planner),
            **{name: _beside(name, value) for name, value in given.items()},
        },
        how={"alpha": list(alpha) or None, "pool_size": pool_size, "random_state": seed(random_state),
             "shuffles": shuffles, "orders": orders, "strict_plans": strict_plans, "attempt_zero": attempt_zero,
             "ratio": list(ratio) or None},
    )


def triage_variants(runs: Runs) -> Report:
    """Report the ranges of triage scores under several variants of a prompt, and whether rankings agree.

    Parameters
    ----------
    runs : runs
        Scores: fields ``model``, ``variant``, ``alpha``, ``eta_advisory``, ``eta_enforced`` and optionally ``mode``,
        ``dataset``.

    Returns
    -------
    Report

    Examples
    --------
    >>> scores = [{"model": m, "variant": v, "alpha": 0.5, "eta_advisory": 0.5, "eta_enforced": 0.25}
    ...     for m in "MN" for v in "AB"]
    >>> len(triage_variants(scores)) > 0
    True
    """
    return _report("triage_variants", {"runs": _runs(runs)})


def re_solved(runs: Runs) -> Report:
    """Report the changes in results after problems were attempted again with a disclosed budget.

    Parameters
    ----------
    runs : runs
        Fields ``allocation``, ``output_tokens``, ``solved_before``, ``solved_after`` and optionally ``model``, ``dataset``.

    Returns
    -------
    Report

    Examples
    --------
    >>> again = {"allocation": 900, "output_tokens": 1100, "solved_before": False, "solved_after": True}
    >>> len(re_solved([again])) > 0
    True
    """
    return _report("re_solved", {"runs": _runs(runs)})


def budget(
    runs: Runs = None,
    *,
    estimator: str | Path | Rows | None = None,
    cap: float | None = None,
    resource: str | Sequence[str] = "output_tokens",
    coverage: float = 0.8,
    lenient: bool = False,
    points: bool = False,
    calibrate: bool = False,
    reading: Literal["cap", "answers"] = "cap",
    probes: int | None = None,
    keys: Sequence[str] | None = None,
    warm_up: int = 0,
    n_resamples: int = RESAMPLES,
    random_state: RandomState = 1,
    cluster_by: Literal["task", "task-only", "run"] = "task",
    pool: bool = False,
    plot_id: str | None = None,
    confidence: Literal["strict", "lenient"] = "strict",
    confidence_pattern: str | None = None,
    runs_by: Literal["trace", "session"] = "trace",
    field: Sequence[str] = (),
    at_limit: AtLimit | None = None,
    scorer: str | None = None,
    success_at: float | None = None,
    score_range: str | None = None,
    repeats: Literal["drop", "keep"] = "drop",
    percent: bool | None = None,
    outcomes: Path | Rows | None = None,
) -> Report:
    """Report the quality of estimates of the remaining costs of runs.

    Parameters
    ----------
    runs : runs
        Fields ``id``, ``turns``, ``success`` and optionally ``task``, ``domain``, ``model``, ``stop_reason``, ``caps``,
        ``achieved``; or logs, or one of BAGEN's files.
    estimator : str or path, optional
        ``"quantile-forest"`` (the default), ``"conformal"``, ``"quantile"``, ``"linear"``, or recorded answers of a model.
    cap : float, optional
        The budget of each run.
    resource : str or sequence of str
        The resource or resources to estimate.
    coverage : float
        The nominal coverage of the intervals.
    lenient, points : bool
        Also accept answers that deviate from the required format. With ``points``, a single number is an interval too.
    calibrate : bool
        Widen or narrow the recorded intervals so that they reach ``coverage``. The change is learned from earlier runs.
    reading : {"cap", "answers"}
        The estimates that count as predictions of failure. ``"cap"``: ``impossible``, and intervals above the remaining
        budget. ``"answers"``: only ``impossible``.
    probes : int, optional
        The seed for drawing a target and budgets for each run that has ``achieved``. Half of the runs meet theirs and
        are feasible.
    keys : sequence of str, optional
        Fields that ``"quantile-forest"`` uses in addition to ``task`` to find similar runs.
    warm_up : int
        The number of runs at the beginning that are not scored; estimators only learn from them.
    n_resamples : int
    random_state : int, Generator or None
        The number of resamples for the 95 % intervals (0 gives no intervals), and their seed.
    cluster_by : {"task", "task-only", "run"}
        The unit that the bootstrap resamples. ``"task"``: all runs of a task together, or single runs if all runs are
        of one task. ``"task-only"``: tasks, which every run must name. ``"run"``: single runs.
    pool : bool
        Add a report on the runs of all files together.
    plot_id : str, optional
        The id of the run that pictures show.
    confidence, confidence_pattern, runs_by, field, at_limit, scorer, success_at, score_range, repeats, percent, outcomes
        Options for logs, as for `traces`.

    Returns
    -------
    Report

    Examples
    --------
    >>> report = budget(estimator="quantile", n_resamples=0)
    >>> 0 < report.hit_rate.value < 1
    True
    """
    return _report(
        "budget",
        {"runs": _runs(runs), "estimator": _named("estimator", estimator), "outcomes": _beside("outcomes", outcomes)},
        how={"cap": cap, "resource": [resource] if isinstance(resource, str) else resource, "coverage": coverage,
             "lenient": lenient, "points": points, "calibrate": calibrate, "reading": reading, "probes": probes, "keys": keys,
             "warm_up": warm_up, "n_resamples": n_resamples, "random_state": seed(random_state), "cluster_by": cluster_by,
             "pool": pool, "plot_id": plot_id},
        judging={"confidence": confidence, "confidence_pattern": confidence_pattern, "runs_by": runs_by, "field": list(field)},
        rules={"at_limit": at_limit, "scorer": scorer, "success_at": success_at, "score_range": score_range, "repeats": repeats,
               "percent": percent},
    )


def caps(
    runs: Runs = None,
    *,
    at: Sequence[float],
    resource: str = "output_tokens",
    cluster_by: Literal["task", "task-only", "run"] = "task",
    pool: bool = False,
    confidence: Literal["strict", "lenient"] = "strict",
    confidence_pattern: str | None = None,
    runs_by: Literal["trace", "session"] = "trace",
    field: Sequence[str] = (),
    at_limit: AtLimit | None = None,
    scorer: str | None = None,
    success_at: float | None = None,
    score_range: str | None = None,
    repeats: Literal["drop", "keep"] = "drop",
    percent: bool | None = None,
    outcomes: Path | Rows | None = None,
) -> Report:
    """Compare caps on the spending of a run: the successes that each cap would have kept, and its savings.

    Agents are assumed to act as in the recorded runs, because they do not know of the cap. Each model has its own column.

    Parameters
    ----------
    runs : runs
        As for `budget`.
    at : sequence of float
        The caps.
    resource : str
        The resource that is capped.
    cluster_by : {"task", "task-only", "run"}
        The unit that intervals treat as independent. ``"task"``: the task, or the single run if all runs are of one
        task. ``"task-only"``: the task, which every run has to name. ``"run"``: the single run.
    pool : bool
        Add a report on the runs of all files together.
    confidence, confidence_pattern, runs_by, field, at_limit, scorer, success_at, score_range, repeats, percent, outcomes
        Options for logs, as for `traces`.

    Returns
    -------
    Report

    Examples
    --------
    >>> caps(at=[4000]).conclusion[0].startswith("A cap of 4000 output tokens would have kept 96 %")
    True
    """
    return _report(
        "caps",
        {"runs": _runs(runs), "outcomes": _beside("outcomes", outcomes)},
        how={"at": at, "resource": resource, "cluster_by": cluster_by, "pool": pool},
        judging={"confidence": confidence, "confidence_pattern": confidence_pattern, "runs_by": runs_by, "field": list(field)},
        rules={"at_limit": at_limit, "scorer": scorer, "success_at": success_at, "score_range": score_range, "repeats": repeats,
               "percent": percent},
    )


def compare(
    runs: Runs = None,
    *,
    ungraded: Literal["unknown", "leave-out", "failed"] = "unknown",
    shared: bool = False,
    detect: float | None = None,
    confidence: Literal["strict", "lenient"] = "strict",
    confidence_pattern: str | None = None,
    runs_by: Literal["trace", "session"] = "trace",
    field: Sequence[str] = (),
    at_limit: AtLimit | None = None,
    scorer: str | None = None,
    success_at: float | None = None,
    score_range: str | None = None,
    repeats: Literal["drop", "keep"] = "drop",
    percent: bool | None = None,
    outcomes: Path | Rows | None = None,
    prices: Path | None = None,
) -> Report:
    """Report which agent is better, by how much, and whether the difference is beyond noise.

    Parameters
    ----------
    runs : runs
        Logs, or folders of logs. Each log, and each model in it, has its own column. The first column is compared with
        each of the others.
    ungraded : {"unknown", "leave-out", "failed"}
        How runs without a grade count. ``"unknown"``: a conclusion must hold for every possible grade of these runs.
        ``"leave-out"``: the runs are excluded. ``"failed"``: they count as failures.
    shared : bool
        Compare two columns only on tasks that both of them have. By default, all tasks count, and tasks that both have
        make the difference more certain.
    detect : float, optional
        Report how many tasks are needed to find a difference of this many percentage points with a probability of 80 %.
    confidence : {"strict", "lenient"}
        How a stated confidence is read.
    confidence_pattern : str, optional
        A regular expression whose first group is the stated confidence.
    runs_by : {"trace", "session"}
        What counts as a run in logs of spans.
    field : sequence of str
        For JSON Lines of another program, the fields that hold the facts of a run, such as
        ``"outcome=metadata.result"``.
    at_limit : {"graded", "failed", "unknown"}, optional
        The outcome of a run that ended at a limit. ``"graded"`` takes it from the grade, if there is one. ``"failed"``
        counts the run as a failure. ``"unknown"`` ignores the grade. The default is ``"graded"``, and ``"unknown"`` for
        `cut_off`.
    scorer : str, optional
        The name of the scorer whose score counts; by default the first scorer in the log.
    success_at : float, optional
        The lowest score that counts as a success. By default, 1 is a success, 0 is a failure, and a score in between is
        a partial success.
    score_range : str, optional
        The lowest and the highest possible score, such as ``"1..10"``, if these are not 0 and 1.
    repeats : {"drop", "keep"}
        How to count a run that occurs several times, such as in a retry or a copy: ``"drop"`` counts one of them, and
        ``"keep"`` counts all of them.
    percent : bool, optional
        Whether confidences are percentages. By default, confidences above 1 are refused.
    outcomes : path, optional
        Outcomes or grades for the runs of logs, from another source: fields ``id``, ``outcome`` or ``grade``, and
        optionally ``task``, ``trial``, ``model``, ``expected_calls``, ``horizon``.
    prices : path, optional
        Prices of models in USD per million tokens, as JSON. They give the cost of runs whose log states no cost.

    Returns
    -------
    Report

    Examples
    --------
    >>> report = compare()
    >>> report.difference.is_beyond_noise
    True
    >>> report.conclusion[0][:21]
    'demo_alpha succeeded '
    """
    return _report(
        "compare",
        {"runs": _runs(runs), "outcomes": _beside("outcomes", outcomes), "prices": _beside("prices", prices)},
        how={"ungraded": ungraded, "shared": shared, "detect": detect},
        judging={"confidence": confidence, "confidence_pattern": confidence_pattern, "runs_by": runs_by, "field": list(field)},
        rules={"at_limit": at_limit, "scorer": scorer, "success_at": success_at, "score_range": score_range, "repeats": repeats,
               "percent": percent},
    )


def logs(
    runs: Runs = None,
    *,
    format: str = "auto",
    prices: Path | None = None,
    confidence: Literal["strict", "lenient"] = "strict",
    confidence_pattern: str | None = None,
    runs_by: Literal["trace", "session"] = "trace",
    field: Sequence[str] = (),
    at_limit: AtLimit | None = None,
    scorer: str | None = None,
    success_at: float | None = None,
    score_range: str | None = None,
    repeats: Literal["drop", "keep"] = "drop",
    percent: bool | None = None,
    outcomes: Path | Rows | None = None,
) -> Report:
    """Report the content of evaluation logs, run by run.

    Parameters
    ----------
    runs : runs
        Logs, or folders of logs.
    format : str
        The format of the files; by default it is recognised.
    prices : path, optional
        Prices of models, ``{"MODEL": {"input", "cached_input", "output"}}`` in USD per million tokens. They give the
        cost of runs whose log states no cost.
    confidence : {"strict", "lenient"}
        How a stated confidence is read.
    confidence_pattern : str, optional
        A regular expression whose first group is the stated confidence.
    runs_by : {"trace", "session"}
        What counts as a run in logs of spans.
    field : sequence of str
        For JSON Lines of another program, the fields that hold the facts of a run, such as
        ``"outcome=metadata.result"``.
    at_limit : {"graded", "failed", "unknown"}, optional
        The outcome of a run that ended at a limit. ``"graded"`` takes it from the grade, if there is one. ``"failed"``
        counts the run as a failure. ``"unknown"`` ignores the grade. The default is ``"graded"``, and ``"unknown"`` for
        `cut_off`.
    scorer : str, optional
        The name of the scorer whose score counts; by default the first scorer in the log.
    success_at : float, optional
        The lowest score that counts as a success. By default, 1 is a success, 0 is a failure, and a score in between is
        a partial success.
    score_range : str, optional
        The lowest and the highest possible score, such as ``"1..10"``, if these are not 0 and 1.
    repeats : {"drop", "keep"}
        How to count a run that occurs several times, such as in a retry or a copy: ``"drop"`` counts one of them, and
        ``"keep"`` counts all of them.
    percent : bool, optional
        Whether confidences are percentages. By default, confidences above 1 are refused.
    outcomes : path, optional
        Outcomes or grades for the runs of logs, from another source: fields ``id``, ``outcome`` or ``grade``, and
        optionally ``task``, ``trial``, ``model``, ``expected_calls``, ``horizon``.

    Returns
    -------
    Report

    Examples
    --------
    >>> logs().n_runs == len(logs().runs)
    True
    """
    sources = _runs(runs)
    if any(rows is not None for _, _, rows, _ in sources):
        raise ValueError("runs are rows; logs are files or folders, give their paths")
    return _report(
        "logs",
        {"runs": sources, "outcomes": _beside("outcomes", outcomes), "prices": _beside("prices", prices)},
        how={"format": format},
        judging={"confidence": confidence, "confidence_pattern": confidence_pattern, "runs_by": runs_by, "field": list(field)},
        rules={"at_limit": at_limit, "scorer": scorer, "success_at": success_at, "score_range": score_range, "repeats": repeats,
               "percent": percent},
    )

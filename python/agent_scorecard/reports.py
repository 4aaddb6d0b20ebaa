"""The evaluations of the command as functions: one per question, each of which returns a `Report`.

Every function takes runs, and the options of the subcommand of its name as keywords. Runs are

- the path of a file or of a folder of logs, as for the command, or a list of paths,
- a list of dictionaries, one per run, with the fields of a line of such a file, or a table of pandas or Polars with these
  fields as columns; None, NaN and NA are missing,
- a mapping of names to any of these, each of which gets a column,
- None, for the bundled runs of the command.

Other files that an option names may be lists of dictionaries and tables, too.

Examples
--------
>>> from agent_scorecard import reports
>>> runs = [{"id": str(run), "forecasts": [0.5, run % 10 / 10], "outcome": run % 10 > 4} for run in range(40)]
>>> report = reports.traces(runs, resamples=200)
>>> report.n, report.auroc.value
(40, 1.0)
>>> report.fails("auroc < 0.9")
False
"""

from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from agent_scorecard import _native
from agent_scorecard.arguments import path
from agent_scorecard.records import Record

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped, import-not-found, unused-ignore]

Path = str | os.PathLike[str]
Rows = Iterable[Mapping[str, Any]]
Runs = Path | Sequence[Path] | Rows | Mapping[str, Any] | None
Schedule = Literal["linear-front", "uniform", "exponential-front", "linear-back"]
Calibration = Literal["none", "platt", "isotonic"]


class Report(Record):
    """The answer of an evaluation: the JSON object of the command as a dictionary, with other views of it.

    ``str`` is the table of the command, and a notebook shows its tables. ``json.dumps`` writes what the command writes
    with ``--json``.

    Examples
    --------
    >>> report = paths([{"id": "a", "task": "t", "success": True, "agent_calls": [], "expected_calls": [{"name": "look"}]}])
    >>> report.in_order_match, report["n"]
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
            views = _Views(views.text(), views.page(), views.tables(), views.figures())
        return Report, (dict(self), views)

    def _repr_html_(self) -> str:
        """Return the tables as HTML, for notebooks."""
        return "".join(_table(*table) for table in self._views.tables())

    def to_html(self) -> str:
        """Return the page of the command, with all pictures.

        Returns
        -------
        str
            A page without scripts that needs nothing from elsewhere.
        """
        return self._views.page()

    def to_figures(self) -> list[dict[str, Any]]:
        """Return one dictionary per column and figure.

        Returns
        -------
        list of dict
            ``column``, ``figure``, ``value``, ``ci_low``, ``ci_high``, ``standard_error`` (nan where there is none), ``better``
            (``"higher"``, ``"lower"``, a number to be near to, or None), ``undefined`` (the reason) and ``help``.
        """
        return self._views.figures()

    def to_frame(self) -> pandas.DataFrame:
        """Return the figures of `to_figures` as a table of pandas.

        Returns
        -------
        pandas.DataFrame
            One row per column and figure.
        """
        import pandas

        return pandas.DataFrame(self.to_figures())

    def fails(self, condition: str) -> bool:
        """Return whether a condition of ``--fail-if`` holds.

        Parameters
        ----------
        condition : str
            Such as ``"tps_log < -0.6"``, ``"files.0.auroc < 0.5"`` or ``"difference.tps_log.ci_high < 0"``.

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

    def tables(self) -> list[Any]:
        return list(self._stored[2])

    def figures(self) -> list[dict[str, Any]]:
        return list(self._stored[3])


def _table(title: str, header: list[str], rows: list[list[str]], note: str) -> str:
    def row(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    heading = f"<caption>{html.escape(title)}</caption>" if title else ""
    body = "".join(row(cells, "td") for cells in rows)
    after = f"<p>{html.escape(note)}</p>" if note else ""
    return f"<table>{heading}<thead>{row(header, 'th')}</thead><tbody>{body}</tbody></table>{after}"


def _is_table(value: Any) -> bool:
    return hasattr(value, "columns") and (hasattr(value, "to_dict") or hasattr(value, "to_dicts"))


def _json(value: Any) -> Any:
    """The value as JSON holds it, without what is missing."""
    if isinstance(value, Mapping):
        return {str(key): _json(entry) for key, entry in value.items()}
    if hasattr(value, "tolist"):  # of NumPy
        return _json(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_json(entry) for entry in value]
    # NaN, and the missing values of pandas, differ from themselves or cannot be compared.
    if isinstance(value, float) and value != value or type(value).__name__ in ("NAType", "NaTType"):
        return None
    return value


def _lines(rows: Any) -> Iterator[str]:
    if _is_table(rows):
        rows = rows.to_dicts() if hasattr(rows, "to_dicts") else rows.to_dict("records")
    for at, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise ValueError(f"runs: entry {at} is {row!r}; it must be a dictionary with the fields of a run")
        yield json.dumps(_json(row)) + "\n"


def _file(value: Any, folder: str, name: str) -> str:
    """The path of a file, which is written if the value is not a path."""
    if isinstance(value, (str, os.PathLike)):
        return path(value)
    file = os.path.join(folder, name.replace(os.sep, "_") + ".jsonl")
    try:
        # Never over another one: two columns would show the same runs.
        with open(file, "x", encoding="utf-8") as lines:
            lines.writelines(_lines(value))
    except FileExistsError:
        raise ValueError(f"runs: {name!r} is too much like another name; give names that differ as files do") from None
    return file


def _files(runs: Any, folder: str) -> list[str]:
    if runs is None:
        return []
    if isinstance(runs, Mapping):
        return [_file(value, folder, str(name)) for name, value in runs.items()]
    if isinstance(runs, (str, os.PathLike)) or _is_table(runs):
        return [_file(runs, folder, "runs")]
    runs = list(runs)
    if runs and all(isinstance(run, (str, os.PathLike)) for run in runs):
        return [path(run) for run in runs]
    return [_file(runs, folder, "runs")]


def _option(name: str, value: Any, folder: str) -> list[str]:
    option = "--" + name.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [option]
    if _is_table(value) or isinstance(value, (list, tuple)) and value and isinstance(value[0], Mapping):
        return [f"{option}={_file(value, folder, name)}"]
    values = value if isinstance(value, (list, tuple)) else [value]
    texts = [os.fspath(it) if isinstance(it, os.PathLike) else str(it) for it in values]
    if name in _REPEATED:
        return [f"{option}={text}" for text in texts]
    return [f"{option}={','.join(texts)}"]


# Options that are given once per value; the values of others are separated by commas.
_REPEATED = ("alpha", "ratio", "chance_from")


def _evaluate(question: str, runs: Runs = None, **options: Any) -> Report:
    with tempfile.TemporaryDirectory(prefix="agent-scorecard-") as folder:
        arguments = ["agent-scorecard", question, "--json"]
        beside = os.path.join(folder, "options")
        os.mkdir(beside)
        for name, value in options.items():
            arguments += _option(name, value, beside)
        files = _files(runs, folder)
        views = _native.evaluate([*arguments, "--", *files], folder + os.sep)
    return Report(json.loads(views.to_json()), views)


def traces(
    runs: Runs = None,
    *,
    schedule: Schedule = "linear-front",
    summary: str | None = None,
    calibrate: Calibration = "none",
    resamples: int = 1000,
    seed: int = 1,
    cluster_by: Literal["task", "run"] | None = None,
    cluster_by_task: bool = False,
    pool: bool = False,
    missing: str | None = None,
    confidence: Literal["strict", "lenient"] = "strict",
    confidence_pattern: str | None = None,
    at_limit: Literal["censored", "scored"] = "censored",
    scorer: str | None = None,
    outcomes: Path | Rows | None = None,
    curves: bool = False,
) -> Report:
    """Report how good the probabilities of success were that agents reported along their runs.

    Parameters
    ----------
    runs : runs
        Fields ``id``, ``forecasts``, ``outcome`` and optionally ``task``, ``stop``, ``horizon``; or logs. See the module.
    schedule : {"linear-front", "uniform", "exponential-front", "linear-back"}
        The weights of the steps of a run.
    summary : str, optional
        The one forecast per run behind ranking and calibration: ``"last"``, ``"mean"``, ``"minimum"`` or the mean under a
        schedule; by default under ``schedule``.
    calibrate : {"none", "platt", "isotonic"}
        Maps that are fitted on the other half of the runs before these are scored.
    resamples : int
        Bootstrap resamples behind the 95 % intervals; 0 for no intervals.
    seed : int
        The seed of the bootstrap.
    cluster_by : {"task", "run"}, optional
        What intervals resample; by default tasks, or runs where no task repeats.
    cluster_by_task : bool
        Refuse runs that name no task.
    pool : bool
        Add a report on all runs together.
    missing : str, optional
        What is done about forecasts that are missing or outside [0, 1]: ``"refuse"``, ``"leave-out"``, ``"skip"``,
        ``"carry-forward"``, ``"carry-forward-from=P"`` or ``"clip"``; by default ``"refuse"``, and ``"leave-out"`` for logs.
    confidence : {"strict", "lenient"}
        How stated confidence in logs is read.
    confidence_pattern : str, optional
        A regular expression that finds it; the first group is the number.
    at_limit : {"censored", "scored"}
        What a limit that ended a run of a log means for its outcome.
    scorer : str, optional
        The scorer of a log whose value is the outcome.
    outcomes : path, optional
        What is known of the runs of logs beside them: fields ``id``, ``outcome`` or ``grade``, and optionally ``task``, ``trial``,
        ``model``, ``expected_calls``, ``horizon``.
    curves : bool
        Add curves and bins if there are no resamples.

    Returns
    -------
    Report

    Examples
    --------
    >>> both = traces({"sure": [{"id": "a", "forecasts": [1.0], "outcome": True}],
    ...     "unsure": [{"id": "a", "forecasts": [0.5], "outcome": True}]}, resamples=0)
    >>> [round(column.tps_brier.value, 2) for column in both.files]
    [0.0, -0.25]
    """
    return _evaluate("traces", **locals())


def calibration(
    runs: Runs = None,
    *,
    schedule: Schedule = "linear-front",
    whole_tasks: bool = False,
    resamples: int = 1000,
    seed: int = 1,
    missing: str | None = None,
    stream: str = "stated_confidence",
    confidence: Literal["strict", "lenient"] = "strict",
    confidence_pattern: str | None = None,
    at_limit: Literal["censored", "scored"] = "censored",
    scorer: str | None = None,
    outcomes: Path | Rows | None = None,
) -> Report:
    """Report what cross-fitted Platt scaling changes about each metric, in standard errors of the change.

    Parameters
    ----------
    runs : runs
        As for `traces`; of a log, one stream.
    schedule : {"linear-front", "uniform", "exponential-front", "linear-back"}
        The weights of the steps of a run.
    whole_tasks : bool
        Keep the runs of a task in one half; by default runs are halved by their ids.
    resamples, seed : int
        Bootstrap resamples of whole tasks, and their seed.
    missing : str, optional
        As for `traces`.
    stream : str
        The stream of confidence that is taken from logs.
    confidence, confidence_pattern, at_limit, scorer, outcomes
        Of logs, as for `traces`.

    Returns
    -------
    Report

    Examples
    --------
    >>> list(calibration(resamples=100))[1:3]
    ['schedule', 'whole_tasks']
    """
    return _evaluate("calibration", **locals())


def cut_off(
    runs: Runs = None,
    *,
    schedule: Schedule = "linear-front",
    missing: str | None = None,
    calibrate: Calibration = "none",
    assume: Literal["non-informative", "failure-side", "none"] = "non-informative",
    odds_ratio: float = 2,
    resamples: int = 1000,
    seed: int = 0,
    hide: float | None = None,
    hide_after: float | None = None,
    success_chance: Path | Rows | None = None,
    chance_from: Path | Sequence[Path] | Rows | None = None,
    continuations: Path | Rows | None = None,
    min_valid: int = 5,
    stream: str = "stated_confidence",
    confidence: Literal["strict", "lenient"] = "strict",
    confidence_pattern: str | None = None,
    at_limit: Literal["censored", "scored"] = "censored",
    scorer: str | None = None,
    outcomes: Path | Rows | None = None,
) -> Report:
    """Report five ways to count runs that a budget cut off.

    Parameters
    ----------
    runs : runs
        As for `traces`, of a log one stream, and optionally with ``success_chance``.
    schedule : {"linear-front", "uniform", "exponential-front", "linear-back"}
        The weights of the steps of a run.
    missing : str, optional
        As for `traces`.
    calibrate : {"none", "platt", "isotonic"}
        Maps of the complete runs of other tasks.
    assume : {"non-informative", "failure-side", "none"}
        The declared assumption on why runs were cut off.
    odds_ratio : float
        How wrong the odds of success after a stop may be, for the sensitivity.
    resamples, seed : int
        Resamples of whole tasks, and their seed.
    hide, hide_after : float, optional
        Split the shift for this share of the complete runs, each cut off at random; or for all of them, each cut off after
        this share of its steps.
    success_chance : path, optional
        Chances of success after the stop: fields ``id`` and ``success_chance``.
    chance_from : path, optional
        Streams that are not scored, from which a model of success may learn.
    continuations : path, optional
        Continuations of cut-off runs: fields ``id``, ``successes``, ``failures`` and optionally ``unresolved``, ``invalid``.
    min_valid : int
        The outcomes that a run needs among its continuations.
    stream : str
        The stream of confidence that is taken from logs.
    confidence, confidence_pattern, at_limit, scorer, outcomes
        Of logs, as for `traces`.

    Returns
    -------
    Report

    Examples
    --------
    >>> report = cut_off(resamples=50)
    >>> report.fails("files.0.n_censored < 1")
    False
    """
    return _evaluate("cut-off", **locals())


def paths(
    runs: Runs = None,
    *,
    ignore_arguments: bool = False,
    pool: bool = False,
    confidence: Literal["strict", "lenient"] = "strict",
    confidence_pattern: str | None = None,
    at_limit: Literal["censored", "scored"] = "censored",
    scorer: str | None = None,
    outcomes: Path | Rows | None = None,
) -> Report:
    """Report how tool calls compare with the calls that their tasks expect.

    Parameters
    ----------
    runs : runs
        Fields ``id``, ``task``, ``agent_calls``, ``expected_calls``, ``success`` and optionally ``model``; or logs.
    ignore_arguments : bool
        Compare calls by name alone.
    pool : bool
        Add a report on all runs together.
    confidence, confidence_pattern, at_limit, scorer, outcomes
        Of logs, as for `traces`.

    Returns
    -------
    Report

    Examples
    --------
    >>> 0 < paths(ignore_arguments=True).any_order_match < 1
    True
    """
    return _evaluate("paths", **locals())


def costbench(
    *,
    queries: Path | Rows | None = None,
    refinement_level: int = 2,
    seed: int = 42,
    noise_std: float = 0.1,
    min_cost: float = 15,
    max_cost: float = 25,
    rules: Literal["paper", "released"] = "paper",
    block: Literal["none", "ban-tool", "preference-change", "cost-change", "remove-tools", "mixed"] = "none",
    blocks: int = 1,
    resamples: int = 0,
    paths: bool = False,
    results: Path | None = None,
    checkout: Path | None = None,
) -> Report:
    """Report how far the greedy policy is from the cheapest plan over CostBench queries.

    Parameters
    ----------
    queries : path, optional
        By default 120 queries that are made up.
    refinement_level : int
        Tasks have so many steps and three more.
    seed : int
        The seed of costs and events.
    noise_std : float
        The noise of the costs of composite tools.
    min_cost, max_cost : float
        The range of the costs of atomic tools.
    rules : {"paper", "released"}
        The rules on which the paper and its released code differ.
    block : str
        The kind of events that change the world during a run.
    blocks : int
        The number of events per run.
    resamples : int
        Resamples of queries behind the intervals of the policy's means; 0 for no intervals.
    paths : bool
        List the plans of every query.
    results, checkout : path, optional
        A released file ``results_*.json`` and the checkout with its queries: report the runs of its model in place of
        the greedy policy's. The file states the tools, costs and events.

    Returns
    -------
    Report

    Examples
    --------
    >>> costbench(refinement_level=0).queries
    120
    """
    return _evaluate("costbench", **locals())


def costbench_sweep(
    *,
    queries: Path | Rows | None = None,
    refinement_level: int = 2,
    seed: int = 42,
    noise_std: float = 0.1,
    min_cost: float = 15,
    max_cost: float = 25,
    rules: Literal["paper", "released"] = "paper",
    levels: Sequence[int] = (0, 1, 2, 3, 4, 5),
    noises: Sequence[float] = (0.1, 0.5, 1, 5, 10),
    most_blocks: int = 3,
    seeds: Sequence[int] = (1000, 2000, 3000),
    resamples: int = 10000,
) -> Report:
    """Report how the gap of the greedy policy changes with task lengths, noise, events and seeds.

    Parameters
    ----------
    queries, refinement_level, seed, noise_std, min_cost, max_cost, rules
        As for `costbench`.
    levels : sequence of int
        The refinement levels.
    noises : sequence of float
        The noise levels.
    most_blocks : int
        The largest number of events, at level 4.
    seeds : sequence of int
        Further seeds.
    resamples : int
        Resamples of queries behind the intervals; 0 for no intervals.

    Returns
    -------
    Report

    Examples
    --------
    >>> sweep = costbench_sweep(levels=[0], noises=[0.1], most_blocks=1, seeds=[1000], resamples=0)
    >>> isinstance(str(sweep), str)
    True
    """
    return _evaluate("costbench-sweep", **locals())


def triage(
    runs: Runs = None,
    *,
    alpha: Sequence[float] = (),
    pool_size: int = 30,
    planner: str | Path | Rows = "all-in-order",
    strict_plans: bool = False,
    attempt_zero: bool = False,
    seed: int = 1,
    resamples: int = 10000,
    shuffles: int = 1000,
    orders: int = 1000,
    capped: Path | Rows | None = None,
    unsolvable: Path | Rows | None = None,
    ratio: Sequence[float] = (),
) -> Report:
    """Report which tasks were attempted under a budget, from a random plan (0) to the best one (1).

    Parameters
    ----------
    runs : runs
        Problems: fields ``problem``, ``solved``, ``output_tokens`` and optionally ``value``.
    alpha : sequence of float
        The shares of the costs that are the budget; by default several.
    pool_size : int
        The problems of a pool.
    planner : str or path
        ``"all-in-order"``, ``"cheapest-first"``, ``"random"``, ``"oracle"``, or plans.
    strict_plans : bool
        Leave out plans that have a problem twice, and drop allocations that are not numbers of tokens; the paper keeps
        the first and takes 0.
    attempt_zero : bool
        Attempt problems with an allocation of 0 in the advisory regime, too.
    seed : int
        The seed of everything random.
    resamples : int
        Resamples of pools behind the intervals; 0 for no intervals.
    shuffles, orders : int
        Shuffles per pool of the sampled random plan, and orders of the planner ``"random"``.
    capped : path, optional
        Outcomes of attempts that were cut off at their allocations.
    unsolvable : path, optional
        Unsolvable problems, which replace problems of each pool.
    ratio : sequence of float
        The shares of a pool that are replaced.

    Returns
    -------
    Report

    Examples
    --------
    >>> report = triage(alpha=[0.5], planner="oracle", resamples=0)
    >>> round(report.alphas[0].eta_advisory, 6)
    1.0
    """
    return _evaluate("triage", **locals())


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
    return _evaluate("triage-variants", **locals())


def re_solved(runs: Runs) -> Report:
    """Report what changed when problems were attempted again with a disclosed budget.

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
    return _evaluate("re-solved", **locals())


def budget(
    runs: Runs = None,
    *,
    estimator: str | Path | Rows | None = None,
    cap: float | None = None,
    caps: Sequence[float] | None = None,
    resource: str | Sequence[str] = "output_tokens",
    coverage: float = 0.8,
    lenient: bool = False,
    points: bool = False,
    calibrate: bool = False,
    reading: Literal["cap", "answers"] = "cap",
    probes: int | None = None,
    keys: Sequence[str] | None = None,
    warm_up: int = 0,
    resamples: int = 1000,
    seed: int = 1,
    cluster_by: Literal["task", "run"] | None = None,
    cluster_by_task: bool = False,
    pool: bool = False,
    plot_id: str | None = None,
    confidence: Literal["strict", "lenient"] = "strict",
    confidence_pattern: str | None = None,
    at_limit: Literal["censored", "scored"] = "censored",
    scorer: str | None = None,
    outcomes: Path | Rows | None = None,
) -> Report:
    """Report what caps on the spending of runs hurt and save, or how good estimates of what runs still spend are.

    Parameters
    ----------
    runs : runs
        Fields ``id``, ``turns``, ``success`` and optionally ``task``, ``domain``, ``model``, ``stop_reason``, ``caps``,
        ``achieved``; or logs, or one of BAGEN's files.
    estimator : str or path, optional
        ``"quantile-forest"`` (the default), ``"conformal"``, ``"quantile"``, ``"linear"``, or recorded answers of a model.
    cap : float, optional
        The budget of each run.
    caps : sequence of float, optional
        Caps to compare, without an estimator: the successes that each would have kept, and what it would have saved, if
        agents do not know of the cap and act as before. Each model has a column.
    resource : str or sequence of str
        What is estimated.
    coverage : float
        What the intervals claim to hold.
    lenient, points : bool
        Read answers that stray from the form; ``points`` also reads a single number as an interval.
    calibrate : bool
        Widen or narrow recorded answers by what the runs before spent, so that they hold it as often as ``coverage`` says.
    reading : {"cap", "answers"}
        What forecasts a failure: an interval above what is left under a cap, too, or ``impossible`` alone.
    probes : int, optional
        A seed: label runs that have ``achieved`` by random targets and budgets.
    keys : sequence of str, optional
        Fields whose runs are alike for ``"quantile-forest"``.
    warm_up : int
        Learn from so many first runs without scoring them.
    resamples, seed : int
        Resamples behind the 95 % intervals, 0 for none, and their seed.
    cluster_by : {"task", "run"}, optional
        What intervals resample; by default tasks, or runs where no task repeats.
    cluster_by_task : bool
        Refuse runs that name no task.
    pool : bool
        Add a report on the runs of all files together.
    plot_id : str, optional
        The run that pictures show.
    confidence, confidence_pattern, at_limit, scorer, outcomes
        Of logs, as for `traces`.

    Returns
    -------
    Report

    Examples
    --------
    >>> report = budget(estimator="quantile", resamples=0)
    >>> 0 < report.hit_rate < 1
    True
    >>> budget(caps=[4000]).conclusion[0].startswith("A cap of 4000 output tokens would have kept 96 %")
    True
    """
    return _evaluate("budget", **locals())


def compare(
    runs: Runs = None,
    *,
    confidence: Literal["strict", "lenient"] = "strict",
    confidence_pattern: str | None = None,
    at_limit: Literal["censored", "scored"] = "censored",
    scorer: str | None = None,
    outcomes: Path | Rows | None = None,
    prices: Path | None = None,
) -> Report:
    """Say which agent is better, by how much, and whether that is more than noise.

    Parameters
    ----------
    runs : runs
        Logs, or folders of logs. Each gets a column, and so does each model in it; the first is compared with
        each of the others.
    confidence : {"strict", "lenient"}
        How a stated confidence is read.
    confidence_pattern : str, optional
        A regular expression whose first group is the stated confidence.
    at_limit : {"censored", "scored"}
        What a limit that ended a run means for its outcome: a failure, or what its score says.
    scorer : str, optional
        The scorer whose value is the outcome.
    outcomes : path, optional
        What is known of the runs of logs beside them: fields ``id``, ``outcome`` or ``grade``, and optionally ``task``, ``trial``,
        ``model``, ``expected_calls``, ``horizon``.
    prices : path, optional
        Prices of models, from which runs without a cost in their log get one: JSON, in USD per million tokens.

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
    return _evaluate("compare", **locals())


def logs(
    runs: Runs = None,
    *,
    format: str = "auto",
    prices: Path | None = None,
    csv: Path | None = None,
    confidence: Literal["strict", "lenient"] = "strict",
    confidence_pattern: str | None = None,
    at_limit: Literal["censored", "scored"] = "censored",
    scorer: str | None = None,
    outcomes: Path | Rows | None = None,
) -> Report:
    """Report what logs of evaluations hold, run by run.

    Parameters
    ----------
    runs : runs
        Logs, or folders of logs.
    format : str
        The format of the files; by default it is recognised.
    prices : path, optional
        Prices of models, ``{"MODEL": {"input", "cached_input", "output"}}`` in USD per million tokens, from which runs
        without a cost in their log get one.
    csv : path, optional
        Where to write all runs as CSV.
    confidence : {"strict", "lenient"}
        How a stated confidence is read.
    confidence_pattern : str, optional
        A regular expression whose first group is the stated confidence.
    at_limit : {"censored", "scored"}
        What a limit that ended a run means for its outcome: that it is unknown, or what its score says.
    scorer : str, optional
        The scorer whose value is the outcome.
    outcomes : path, optional
        What is known of the runs beside their logs: fields ``id``, ``outcome`` or ``grade``, and optionally ``task``, ``trial``,
        ``model``, ``expected_calls``, ``horizon``.

    Returns
    -------
    Report

    Examples
    --------
    >>> logs().n_runs == len(logs().runs)
    True
    """
    return _evaluate("logs", **locals())

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Literal, final

import numpy as np
import numpy.typing as npt

_Array = npt.NDArray[np.float64]
_Curve = list[_Array]
_Groups = npt.ArrayLike | Iterable[Hashable]
_MaybeMissing = npt.ArrayLike | Iterable[bool | float | None]

__all__ = [
    "BenchmarkRun",
    "BudgetEstimator",
    "BudgetMonitor",
    "BudgetSamples",
    "CalibrationMap",
    "CostBench",
    "CostBenchQuery",
    "CostBenchRun",
    "LiveRun",
    "OnlineTPS",
    "Pool",
    "Rollouts",
    "ScoringRule",
    "StoppedRuns",
    "TPS",
    "ToolGraph",
    "Traces",
    "UndefinedError",
    "UnsolvableCounts",
    "auroc_delong",
    "benchmark_figures",
    "bootstrap_auroc",
    "bootstrap_mean",
    "cluster_mean",
    "corp",
    "costbench_figures",
    "costbench_queries",
    "crps_ensemble",
    "crps_quantiles",
    "curve",
    "dominance",
    "early_stopping",
    "estimate_rollouts",
    "fit_calibrator",
    "float_array",
    "interval_loss",
    "ipcw_weights",
    "kaplan_meier",
    "knapsack",
    "match_calls",
    "murphy",
    "path_distances",
    "pinball_loss",
    "plain_array",
    "rank_metric",
    "read_logs",
    "refuse_missing",
    "reliability",
    "run_budget",
    "run_command",
    "run_confidence",
    "run_triage",
    "stop_class",
    "stopping_curve",
    "triage_efficiency",
    "weighted_interval_loss",
]

class UndefinedError(ValueError): ...

def float_array(what: str, values: npt.ArrayLike) -> _Array: ...
def plain_array(what: str, values: npt.ArrayLike) -> npt.NDArray[Any]: ...
def refuse_missing(what: str, values: npt.ArrayLike) -> None: ...

@final
class ScoringRule:
    def __new__(cls, name: str, *parameters: float) -> ScoringRule: ...
    def score(self, y_true: npt.ArrayLike, y_prob: npt.ArrayLike) -> _Array: ...
    def mean(
        self, y_true: npt.ArrayLike, y_prob: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
    ) -> float: ...
    def expected(self, y_prob: float, truth: float) -> float: ...
    def entropy(self, truth: float) -> float: ...
    def divergence(self, y_prob: float, truth: float) -> float: ...

@final
class Traces:
    def __new__(cls, y_true: npt.ArrayLike, values: npt.ArrayLike, ends: Sequence[int]) -> Traces: ...
    def __len__(self) -> int: ...
    def summary(self, name: str) -> _Array: ...
    @property
    def y_true(self) -> npt.NDArray[np.bool_]: ...

@final
class TPS:
    def __new__(cls, rule: ScoringRule, schedule: str | npt.ArrayLike | None = None) -> TPS: ...
    def score(self, y_true: bool | float, y_prob: npt.ArrayLike, *, horizon: int | None = None) -> float: ...
    def scores(self, traces: Traces) -> _Array: ...
    def mean(self, traces: Traces, *, sample_weight: npt.ArrayLike | None = None) -> float: ...
    def online(self) -> OnlineTPS: ...

@final
class OnlineTPS:
    def push(self, y_prob: float) -> None: ...
    def finish(self, y_true: bool | float, *, horizon: int | None = None) -> float: ...
    def __len__(self) -> int: ...

@final
class CalibrationMap:
    def __new__(cls, json: str) -> CalibrationMap: ...
    def __getnewargs__(self) -> tuple[str]: ...
    def to_json(self) -> str: ...
    def apply(self, y_prob: npt.ArrayLike) -> _Array: ...

def rank_metric(
    name: str, y_true: npt.ArrayLike, y_score: npt.ArrayLike, sample_weight: npt.ArrayLike | None, pos_label: int
) -> float: ...
def auroc_delong(
    y_true: npt.ArrayLike, y_score: npt.ArrayLike, sample_weight: npt.ArrayLike | None
) -> tuple[float, float]: ...
def curve(
    name: str, y_true: npt.ArrayLike, y_score: npt.ArrayLike, sample_weight: npt.ArrayLike | None, pos_label: int
) -> _Curve: ...
def reliability(
    name: str,
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None,
    strategy: str,
    n_bins: int,
) -> tuple[float, _Curve | None]: ...
def corp(
    rule: ScoringRule, y_true: npt.ArrayLike, y_prob: npt.ArrayLike, sample_weight: npt.ArrayLike | None
) -> tuple[float, float, float, float]: ...
def murphy(
    y_true: npt.ArrayLike, y_prob: npt.ArrayLike, thresholds: npt.ArrayLike, sample_weight: npt.ArrayLike | None
) -> _Array: ...
def dominance(
    y_true: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike, sample_weight: npt.ArrayLike | None
) -> str: ...
def interval_loss(
    y_true: npt.ArrayLike, lower: npt.ArrayLike, upper: npt.ArrayLike, coverage: float
) -> _Array: ...
def pinball_loss(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, level: float) -> _Array: ...
def crps_ensemble(y_true: npt.ArrayLike, members: npt.ArrayLike, fair: bool) -> _Array: ...
def crps_quantiles(y_true: npt.ArrayLike, quantiles: npt.ArrayLike, levels: npt.ArrayLike) -> _Array: ...
def weighted_interval_loss(y_true: npt.ArrayLike, quantiles: npt.ArrayLike, levels: npt.ArrayLike) -> _Array: ...
def fit_calibrator(
    name: str,
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None,
    penalty: float,
    clip: float,
) -> CalibrationMap: ...
def bootstrap_mean(
    values: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None,
    groups: _Groups | None,
    n_resamples: int,
    confidence_level: float,
    random_state: int,
) -> tuple[float, float | None, float | None, float | None, int, str | None]: ...
def bootstrap_auroc(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    groups: _Groups | None,
    n_resamples: int,
    confidence_level: float,
    random_state: int,
) -> tuple[float, float | None, float | None, float | None, int, str | None]: ...
def cluster_mean(
    values: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None,
    groups: _Groups,
    confidence_level: float,
) -> tuple[float, float | None, float | None, float]: ...
def match_calls(
    actual: list[tuple[str, Any]],
    expected: list[tuple[str, Any]],
    arguments: str | list[str],
    tolerance: tuple[float, float],
    tools: list[tuple[str, str | list[str], tuple[float, float]]],
) -> tuple[list[tuple[int, int]], list[int], list[int], list[tuple[int, int]], list[bool]]: ...
def path_distances(paths: Iterable[tuple[Iterable[Hashable], Iterable[Hashable]]]) -> tuple[float, float, float]: ...
def read_logs(
    path: str,
    format: str,
    at_limit: str,
    scorer: str | None,
    threshold: float | None,
    skip_missing_turns: bool,
) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]: ...
def run_command(arguments: list[str]) -> int: ...

def stop_class(reason: str) -> str: ...
@final
class StoppedRuns:
    def __new__(
        cls,
        values: npt.ArrayLike,
        ends: Sequence[int],
        y_true: _MaybeMissing,
        reasons: Sequence[str | None] | None,
        horizons: _MaybeMissing | None,
    ) -> StoppedRuns: ...
    def __len__(self) -> int: ...
    def audit(self) -> tuple[list[tuple[str, str | None, int, float, float]], float | None]: ...
    def mean_score(
        self, tps: TPS, success_probability: npt.ArrayLike | None, sample_weight: npt.ArrayLike | None
    ) -> float: ...
    def bounds(self, tps: TPS, sample_weight: npt.ArrayLike | None) -> tuple[float, float]: ...
    def expected_scores(self, tps: TPS, success_probability: npt.ArrayLike) -> _Array: ...
    def success_probability(
        self,
        groups: _Groups,
        settings: tuple[int, float],
        others: Sequence[npt.ArrayLike],
        branches: Sequence[tuple[int, int]] | None,
        sample_weight: npt.ArrayLike | None,
    ) -> _Array: ...
    def report(
        self,
        assumption: str,
        groups: _Groups,
        settings: tuple[int, int, float, float],
        success_probability: npt.ArrayLike | None,
        sample_weight: npt.ArrayLike | None,
    ) -> tuple[list[dict[str, Any]], float]: ...

def kaplan_meier(
    times: npt.ArrayLike, censored: npt.ArrayLike | Iterable[bool], of_censoring: bool, sample_weight: npt.ArrayLike | None
) -> tuple[_Array, _Array]: ...
def ipcw_weights(times: npt.ArrayLike, censored: npt.ArrayLike | Iterable[bool], max_weight: float) -> tuple[_Array, float]: ...
@final
class ToolGraph:
    def __new__(cls, tools: Sequence[tuple[str, list[str], list[str], float, list[str]]]) -> ToolGraph: ...
    def __len__(self) -> int: ...
    def optimal_plan(self, initial: list[str], goal: list[str]) -> tuple[list[str], float] | None: ...
    def best_plans(self, initial: list[str], goal: list[str], most: int) -> list[tuple[list[str], float]]: ...
    def greedy_plan(
        self, initial: list[str], goal: list[str], rule: str
    ) -> tuple[list[str], float] | None: ...
    def count_shortest_plans(self, initial: list[str], goal: list[str]) -> int: ...
    def path_coverage(
        self, initial: list[str], goal: list[str], paths: list[list[str]]
    ) -> tuple[dict[str, int], float | None]: ...
    def score_path(
        self, initial: list[str], goal: list[str], calls: list[str], answer_is_right: bool
    ) -> dict[str, Any]: ...

@final
class CostBenchQuery:
    @property
    def id(self) -> str: ...
    @property
    def task(self) -> str: ...
    @property
    def goal(self) -> str: ...
    @property
    def requirement(self) -> str: ...
    @property
    def preferences(self) -> list[str]: ...

@final
class CostBenchRun:
    @property
    def query_id(self) -> str: ...
    @property
    def outcome(self) -> bool | None: ...
    @property
    def answer(self) -> str | None: ...
    @property
    def cost(self) -> float: ...
    @property
    def optimal_cost(self) -> float: ...
    @property
    def calls(self) -> list[str]: ...
    @property
    def events(self) -> list[tuple[int, str]]: ...
    def scores(self) -> dict[str, Any]: ...
    def to_atif(self) -> str: ...

@final
class CostBench:
    def __new__(
        cls,
        level: int = 2,
        *,
        events: Sequence[str] = ...,
        mixed_events: int | None = None,
        costs_shown: bool | None = None,
        call_limit: int | None = None,
        global_seed: int | None = None,
    ) -> CostBench: ...
    @property
    def task_length(self) -> int: ...
    def converse(
        self, query: CostBenchQuery, model: str, reply: Callable[[str], str | None]
    ) -> CostBenchRun: ...

@final
class BenchmarkRun:
    @property
    def id(self) -> str: ...
    @property
    def outcome(self) -> bool | None: ...
    @property
    def events(self) -> list[tuple[int, str]]: ...
    def scores(self) -> dict[str, Any]: ...
    def to_atif(self) -> str: ...

def run_triage(
    settings: tuple[float, str, str, str | None],
    pool: str,
    questions: str,
    model: str,
    reply: Callable[[str], str | None],
) -> BenchmarkRun: ...
def run_confidence(
    settings: tuple[int, int, int | None],
    question: str,
    model: str,
    reply: Callable[[str], str | None],
) -> BenchmarkRun: ...
def run_budget(
    resources: Sequence[tuple[str, str]],
    strict: bool,
    rollouts: Rollouts,
    run: int,
    model: str,
    reply: Callable[[str], str | None],
) -> BenchmarkRun: ...
def benchmark_figures(
    model: str,
    runs: Sequence[BenchmarkRun],
    confidence_level: float,
    n_resamples: int,
    random_state: int,
) -> list[dict[str, Any]]: ...
def costbench_queries(split: str, seed: int) -> list[CostBenchQuery]: ...
def costbench_figures(
    model: str,
    runs: Sequence[CostBenchRun],
    confidence_level: float,
    n_resamples: int,
    random_state: int,
) -> list[dict[str, Any]]: ...
@final
class Pool:
    def __new__(cls, items: Sequence[tuple[str, float, int, bool | float]]) -> Pool: ...
    def __len__(self) -> int: ...
    @property
    def total_cost(self) -> int: ...
    def budget(self, alpha: float) -> int: ...
    def oracle(self, budget: int) -> tuple[float, list[str]]: ...
    def random_value(self, budget: int) -> float: ...
    def execute(self, steps: Sequence[tuple[str, int]], budget: int, regime: str) -> dict[str, Any]: ...
    def unsolvable_counts(
        self, steps: Sequence[tuple[str, int]], budget: int, unsolvable: set[str]
    ) -> UnsolvableCounts: ...
    def read_plan(self, text: str, budget: int) -> tuple[str, list[tuple[str, int]] | None, list[Any]]: ...

@final
class UnsolvableCounts:
    @property
    def unsolvable(self) -> int: ...
    @property
    def left_out(self) -> int: ...
    @property
    def allocated(self) -> int: ...
    @property
    def wasted(self) -> int: ...
    def detection_rate(self) -> float: ...
    def waste_rate(self) -> float: ...
    def __add__(self, value: UnsolvableCounts, /) -> UnsolvableCounts: ...
    def __radd__(self, value: UnsolvableCounts, /) -> UnsolvableCounts: ...

def triage_efficiency(achieved: float, random: float, oracle: float) -> float: ...
def knapsack(
    profits: Sequence[int], weights: Sequence[int], capacity: int
) -> tuple[int, int, list[int]]: ...

_Estimate = tuple[float, float] | Literal["impossible"] | None

@final
class Rollouts:
    def __new__(cls, resources: Sequence[str]) -> Rollouts: ...
    def __len__(self) -> int: ...
    def append(
        self,
        costs: npt.ArrayLike,
        succeeded: bool | float,
        censored: bool | float,
        id: str | None,
        task: str | None,
        contents: Sequence[tuple[int, str]],
    ) -> None: ...
    def set_cap(self, resource: str, cap: float) -> None: ...

@final
class BudgetEstimator:
    def __new__(cls, coverage: float = 0.9, *, random_state: int = 0) -> BudgetEstimator: ...
    def learn(self, rollouts: Rollouts, resource: str) -> None: ...
    def estimate(self, run: LiveRun, resource: str) -> _Estimate: ...

@final
class LiveRun:
    def __new__(cls, resources: Sequence[str], caps: Sequence[tuple[str, float]]) -> LiveRun: ...
    def __len__(self) -> int: ...
    def push(self, costs: Sequence[float | None]) -> None: ...

@final
class BudgetSamples:
    def __len__(self) -> int: ...
    def rows(self) -> list[tuple[int, int, float, float, bool, _Estimate]]: ...
    def scores(self, coverage: float | None, bins: int) -> dict[str, Any]: ...

def estimate_rollouts(
    rollouts: Rollouts,
    resource: str,
    estimator: BudgetEstimator | Callable[[_Array, float | None], _Estimate],
) -> BudgetSamples: ...
def early_stopping(
    rollouts: Rollouts,
    samples: Sequence[BudgetSamples],
    failure_probabilities: npt.ArrayLike | None,
    rules: tuple[int | None, float | None, float | None, bool],
) -> list[dict[str, Any]]: ...
def stopping_curve(
    rollouts: Rollouts, samples: BudgetSamples, failure_probabilities: npt.ArrayLike
) -> list[dict[str, Any]]: ...
@final
class BudgetMonitor:
    def __new__(
        cls,
        resources: Sequence[tuple[str, float | None]],
        impossible_in_a_row: int | None,
        failure_probability: float | None,
        worth: float | None,
        warning_at: float | None,
    ) -> BudgetMonitor: ...
    def push(
        self, spent: Sequence[float], estimates: Sequence[Any], failure_probability: float | None
    ) -> tuple[Literal["continue", "warn", "stop"], str | None]: ...
    @property
    def spent(self) -> list[float]: ...
    @property
    def turns(self) -> int: ...

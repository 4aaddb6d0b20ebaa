"""Scores for the forecasts, tool calls and logs of agents.

Outcomes come first, as in scikit-learn. Higher is better if a name ends in ``_score``, and lower is better if it ends
in ``_loss`` or ``_error``. Invalid input raises ``ValueError``; a quantity that does not exist raises its subclass
``UndefinedError``.
"""

from importlib.metadata import version

from agent_scorecard import reports, training
from agent_scorecard._native import TPS, OnlineTPS, ScoringRule, Traces, UndefinedError, UnsolvableCounts
from agent_scorecard.benchmarks import (
    BudgetBenchmark,
    StatedConfidence,
    Triage,
    benchmark_figures,
)
from agent_scorecard.budgets import (
    BudgetEstimator,
    BudgetMonitor,
    RecordedRun,
    Rollouts,
    score_rollouts,
)
from agent_scorecard.calibration import (
    BetaCalibrator,
    IsotonicCalibrator,
    PlattCalibrator,
    TemperatureCalibrator,
    VennAbersCalibrator,
)
from agent_scorecard.censoring import StoppedRuns, ipcw_coverage, ipcw_weights, kaplan_meier, stop_class
from agent_scorecard.costbench import CostBench, costbench_figures, costbench_queries
from agent_scorecard.estimates import difference, mean, success_rate
from agent_scorecard.interval_losses import (
    crps_ensemble,
    crps_quantiles,
    interval_loss,
    pinball_loss,
    weighted_interval_loss,
)
from agent_scorecard.logs import Logs, read_logs
from agent_scorecard.metrics import (
    augrc,
    aurc,
    auroc,
    auroc_delong,
    auroc_test,
    average_precision,
    brier_loss,
    calibration_error,
    cluster_auroc_difference,
    corp,
    dominance,
    excess_aurc,
    log_loss,
    murphy_curve,
    precision_recall_curve,
    reliability_band,
    reliability_diagram,
    risk_coverage_curve,
    roc_curve,
)
from agent_scorecard.records import Figure, Interval, Record
from agent_scorecard.reports import Report
from agent_scorecard.resampling import (
    bootstrap,
    bootstrap_auroc,
    bootstrap_mean,
    sign_flip_test,
)
from agent_scorecard.rules import (
    beta_score,
    boosting_score,
    brier_score,
    elementary_score,
    log_score,
    power_score,
    pseudospherical_score,
    spherical_score,
)
from agent_scorecard.stopping import early_stopping, stopping_curve
from agent_scorecard.shared_budgets import Budget, BudgetRefused, CallCosts, Reservation
from agent_scorecard.streams import check_forecasts, traces, traces_from_frame
from agent_scorecard.tool_calls import match_calls, pass_at_k, pass_hat_k, path_distances
from agent_scorecard.tool_graphs import ToolGraph
from agent_scorecard.triage import Pool, knapsack, triage_efficiency

__version__ = version("agent-scorecard")

__all__ = [
    "BetaCalibrator",
    "Budget",
    "BudgetBenchmark",
    "BudgetEstimator",
    "BudgetMonitor",
    "BudgetRefused",
    "CallCosts",
    "CostBench",
    "Figure",
    "Interval",
    "IsotonicCalibrator",
    "Logs",
    "OnlineTPS",
    "PlattCalibrator",
    "Pool",
    "Record",
    "RecordedRun",
    "Report",
    "Reservation",
    "Rollouts",
    "ScoringRule",
    "StatedConfidence",
    "StoppedRuns",
    "TPS",
    "TemperatureCalibrator",
    "ToolGraph",
    "Traces",
    "Triage",
    "UndefinedError",
    "UnsolvableCounts",
    "VennAbersCalibrator",
    "augrc",
    "aurc",
    "auroc",
    "auroc_delong",
    "auroc_test",
    "average_precision",
    "benchmark_figures",
    "beta_score",
    "boosting_score",
    "bootstrap",
    "bootstrap_auroc",
    "bootstrap_mean",
    "brier_loss",
    "brier_score",
    "calibration_error",
    "check_forecasts",
    "cluster_auroc_difference",
    "corp",
    "costbench_figures",
    "costbench_queries",
    "crps_ensemble",
    "crps_quantiles",
    "difference",
    "dominance",
    "early_stopping",
    "elementary_score",
    "excess_aurc",
    "interval_loss",
    "ipcw_coverage",
    "ipcw_weights",
    "kaplan_meier",
    "knapsack",
    "log_loss",
    "log_score",
    "match_calls",
    "mean",
    "murphy_curve",
    "pass_at_k",
    "pass_hat_k",
    "path_distances",
    "pinball_loss",
    "power_score",
    "precision_recall_curve",
    "pseudospherical_score",
    "read_logs",
    "reliability_band",
    "reliability_diagram",
    "reports",
    "risk_coverage_curve",
    "roc_curve",
    "score_rollouts",
    "sign_flip_test",
    "spherical_score",
    "stop_class",
    "stopping_curve",
    "success_rate",
    "traces",
    "traces_from_frame",
    "training",
    "triage_efficiency",
    "weighted_interval_loss",
]

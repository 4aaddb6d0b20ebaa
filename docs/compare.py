"""Prints the numbers of other tools that compare.md states, and fails if a tool gives another one than is written
below. After a change of the page, change both.

    python3 -m venv target/compare
    target/compare/bin/pip install scikit-learn==1.9.1 scoringrules==0.10.0 agentevals==0.0.9 \
        inspect_ai==0.3.285 ortools==9.15.6755 scikit-survival==0.28.0 mapie==1.6.0 model-diagnostics==1.5.0
    target/compare/bin/python docs/compare.py
"""

import json
import warnings

import numpy as np

warnings.simplefilter("ignore")
wrong = []


def show(tool: str, case: str, found: object, stated: object) -> None:
    """Prints what a tool gives, and keeps what the page does not say."""
    print(f"{tool}: {case}: {found}")
    if found != stated and not (found != found and stated != stated):
        wrong.append(f"{tool}: {case}: {found}, and compare.md says {stated}")


def scikit_learn() -> None:
    from sklearn import calibration, metrics

    tool = "scikit-learn"
    show(tool, "AUROC of one class", metrics.roc_auc_score([1, 1], [0.2, 0.3]), float("nan"))
    precision = metrics.average_precision_score([0, 0], [0.2, 0.3])
    show(tool, "average precision without a positive", precision, 0.0)
    f1 = metrics.f1_score([0, 0], [0, 0], labels=[0, 1], average="macro")
    show(tool, "macro-F1 of a perfect prediction without the second label", f1, 0.5)
    loss = metrics.log_loss([0], [1.0], labels=[0, 1])
    show(tool, "log loss of a wrong certainty", round(loss, 2), 36.04)
    points = [list(map(float, axis)) for axis in metrics.precision_recall_curve([0, 1], [0.2, 0.3])[:2]]
    show(tool, "last point of a precision-recall curve", [axis[-1] for axis in points], [1.0, 0.0])
    cases = [
        ("uniform", 4, [0.1, 0.25, 0.4, 0.5], [0.175, 0.45]),
        ("quantile", 2, [0.1, 0.2, 0.3, 0.4, 0.5], [0.2, 0.45]),
        ("quantile", 3, [0.1, 0.3, 0.3, 0.3, 0.8, 0.9], [0.25, 0.85]),
    ]
    for strategy, bins, forecasts, stated in cases:
        outcomes = [i % 2 for i in range(len(forecasts))]
        curve = calibration.calibration_curve(outcomes, forecasts, n_bins=bins, strategy=strategy)
        means = [round(float(mean), 12) for mean in curve[1]]
        show(tool, f"mean forecasts of {bins} {strategy} bins of {forecasts}", means, stated)


def scoringrules() -> None:
    import scoringrules as rules

    tool = "scoringrules"
    show(tool, "Brier score of 1.00001", round(float(rules.brier_score(1, 1.00001)), 14), 1e-10)
    score = float(rules.interval_score(0.5, 0.8, 0.2, 0.1))
    show(tool, "an interval with its ends exchanged has a score", np.isfinite(score), np.True_)
    loss = rules.crps_quantile(1.0, np.array([0.0, 1.0, 2.0]), np.array([0.25, 0.5, 0.75]))
    show(tool, "crps_quantile of 0, 1, 2", round(float(loss), 3), 0.333)


def agentevals() -> None:
    from agentevals.trajectory.match import create_trajectory_match_evaluator

    def calls(*arguments: dict) -> list:
        made = [{"function": {"name": "t", "arguments": json.dumps(one)}} for one in arguments]
        return [{"role": "assistant", "content": "", "tool_calls": made}]

    def matches(mode: str, rule: str, agent: tuple, reference: tuple, **settings: object) -> bool:
        evaluator = create_trajectory_match_evaluator(
            trajectory_match_mode=mode, tool_args_match_mode=rule, **settings
        )
        return evaluator(outputs=calls(*agent), reference_outputs=calls(*reference))["score"]

    tool = "agentevals"
    small, large = {"a": 1}, {"a": 1, "b": 2}
    for agent, found in [((large, small), False), ((small, large), True)]:
        match = matches("unordered", "superset", agent, (small, large))
        show(tool, f"{agent} where {(small, large)} are expected, superset", match, found)
    modes = ["strict", "superset", "subset", "unordered"]
    table = [
        (small, large, "subset", [True, True, False, False]),
        (large, small, "subset", [False, False, True, False]),
        (small, large, "superset", [False, False, True, False]),
        (large, small, "superset", [True, True, False, False]),
    ]
    for agent, reference, rule, stated in table:
        found = [matches(mode, rule, (agent,), (reference,)) for mode in modes]
        show(tool, f"{agent} for {reference}, {rule} in {modes}", found, stated)
    show(tool, "true is 1", matches("strict", "exact", ({"a": True},), ({"a": 1},)), True)
    show(tool, "2 is 2.0", matches("strict", "exact", ({"a": 2},), ({"a": 2.0},)), True)
    fields = [
        ("a name that neither call has", "zz", small, {"a": 2}),
        ("null and absent", "b", {"a": 1, "b": None}, {"a": 1}),
        ("a position in a list", "items.0", {"items": [1]}, {"items": [2]}),
        ("a name with a dot", "a.b", {"a.b": 1}, {"a.b": 2}),
    ]
    for case, field, agent, reference in fields:
        chosen = {"tool_args_match_overrides": {"t": [field]}}
        show(tool, f"{case} is equal", matches("strict", "exact", (agent,), (reference,), **chosen), True)


def inspect_ai() -> None:
    from inspect_ai.scorer import SampleScore, Score, mean, stderr

    scores = [SampleScore(score=Score(value=1.0))]
    show("inspect_ai", "standard error of a single score", float(stderr()(scores)), 0.0)
    show("inspect_ai", "mean of no scores", float(mean()([])), 0.0)


def or_tools() -> None:
    from ortools.algorithms.python import knapsack_solver as knapsack

    names = [name for name in dir(knapsack.SolverType) if name.startswith("KNAPSACK")]
    chosen = set()
    for name in names:
        solver = knapsack.KnapsackSolver(getattr(knapsack.SolverType, name), "case")
        solver.init([10, 10, 7], [[5, 5, 3]], [8])
        solver.solve()
        chosen.add(tuple(item for item in range(3) if solver.best_solution_contains(item)))
    show("OR-Tools", "solvers", len(names), 8)
    show("OR-Tools", "items chosen of profits 10, 10, 7", sorted(chosen), [(0, 2), (1, 2)])


def scikit_survival() -> None:
    from sksurv.nonparametric import CensoringDistributionEstimator
    from sksurv.util import Surv

    runs = Surv.from_arrays([True, True, False, False], [2.0, 4.0, 2.0, 3.0])
    weights = CensoringDistributionEstimator().fit(runs).predict_ipcw(runs)
    show("scikit-survival", "weight of an outcome at a censoring time", round(float(weights[0]), 12), 1.5)


def mapie() -> None:
    from mapie.metrics.uncertainty import auarc
    from mapie.regression import SplitConformalRegressor
    from sklearn.dummy import DummyRegressor

    areas = [round(float(auarc(np.array(order), np.full(4, 0.5))), 2) for order in ([1, 1, 0, 0], [0, 0, 1, 1])]
    show("MAPIE", "accuracy-rejection area of a constant confidence, by order of rows", areas, [0.79, 0.21])
    inputs, targets = np.zeros((3, 1)), np.array([1.0, 2.0, 3.0])
    model = SplitConformalRegressor(DummyRegressor().fit(inputs, targets), confidence_level=0.75, prefit=True)
    try:
        model.conformalize(inputs, targets).predict_interval(inputs)
        refused = False
    except ValueError:
        refused = True
    show("MAPIE", "three scores at 0.75 are refused", refused, True)


def model_diagnostics() -> None:
    from model_diagnostics.scoring import ElementaryScore

    score = ElementaryScore(eta=0.5, functional="mean")
    losses = [abs(float(score.score_per_obs(np.array([o]), np.array([0.5]))[0])) for o in (0, 1)]
    show("model-diagnostics", "losses of 1/2 at the threshold 1/2", losses, [0.5, 0.0])


for tool in [
    scikit_learn,
    scoringrules,
    agentevals,
    inspect_ai,
    or_tools,
    scikit_survival,
    mapie,
    model_diagnostics,
]:
    tool()
if wrong:
    raise SystemExit("\n".join(wrong))

import itertools
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import agent_scorecard as ags

TASKS = [("parser", 1, 500, True), ("docs", 1, 300, True), ("race", 2, 900, False), ("typo", 1, 100, True)]


def test_the_oracle_is_the_best_of_all_subsets():
    pool = ags.Pool(TASKS)
    for budget in (50, 400, 900, 1800):
        subsets = [
            subset
            for size in range(len(TASKS) + 1)
            for subset in itertools.combinations(TASKS, size)
            if sum(task[2] for task in subset) <= budget
        ]
        best = max(sum(task[1] for task in subset if task[3]) for subset in subsets)
        assert pool.oracle(budget).value == best


def test_the_random_value_is_the_mean_over_all_orders():
    pool, earned = ags.Pool(TASKS), []
    for order in itertools.permutations(TASKS):
        left, value = 800, 0
        for _, worth, cost, solved in order:
            if cost > left:
                break
            left, value = left - cost, value + worth * solved
        earned.append(value)
    assert pool.random_value(800) == pytest.approx(np.mean(earned), abs=1e-12)


def test_the_plan_of_a_model_is_read_executed_and_scored():
    pool = ags.Pool(TASKS)
    text = 'First {"plan": [{"id": "typo", "allocation": 150}, {"id": "docs", "allocation": "350 tokens"}]}'
    reading = pool.read_plan(text, 900)
    assert reading.kind == "plan" and reading.steps == [("typo", 150), ("docs", 350)]
    assert len(reading.repairs) > 0
    assert pool.execute(reading.steps, 900, regime="enforced").earned == 2.0
    assert pool.read_plan("no plan", 900).kind == "unparseable"
    with pytest.raises(ValueError, match="nothing"):
        pool.execute([("nothing", 1)], 900)
    with pytest.raises(ValueError, match="more than the budget of 900"):
        pool.execute([("typo", 901)], 900)


def test_recorded_plans_are_read_and_executed_by_the_rule_of_the_paper_unless_asked_otherwise():
    pool = ags.Pool([("a", 1, 500, False), ("b", 1, 300, True), ("c", 1, 200, True)])
    skip = [("a", 0), ("b", 300), ("c", 200)]
    assert pool.efficiency(skip, 500) == 1.0
    assert pool.efficiency(skip, 500, attempt_zero=True) == -1.0
    assert pool.execute(skip, 500).earned == 2.0
    assert pool.execute(skip, 500, attempt_zero=True).earned == 0.0
    twice = '[{"id": "b", "allocation": 300}, {"id": "b", "allocation": 9}, {"id": "c", "allocation": "60%"}]'
    assert pool.read_plan(twice, 500).steps == [("b", 300), ("c", 0)]
    assert pool.read_plan(twice, 500, strict=True).kind == "duplicate_id"


def test_the_knapsack_is_the_best_of_all_choices():
    generator = np.random.default_rng(1)
    for _ in range(20):
        profits, weights = generator.integers(1, 50, 9).tolist(), generator.integers(1, 30, 9).tolist()
        best = max(
            sum(p for p, chosen in zip(profits, choice) if chosen)
            for choice in itertools.product([0, 1], repeat=9)
            if sum(w for w, chosen in zip(weights, choice) if chosen) <= 60
        )
        found = ags.knapsack(profits, weights, 60)
        assert found.value == best == sum(profits[item] for item in found.chosen)
        assert found.weight == sum(weights[item] for item in found.chosen) <= 60


def rollouts():
    runs = ags.Rollouts("tokens", caps={"tokens": 250})
    runs.append([50, 30, 60, 40], succeeded=True)
    runs.append([90, 80, 70, 60], succeeded=False)
    return runs


def test_an_estimator_sees_only_completed_turns():
    seen = []
    def estimate(spent, left):
        seen.append((spent.tolist(), left))
        return (0.0, 1000.0)
    samples = ags.score_rollouts(rollouts(), estimate)
    assert len(samples) == len(seen) == 6
    assert seen[1] == ([50.0, 30.0], 170.0)
    row = samples.rows()[1]
    assert (row.run, row.turn, row.spent, row.remaining) == (0, 2, 80.0, 100.0)
    assert row.estimate == (0.0, 1000.0)


def test_an_exception_of_an_estimator_is_raised_as_it_is():
    def broken(spent, left):
        raise KeyError("mine")
    with pytest.raises(KeyError, match="mine"):
        ags.score_rollouts(rollouts(), broken)
    with pytest.raises(ValueError, match="impossible"):
        ags.score_rollouts(rollouts(), lambda spent, left: "maybe")


def test_intervals_that_contain_what_remains_are_hits():
    scores = ags.score_rollouts(rollouts(), lambda spent, left: (0.0, 150.0)).scores(coverage=0.9)
    assert scores.all_turns.intervals.hits == 3.0
    assert scores["all_turns"]["intervals"]["hit_rate"] == 1.0
    assert scores.all_turns.intervals.interval_loss == pytest.approx(150.0)
    with pytest.raises(AttributeError, match="hits"):
        scores.all_turns.intervals.hit
    with pytest.raises(AttributeError, match="cannot be changed"):
        scores.all_turns = None
    assert pickle.loads(pickle.dumps(scores)) == scores


def test_the_default_estimator_covers_what_remains_of_similar_runs():
    generator = np.random.default_rng(2)
    runs = ags.Rollouts("tokens")
    for _ in range(80):
        runs.append(generator.gamma(4, 25, 6), succeeded=True)
    samples = ags.score_rollouts(runs, ags.BudgetEstimator(0.8))
    late = [row for row in samples.rows() if row.run >= 40]
    hits = [row.estimate[0] <= row.remaining <= row.estimate[1] for row in late]
    assert 0.7 < np.mean(hits) < 0.95
    again = ags.score_rollouts(runs, ags.BudgetEstimator(0.8))
    assert again.rows() == samples.rows()


def test_scoring_leaves_the_estimator_as_it_was():
    generator = np.random.default_rng(7)
    past, test = ags.Rollouts("tokens"), ags.Rollouts("tokens")
    for runs in (past, test):
        for _ in range(60):
            runs.append(generator.lognormal(3, 1, generator.integers(3, 12)), succeeded=True)
    estimator, untouched = (ags.BudgetEstimator(0.8).learn(past) for _ in range(2))
    first = ags.score_rollouts(test, estimator)
    assert estimator.estimate([100, 200]) == untouched.estimate([100, 200])
    assert ags.score_rollouts(test, estimator).rows() == first.rows()
    stops = [ags.early_stopping(test, ags.score_rollouts(test, estimator), worth={"tokens": 500.0}) for _ in range(2)]
    assert stops[0] == stops[1]
    # What is to be kept is learnt, run by run, after it was scored.
    kept = [estimator.learn(test).estimate([100, 200]), estimator.estimate([100, 200])]
    assert kept[0] == kept[1] != untouched.estimate([100, 200])


def test_the_coverage_is_that_of_runs_that_succeed():
    def runs(generator, n):
        recorded = ags.Rollouts("tokens")
        for _ in range(n):
            succeeded = generator.random() < 0.6
            turns = generator.integers(3, 12) if succeeded else generator.integers(6, 20)
            recorded.append(generator.lognormal(5, 0.5, turns), succeeded=succeeded)
        return recorded

    hits = {True: [], False: []}
    for seed in range(2):
        generator = np.random.default_rng(seed)
        estimator = ags.BudgetEstimator(0.8).learn(runs(generator, 300))
        for row in ags.score_rollouts(runs(generator, 200), estimator).rows():
            if isinstance(row.estimate, tuple):
                hits[row.feasible].append(row.estimate[0] <= row.remaining <= row.estimate[1])
    assert 0.75 < np.mean(hits[True]) < 0.85
    assert 0.3 < np.mean(hits[False]) < 0.5


def test_threads_may_score_with_one_estimator():
    runs = rollouts()
    estimator = ags.BudgetEstimator(0.8).learn(runs)
    with ThreadPoolExecutor(4) as pool:
        assert len({str(samples.rows()) for samples in pool.map(lambda _: ags.score_rollouts(runs, estimator), range(16))}) == 1


def test_a_monitor_stops_at_the_cap_and_gives_the_reason():
    monitor = ags.BudgetMonitor({"tokens": 100, "cents": None})
    assert monitor.push([60, 1]).action == "continue"
    advice = monitor.push([60, 1], [(0, 10), None])
    assert advice == ("stop", "the cap on tokens is exceeded")
    assert monitor.spent == [120.0, 2.0] and monitor.turns == 2
    with pytest.raises(ValueError):
        monitor.push([1.0])


def test_stopped_runs_are_audited_scored_and_bounded():
    tps = ags.TPS(ags.brier_score(), "uniform")
    runs = ags.StoppedRuns([True, None, False], [[0.5, 1.0], [0.25], [0.0]], ["completed", "max_steps", None], [None, 2, None])
    audit = runs.audit()
    assert audit.censoring_rate == pytest.approx(1 / 3)
    assert [(row.stop_class, row.runs) for row in audit.rows] == [("complete", 1), ("complete", 1), ("censored", 1)]
    success = [0.0, 0.5, 0.0]
    exact = runs.mean_score(tps, success_probability=success)
    assert exact == pytest.approx(runs.expected_scores(tps, success).mean())
    low, high = runs.bounds(tps)
    assert low <= exact <= high
    report = runs.report(["a", "b", "c"], assumption="none", success_probability=success, n_resamples=50)
    assert len(report) > 0 and all(row.bounds for row in report)


def test_a_report_names_its_assumption_and_what_weights_can_reach():
    forecasts, groups = [[0.9, 0.9]] * 4, [0, 1, 2, 3]
    runs = ags.StoppedRuns([1, 0, None, None], forecasts, ["completed", "completed", "max_cost", "max_cost"])
    reports = {
        name: runs.report(groups, assumption=name, success_probability=[0.5] * 4, n_resamples=20)
        for name in ("none", "non_informative", "failure_side")
    }
    for name, report in reports.items():
        assert {row.assumption for row in report} == {name}
        assert {row.odds_ratio for row in report} == {2.0}
    assert reports["none"][0] != reports["non_informative"][0]
    # What holds under the assumption, and nothing else.
    row = reports["none"][0]
    assert reports["failure_side"][0].under_assumption == row.simple
    assert reports["non_informative"][0].under_assumption == row.exact
    assert row.under_assumption == row.bounds
    unknown = runs.report(groups, assumption="non_informative", n_resamples=20)[0]
    assert unknown.exact is None and unknown.under_assumption is None
    wide = runs.report(groups, assumption="none", success_probability=[0.5] * 4, n_resamples=20, odds_ratio=4.0)[0]
    assert wide.odds_ratio == 4.0 and wide.sensitivity[0] < row.sensitivity[0]
    with pytest.raises(ValueError, match="odds_ratio"):
        runs.report(groups, assumption="none", odds_ratio=0.5)

    # Two of four runs end no later than where the others are cut off.
    assert row.ipcw_coverage == 0.5
    lengths = [1, 2, 3, 3]
    fixed = ags.StoppedRuns([1, 0, None, None], [[0.5] * n for n in lengths], [None, None, "max_steps", "max_steps"])
    assert fixed.report(groups, assumption="none", n_resamples=20)[0].ipcw_coverage == 0.5
    assert ags.ipcw_coverage(lengths, [0, 0, 1, 1]) == 0.5


def test_weights_that_cannot_help_say_so():
    times = np.arange(1.0, 13.0)
    with pytest.warns(UserWarning, match=r"67 % .* beyond 8"):
        weights = ags.ipcw_weights(np.minimum(times, 8.0), times > 8)
    assert weights.tolist() == [1.0] * 8 + [0.0] * 4
    assert ags.ipcw_coverage(np.minimum(times, 8.0), times > 8) == pytest.approx(8 / 12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ags.ipcw_weights([1.0, 2.0, 3.0], [0, 1, 0]).tolist() == [1.0, 0.0, 2.0]
        assert ags.ipcw_weights([1.0, 2.0, 3.0], [0, 1, 0], max_weight=1.5).tolist() == [1.0, 0.0, 1.5]
    assert ags.ipcw_coverage([1.0, 2.0, 3.0], [0, 1, 0]) == pytest.approx(1.0)


def test_no_weight_is_cut_unless_asked_and_the_coverage_knows_the_limit():
    # Lengths of 1 to 60 in equal shares, cut off by budgets that have nothing to do with them.
    generator = np.random.default_rng(0)
    life, budget = generator.integers(1, 61, 4000), generator.integers(1, 61, 4000)
    times, censored = np.minimum(life, budget), life > budget
    weights = ags.ipcw_weights(times, censored)
    assert weights.max() > 20
    assert (weights * times).sum() / weights.sum() == pytest.approx(30.76, abs=0.01)
    assert ags.ipcw_coverage(times, censored) == pytest.approx(1.0)
    limited = ags.ipcw_weights(times, censored, max_weight=20.0)
    share = ags.ipcw_coverage(times, censored, max_weight=20.0)
    assert share == pytest.approx(limited.sum() / 4000) and share < 0.98
    # Rounding does not lead above 1.
    assert ags.ipcw_coverage([*range(1, 61), 100], [1] * 60 + [0]) <= 1.0


def test_an_excluded_run_has_no_score_and_is_named():
    runs = ags.StoppedRuns([True, None], [[0.5], [0.5]], ["completed", "parse_error"])
    with pytest.raises(ValueError, match="run 1.*parse_error|parse_error"):
        runs.mean_score(ags.TPS(ags.brier_score(), "uniform"))


def test_without_censoring_the_survival_curve_is_the_share_of_longer_runs():
    times = np.array([3.0, 1.0, 2.0, 2.0])
    curve = ags.kaplan_meier(times, [False] * 4)
    assert curve.survival == pytest.approx([np.mean(times > t) for t in curve.times])
    assert ags.ipcw_weights(times, [False] * 4).tolist() == [1.0] * 4


GRAPH = [
    {"name": "search", "inputs": ["query"], "outputs": ["hits"], "cost": 2.0},
    {"name": "pick", "inputs": ["hits"], "outputs": ["answer"], "cost": 1.0},
    {"name": "guess", "inputs": ["query"], "outputs": ["answer"], "cost": 9.0},
]


def test_plans_are_ordered_by_cost():
    graph = ags.ToolGraph(GRAPH)
    plans = graph.best_plans(["query"], ["answer"], 2)
    assert [plan.cost for plan in plans] == [3.0, 9.0]
    assert graph.optimal_plan(["query"], ["answer"]) == plans[0]
    assert graph.optimal_plan(["answer"], ["hits"]) is None
    assert graph.count_shortest_plans(["query"], ["answer"]) == 1
    coverage = graph.path_coverage(["query"], ["answer"], [["guess"], ["pick"]])
    assert (coverage.covered, coverage.possible, coverage.not_plans, coverage.rate) == (1, 2, 1, 0.5)
    with pytest.raises(ValueError, match="money"):
        graph.optimal_plan(["query"], ["money"])


def test_a_path_is_scored_against_the_cheapest_plan():
    graph = ags.ToolGraph(GRAPH)
    best = graph.score_path(["query"], ["answer"], ["search", "pick"])
    assert best.cost_gap == 0.0 and best.exact_match is True
    worse = graph.score_path(["query"], ["answer"], ["search", "guess"])
    assert worse.cost_gap == 8.0 and worse.completed is True
    assert graph.score_path(["query"], ["answer"], ["pick"]).invalid_tool_use_ratio == 1.0


def calls(name, arguments):
    call = {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [call]}}]}


def test_a_model_receives_requests_of_chat_completions():
    requests = []
    def model(request):
        requests.append(request)
        return calls("no_such_tool", "{}") if len(requests) == 1 else {
            "choices": [{"message": {"role": "assistant", "content": "<answer>none</answer>"}}]
        }
    run = ags.CostBench().run(ags.costbench_queries()[0], model, name="mine")
    assert requests[0]["model"] == "mine" and len(requests[0]["tools"]) == 14
    assert requests[1]["messages"][-1]["role"] == "tool"
    assert run.outcome is False and run.answer == "none"
    assert run.events[0][1] == "unknown_tool"
    assert run.optimal_cost > 0


def test_an_exception_of_a_model_is_raised_and_a_missing_reply_is_counted():
    def broken(request):
        raise TimeoutError("too slow")
    bench, query = ags.CostBench(), ags.costbench_queries()[0]
    with pytest.raises(TimeoutError, match="too slow"):
        bench.run(query, broken)
    silent = bench.run(query, lambda request: None)
    assert silent.outcome is None
    assert ags.costbench_figures([silent])[0].without_reply == 1


def test_a_finished_run_is_a_log(tmp_path):
    run = ags.CostBench().run(ags.costbench_queries()[0], lambda request: {
        "choices": [{"message": {"role": "assistant", "content": "I give up."}}]
    })
    path = tmp_path / "trajectory.json"
    path.write_text(run.to_atif())
    assert ags.read_logs(path).table()["task"] == ["location"]


def test_events_are_named_and_not_mixed_with_drawn_ones():
    assert "cost_change" in repr(ags.CostBench(events=["cost_change"]))
    with pytest.raises(ValueError, match="ban_tool"):
        ags.CostBench(events=["rain"])
    with pytest.raises(ValueError, match="not both"):
        ags.CostBench(events=["cost_change"], mixed_events=1)


def two_resources():
    """Runs whose second resource decides, and the estimates of both."""
    rollouts = ags.Rollouts(["tokens", "steps"], caps={"steps": 2.5})
    rollouts.append([[50, 1], [20, 1]], succeeded=True)
    rollouts.append([[90, 1], [70, 1], [40, 1]], succeeded=False)
    silent = ags.score_rollouts(rollouts, lambda spent, left: None, "tokens")
    careful = ags.score_rollouts(
        rollouts, lambda spent, left: "impossible" if len(spent) > 1 else (1.0, 1.0), "steps"
    )
    return rollouts, silent, careful


def test_any_of_several_resources_stops_a_run_and_each_has_its_savings():
    rollouts, silent, careful = two_resources()
    tokens, steps = ags.early_stopping(rollouts, [silent, careful], impossible_in_a_row=1)
    assert (tokens.resource, tokens.saved, tokens.spent_by_failures) == ("tokens", 40.0, 200.0)
    assert (steps.resource, steps.saved, steps.saved_share) == ("steps", 1.0, pytest.approx(1 / 3))
    assert (tokens.stopped_failures, tokens.failures, tokens.success_lost) == (1, 1, 0.0)
    alone = ags.early_stopping(rollouts, silent, impossible_in_a_row=1)
    assert (alone.saved, alone.stopped_failures) == (0.0, 0)
    with pytest.raises(ValueError, match="OtherPrefix|prefix|samples"):
        ags.early_stopping(rollouts, [silent, ags.score_rollouts(ags.Rollouts("steps"), lambda *_: None)])


def test_a_curve_of_thresholds_agrees_with_the_rule_at_each_of_them():
    rollouts, silent, _ = two_resources()
    stated = np.array([0.2, 0.9, 0.4])
    curve = ags.stopping_curve(rollouts, silent, stated)
    assert [point.at_least for point in curve] == [0.9, 0.4, 0.2]
    for point in curve:
        stops = ags.early_stopping(
            rollouts, silent, failure_probability=point.at_least, failure_probabilities=stated
        )
        assert stops.saved == point.saved and stops.success_lost == point.success_lost
    with pytest.raises(ValueError, match="failure_probabilities"):
        ags.stopping_curve(rollouts, silent, stated[:2])


def test_a_live_run_of_several_resources_is_estimated_as_its_replay():
    rollouts = ags.Rollouts(["tokens", "seconds"], caps={"tokens": 500})
    generator = np.random.default_rng(4)
    for _ in range(40):
        costs = generator.integers(1, 50, (generator.integers(2, 9), 2))
        rollouts.append(costs, succeeded=bool(generator.random() < 0.7))
    costs = generator.integers(1, 50, (5, 2)).astype(float)
    test = ags.Rollouts(rollouts.resources, caps={"tokens": 500})
    test.append(costs, succeeded=True)
    for resource in rollouts.resources:
        make = lambda: ags.BudgetEstimator(0.8, random_state=1).learn(rollouts, resource)  # noqa: E731
        replayed = [row.estimate for row in ags.score_rollouts(test, make(), resource).rows()]
        run, estimator, live = ags.RecordedRun(rollouts.resources, caps={"tokens": 500}), make(), []
        for turn in costs[:-1]:
            run.push(turn)
            live.append(estimator.estimate(run, resource=resource))
        assert live == replayed and len(run) == 4
    assert repr(run) == "RecordedRun(4 turns)"
    run.push([1.0, None])
    with pytest.raises(ValueError, match="unknown"):
        estimator.estimate(run, resource="seconds")
    with pytest.raises(ValueError, match="cap"):
        estimator.estimate(run, cap=3.0)


def test_unsolvable_tasks_are_counted_by_id_and_added_over_pools():
    tasks = ags.Pool([("a", 1, 100, True), ("b", 1, 100, False), ("c", 1, 100, False)])
    first = tasks.unsolvable_counts([("a", 150), ("b", 50)], 300, {"b", "c"})
    second = tasks.unsolvable_counts([("c", 100)], 300, ["c"])
    both = first + second
    assert (both.unsolvable, both.left_out, both.allocated, both.wasted) == (3, 1, 300, 150)
    assert (both.detection_rate(), both.waste_rate()) == (1 / 3, 0.5)
    assert first + second == second + first and first != second
    with pytest.raises(ags.UndefinedError):
        tasks.unsolvable_counts([], 300, []).waste_rate()
    with pytest.raises(ValueError, match="unsolvable"):
        tasks.unsolvable_counts([], 300, ["d"])


def test_success_after_the_stop_is_cross_fitted_by_group():
    generator = np.random.default_rng(5)
    n = 200
    outcome = generator.random(n) < 0.5
    forecasts = [np.clip(generator.normal(0.5 + 0.3 * (it - 0.5), 0.1, 6), 0.01, 0.99) for it in outcome]
    cut = generator.random(n) < 0.3
    y = [None if c else bool(o) for c, o in zip(cut, outcome)]
    shown = [run[:3] if c else run for run, c in zip(forecasts, cut)]
    runs = ags.StoppedRuns(y, shown, ["max_steps" if c else "completed" for c in cut])
    groups = np.arange(n) // 2
    # The forecasts that are scored never teach; those of a stream that is not scored do.
    other = [0.8 * run + 0.1 for run in shown]
    known = runs.success_probability(groups)
    lying = ags.StoppedRuns(y, [run if o is not None else 0.9 + 0 * run for run, o in zip(shown, y)])
    assert lying.success_probability(groups).tolist() == known.tolist()
    with pytest.raises(ValueError, match="scored"):
        runs.success_probability(groups, others=[shown])
    with pytest.raises(ValueError, match="every step"):
        runs.success_probability(groups, others=[other[1:]])
    q = runs.success_probability(groups, others=[other])
    assert q.shape == (n,) and ags.auroc(outcome[cut], q[cut]) > 0.8
    # Branches that all failed lower it; equal weights change nothing.
    branches = [(0, 4) if c else (0, 0) for c in cut]
    assert runs.success_probability(groups, others=[other], branches=branches)[cut].mean() < q[cut].mean()
    weighted = runs.success_probability(groups, others=[other], sample_weight=np.ones(n))
    assert weighted.tolist() == q.tolist()
    tps = ags.TPS(ags.brier_score(), "uniform")
    low, high = runs.bounds(tps)
    assert low <= runs.mean_score(tps, success_probability=q) <= high
    with pytest.raises(ValueError, match="folds"):
        runs.success_probability(groups, n_folds=1)

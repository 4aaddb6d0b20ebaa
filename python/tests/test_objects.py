"""Objects go to other processes, arguments are named where they are wrong, and Ctrl-C is heard."""

import pickle
import signal
import threading
import time

import numpy as np
import pandas
import pytest

import agent_scorecard as ags


def rollouts(n=40):
    found = ags.Rollouts(["tokens", "seconds"], caps={"tokens": 400})
    for run in range(n):
        costs = [[10 + run * turn % 7, 1.0] for turn in range(3 + run % 5)]
        found.append(costs, run % 3 > 0, censored=run % 9 == 0 and run % 3 == 0, id=f"r{run}", task=f"t{run % 8}", contents=["Go."])
    return found


def test_objects_that_are_pickled_give_the_same_numbers():
    y, p = np.array([0, 1, 1, 0, 1]), np.array([0.2, 0.9, 0.4, 0.1, 0.6])
    for rule in (ags.log_score(clip=1e-6), ags.beta_score(2, 4), ags.power_score(2.0, 0.25), ags.brier_score()):
        again = pickle.loads(pickle.dumps(rule))
        assert repr(again) == repr(rule) and again.score(y, p).tobytes() == rule.score(y, p).tobytes()
    traces = ags.traces([1, 0, 1], [[0.5, 0.75], [0.25], [0.5, 0.5, 1.0]])
    for schedule in (None, "linear_back", [3.0, 2.0, 1.0]):
        tps = ags.TPS(ags.brier_score(), schedule)
        again, copied = pickle.loads(pickle.dumps((tps, traces)))
        assert repr(again) == repr(tps) and again.scores(copied).tobytes() == tps.scores(traces).tobytes()

    runs = rollouts()
    estimator = ags.BudgetEstimator(0.8, random_state=3).learn(runs, "tokens").learn(runs, "seconds")
    learnt = estimator.estimate([10, 12]), estimator.estimate([1.0, 1.0], resource="seconds")
    runs.append([[1000, 1.0]] * 2, True)
    again = pickle.loads(pickle.dumps(estimator))
    assert (again.estimate([10, 12]), again.estimate([1.0, 1.0], resource="seconds")) == learnt
    copied = pickle.loads(pickle.dumps(runs))
    scores = [ags.score_rollouts(some, ags.BudgetEstimator(0.8)).scores() for some in (runs, copied)]
    assert scores[0] == scores[1] and len(copied) == 41

    monitor = ags.BudgetMonitor({"tokens": 1000}, impossible_in_a_row=2, warning_at=0.5)
    monitor.push(400, "impossible")
    again = pickle.loads(pickle.dumps(monitor))
    assert (again.spent, again.turns, again.push(10, "impossible")) == ([400.0], 1, monitor.push(10, "impossible"))
    run = ags.RecordedRun("tokens", caps={"tokens": 100})
    run.push(10)
    assert len(pickle.loads(pickle.dumps(run))) == 1
    pool = ags.Pool([("a", 1, 500, True), ("b", 2, 300, 0)])
    assert pickle.loads(pickle.dumps(pool)).oracle(800) == pool.oracle(800)


def test_a_rule_scores_in_the_processes_of_a_grid_search():
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import GridSearchCV

    generator = np.random.default_rng(1)
    x = generator.normal(size=(200, 2))
    y = (x[:, 0] + generator.normal(size=200) > 0).astype(int)
    scorer = make_scorer(ags.log_score(clip=1e-6).mean, response_method="predict_proba")
    searched = [GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, scoring=scorer, n_jobs=jobs).fit(x, y) for jobs in (1, 2)]
    assert searched[0].best_score_ == searched[1].best_score_ < 0


def test_a_calibrator_has_the_probabilities_of_both_classes():
    p, y = np.array([0.6, 0.7, 0.8, 0.9] * 10), np.array(["lost", "won", "lost", "won"] * 10)
    fitted = ags.PlattCalibrator().fit(p, y)
    both = fitted.predict_proba(p)
    assert fitted.classes_.tolist() == ["lost", "won"] and both.shape == (40, 2)
    assert (both[:, 1] == fitted.predict(p)).all() and both.sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("name, call", [
    ("n_resamples", lambda: ags.bootstrap_mean([1.0, 2.0], n_resamples=-1)),
    ("random_state", lambda: ags.bootstrap_mean([1.0, 2.0], random_state="x")),
    ("n_bins", lambda: ags.calibration_error([0, 1], [0.1, 0.9], n_bins=-1)),
    ("bins", lambda: ags.score_rollouts(rollouts(), ags.BudgetEstimator()).scores(bins=-1)),
    ("budget", lambda: ags.Pool([("a", 1, 500, True)]).oracle(-1)),
    ("cost of task 'a'", lambda: ags.Pool([("a", 1, -5, True)])),
    ("worth: expected a mapping", lambda: ags.BudgetMonitor({"usd": 1.0}, worth=5.0)),
    ("capacity", lambda: ags.knapsack([1], [1], -1)),
    ("k", lambda: ags.pass_hat_k([1, 0], ["a", "a"], -1)),
    ("fair", lambda: ags.crps_ensemble([0.0], [[1.0]], fair="yes")),
    ("tools\\[0\\] has no 'inputs'", lambda: ags.ToolGraph([{"name": "a", "outputs": [], "cost": 1}])),
])
def test_a_wrong_argument_is_named(name, call):
    with pytest.raises(ValueError, match=name):
        call()


def test_flags_take_0_and_1_and_seeds_take_generators():
    assert ags.crps_ensemble([0.0], [[-1.0, 1.0]], fair=1) == ags.crps_ensemble([0.0], [[-1.0, 1.0]], fair=True)
    values = np.arange(30.0)
    same = [ags.bootstrap_mean(values, n_resamples=50, random_state=np.random.default_rng(4)) for _ in range(2)]
    other = ags.bootstrap_mean(values, n_resamples=50, random_state=None)
    assert same[0] == same[1] != other


def test_a_table_of_steps_becomes_traces_in_any_order():
    generator = np.random.default_rng(5)
    rows = [{"run": f"r{run}", "step": step, "y": run % 2, "p": generator.random(), "task": run // 2} for run in range(9) for step in range(1 + run % 4)]
    frame = pandas.DataFrame(rows)
    found = ags.traces_from_frame(frame.sample(frac=1.0, random_state=1), run="run", step="step", y="y", p="p", task="task")
    lists = [group.p.tolist() for _, group in frame.groupby("run")]
    tps = ags.TPS(ags.brier_score())
    assert tps.scores(found.traces).tolist() == tps.scores(ags.traces([run % 2 for run in range(9)], lists)).tolist()
    assert found.runs.tolist() == [f"r{run}" for run in range(9)] and found.tasks.tolist() == [run // 2 for run in range(9)]
    for change, problem in (({"y": [*frame.y[:4], 1 - frame.y[4], *frame.y[5:]]}, "y: run .* has"), ({"step": 1}, "step: run .* twice"),
                            ({"p": np.nan}, "not a number|NaN")):
        with pytest.raises(ValueError, match=problem):
            ags.traces_from_frame(frame.assign(**change), run="run", step="step", y="y", p="p")
    with pytest.raises(ValueError, match="run: the table has no column 'id'"):
        ags.traces_from_frame(frame, run="id", step="step", y="y", p="p")


def test_the_bootstrap_of_a_function_is_that_of_the_mean():
    values, groups = np.random.default_rng(6).random(60), np.repeat(np.arange(20), 3)
    whole = ags.bootstrap_mean(values, groups=groups, n_resamples=200)
    own = ags.bootstrap(np.mean, values, groups=groups, n_resamples=200)
    assert own.value == pytest.approx(whole.value) and tuple(own.interval) == pytest.approx(tuple(whole.interval))
    y = np.repeat([0, 1], 30)
    areas = ags.bootstrap(ags.auroc, y, values, n_resamples=200), ags.bootstrap_auroc(y, values, n_resamples=200)
    assert areas[0].standard_error == pytest.approx(areas[1].standard_error)
    with pytest.raises(ZeroDivisionError):
        ags.bootstrap(lambda rows: 1 / 0, values)


def test_trials_of_tasks_have_the_rates_of_their_formulas():
    y, tasks = [1, 1, 0, 0, 1, 0], ["a", "a", "a", "b", "b", "b"]
    assert ags.pass_hat_k(y, tasks, 2).tolist() == pytest.approx([1 / 3, 0.0])
    assert ags.pass_at_k(y, tasks, 2).tolist() == pytest.approx([1.0, 2 / 3])
    with pytest.raises(ags.UndefinedError):
        ags.pass_at_k(y, tasks, 4)


def test_ctrl_c_is_heard_during_a_long_call():
    values = np.random.default_rng(7).random(200_000)
    # A shell starts what runs in the background with Ctrl-C ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        ags.bootstrap_mean(values, n_resamples=10_000)
    signal.signal(signal.SIGINT, before)
    assert time.perf_counter() - start < 1.5

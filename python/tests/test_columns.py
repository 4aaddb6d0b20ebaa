"""Columns as people have them: outcomes, flags, numbers and groups of any container, with and without missing entries."""

import decimal
import math
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import agent_scorecard as ags

TPS = ags.TPS(ags.brier_score(), "uniform")
FORECASTS, REASONS = [[0.9, 0.9]] * 4, ["completed", "completed", "max_cost", "max_cost"]


def columns(values):
    """The same column, in every container that can hold missing entries, with its name."""
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    whole = [None if value is None else int(value) for value in values]
    yield "list", values
    yield "list with NaN", [math.nan if value is None else value for value in values]
    yield "list with NA", [pandas.NA if value is None else value for value in values]
    yield "tuple of NumPy scalars", tuple(None if value is None else np.bool_(value) for value in values)
    yield "list of floats", [None if value is None else float(value) for value in values]
    yield "list of Decimals", [None if value is None else decimal.Decimal(int(value)) for value in values]
    yield "object array", np.array(values, dtype=object)
    yield "float array", np.array([math.nan if value is None else float(value) for value in values])
    yield "float32 array", np.array([math.nan if value is None else float(value) for value in values], dtype=np.float32)
    for dtype in ("float64", "object", "boolean", "Int64", "Float64", "bool[pyarrow]", "int8[pyarrow]"):
        yield f"pandas {dtype}", pandas.Series(whole if "nt" in dtype else values, dtype=dtype, index=range(9, 9 - len(values), -1))
    yield "Polars Boolean", polars.Series(values, dtype=polars.Boolean)
    yield "Polars Int64", polars.Series(whole, dtype=polars.Int64)
    yield "Polars Float64", polars.Series(whole, dtype=polars.Float64)
    yield "Arrow bool", arrow.array(values, arrow.bool_())
    yield "Arrow int64", arrow.array(whole, arrow.int64())
    yield "Arrow chunks", arrow.chunked_array([arrow.array(values[:1], arrow.bool_()), arrow.array(values[1:], arrow.bool_())])


def test_a_missing_outcome_is_missing_in_every_container():
    expected = ags.StoppedRuns([True, False, None, None], FORECASTS, REASONS)
    for name, column in columns([True, False, None, None]):
        runs = ags.StoppedRuns(column, FORECASTS, REASONS)
        assert runs.audit().censoring_rate == 0.5, name
        assert runs.mean_score(TPS) == expected.mean_score(TPS), name
        assert runs.bounds(TPS) == expected.bounds(TPS), name


def test_outcomes_without_missing_ones_are_the_same_in_every_container():
    y, p = [True, False, True], [0.75, 0.5, 0.25]
    for name, column in columns(y):
        assert ags.brier_loss(column, p) == ags.brier_loss(y, p), name
        assert ags.auroc(column, p) == ags.auroc(y, p), name
        assert ags.traces(column, [p] * 3).y_true.tolist() == y, name
        curve = ags.kaplan_meier([1.0, 2.0, 3.0], column)
        assert curve.survival.tolist() == ags.kaplan_meier([1.0, 2.0, 3.0], y).survival.tolist(), name


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", ">i4", ">f8"])
def test_arrays_of_every_type_of_numbers_are_read_alike(dtype):
    # More rows than are converted at once, and an array with steps.
    outcomes, forecasts = np.arange(10_000) % 3 == 0, np.linspace(0, 1, 10_000)
    array = outcomes.astype(dtype)
    expected = ags.brier_score().score(outcomes.tolist(), forecasts)
    assert np.array_equal(ags.brier_score().score(array, forecasts), expected)
    assert np.array_equal(ags.brier_score().score(np.repeat(array, 2)[::2], forecasts), expected)
    calibrator = ags.IsotonicCalibrator().fit(forecasts, array)
    assert calibrator.classes_.tolist() == [0, 1]
    assert np.array_equal(calibrator.predict(forecasts), ags.IsotonicCalibrator().fit(forecasts, outcomes.tolist()).predict(forecasts))
    if dtype != "?":
        array[5_000] = 2
        with pytest.raises(ValueError, match="y_true: row 5000 is 2; it must be True, False, 0 or 1"):
            ags.brier_score().score(array, forecasts)


def test_a_missing_outcome_is_refused_with_its_row_where_all_must_be_known():
    p, times = [0.75, 0.5, 0.25], [1.0, 2.0, 3.0]
    for name, column in columns([True, None, False]):
        for call in (
            lambda: ags.brier_loss(column, p),
            lambda: ags.traces(column, [p] * 3),
            lambda: ags.bootstrap_auroc(column, p, n_resamples=5),
            lambda: ags.kaplan_meier(times, column),
            lambda: ags.ipcw_weights(times, column),
        ):
            with pytest.raises(ValueError, match="row 1 is missing"):
                call()
                pytest.fail(name)


@pytest.mark.parametrize("value", ["no", "false", "1", "", 2, -1, 0.5, math.inf, 1j, b"1", [], {}, np.datetime64("NaT")])
def test_anything_else_is_no_outcome_and_is_refused_with_its_row(value):
    for column in ([True, value], (1, value), np.array([1, value, None], dtype=object)[:2]):
        for call in (
            lambda: ags.StoppedRuns(column, [[0.5]] * 2),
            lambda: ags.kaplan_meier([1.0, 2.0], column),
            lambda: ags.ipcw_weights([1.0, 2.0], column),
            lambda: ags.traces(column, [[0.5]] * 2),
            lambda: ags.auroc(column, [0.5, 0.25]),
        ):
            with pytest.raises(ValueError, match="row 1 is"):
                call()


def test_columns_of_other_types_are_refused():
    pandas = pytest.importorskip("pandas")
    for column in (
        np.array(["1", "0"]), pandas.Series(["1", "0"]), pandas.Series(["no", None]), np.array([1 + 0j, 0]),
        np.array(["2020-01-01", "NaT"], dtype="datetime64[ns]"), np.array([1, 0], dtype="timedelta64[s]"),
        np.array([1, 0], dtype="timedelta64[ns]"), list(np.array([1, 0], dtype="timedelta64[ns]")), np.ones((2, 1)), {0: True, 1: False}, "10", None, {True, False},
    ):
        for call in (
            lambda: ags.StoppedRuns(column, [[0.5]] * 2),
            lambda: ags.kaplan_meier([1.0, 2.0], column),
            lambda: ags.brier_loss(column, [0.5, 0.25]),
        ):
            with pytest.raises(ValueError, match="y_true|censored"):
                call()


def test_a_single_outcome_may_be_zero_or_one():
    for success in (True, 1, 1.0, np.bool_(True), np.int8(1)):
        assert TPS.score(success, [0.5, 1.0]) == -0.125
        online = TPS.online()
        online.push(0.5)
        assert online.finish(success) == -0.25
        rollouts = ags.Rollouts("tokens")
        rollouts.append([5, 5], succeeded=success, censored=0)
        assert ags.score_rollouts(rollouts, lambda *_: None).rows()[0].feasible is True
        assert ags.Pool([("a", 1, 10, success)]).oracle(10).value == 1.0
    for value in (None, math.nan, 2, "yes"):
        with pytest.raises(ValueError, match="y_true is"):
            TPS.score(value, [0.5])
        with pytest.raises(ValueError, match="succeeded is"):
            ags.Rollouts("tokens").append([5], succeeded=value)
        with pytest.raises(ValueError, match="censored is"):
            ags.Rollouts("tokens").append([5], succeeded=True, censored=value)
        with pytest.raises(ValueError, match="solved"):
            ags.Pool([("a", 1, 10, value)])


def test_iterators_of_flags_are_read_once():
    assert ags.kaplan_meier([1.0, 2.0], (time > 1 for time in (1, 2))).survival.tolist() == [0.5]


def test_reasons_and_horizons_may_be_missing_as_in_a_table():
    pandas = pytest.importorskip("pandas")
    expected = ags.StoppedRuns([None, True], [[0.5]] * 2, ["max_steps", None], [4, None])
    for missing in (math.nan, pandas.NA, None):
        runs = ags.StoppedRuns([None, True], [[0.5]] * 2, ["max_steps", missing], [4.0, missing])
        assert runs.mean_score(TPS) == expected.mean_score(TPS) and runs.audit() == expected.audit()
    frame = pandas.DataFrame({"reason": ["max_steps", None], "horizon": [4, None]})
    assert ags.StoppedRuns([None, True], [[0.5]] * 2, frame.reason, frame.horizon).audit() == expected.audit()
    for horizon in (2.5, -1, "4"):
        with pytest.raises(ValueError, match="horizons: row 1 is"):
            ags.StoppedRuns([None, True], [[0.5]] * 2, None, [4, horizon])
    with pytest.raises(ValueError, match="reasons: row 0 is 3"):
        ags.StoppedRuns([None], [[0.5]], [3])


def test_masked_numbers_outcomes_weights_and_groups_are_refused_with_their_row():
    p = np.ma.array([0.25, 0.75, 0.5], mask=[False, False, True])
    y = np.ma.array([0, 1, 1], mask=[False, False, True])
    good, flags = [0.25, 0.75, 0.5], [0, 1, 1]
    for call in (
        lambda: ags.brier_loss(flags, p), lambda: ags.brier_loss(y, good), lambda: ags.brier_loss(y.astype(bool), good),
        lambda: ags.brier_loss(flags, good, sample_weight=p), lambda: ags.auroc(flags, p), lambda: ags.log_score().score(flags, p),
        lambda: ags.traces(y, [good] * 3), lambda: ags.traces(flags, [good, good, p]), lambda: ags.traces(flags, p, offsets=[0, 1, 2, 3]),
        lambda: ags.interval_loss(p, good, good, coverage=0.5), lambda: ags.crps_ensemble([0.5], np.ma.array([good], mask=[[0, 0, 1]])),
        lambda: ags.bootstrap_mean(good, groups=y), lambda: ags.bootstrap_mean(p), lambda: ags.mean(good, y),
        lambda: ags.kaplan_meier(p, flags), lambda: ags.kaplan_meier(good, y), lambda: ags.StoppedRuns(y, [good] * 3),
        lambda: ags.StoppedRuns(flags, [good, good, p]), lambda: ags.murphy_curve(flags, good, p),
        lambda: ags.PlattCalibrator().fit(p, flags), lambda: ags.PlattCalibrator().fit(good, y),
        lambda: ags.IsotonicCalibrator().fit(good, flags, p), lambda: ags.Rollouts("tokens").append(p, succeeded=True),
        lambda: ags.BudgetEstimator(0.8).estimate(p), lambda: ags.brier_loss(list(y), good),
    ):
        with pytest.raises(ValueError, match="row [02] is masked"):
            call()
    whole = np.ma.array(good, mask=[False] * 3)
    assert ags.brier_loss(np.ma.array(flags), whole) == ags.brier_loss(flags, good)


def test_texts_and_complex_numbers_are_no_numbers():
    pandas = pytest.importorskip("pandas")
    for values in (["1", "0"], np.array(["1", "0"]), np.array(["1", 0.0], dtype=object), pandas.Series(["1", "0"]), ["0.5", 0.5],
                   [1 + 0j, 0], np.array([1 + 0j, 0]), np.array([1 + 0j, 0], dtype=object), np.array([1, 0], dtype="timedelta64[s]")):
        for call in (
            lambda: ags.brier_loss([1, 0], values), lambda: ags.auroc([1, 0], values), lambda: ags.bootstrap_mean(values),
            lambda: ags.brier_loss([1, 0], [0.5, 0.5], sample_weight=values), lambda: ags.traces([1], [values]),
            lambda: ags.crps_ensemble([0.5], [values]), lambda: ags.StoppedRuns([1], [values]),
            lambda: ags.Rollouts("tokens").append(values, succeeded=True), lambda: ags.kaplan_meier(values, [False, False]),
        ):
            with pytest.raises(ValueError, match="number|row 0"):
                call()
    with pytest.raises(ValueError, match="y_prob: row 1 is '0.5'"):
        ags.brier_loss([1, 0], [0.5, "0.5"])


def test_a_run_is_a_list_of_its_own():
    for call in (
        lambda: ags.traces([1, 0], [0.9, 0.1]), lambda: ags.StoppedRuns([1, 0], [0.9, 0.1]), lambda: ags.traces([1], [[[0.9]]]),
        lambda: ags.Rollouts("tokens").append(5.0, succeeded=True), lambda: ags.BudgetEstimator(0.8).estimate(5.0),
        lambda: ags.BudgetEstimator(0.8).estimate([[5.0]]), lambda: ags.mean([0.5], 1.0),
    ):
        with pytest.raises(ValueError, match="dimension|shape"):
            call()


def test_a_missing_number_is_refused_with_its_row():
    for name, column in columns([True, None, False]):
        with pytest.raises(ValueError, match="1"):
            ags.brier_loss([1, 0, 1], column)
            pytest.fail(name)


def test_offsets_are_whole_numbers():
    assert len(ags.traces([1, 0], [0.5] * 3, offsets=np.array([0.0, 2.0, 3.0]))) == 2
    for offsets in ([0, 1.5, 3], ["0", "2", "3"], [0, math.nan, 3], np.ma.array([0, 2, 3], mask=[0, 1, 0]), [0, None, 3], [0, 2**70]):
        with pytest.raises(ValueError, match="offsets"):
            ags.traces([1, 0], [0.5] * 3, offsets=offsets)


VALUES = [1.0, 2.0, 3.0, 5.0]


def test_groups_are_told_apart_by_equality_and_may_be_any_hashable():
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    expected = ags.mean(VALUES, [0, 1, 1, 0])
    resampled = ags.bootstrap_mean(VALUES, groups=[0, 1, 1, 0], n_resamples=50)
    names = ["b", "a", "a", "b"]
    for groups in (
        names, tuple(names), np.array(names), np.array(names, dtype=object), pandas.Series(names), pandas.Categorical(names),
        polars.Series(names), arrow.array(names), arrow.array(names).dictionary_encode(), [1, "1", "1", 1], [("x", 1), ("x", 2), ("x", 2), ("x", 1)],
        pandas.MultiIndex.from_tuples([("x", 1), ("x", 2), ("x", 2), ("x", 1)]), [2.5, 1.5, 1.5, 2.5], np.array([7, 3, 3, 7], dtype=np.uint8),
        [True, False, False, True], [2**80, 1, 1, 2**80], np.array(["2020", "2021", "2021", "2020"], dtype="datetime64[D]"), iter(names),
    ):
        kept = list(groups) if not isinstance(groups, list) else groups
        assert ags.mean(VALUES, kept if groups is not None and hasattr(groups, "__next__") else groups) == expected
        assert ags.bootstrap_mean(VALUES, groups=kept, n_resamples=50) == resampled
    runs = ags.StoppedRuns([1, 0, None, None], FORECASTS, REASONS)
    # Draws follow the order of the names.
    assert runs.report(names, assumption="none", n_resamples=20) == runs.report([1, 0, 0, 1], assumption="none", n_resamples=20)


def test_missing_groups_are_refused_with_their_row():
    for name, column in columns([True, False, None, True]):
        runs = ags.StoppedRuns([1, 0, None, None], FORECASTS, REASONS)
        for call in (
            lambda: ags.mean(VALUES, column),
            lambda: ags.bootstrap_mean(VALUES, groups=column, n_resamples=5),
            lambda: ags.bootstrap_auroc([1, 0, 1, 0], VALUES, groups=column, n_resamples=5),
            lambda: runs.report(column, assumption="none", n_resamples=5),
            lambda: runs.success_probability(column, n_folds=2),
        ):
            with pytest.raises(ValueError, match="groups: row 2 is missing"):
                call()
                pytest.fail(name)
    pandas = pytest.importorskip("pandas")
    for column in (
        ["a", "b", None, "a"], pandas.Series(["a", "b", None, "a"]), pandas.Categorical(["a", "b", None, "a"]),
        np.array(["2020", "2021", "NaT", "2020"], dtype="datetime64[ns]"), pandas.to_datetime(["2020-01-01", "2020-01-01", None, "2021-01-01"]),
        [("a", 1), ("b", 1), ("a", math.nan), ("b", 1)],
    ):
        with pytest.raises(ValueError, match="groups: row 2 is missing"):
            ags.mean(VALUES, column)


def test_groups_that_cannot_be_told_apart_are_refused():
    with pytest.raises(ValueError, match=r"groups: row 0 is \[1\].* hashable"):
        ags.mean(VALUES, [[1], [1], [2], [2]])
    for groups in (np.zeros((4, 2)), "abcd", {"a": 1}):
        with pytest.raises(ValueError, match="groups"):
            ags.mean(VALUES, groups)
    with pytest.raises(ValueError, match="4.*3|3.*4"):
        ags.mean(VALUES, [1, 2, 3])


@pytest.mark.parametrize("make", [
    "d = {}; d['x'] = d", "d = []; d.append(d); d = {'x': d}", "d = 1\nfor _ in range(20_000): d = {'x': d}",
    "d = 1\nfor _ in range(20_000): d = [d]\nd = {'x': d}", "d = 1\nfor _ in range(200): d = [d]\nd = {'x': d}",
])
@pytest.mark.parametrize("use", [
    "ags.match_calls([{'name': 's', 'arguments': d}], [])", "ags.match_calls([], [{'role': 'assistant', 'content': [{'type': 'tool_use', 'name': 's', 'input': d}]}])",
    "ags.StatedConfidence(2).run({'id': 'q', 'text': 't', 'answer': True, 'more': d}, lambda request: None)",
    "ags.CostBench().run(ags.costbench_queries()[0], lambda request: d)",
])
def test_values_without_end_are_refused(make, use):
    program = f"import agent_scorecard as ags\n{make}\ntry:\n    {use}\nexcept ValueError as error:\n    print('refused:', error)\nimport os; os._exit(0)"
    found = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
    assert (found.returncode, found.stdout[:8]) == (0, "refused:"), (found.returncode, found.stderr[-300:])


def test_values_nested_up_to_the_limit_are_read():
    deep = 1
    for _ in range(126):
        deep = [deep]
    call = {"name": "s", "arguments": {"x": deep}}
    assert ags.match_calls([call], [call]).exact
    with pytest.raises(ValueError, match="128"):
        ags.match_calls([{"name": "s", "arguments": {"x": [deep]}}, {"name": "s", "arguments": {"x": [[deep]]}}], [])

"""Rows, tables and messages of `reports`: what they hold is taken as their caller sees it."""

import ast
import datetime
import decimal
import pathlib
import re
import time
import uuid

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import agent_scorecard as ags
from agent_scorecard import reports

RUNS = [{"id": f"r{at}", "task": f"t{at // 2}", "outcome": at % 3 > 0, "forecasts": [0.5, 0.1 + at % 7 / 10]} for at in range(40)]
STEPS = [{"id": f"r{at}", "task": f"t{at}", "step": step, "confidence": ((0.8, 0.1), (0.2, 0.9))[at % 2][step - 1],
          "outcome": bool(at % 2)} for at in range(6) for step in (1, 2)]
PATHS = [{"id": f"r{at}", "task": f"t{at % 5}", "success": at % 3 > 0, "expected_calls": [{"name": "look"}],
          "agent_calls": [{"name": "look", "ok": True}]} for at in range(12)]
ROLLOUTS = [{"id": f"r{at}", "task": f"t{at % 10}", "success": at % 4 > 0,
             "turns": [{"output_tokens": 10 + at * turn % 17} for turn in range(2 + at % 4)]} for at in range(40)]
PROBLEMS = [{"problem": at, "solved": at % 3 > 0, "output_tokens": 100 + 37 * at % 90} for at in range(60)]


def test_reports_use_no_command_line_no_temporary_file_and_no_locals():
    python = pathlib.Path(reports.__file__).read_text()
    called = {ast.unparse(node.func) for node in ast.walk(ast.parse(python)) if isinstance(node, ast.Call)}
    assert not called & {"locals", "vars", "globals"} and "tempfile" not in python and "argv" not in python
    sources = pathlib.Path(__file__).parent.parent / "src"
    for source in sources.glob("*.rs"):
        text = source.read_text()
        assert "temp_dir" not in text and "env::args" not in text
        # The command is run by its console script alone.
        assert ("agent_scorecard_cli::run" in text) == (source.name == "lib.rs"), source


@pytest.mark.parametrize("fields", [{"forecasts": [0.5]}, {"confidence": 0.5}])
@pytest.mark.parametrize("question", ["compare", "traces", "calibration", "cut_off"])
def test_a_model_column_splits_every_form_of_rows(question, fields):
    outcome = "outcome" if "forecasts" in fields else "success"
    rows = [{"id": f"{model}{at}", "task": f"t{at}", "model": model, outcome: at % 10 < least, **fields}
            for model, least in (("good", 9), ("bad", 2)) for at in range(40)]
    for runs in (rows, pandas.DataFrame(rows), polars.DataFrame(rows)):
        report = getattr(reports, question)(runs)
        assert [column.model for column in report.files] == ["bad", "good"]
    if question == "compare":
        assert report.conclusion[0].startswith("bad succeeded in 20 % of 40 runs")


@pytest.mark.parametrize("question, rows", [("paths", PATHS), ("caps", ROLLOUTS)])
def test_a_model_column_splits_calls_and_budgets(question, rows):
    options = {"at": [20]} if question == "caps" else {}
    rows = [{**row, "model": "ab"[at % 2]} for at, row in enumerate(rows)]
    assert [column.model for column in getattr(reports, question)(rows, **options).files] == ["a", "b"]


def test_an_index_with_names_counts_as_columns():
    table = pandas.DataFrame(STEPS)
    expected = reports.traces(table, n_resamples=0)
    assert (expected.n, expected.auroc.value) == (6, 0.0)
    for other in (table.set_index("id"), table.set_index(["id", "step"]), table.set_index("id", drop=False),
                  table.set_index("task", append=True).droplevel(0), table.iloc[::-1].set_index(["step", "id"])):
        assert reports.traces(other, n_resamples=0) == expected
    # Counting says nothing, wherever it starts.
    assert reports.traces(table[2:], n_resamples=0).n == 5
    with pytest.raises(ValueError, match=r"runs: the index of the table has no name.*rename_axis\('id'\)"):
        reports.traces(table.set_index("id").rename_axis(None))


def test_outcomes_and_names_may_be_numbers_of_any_type():
    table = pandas.DataFrame(RUNS)
    expected = reports.traces(table, n_resamples=0).auroc
    kinds = [int, float, np.int8, "Int64", "boolean", "bool", "float32", "category", "object", "int64[pyarrow]", "bool[pyarrow]"]
    for kind in kinds:
        assert reports.traces(table.assign(outcome=table.outcome.astype(kind)), n_resamples=0).auroc == expected, kind
    numbered = table.assign(id=range(40), task=[at // 2 for at in range(40)])
    assert reports.traces(numbered, n_resamples=0).auroc == expected
    assert reports.traces(polars.DataFrame(RUNS).with_columns(polars.col("outcome").cast(int)), n_resamples=0).auroc == expected
    assert reports.traces(pyarrow.Table.from_pylist(RUNS), n_resamples=0).auroc == expected
    rows = [{**run, "id": at, "outcome": np.bool_(run["outcome"]), "forecasts": np.array(run["forecasts"])} for at, run in enumerate(RUNS)]
    assert reports.traces(rows, n_resamples=0).auroc == expected
    assert reports.paths([{**row, "id": at, "task": at, "success": int(row["success"])} for at, row in enumerate(PATHS)]).n == 12
    assert reports.budget([{**row, "id": at, "success": int(row["success"])} for at, row in enumerate(ROLLOUTS)], n_resamples=0).n_runs == 40
    assert reports.triage([{**row, "solved": int(row["solved"])} for row in PROBLEMS]).problems == 60


def test_columns_that_are_not_read_may_hold_anything():
    class Own:
        pass

    expected = reports.traces(RUNS, n_resamples=0).auroc
    for value in (pandas.Timestamp("2026-01-01"), datetime.date(2026, 1, 1), pandas.NaT, decimal.Decimal("0.1"), uuid.UUID(int=1),
                  np.datetime64("2026-01-01"), np.timedelta64(1, "s"), b"bytes", {1, 2}, Own(), 1 + 2j, float("inf"), object, 2**80,
                  pathlib.Path("x"), pandas.Interval(0, 1)):
        found = reports.traces(pandas.DataFrame([{**run, "extra": value} for run in RUNS]), n_resamples=0)
        assert found.auroc == expected, value


def test_what_stands_in_a_column_that_is_read_is_taken_or_named():
    named = [{**run, "id": uuid.UUID(int=at), "task": datetime.date(2026, 1, 1 + at // 2)} for at, run in enumerate(RUNS)]
    assert reports.traces(named, n_resamples=0).auroc == reports.traces(RUNS, n_resamples=0).auroc
    exact = [{**run, "forecasts": [decimal.Decimal(str(it)) for it in run["forecasts"]]} for run in RUNS]
    assert reports.traces(exact, n_resamples=0).auroc == reports.traces(RUNS, n_resamples=0).auroc
    for column, value in (("outcome", pandas.Timestamp("2026-01-01")), ("outcome", uuid.UUID(int=1)), ("id", {1, 2}), ("id", b"a"),
                          ("forecasts", [0.5, object()]), ("outcome", 2), ("outcome", "yes"), ("id", "\ud800"), ("task", 1.5)):
        rows = [dict(run) for run in RUNS]
        rows[7][column] = value
        with pytest.raises(ValueError, match=rf"^runs: row 7, column {column}"):
            reports.traces(rows)
        # pandas refuses the text itself.
        if value == "\ud800":
            continue
        with pytest.raises(ValueError, match=rf"^runs: row 7 \(index 'r7'\), column {column}"):
            reports.traces(pandas.DataFrame(rows, index=pandas.Index([run["id"] for run in RUNS], name="name")))


def test_messages_name_the_argument_the_row_and_the_column():
    wrong = [RUNS[0], {**RUNS[1], "forecasts": [0.5, 1.5]}]
    with pytest.raises(ValueError, match=r"^runs: row 1, column forecasts\[1\]: .*1\.5.*; percent reads all of them"):
        reports.traces(wrong)
    with pytest.raises(ValueError, match=r"^runs\['a/b'\]: row 1, column forecasts\[1\]"):
        reports.traces({"a/b": wrong})
    with pytest.raises(ValueError, match="^runs: row 1.*id"):
        reports.paths([PATHS[0], {**PATHS[1], "id": None}])
    with pytest.raises(ValueError, match="^runs has no rows"):
        reports.traces(pandas.DataFrame(RUNS).iloc[:0])
    with pytest.raises(ValueError, match=r"^runs\['none'\] has no rows"):
        reports.compare({"some": RUNS, "none": []})
    with pytest.raises(ValueError, match="^n_resamples is -1; give a whole number"):
        reports.traces(RUNS, n_resamples=-1)
    with pytest.raises(ValueError, match="^random_state is -1"):
        reports.traces(RUNS, random_state=-1)
    with pytest.raises(ValueError, match="^schedule is steep"):
        reports.traces(RUNS, schedule="steep")
    with pytest.raises(ValueError, match="^cluster_by is model; give one of task, task-only, run"):
        reports.traces(RUNS, cluster_by="model")
    with pytest.raises(ValueError, match="^runs is a LazyFrame"):
        reports.traces(polars.LazyFrame(RUNS))
    with pytest.raises(ValueError, match="^runs: two columns are called 'id'"):
        reports.traces(pandas.DataFrame([[1, 2]], columns=["id", "id"]))
    with pytest.raises(ValueError, match="^capped: row 0"):
        reports.triage(PROBLEMS, capped=[{"problem": "p0"}])
    with pytest.raises(ValueError, match="results and checkout"):
        reports.costbench(results=__file__)
    loop = []
    loop.append(loop)
    with pytest.raises(ValueError, match="^runs: row 0, column forecasts: is nested too deeply"):
        reports.traces([{**RUNS[0], "forecasts": loop}])
    # No message speaks of options of a command or of files that nobody has.
    few = reports.traces({"x": RUNS, "y": [{**run, "id": f"{run['id']}!"} for run in RUNS]}, n_resamples=0, missing="skip")
    for text in (str(few), few._repr_html_()):
        assert "rows:" not in text and "jsonl" not in text and not re.search(r"\s--[a-z]", text)
    assert "rows:x" not in few.to_html() and "rows:x" not in str(few.to_dict())


@pytest.mark.parametrize("names", [["a/b", "c/b"], ["gpt-4.1", "gpt-4"], ["", "x" * 400], ["x.jsonl", "x"], ["é\n", "<b>"]])
def test_keys_of_a_mapping_are_names_of_columns_and_not_of_files(names):
    report = reports.traces({name: RUNS for name in names}, n_resamples=0)
    assert [column.name for column in report.files] == names


def test_a_notebook_shows_conclusion_tables_and_notes():
    every = [reports.compare(), reports.traces(n_resamples=20), reports.cut_off(n_resamples=20), reports.paths(), reports.logs(),
             reports.budget(estimator="quantile", n_resamples=20), reports.triage(alpha=[0.5]),
             reports.calibration(n_resamples=20), reports.costbench(refinement_level=0)]
    for report in every:
        import html

        shown = html.unescape(report._repr_html_())
        assert "<table>" in shown
        places = [shown.index(sentence[:80]) for sentence in report.get("conclusion", [])]
        assert places == sorted(places) and all(place < shown.index("<table>") for place in places)
        notes = [line[6:40] for line in str(report).splitlines() if line.startswith("note: ")]
        assert all(shown.index(note) > shown.rindex("</table>") for note in notes), notes


def test_every_report_has_a_frame_of_its_figures_or_names_its_rows():
    triage = reports.triage(alpha=[0.25, 0.5])
    for report, figure in ((reports.calibration(n_resamples=20), "metrics.tps_log"), (triage, "alphas.1.eta_advisory"),
                           (reports.compare(), "success_rate")):
        frame = report.to_frame()
        assert frame.figure.str.startswith(figure).any() and {"column", "value", "ci_low", "ci_high", "path"} <= set(frame.columns)
        for row in frame.itertuples():
            try:
                assert row.value != row.value or not report.fails(f"{row.path} < {row.value}"), row.path
            except ValueError as error:
                # What lies at the end of its range cannot go beyond it.
                assert "can never hold" in str(error) or "always holds" in str(error), error
    with pytest.raises(ValueError, match=r"this report has no figures; its rows are in report\.models and .*report\.runs"):
        reports.logs().to_frame()


def test_an_exception_of_a_statistic_ends_the_bootstrap_at_once():
    calls = []

    def statistic(y):
        calls.append(len(y))
        if len(calls) == 3:
            raise RuntimeError("mine")
        return 0.0

    start = time.monotonic()
    with pytest.raises(RuntimeError, match="mine"):
        ags.bootstrap(statistic, np.zeros(100_000), n_resamples=100_000)
    assert len(calls) == 3 and time.monotonic() - start < 2
    with pytest.raises(ValueError, match="n_resamples is"):
        ags.bootstrap(lambda y: 0.0, np.zeros(10), n_resamples=10**8)


def test_messages_of_functions_name_their_arguments():
    with pytest.raises(ValueError, match="^y_true: expected 2, found 3"):
        ags.auroc([0, 1, 1], [0.1, 0.2])
    with pytest.raises(ValueError, match=r"y_score has two dimensions; give one column, such as \[:, 1\] of predict_proba"):
        ags.auroc([0, 1], np.array([[0.9, 0.1], [0.2, 0.8]]))
    with pytest.raises(ValueError, match="^the model returned the text 'hello'; return the response"):
        ags.CostBench().run(ags.costbench_queries()[0], lambda request: "hello")
    assert ags.CostBench(events="ban_tool") is not None

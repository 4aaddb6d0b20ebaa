"""The evaluations as functions, compared with the command."""

import inspect
import json
import pickle
import re
import subprocess
import sys

import pandas
import polars
import pytest

import agent_scorecard as ags
from agent_scorecard import reports

PROGRAM = [sys.executable, "-c", "import sys; from agent_scorecard.command import main; sys.exit(main())"]
# Options that choose a form of the output, or a file that is written, and the short form of another.
FORMS = {"json", "markdown", "fail_if", "html", "plot", "help", "name", "write_pools", "csv", "formats", "suggest"}
# As in the rest of the package.
OTHER_NAMES = {"n_resamples": "resamples", "random_state": "seed"}
# Functions that are a part of another subcommand, or no part of the command.
PARTS = {"calibration": ["traces", "--change"]}
PYTHON_ALONE = {"triage_variants", "re_solved"}


def command(*arguments):
    return subprocess.run([*PROGRAM, *map(str, arguments)], capture_output=True, text=True)


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


RUNS = [{"id": f"run {run}", "task": f"task {run // 3}", "forecasts": [0.5, (run * 7 % 20) / 20], "outcome": run % 20 > 8,
         "stop": "completed"} for run in range(60)]
RUNS += [{"id": f"cut {run}", "task": f"task {run}", "forecasts": [0.5, 0.4], "outcome": None, "stop": "max_steps",
          "success_chance": 0.3} for run in range(10)]
PATHS = [{"id": str(run), "task": f"t{run % 4}", "success": run % 3 > 0, "expected_calls": [{"name": "look", "args": {"at": 1}}],
          "agent_calls": [{"name": "look", "args": {"at": run % 2}, "ok": True}]} for run in range(12)]
PROBLEMS = [{"problem": f"p{at}", "solved": at % 3 > 0, "output_tokens": 100 + 37 * at % 90} for at in range(60)]
ROLLOUTS = [{"id": f"r{at}", "task": f"t{at % 20}", "success": at % 4 > 0,
             "turns": [{"output_tokens": 10 + at * turn % 17} for turn in range(2 + at % 4)]} for at in range(60)]
SCORES = [{"model": model, "variant": variant, "alpha": 0.5, "eta_advisory": at * 0.1, "eta_enforced": at * 0.05}
          for at, (model, variant) in enumerate((m, v) for m in "MNO" for v in "AB")]
TWICE = [{"model": "M", "allocation": 900, "output_tokens": 800 + at, "solved_before": at % 2 > 0, "solved_after": at % 3 > 0}
         for at in range(20)]
QUERIES = [{"query_id": f"q{at}", "task": task} for at, task in enumerate(["location", "dining", "shopping"] * 4)]

# Each evaluation with its input and with options of several kinds.
CASES = [
    ("traces", RUNS, {}), ("traces", RUNS, {"schedule": "uniform", "calibrate": "platt", "n_resamples": 50, "cluster_by": "task-only"}),
    ("calibration", RUNS, {"halves": "runs", "n_resamples": 100}),
    ("cut_off", RUNS, {"assume": "failure-side", "n_resamples": 50, "odds_ratio": 3.0}),
    ("paths", PATHS, {}), ("paths", PATHS, {"ignore_arguments": True}),
    ("triage", PROBLEMS, {"alpha": [0.25, 0.5], "planner": "random", "pool_size": 20}),
    ("budget", ROLLOUTS, {"estimator": "conformal", "cap": 60, "warm_up": 5, "n_resamples": 50}),
    ("costbench", None, {"refinement_level": 1, "block": "ban-tool", "paths": True}),
    ("caps", ROLLOUTS, {"at": [20, 60]}),
    ("logs", None, {}),
    ("compare", None, {}),
]


def words(name):
    return PARTS.get(name, [name.replace("_", "-")])


@pytest.mark.parametrize("name, rows", [("triage_variants", SCORES), ("re_solved", TWICE)])
def test_a_question_that_the_command_lacks_has_the_same_answer_of_rows_and_of_a_file(name, rows, tmp_path):
    file = lines(tmp_path / "runs.jsonl", rows)
    of_file, of_rows = getattr(reports, name)(file), getattr(reports, name)(rows)
    assert json.dumps(of_rows.to_dict()).replace('"file": "runs"', f'"file": {json.dumps(str(file))}') == json.dumps(of_file.to_dict())
    assert of_file.to_dict()["models" if name == "re_solved" else "tables"]


def options(settings):
    for name, value in settings.items():
        option = "--" + OTHER_NAMES.get(name, name).replace("_", "-")
        if value is True:
            yield option
        elif name == "alpha":
            yield from (f"{option}={one}" for one in value)
        else:
            yield f"{option}={','.join(map(str, value)) if isinstance(value, list) else value}"


def in_python(text):
    """A text of the command with the keywords of Python in place of its options."""
    return re.sub(r"--([a-z][a-z-]*)", lambda option: option[1].replace("-", "_"), text)


@pytest.mark.parametrize("name, rows, settings", CASES)
def test_an_evaluation_has_the_figures_of_the_command(name, rows, settings, tmp_path):
    files = [] if rows is None else [lines(tmp_path / "runs.jsonl", rows)]
    found = command(*words(name), "--json", *options(settings), *files)
    assert found.returncode == 0, found.stderr
    expected = json.loads(in_python(found.stdout))
    report = getattr(reports, name)(*files, **settings)
    assert json.loads(json.dumps(report)) == expected == report.to_dict()
    if rows is not None:
        from_memory = getattr(reports, name)(rows, **settings).to_dict()
        assert json.dumps(from_memory).replace('"file": "runs"', f'"file": {json.dumps(str(files[0]))}') == json.dumps(expected)
    table = command(*words(name), *options(settings), *files)
    # With --json, a report has more to show.
    shown = set(str(report).splitlines())
    assert all(line in shown or in_python(line) in shown for line in table.stdout.splitlines())


@pytest.mark.parametrize("name", [name for name, it in vars(reports).items() if inspect.isfunction(it)
                                  and it.__module__ == reports.__name__ and name[0] != "_" and name not in PYTHON_ALONE])
def test_every_option_of_the_command_is_a_keyword_with_its_default(name):
    text = command(words(name)[0], "--help").stdout
    known = dict(re.findall(r"^ +(?:-\w, )?--([\w-]+)(?:[ \[=]+<.*?>\]?)?  .*?(?:\[default: (.*?)\].*)?$", text, re.MULTILINE))
    known = {option.replace("-", "_"): default for option, default in known.items()}
    taken = dict(inspect.signature(getattr(reports, name)).parameters)
    taken.pop("runs", None)
    of_parts = {"change", "halves", "stream"} if name == "traces" else set()
    taken_names = {OTHER_NAMES.get(name, name) for name in taken}
    assert taken_names <= set(known) if name in PARTS else set(known) - FORMS - of_parts == taken_names
    for name, parameter in taken.items():
        default, option = parameter.default, OTHER_NAMES.get(name, name)
        if known[option] and default is not None:
            shown = ",".join(map(str, default)) if isinstance(default, tuple) else str(default)
            assert shown == known[option], option


def test_tables_and_mappings_of_names_are_columns():
    table = pandas.DataFrame(RUNS[:20])
    table["outcome"] = table.outcome.astype(object)
    both = reports.traces({"pandas": table, "polars": polars.DataFrame(RUNS[:20])}, n_resamples=20)
    one = reports.traces(RUNS[:20], n_resamples=20)
    assert [column.name for column in both.files] == ["pandas", "polars"]
    assert both.files[0].tps_log == both.files[1].tps_log == one.tps_log
    missing = pandas.DataFrame({"id": ["a", "b"], "forecasts": [[0.5], [0.5]], "outcome": [1.0, float("nan")], "stop": [None, "max_steps"]})
    missing["outcome"] = missing.outcome.map({1.0: True}).astype("boolean")
    assert (reports.traces(missing, n_resamples=0).n, reports.traces(missing, n_resamples=0).n_censored) == (1, 1)


def test_a_report_has_a_table_for_notebooks_a_frame_and_a_page():
    report = reports.traces({"a <b>": RUNS, "c": RUNS[:40]}, n_resamples=50)
    assert "<table>" in report._repr_html_() and "a &lt;b&gt;" in report._repr_html_() and "<b>" not in report._repr_html_()
    frame = report.to_frame()
    row = frame[(frame.column == "c") & (frame.figure == "auroc")].iloc[0]
    column = report.files[1]
    assert (row.value, row.ci_low, row.ci_high) == (column.auroc.value, column.auroc.ci_low, column.auroc.ci_high)
    assert row.better == "higher" and pandas.isna(row.undefined) and row.help.endswith(".")
    assert report.to_html().startswith("<!DOCTYPE html>") and "<svg" in report.to_html()
    again = pickle.loads(pickle.dumps(report))
    assert (again, str(again)) == (report, str(report)) and "<svg" in again.to_html()
    assert repr(again.to_figures()) == repr(report.to_figures())


def test_conditions_and_errors_are_those_of_the_command(tmp_path):
    report = reports.traces(RUNS, n_resamples=0)
    assert report.fails("tps_log < 0") and not report.fails("tps_log > -0.001")
    with pytest.raises(ValueError, match="does not exist"):
        report.fails("tps_lug < 0")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        reports.traces(tmp_path / "nowhere.jsonl")
    with pytest.raises(ValueError, match=r"^runs: row 1, column forecasts"):
        reports.traces([RUNS[0], {**RUNS[1], "forecasts": [1.5]}])
    with pytest.raises(ValueError, match="entry 0 is 3"):
        reports.traces([3])
    with pytest.raises(ValueError, match="schedule"):
        reports.traces(RUNS, schedule="steep")
    with pytest.raises(AttributeError):
        report.n = 3
    with pytest.raises(AttributeError):
        report["n"] = 3


def test_the_command_fails_with_its_exit_codes(tmp_path):
    file = lines(tmp_path / "runs.jsonl", RUNS)
    codes = [command("traces", file, "--resamples", 0, *more).returncode for more in ((), ("--fail-if", "tps_log < 0"), ("--nope",))]
    assert codes == [0, 1, 2]

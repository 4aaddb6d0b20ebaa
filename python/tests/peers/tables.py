"""500 random tables of runs against pandas: each is read as pandas reads it, refused, or the difference is said.

    pip install pandas==3.1.1
    python tests/peers/tables.py [--program agent-scorecard] [CASES] [SEED]

A table has a row per run or per step, in any delimiter, line end, quoting, order and encoding that spreadsheets and data
frames write. pandas reads it as somebody does who knows what its columns mean. The command reads the same file without
that knowledge, with `compare` and `traces`. A row is printed per verdict: equal (runs, tasks, success rate, mean
confidence, Brier score and the score over all steps, to 1e-9), refused (exit code 2, with the reason), or said: a number
differs, and a note names the column, the repeated rows or the ids that explain it. The exit code is 1 if a number differs
without such a note.
"""

import argparse
import collections
import csv
import io
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

import pandas as pd

NAMES = {
    "id": ["id", "ID", "run_id", "trace_id", " id ", "run"],
    "task": ["task", "task_id", "instance_id", "Problem_ID", "subject"],
    "model": ["model", "model_name", "Model", "llm"],
    "trial": ["trial", "epoch", "attempt", "sample"],
    "step": ["step", "turn", "step_index", "order"],
    "confidence": ["confidence", "forecast", "probability", " Confidence", "conf"],
    "outcome": ["outcome", "correct", "is_correct", "SUCCESS", "passed", "solved"],
}
MISSING = ["", "NA", "nan", "NaN", "None", "null", "N/A", "<NA>", " "]
EXTRAS = ["notes", "notes, free", "a\nb", 'the "note"', "score;points", "seed", "", "Unnamed: 0"]
CELLS = ["fine", "x, y", "two\nlines", 'a "b"', "1;2", "caf\u00e9", "=1+1"]


def runs(draw):
    """Rows of steps, each with all that is true of it."""
    n_tasks = draw.randint(2, 9)
    models = draw.choice([[None], [None], ["m1", "m2"]])
    trials = draw.choice([1, 1, 2])
    steps = draw.choice([1, 1, 1, 3])
    percent = draw.random() < 0.12
    task = draw.choice(["t{}", "{}", "task {}", "0{}"])
    rows = []
    for model in models:
        for number in range(draw.randint(6, 24)):
            for trial in range(1, trials + 1):
                outcome = draw.random() < 0.6
                for step in range(1, (draw.randint(1, steps)) + 1):
                    confidence = round(draw.random(), draw.choice([1, 2, 3]))
                    rows.append({
                        "id": f"r{number}",
                        "task": task.format(number % n_tasks),
                        "model": model,
                        "trial": trial,
                        "step": step,
                        "confidence": 100 * confidence if percent else confidence,
                        "outcome": outcome,
                    })
    has = {
        "id": steps > 1 or trials > 1 or draw.random() < 0.8,
        "task": draw.random() < 0.85,
        "model": models != [None],
        "trial": trials > 1,
        "step": steps > 1,
        "confidence": draw.random() < 0.97,
        "outcome": True,
    }
    return rows, has, percent


def written(draw, rows, has):
    """The bytes of a table, its delimiter and encoding, and the name of each column in it."""
    names = {key: draw.choice(NAMES[key]) if draw.random() < 0.35 else key for key in has if has[key]}
    yes, no = draw.choice([("1", "0"), ("True", "False"), ("TRUE", "FALSE"), ("true", "false"), ("1.0", "0.0"), ("yes", "no")])
    if draw.random() < 0.9 and yes == "yes":
        yes, no = "1", "0"
    missing = draw.choice(MISSING)
    real = draw.random() < 0.15  # Whole numbers as 1.0
    blanks = draw.random() < 0.15
    decimal = "," if draw.random() < 0.04 else "."
    sign = "%" if draw.random() < 0.03 else ""
    holes = {key: draw.random() < 0.1 for key in ["task", "confidence", "outcome"]}
    columns = list(names)
    extras = draw.sample(EXTRAS, draw.choice([0, 0, 1, 2]))
    draw.shuffle(columns)
    header = [names[key] for key in columns]
    for extra in extras:
        at = draw.randint(0, len(header))
        header.insert(at, extra)
        columns.insert(at, None)
    rows = list(rows)
    if "step" in names and draw.random() < 0.5:
        draw.shuffle(rows)
    table = []
    for row in rows:
        cells = []
        for key in columns:
            if key is None:
                cell = draw.choice(CELLS)
            elif key in holes and holes[key] and draw.random() < 0.2 and (key != "outcome" or "step" not in names):
                cell = missing
            elif key == "outcome":
                cell = yes if row[key] else no
            elif key == "confidence":
                cell = f"{row[key]:g}".replace(".", decimal) + sign
            else:
                cell = str(row[key])
                cell += ".0" if real and cell.isdigit() and not cell.startswith("0") and key != "model" else ""
            cells.append(f" {cell}" if blanks and not any(c in cell for c in "\n\"") else cell)
        table.append(cells)
    if draw.random() < 0.06:
        table += table
    delimiter = draw.choice([",", ",", ",", ";", "\t", "|" if draw.random() < 0.2 else ","])
    end = draw.choice(["\n", "\n", "\r\n", "\r"])
    out = io.StringIO()
    quoting = draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    # The writer quotes the line ends that it writes, and no others.
    quoting = csv.QUOTE_ALL if end == "\r" else quoting
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow(header)
    writer.writerows(table)
    text = out.getvalue() + end * draw.choice([0, 0, 0, 2])
    encoding = draw.choice(["utf-8"] * 12 + ["utf-8-sig", "utf-8-sig", "utf-16"])
    return text.encode(encoding), delimiter, decimal, encoding, names


def of_pandas(data, delimiter, decimal, encoding, names, percent):
    """What somebody finds with pandas who knows the columns."""
    frame = pd.read_csv(
        io.BytesIO(data), sep=delimiter, decimal=decimal, encoding=encoding, skipinitialspace=True,
        dtype=str,
    )
    frame = frame.rename(columns=lambda name: name.strip()).rename(columns={name.strip(): key for key, name in names.items()})
    for key in names:
        frame[key] = frame[key].str.strip().replace({word.strip(): None for word in MISSING})
    for key in ("step", "trial"):
        if key in frame:
            frame[key] = frame[key].astype(float)
    for key in ("id", "task"):
        if key in frame:
            # Whole numbers of a column in which some cells are empty have a fraction of zero.
            frame[key] = frame[key].str.replace(r"^(0|[1-9]\d*)\.0+$", r"\1", regex=True)
    if "confidence" in frame:
        number = frame["confidence"].str.rstrip("%").str.replace(",", ".").astype(float)
        is_percent = percent or frame["confidence"].str.endswith("%").any()
        frame["confidence"] = number / 100 if is_percent else number
    words = {"1": 1, "1.0": 1, "true": 1, "yes": 1, "0": 0, "0.0": 0, "false": 0, "no": 0}
    frame["outcome"] = frame["outcome"].str.lower().map(words)
    keys = [key for key in ("model", "id", "trial") if key in frame]
    found = {}
    frame["row"] = range(len(frame))
    if "step" in frame:
        frame = frame.sort_values("step", kind="stable")
    if "id" not in frame:
        keys = ["row"] + [key for key in keys if key == "model"]
    for key, run in frame.groupby(keys, dropna=False, sort=False):
        column = run["model"].iloc[0] if "model" in run else None
        task = run["task"].dropna() if "task" in run else run["row"][:0]
        task = task.iloc[0] if len(task) else ("run", run["id"].iloc[0] if "id" in run else key)
        outcome = run["outcome"].dropna()
        steps = run["confidence"].tolist() if "confidence" in run else []
        one = (str(task), outcome.iloc[0] if len(outcome) else None, steps)
        found.setdefault(column, []).append(one)
    return {column: figures(runs) for column, runs in found.items()}


def figures(runs):
    judged = [(task, outcome, [p for p in steps if not math.isnan(p)]) for task, outcome, steps in runs if outcome is not None]
    stated = [(outcome, steps) for _, outcome, steps in judged if steps]
    def mean(values):
        values = list(values)
        return sum(values) / len(values) if values else None
    def weighted(outcome, steps):
        n = len(steps)
        return -sum(2 * (n - i) / (n * (n + 1)) * (p - outcome) ** 2 for i, p in enumerate(steps))
    return {
        "n_runs": len(judged),
        "n_tasks": len({task for task, _, _ in judged}),
        "success_rate": mean(outcome for _, outcome, _ in judged),
        "confidence": mean(steps[-1] for _, steps in stated),
        "brier_last": mean(-((steps[-1] - outcome) ** 2) for outcome, steps in stated),
        "tps_brier": mean(weighted(outcome, steps) for outcome, steps in stated),
    }


def of_command(program, path, options):
    """The figures of each column and the notes; or the error."""
    reports = []
    for words in (["compare"], ["traces", "--resamples", "0", "--missing", "skip"]):
        done = subprocess.run([program, *words, *options, "--json", path], capture_output=True, text=True, check=False)
        if done.returncode == 2:
            return None, done.stderr.strip().split("\n")[-1]
        if done.returncode != 0:
            return None, f"CRASH {done.returncode}: {done.stderr}"
        reports.append(json.loads(done.stdout))
    found, notes = {}, []
    for report, keys in zip(reports, (["n_runs", "n_tasks", "success_rate", "confidence", "brier_last"], ["tps_brier"]), strict=True):
        for column in report.get("files") or [report]:
            figures = found.setdefault(column.get("model"), {})
            for key in keys:
                value = column.get(key)
                figures[key] = value["value"] if isinstance(value, dict) else value
            notes += column.get("notes") or []
        notes += report.get("notes") or []
        notes += [f"columns not read: {name}" for name in report["account"]["columns_not_read"]]
    return found, notes


def differs(ours, theirs):
    if set(ours) != set(theirs) and not (len(ours) == len(theirs) == 1):
        return "columns"
    pairs = [(next(iter(ours.values())), next(iter(theirs.values())))] if len(ours) == 1 else [(ours[key], theirs[key]) for key in ours]
    for mine, other in pairs:
        for key, value in other.items():
            known = mine.get(key)
            if (known is None) != (value is None) or (value is not None and abs(known - value) > 1e-9):
                return f"{key}: {known}, pandas {value}"
    return None


def explained(notes, names):
    """The note that says why a number may differ."""
    for note in notes:
        if note.startswith("columns not read: "):
            if note.removeprefix("columns not read: ").lower() in [name.strip().lower() for name in names.values()]:
                return "a column is not read"
        if "repeat an earlier row" in note or "repeats an earlier row" in note:
            return "rows stand twice"
        if note.startswith("the rows of id") and "have no step or trial" in note:
            return "ids repeat"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="?", type=int, default=500)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--program", default="agent-scorecard")
    options = parser.parse_args()
    verdicts, reasons, failures = collections.Counter(), collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        for case in range(options.cases):
            draw = random.Random(options.seed * 1_000_003 + case)
            rows, has, percent = runs(draw)
            data, delimiter, decimal, encoding, names = written(draw, rows, has)
            ending = draw.choice([".csv", ".csv", ".tsv" if delimiter == "\t" else ".csv", ".txt"])
            path = pathlib.Path(folder) / f"table{case}{ending}"
            path.write_bytes(data)
            ours, notes = of_command(options.program, str(path), ["--percent"] if percent and draw.random() < 0.5 else [])
            if ours is None:
                verdicts["refused"] += 1
                reasons["refused: " + notes.split(": ", 2)[-1][:60]] += 1
                if notes.startswith("CRASH"):
                    failures.append((case, notes, names))
                continue
            theirs = of_pandas(data, delimiter, decimal, encoding, names, percent)
            problem = differs(ours, theirs)
            if problem is None:
                verdicts["equal"] += 1
                continue
            reason = explained(notes, names)
            if reason is None:
                failures.append((case, problem, names))
                if len(failures) < 10:
                    print(f"case {case}: {problem}; {names}; notes {notes}\n{data[:600]!r}")
            else:
                verdicts["said"] += 1
                reasons["said: " + reason] += 1
    print(f"pandas {pd.__version__}, {options.cases} tables, seed {options.seed}")
    for verdict, count in sorted(verdicts.items()):
        print(f"{verdict:10} {count}")
    for reason, count in reasons.most_common():
        print(f"    {count:4} {reason}")
    print(f"silent     {len(failures)}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

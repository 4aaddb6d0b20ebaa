"""Random tables give what DuckDB and agent_scorecard give, or an error that says what is wrong."""

import csv
import datetime
import json
import math
import re
from urllib.parse import quote

import agent_scorecard as ags
import duckdb
import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest
from agent_scorecard_sql import sql
from pyarrow import parquet

# {y} is the outcome as a Boolean. The first two run in DuckDB as they are.
COUNTS = "SELECT model, count(*) AS n, count(p) AS ps, count(y) AS ys, count(DISTINCT task) AS tasks FROM runs GROUP BY model"
NUMBERS = """SELECT model, sum(cost) AS cost, avg(p) AS p, min(task) AS first_task, max(task) AS last_task,
    CAST(min(day) AS text) AS day FROM runs GROUP BY model"""
SCORES = "SELECT model, exact_mean(brier_score(p, {y})) AS brier, exact_mean(log_score(p, {y}, 1e-6)) AS log FROM runs GROUP BY model"
RANKS = """SELECT model, auroc(p, {y}) AS auroc, average_precision(p, {y}) AS average_precision,
    calibration_error(p, {y}, 10) AS error FROM runs GROUP BY model"""
MEANS = """SELECT model, means.mean AS mean, means.standard_error AS standard_error, means.clusters AS clusters FROM (
    SELECT model, cluster_mean(CASE WHEN {y} THEN 1.0 ELSE 0.0 END, task) AS means FROM runs
    WHERE y IS NOT NULL AND task IS NOT NULL GROUP BY model
)"""
MEANS_IN_DUCKDB = """WITH tasks AS (
    SELECT model, task, sum(CAST(CAST(y AS boolean) AS double)) AS total, count(*) AS n FROM runs WHERE y IS NOT NULL AND task IS NOT NULL GROUP BY model, task
), centred AS (
    SELECT *, total - n * sum(total) OVER (PARTITION BY model) / sum(n) OVER (PARTITION BY model) AS residual FROM tasks
), means AS (
    SELECT model, count(*) AS clusters, sum(total) / sum(n) AS mean,
        sqrt(sum(residual * residual) * count(*) / nullif(count(*) - 1, 0)) / sum(n) AS standard_error
    FROM centred GROUP BY model
)
SELECT model, mean, if(standard_error > 1e-12, standard_error, NULL) AS standard_error, clusters FROM means"""
TEXTS = ["a", "B", "a b", "x,y", 'say "so"', "two\nlines", "ä€", "a/b=c%"]
FRAMES = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "pyarrow": pa.Table.from_pylist}
# A value that does not belong there, and what the error says of it.
DEFECTS = {
    "a probability above 1": ("p", 1.5, r"\(p\) is 1\.5"),
    "NaN": ("p", math.nan, r"\(p\) is NaN|expected value"),
    "a text among numbers": ("cost", "about 3", "cost|Utf8"),
    "a number that no float equals": ("cost", 2**53 + 1, "cost|9007199254740993|Utf8"),
    "a text among outcomes": ("y", "maybe", r"\by\b|Utf8|maybe"),
}


def random_rows(rng):
    n = int(rng.integers(1, 300))
    names = rng.choice(TEXTS, int(rng.integers(1, 4)), replace=False).tolist()
    # Fractions come late, so that types from the first rows would be wrong.
    whole = int(rng.integers(0, n + 1))
    digits = int(rng.choice([1, 2, 4, 16]))
    share_null = rng.choice([0, 0, 0.1, 0.5])
    width = int(rng.choice([1, 3]))
    has_whole_costs = rng.random() < 0.3

    def maybe(value):
        return None if rng.random() < share_null else value

    for it in range(n):
        p = float(rng.integers(0, 2)) if it < whole else float(np.round(rng.random(), digits))
        cost = float(rng.integers(0, 1000)) if it < whole or has_whole_costs else float(rng.normal())
        day = datetime.date(2025, 7, 1) + datetime.timedelta(int(rng.integers(0, 40)))
        row = {"model": str(rng.choice(names)), "task": f"{rng.integers(0, 9):0{width}}", "p": p, "y": bool(rng.random() < 0.5)}
        yield {name: maybe(value) for name, value in (row | {"cost": cost, "day": day}).items()}


def parts(rng, rows, layout, folder, ending):
    """The files of a table with their rows, which lack the column that a folder names."""
    if layout == "file":
        yield folder / f"runs.{ending}", rows
    elif layout == "hive":
        for model in sorted({row["model"] for row in rows}, key=str):
            name = "__HIVE_DEFAULT_PARTITION__" if model is None else quote(model, safe="")
            own = [{key: row[key] for key in row if key != "model"} for row in rows if row["model"] == model]
            yield folder / f"model={name}" / f"0.{ending}", own
    else:
        count = min(len(rows), int(rng.integers(1, 4)))
        for it in range(count):
            below = folder / "2025" / f"{it}" if layout == "subfolders" and it % 2 else folder
            yield below / f"{it}.{ending}", rows[it::count]


def write_csv(path, rows, _rng, _text):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: str(value).lower() if isinstance(value, bool) else value for key, value in row.items()})


def write_json(path, rows, rng, _text):
    with path.open("w") as file:
        for row in rows:
            # Now and then a number without a fraction has no point, and NULL is a missing key.
            row = {key: int(it) if isinstance(it, float) and it.is_integer() and rng.random() < 0.5 else it for key, it in row.items()}
            kept = [key for key in rng.permutation(list(row)).tolist() if row[key] is not None or rng.random() < 0.5]
            file.write(json.dumps({key: row[key] for key in kept}, default=str) + "\n")


def write_parquet(path, rows, _rng, text):
    table = pa.Table.from_pylist(rows, pa.schema([(name, types(rows)[name]) for name in rows[0]]))
    texts = [(name, text if name in ("model", "task") else table.schema.field(name).type) for name in rows[0]]
    parquet.write_table(table.cast(pa.schema(texts)), path, row_group_size=100)


PARQUET_TEXTS = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
WRITERS = {"csv": write_csv, "jsonl": write_json, "parquet": write_parquet}


def types(rows):
    """The types of the columns. A column with a text that does not belong there holds texts."""
    natural = {"model": pa.string(), "task": pa.string(), "p": pa.float64(), "y": pa.bool_(), "cost": pa.float64(), "day": pa.date32()}
    for name in ("cost", "y"):
        if any(isinstance(row[name], str) for row in rows):
            natural[name] = pa.string()
        elif any(type(row[name]) is int for row in rows):
            natural[name] = {"cost": pa.float64(), "y": pa.int8()}[name]
    return natural


def by_model(table):
    return {row.pop("model"): row for row in table.to_pylist()}


def duckdb_says(rows, query):
    known = types(rows)
    columns = {name: [row[name] for row in rows] for name in known} | {"cost": [it if it is None or isinstance(it, str) else float(it) for it in (row["cost"] for row in rows)]}
    texts = {name: [it if it is None else str(it) for it in columns[name]] for name in known if known[name] == pa.string()}
    connection = duckdb.connect()
    connection.register("runs", pa.table({name: pa.array(it, known[name]) for name, it in (columns | texts).items()}))
    return by_model(connection.sql(query).to_arrow_table())


def the_wheel_says(rows, query):
    answers = {}
    for model in {row["model"] for row in rows}:
        scored = [row for row in rows if row["model"] == model and row["p"] is not None and row["y"] is not None]
        y, p = np.array([row["y"] for row in scored]).astype(int), np.array([row["p"] for row in scored], float)
        if query == SCORES:
            answers[model] = {"brier": -ags.brier_loss(y, p), "log": ags.log_score(1e-6).mean(y, p)} if scored else {"brier": None, "log": None}
        else:
            answers[model] = {"auroc": None, "average_precision": None, "error": None}
            if scored:
                ranks = {name: getattr(ags, name)(y, p, undefined="nan") for name in ("auroc", "average_precision")}
                answers[model] = {name: None if math.isnan(it) else it for name, it in ranks.items()} | {"error": ags.calibration_error(y, p)}
    return answers


def assert_equal(found, expected):
    assert found.keys() == expected.keys()
    for model, row in found.items():
        assert row.keys() == expected[model].keys()
        for name, value in row.items():
            other = expected[model][name]
            if isinstance(value, float) and other is not None:
                assert value == pytest.approx(other, rel=1e-12, abs=1e-9 if name == "standard_error" else 1e-12, nan_ok=True), (model, name)
            elif name in ("first_task", "last_task"):
                assert str(value) == str(other), (model, name)
            else:
                assert value == other, (model, name)


def test_random_tables_are_read_and_scored_as_by_others(seed, tmp_path):
    rng = np.random.default_rng(seed)
    ending = str(rng.choice([*WRITERS, *FRAMES]))
    rows = list(random_rows(rng))
    layout = str(rng.choice(["file", "folder", "subfolders", "hive"]))
    outcome, kind = ("y = 1", int) if rng.random() < 0.3 else ("y", bool)
    rows = [row | {"y": row["y"] if row["y"] is None else kind(row["y"])} for row in rows]
    # In CSV, nan may be a missing value.
    possible = {"csv": [it for it in DEFECTS if it != "NaN"], "jsonl": list(DEFECTS), "parquet": ["a probability above 1", "NaN"]}.get(ending, ["a probability above 1"])
    column, value, told = DEFECTS[str(rng.choice(possible))] if rng.random() < 0.3 else (None, None, None)
    if column:
        at = int(rng.integers(0, len(rows)))
        rows[at] = rows[at] | {"y": kind(True)} | {column: value}
    text = PARQUET_TEXTS[rng.integers(0, 4)]
    if ending in FRAMES:
        runs = FRAMES[ending](rows)
    else:
        for path, own in parts(rng, rows, layout, tmp_path, ending):
            path.parent.mkdir(parents=True, exist_ok=True)
            WRITERS[ending](path, own, rng, text)
        runs = tmp_path
    refusals = [told] if column else []
    # A column of NULL has no type in a file of texts.
    if any(all(row[name] is None for row in rows) for name in rows[0]):
        refusals.append("Null|Utf8")
    for query in (COUNTS, NUMBERS, SCORES, RANKS, MEANS):
        try:
            found = by_model(sql(query.format(y=outcome), runs=runs))
        except ValueError as error:
            message = str(error)
            assert "\n" not in message
            assert any(re.search(it, message) for it in refusals), message
            print(f"{ending} {layout}: refused: {message[:100]}")
            continue
        others = the_wheel_says(rows, query) if query in (SCORES, RANKS) else duckdb_says(rows, MEANS_IN_DUCKDB if query == MEANS else query)
        assert_equal(found, others)
        print(f"{ending} {layout}: equal")

"""The tables that a query takes, and how it ends."""

import doctest
import os
import signal
import subprocess
import sys
import threading
import time

import agent_scorecard_sql
import duckdb
import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest
from agent_scorecard_sql import sql

RUNS = {"model": ["a", "b", "a", None], "p": [0.9, 0.4, 0.6, 0.5], "y": [True, False, False, True]}
# Takes minutes.
ENDLESS = "SELECT count(*) FROM generate_series(1, 1000000000000) AS series(x) WHERE x % 7 = 1"


@pytest.mark.parametrize(
    "runs",
    [
        pandas.DataFrame(RUNS),
        pandas.DataFrame(RUNS).astype({"model": "category"}),
        polars.DataFrame(RUNS),
        polars.DataFrame(RUNS).with_columns(polars.col("model").cast(polars.Categorical)),
        pa.table(RUNS),
        pa.table(RUNS).to_reader(max_chunksize=1),
        duckdb.from_arrow(pa.table(RUNS)),
    ],
    ids=["pandas", "pandas category", "polars", "polars categorical", "pyarrow", "pyarrow reader", "duckdb"],
)
def test_data_frames_of_each_kind_are_tables(runs):
    rows = sql("SELECT model, auroc(p, y) AS auroc, count(*) AS n FROM runs GROUP BY model ORDER BY model", runs=runs)
    expected = {"model": ["a", "b", None], "auroc": [1.0, None, None], "n": [2, 1, 1]}
    assert rows.to_pydict() == expected
    assert polars.from_arrow(rows)["n"].to_list() == rows.to_pandas()["n"].tolist() == [2, 1, 1]


def test_paths_and_frames_are_joined(tmp_path):
    (tmp_path / "runs.jsonl").write_text('{"model": "a", "p": 1}\n' * 1000 + '{"model": "b", "p": 0.5}\n')
    prices = pandas.DataFrame({"model": ["a", "b"], "price": [2, 4]})
    query = "SELECT exact_sum(p * price) AS cost FROM runs JOIN prices USING (model)"
    for path in (tmp_path, str(tmp_path / "runs.jsonl")):
        assert sql(query, runs=path, prices=prices)["cost"].to_pylist() == [2002.0]


def test_a_query_without_rows_has_columns():
    assert sql("SELECT p FROM runs WHERE p > 1", runs=pa.table(RUNS)).schema == pa.schema({"p": pa.float64()})


@pytest.mark.parametrize(
    "query, tables, told",
    [
        ("SELECT * FROM runs", {"runs": "/no/such/folder"}, "/no/such/folder: there is no such file"),
        ("SELECT log_score(p, y) FROM runs", {"runs": pa.table({"p": [1.5], "y": [True]})}, r"log_score: argument 1 \(p\) is 1\.5"),
        ("SELECT nope FROM runs", {"runs": pa.table(RUNS)}, "No field named nope"),
        ("SELEC", {}, "SELEC"),
        ("DROP TABLE runs", {"runs": pa.table(RUNS)}, "only reads"),
        ("COPY runs TO 'rows.csv'", {"runs": pa.table(RUNS)}, "only reads"),
        ("CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '/etc/passwd'", {}, "only reads"),
        ("SELECT * FROM runs", {"runs": pa.table([[1], [2]], names=["a", "a"])}, "duplicate"),
        ("SELECT * FROM runs", {"runs": pa.table(RUNS), "RUNS": pa.table(RUNS)}, "exists"),
        ("SELECT * FROM runs", {"runs": pandas.DataFrame({"mixed": [1, "x"]})}, "table runs: .*mixed"),
    ],
)
def test_errors_are_one_line(query, tables, told):
    with pytest.raises(ValueError, match=told) as error:
        sql(query, **tables)
    assert "\n" not in str(error.value)


def test_a_table_is_a_path_or_has_a_stream():
    with pytest.raises(TypeError, match="table runs is a dict; give a path"):
        sql("SELECT * FROM runs", runs=RUNS)


def test_a_query_ends_at_its_timeout():
    start = time.monotonic()
    with pytest.raises(TimeoutError, match="allow more seconds"):
        sql(ENDLESS, timeout=0.3)
    assert time.monotonic() - start < 5
    with pytest.raises(ValueError, match="timeout"):
        sql("SELECT 1", timeout=-1)


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to this process")
def test_control_c_ends_a_query():
    timer = threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT])
    start = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        sql(ENDLESS)
    assert time.monotonic() - start < 5


def test_a_query_beyond_its_memory_limit_is_refused():
    p = np.random.default_rng(1).random(500_000)
    runs = pa.table({"p": p, "y": p > 0.5})
    with pytest.raises(ValueError, match="Resources exhausted|memory limit"):
        sql("SELECT auroc(p, y) FROM runs", runs=runs, memory_limit=4_000_000)
    assert sql("SELECT auroc(p, y) AS a FROM runs", runs=runs, memory_limit=200_000_000)["a"].to_pylist() == [1.0]


def test_long_queries_do_not_end_the_interpreter(tmp_path):
    terms = " + ".join(["p"] * 600), " OR ".join(f"p = {it}" for it in range(200))
    code = f"import pyarrow as pa, agent_scorecard_sql as s; print(s.sql('SELECT {terms[0]} AS p FROM runs WHERE {terms[1]}', runs=pa.table({{'p': [2.0]}})).to_pylist())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.stdout == "[{'p': 1200.0}]\n", done.stderr


def test_the_example_of_the_documentation_holds():
    assert doctest.testmod(agent_scorecard_sql) == (0, 3)

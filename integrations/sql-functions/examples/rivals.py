"""Times the mean log score and the AUROC of each model in Polars and DuckDB, with the formula written out.

    pip install duckdb==2.0.0 polars==2.1.0
    python3 rivals.py FOLDER polars|duckdb mean|auroc

The folder holds the Parquet files that the example `hundred_million_rows` writes. Two threads; prints a line per
model, then seconds and peak memory.
"""

import os
import resource
import sys
import time

folder, engine, query = sys.argv[1:]
files = f"{folder}/*.parquet"

DUCKDB = {
    "mean": "SELECT model, avg(ln(CASE WHEN y THEN p ELSE 1 - p END)) FROM runs GROUP BY model ORDER BY model",
    "auroc": """
        WITH tied AS (
            SELECT model, p, count(*) FILTER (NOT y) AS failures, count(*) FILTER (y) AS successes
            FROM runs GROUP BY model, p
        ), ranked AS (
            SELECT model, failures, successes, sum(failures) OVER (
                PARTITION BY model ORDER BY p ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) - failures AS below FROM tied
        )
        SELECT model, sum(successes * (below + failures / 2.0)) / (sum(successes) * sum(failures))
        FROM ranked GROUP BY model ORDER BY model""",
}


def run_duckdb():
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET threads = 2")
    connection.execute(f"CREATE VIEW runs AS SELECT * FROM read_parquet('{files}')")
    return connection.execute(DUCKDB[query]).fetchall()


def run_polars():
    os.environ["POLARS_MAX_THREADS"] = "2"
    import polars as pl

    p, y = pl.col("p"), pl.col("y")
    rows = pl.scan_parquet(files)
    if query == "mean":
        value = pl.when(y).then(p).otherwise(1 - p).log().mean()
        return rows.group_by("model").agg(value).sort("model").collect(engine="streaming").rows()
    successes = y.sum().cast(pl.Float64)
    area = p.rank("average").filter(y).sum() - successes * (successes + 1) / 2
    value = area / (successes * (pl.len() - successes))
    return rows.group_by("model").agg(value).sort("model").collect(engine="streaming").rows()


start = time.perf_counter()
results = {"duckdb": run_duckdb, "polars": run_polars}[engine]()
seconds = time.perf_counter() - start
for model, value in results:
    print(model, repr(value))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(f"{engine} {query} seconds {seconds:.2f} peak_mb {peak}")

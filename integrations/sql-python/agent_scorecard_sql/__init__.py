"""SQL with the scores and metrics of agent-scorecard, on files and data frames."""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa

from agent_scorecard_sql import _native

__all__ = ["sql"]


def sql(query: str, *, memory_limit: int | None = None, timeout: float | None = None, **tables: Any) -> pa.Table:
    """Runs a query that only reads, and returns its rows.

    Parameters
    ----------
    query : str
        One `SELECT`, `EXPLAIN` or `DESCRIBE`. The functions are those of docs/sql.md.
    memory_limit : int, optional
        Bytes that the engine may take for groups, sorts and joins. Beyond, it writes to temporary files or refuses the
        query. Data frames and the result are not counted.
    timeout : float, optional
        Seconds after which the query is ended. A join of many rows without a condition may go on in the background.
    **tables
        The tables by name: the path of a file or folder, or an object with `__arrow_c_stream__`, such as a data frame of
        pandas or Polars, a pyarrow Table or a DuckDB relation. Such an object is read whole and copied. In pandas, NaN
        is missing, so the query sees NULL.

    Returns
    -------
    pyarrow.Table
        The rows. `.to_pandas()` and `polars.from_arrow` make data frames of it.

    Raises
    ------
    ValueError
        If a table, the query or a value of a row is wrong, or the memory limit is too small. The message is one line.
    TypeError
        If a table is neither a path nor an object with `__arrow_c_stream__`.
    TimeoutError
        If the query takes longer than `timeout`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> runs = pa.table({"p": [0.9, 0.4, 0.6], "y": [True, False, False]})
    >>> sql("SELECT auroc(p, y) AS auroc, exact_mean(p) AS p FROM runs", runs=runs).to_pylist()
    [{'auroc': 1.0, 'p': 0.6333333333333333}]
    """
    paths, frames = [], []
    for name, table in tables.items():
        if hasattr(table, "__arrow_c_stream__"):
            frames.append((name, _stream(name, table)))
            continue
        try:
            paths.append(f"{name}={os.fsdecode(table)}")
        except TypeError:
            found = type(table).__name__
            raise TypeError(f"table {name} is a {found}; give a path, or a data frame with __arrow_c_stream__") from None
    return pa.ipc.open_stream(_native.sql(query, paths, frames, memory_limit, timeout)).read_all()


def _stream(name: str, table: Any) -> bytes:
    try:
        reader = pa.RecordBatchReader.from_stream(table)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, reader.schema) as writer:
            for batch in reader:
                writer.write_batch(batch)
        return sink.getvalue().to_pybytes()
    except pa.ArrowException as error:
        raise ValueError(f"table {name}: {error}".replace("\n", " ")) from error

"""Readers of evaluation logs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from agent_scorecard import _native
from agent_scorecard._native import Traces
from agent_scorecard.arguments import path as existing


@dataclass(frozen=True)
class Stream:
    """One stream of confidence: flat values with offsets, one trace per kept run.

    ``rows`` are the positions of the kept runs in ``Logs.runs``; ``left_out`` counts the others by reason.
    """

    values: npt.NDArray[np.float64]
    offsets: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    left_out: dict[str, int]


@dataclass(frozen=True)
class Logs:
    """The runs of a log, one dictionary per run, and its streams of confidence by name."""

    runs: list[dict[str, Any]]
    streams: dict[str, Stream]

    def __repr__(self) -> str:
        return f"Logs({len(self.runs)} runs, streams: {', '.join(self.streams) or 'none'})"

    def table(self) -> dict[str, list[Any]]:
        """Return the runs as columns, ready for ``pandas.DataFrame`` or ``polars.DataFrame``.

        Returns
        -------
        dict of lists
        """
        return {key: [run[key] for run in self.runs] for key in self.runs[0]} if self.runs else {}

    def traces(self, stream: str) -> Traces:
        """Return the traces of the runs in this stream whose outcome is known.

        Parameters
        ----------
        stream : str

        Returns
        -------
        Traces
        """
        if stream not in self.streams:
            raise ValueError(f"no stream {stream!r}; there are {', '.join(self.streams) or 'none'}")
        found = self.streams[stream]
        outcomes, parts = [], []
        for index, row in enumerate(found.rows):
            outcome = self.runs[row]["outcome"]
            if outcome is not None:
                outcomes.append(outcome)
                parts.append(found.values[found.offsets[index] : found.offsets[index + 1]])
        ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
        values = np.concatenate(parts) if parts else np.empty(0)
        return Traces(np.asarray(outcomes, dtype=bool), values, ends.tolist())


def read_logs(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    at_limit: Literal["graded", "failed", "unknown"] = "graded",
    scorer: str | None = None,
    threshold: float | None = None,
    skip_missing_turns: bool = False,
) -> Logs:
    """Read a log, or a folder of logs, in any format that the command reads.

    Parameters
    ----------
    path : str or path
    format : str
        The name of a format; by default, the format is recognised.
    at_limit : {"graded", "failed", "unknown"}
        The outcome of a run that ended at a limit. ``"graded"``: its score decides, and without a score the outcome is
        unknown. ``"failed"``: a failure. ``"unknown"``: unknown, whatever its score is.
    scorer, threshold : optional
        The scorer whose score counts (by default the only scorer, or the first that the log names), and the lowest
        score that is a success. Without a threshold, 1 is a success, 0 is a failure, and a score in between gives no
        outcome.
    skip_missing_turns : bool
        Skip turns without confidence instead of leaving out their run.

    Returns
    -------
    Logs
        The runs and their streams. A path that does not exist raises ``FileNotFoundError``.
    """
    skip = _native.flag("skip_missing_turns", skip_missing_turns)
    runs, streams = _native.read_logs(existing(path), format, at_limit, scorer, threshold, skip)
    return Logs(runs, {name: Stream(**stream) for name, stream in streams.items()})

"""Scores every stream of confidence in a log: python score_my_logs.py PATH [--scorer NAME]."""

import argparse
from pathlib import Path

import numpy as np

import agent_scorecard as ags

BUNDLED = Path(__file__).parents[2] / "crates/run-logs/tests/golden/streams/synthetic.jsonl"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path, default=BUNDLED)
    parser.add_argument("--scorer", help="the score that decides over success, where a log has several")
    arguments = parser.parse_args()

    # Turns without confidence are skipped; by default, their runs would be left out.
    logs = ags.read_logs(arguments.path, scorer=arguments.scorer, skip_missing_turns=True)
    outcomes = logs.table()["outcome"]
    print(f"{len(logs.runs)} runs, {outcomes.count(True)} successes, {outcomes.count(None)} without outcome")

    rule = ags.TPS(ags.log_score(clip=1e-6), "linear-front")
    print(f"{'stream':30} {'runs':>5} {'TPS':>8} {'AUROC':>7}   95 % interval  {'calibration error':>17}")
    for name in logs.streams:
        traces = logs.traces(name)
        y_true, last = traces.y_true, traces.summary("last")
        area = ags.bootstrap_auroc(y_true, last, n_resamples=500)
        interval = "none" if area.interval is None else "[{:.3f}, {:.3f}]".format(*area.interval)
        error = ags.calibration_error(y_true, last, strategy="quantile", n_bins=5)
        mean = rule.mean(traces)
        assert np.isfinite(mean)
        print(
            f"{name:30} {len(traces):5} {mean:8.4f} {area.value:7.3f}   "
            f"{interval:14} {error:17.3f}"
        )


if __name__ == "__main__":
    main()

"""Compares the forecasts of two models for the same runs: python compare_two_models.py FIRST SECOND.

Each file has a JSON object per line with `id`, `task`, `forecasts` and `outcome`.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import agent_scorecard as ags

DATA = Path(__file__).parents[2] / "crates/agent-scorecard-cli/data"


def read(path: Path) -> dict[str, dict[str, Any]]:
    runs = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {run["id"]: run for run in runs if run.get("outcome") is not None}


def main() -> None:
    given = [Path(argument) for argument in sys.argv[1:3]]
    paths = given or [DATA / "demo_truthful.jsonl", DATA / "demo_overconfident.jsonl"]
    first, second = (read(path) for path in paths)
    ids = [name for name in first if name in second]
    y_true = np.array([first[name]["outcome"] for name in ids])
    tasks = [first[name]["task"] for name in ids]
    one, two = (ags.traces(y_true, [runs[name]["forecasts"] for name in ids]) for runs in (first, second))
    print(f"{len(ids)} runs of {len(set(tasks))} tasks")

    # The same runs were forecast twice: the difference is taken run by run, and whole tasks are resampled.
    rule = ags.TPS(ags.brier_score(), "linear-front")
    difference = rule.scores(one) - rule.scores(two)
    estimate = ags.bootstrap_mean(difference, groups=tasks, n_resamples=2000)
    print(f"TPS: {rule.mean(one):.4f} and {rule.mean(two):.4f}")
    if estimate.interval is None:
        print(f"difference: {estimate.value:.4f}, no interval: {estimate.no_interval}")
    else:
        low, high = estimate.interval
        print(f"difference: {estimate.value:.4f}, 95 % interval [{low:.4f}, {high:.4f}]")

    # Where does the difference come from?
    last = [runs.summary("last") for runs in (one, two)]
    for name, forecasts in zip(("first", "second"), last):
        terms = ags.corp(ags.brier_score(), y_true, forecasts)
        print(
            f"{name}: loss {terms.mean_loss:.4f} = miscalibration {terms.miscalibration:.4f} "
            f"- discrimination {terms.discrimination:.4f} + uncertainty {terms.uncertainty:.4f}"
        )
    print(f"better under every proper score: {ags.dominance(y_true, *last)}")


if __name__ == "__main__":
    main()

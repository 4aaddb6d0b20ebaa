"""Memory over 10^6 calls of functions with borrowed and copied arrays, objects, exceptions and callbacks.

    python tests/peers/memory.py [CALLS]

The exit code is 1 if the process grows by more than 4 MB after the first tenth of the calls.
"""

import resource
import sys

import numpy as np

import agent_scorecard as ags


def refused(function):
    try:
        function()
    except ValueError:
        return
    raise AssertionError("not refused")


def main():
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    generator = np.random.default_rng(1)
    p, y = generator.random(40), generator.random(40) < 0.5
    listed, rule = p.tolist(), ags.brier_score()
    tps = ags.TPS(rule, "uniform")
    rollouts = ags.Rollouts("tokens")
    rollouts.append([1.0, 2.0, 3.0], succeeded=True)
    call = {"name": "f", "arguments": {"a": [1, 2, {"b": "c"}]}}
    steps = [
        lambda: rule.score(y, p),
        lambda: ags.auroc(y, listed),
        lambda: ags.roc_curve(y, p[::2].repeat(2)),
        lambda: tps.mean(ags.traces([True, False], [p, p])),
        lambda: ags.IsotonicCalibrator().fit(p, y).predict(p),
        lambda: ags.match_calls([call], [call]),
        lambda: ags.score_rollouts(rollouts, lambda spent, left: (0.0, float(spent.sum()))).rows(),
        lambda: refused(lambda: ags.auroc(y, p * 2 - np.nan)),
        lambda: ags.crps_ensemble(p[:2], p.reshape(2, 20)),
        lambda: tps.online().push(0.5),
    ]
    first = None
    for index in range(calls):
        steps[index % len(steps)]()
        if index == calls // 10:
            first = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    growth = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - first) / 1024
    print(f"{calls} calls, {growth:.2f} MB more than after the first tenth")
    return 1 if growth > 4 else 0


if __name__ == "__main__":
    sys.exit(main())

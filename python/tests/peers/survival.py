"""Random cases of Kaplan-Meier curves and inverse-probability weights against scikit-survival, to 1e-12.

    pip install scikit-survival==0.28.0
    python tests/peers/survival.py [CASES] [SEED]
"""

import sys

import numpy as np
from sksurv.nonparametric import ipc_weights, kaplan_meier_estimator

import agent_scorecard as ags


def main():
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    generator, curves, weights, undefined, largest = np.random.default_rng(seed), 0, 0, 0, 0.0
    for case in range(cases):
        n = int(generator.integers(2, 40))
        times = generator.integers(1, 12, n).astype(float) if case % 2 else generator.random(n) + 0.01
        event = generator.random(n) < generator.choice([0.2, 0.5, 0.9])
        event[generator.integers(n)] = True
        for of, reverse in (("event", False), ("censoring", True)):
            ours = ags.kaplan_meier(times, ~event, of=of)
            theirs_times, theirs = kaplan_meier_estimator(event, times, reverse=reverse)
            # Ours has a row only where the curve falls.
            at = np.searchsorted(ours.times, theirs_times, side="right")
            mine = np.concatenate([[1.0], ours.survival])[at]
            largest = max(largest, float(np.abs(mine - theirs).max()))
            curves += 1
        if case % 2:  # with ties, scikit-survival takes the curve after the censorings at the same time
            continue
        try:
            ours = ags.ipcw_weights(times, ~event, max_weight=1e9)
        except ags.UndefinedError:
            undefined += 1
            continue
        theirs = ipc_weights(event, times)
        largest = max(largest, float(np.max(np.abs(ours - theirs) / np.maximum(1.0, theirs))))
        weights += 1
    print(f"{curves} curves, {weights} weights, {undefined} undefined, largest difference {largest:.1e}")
    return 0 if largest <= 1e-12 else 1


if __name__ == "__main__":
    sys.exit(main())

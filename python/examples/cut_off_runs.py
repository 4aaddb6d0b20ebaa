"""Five ways to count runs that a budget cut off, on simulated runs whose outcomes are known.

Usage: python cut_off_runs.py [RUNS]
"""

import sys
import warnings

import numpy as np

import agent_scorecard as ags

TPS = ags.TPS(ags.brier_score(), "uniform")


def treatments(p: np.ndarray, y: np.ndarray, chance: np.ndarray, lengths: np.ndarray, budget: np.ndarray) -> list[str]:
    cut = lengths > budget
    steps = np.minimum(lengths, budget)
    outcomes = [None if is_cut else won for is_cut, won in zip(cut, y)]
    runs = ags.StoppedRuns(outcomes, [[forecast] * n for forecast, n in zip(p, steps)], ["max_steps" if it else None for it in cut])
    scores = ags.brier_score().score(y, p)[~cut]
    # Ten continuations of each run that was cut off.
    continued = np.random.default_rng(2).binomial(10, chance) / 10
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        weights = ags.ipcw_weights(steps, cut)[~cut]
    bounds = "{:.3f} to {:.3f}".format(*runs.bounds(TPS))
    means = [scores.mean(), runs.mean_score(TPS), runs.mean_score(TPS, success_probability=continued), np.average(scores, weights=weights)]
    return [bounds, *(f"{mean:.3f}" for mean in means), f"{ags.ipcw_coverage(steps, cut):.2f}"]


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    generator = np.random.default_rng(1)
    chance = generator.beta(2, 2, n)
    y = generator.random(n) < chance
    p = 0.5 + chance / 2  # an agent that never doubts itself much
    lengths = 1 + generator.poisson(2 + 8 * (1 - chance))  # hard tasks take longer
    print(f"truth: {ags.brier_score().mean(y, p):.3f}")
    print(f"{'':35} {'budgets differ':>16} {'one budget':>16}")
    rows = ["bounds", "complete runs alone", "simple: cut-off runs failed", "exact: chance from continuations", "complete runs with IPCW weights", "coverage of the weights"]
    differ = treatments(p, y, chance, lengths, generator.integers(2, 14, n))
    one = treatments(p, y, chance, lengths, np.full(n, 6))
    for row in zip(rows, differ, one):
        print("{:35} {:>16} {:>16}".format(*row))


if __name__ == "__main__":
    main()

"""Boosted quantiles of scikit-learn on the recorded runs, for the comparison in docs/findings.md.

REAL_RUNS=... python boosted_quantiles.py; needs NumPy and scikit-learn. Eleven features of a prefix and the first
number of input tokens; trained on feasible runs. The order of a file is walked through in steps of 50 runs, each
predicted by a model of all runs before.
"""

import json
import os
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

FOLDER = Path(os.environ["REAL_RUNS"]) / "data" / "rollouts"


def read(name):
    return [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]


def task(run):
    return run["domain"] + "/" + run["task"]


def total(run):
    return sum(turn["output_tokens"] for turn in run["turns"])


def rows(run):
    """The features after each turn except the last, and what remained."""
    output = np.array([turn["output_tokens"] for turn in run["turns"]], float)
    inputs = np.array([turn["input_tokens"] for turn in run["turns"]], float)
    features = []
    for k in range(1, len(output)):
        seen, given = output[:k], inputs[:k]
        mean = max(seen.mean(), 1e-9)
        recent = seen[-3:].mean()
        features.append(
            [k, seen.sum(), seen[-1], seen.mean(), seen.max(), recent, recent / mean, seen.std() / mean]
            + [given[-1], given[-1] - given[0], given[-1] - given[max(0, k - 2)], given[0]]
        )
    return np.array(features).reshape(-1, 12), output.sum() - np.cumsum(output)[:-1]


def predicted(learnt, scored, names, cap):
    def feasible(runs):
        return [run for run in runs if run["success"] and (cap is None or total(run) <= cap)]

    def table(runs):
        parts = [rows(run) for run in runs]
        features = np.concatenate([part[0] for part in parts])
        if names:
            keys = [[run["model"] == name or run["domain"] == name for name in names] for run in runs]
            keys = np.repeat(np.array(keys, float), [len(part[1]) for part in parts], axis=0)
            features = np.hstack([features, keys])
        return features, np.concatenate([part[1] for part in parts])

    features, remaining = table(feasible(learnt))
    later, truth = table(feasible(scored))
    settings = dict(max_iter=100, learning_rate=0.05, min_samples_leaf=40, max_leaf_nodes=15, random_state=0)
    low, high = [
        HistGradientBoostingRegressor(loss="quantile", quantile=p, **settings).fit(features, remaining).predict(later)
        for p in (0.1, 0.9)
    ]
    low = np.maximum(low, 0)
    return np.array([low, np.maximum(low, high), truth])


def show(title, parts):
    low, high, truth = np.concatenate(parts, axis=1)
    outside = np.maximum(0, np.maximum(low - truth, truth - high))
    covered = (low <= truth) & (truth <= high)
    print(f"{title}: loss {(high - low + 10 * outside).mean():.0f}, coverage {covered.mean():.3f}")


def in_order(runs, names, cap):
    return [predicted(runs[:at], runs[at : at + 50], names, cap) for at in range(50, len(runs), 50)]


tau2 = read("tau2.jsonl")
tasks = sorted({task(run) for run in tau2})
used = {tasks[i] for i in np.random.default_rng(0).permutation(len(tasks))[: len(tasks) // 2]}
unused = [run for run in tau2 if task(run) not in used]
for names in ([], sorted({run["model"] for run in tau2} | {run["domain"] for run in tau2})):
    keys = "with keys" if names else "without keys"
    parts = []
    for seed in range(8):
        order = [unused[i] for i in np.random.default_rng(100 + seed).permutation(len(unused))]
        learnt = len(order) * 2 // 3
        parts.append(predicted(order[:learnt], order[learnt:], names, None))
    show(f"tau2-bench, unused tasks, {keys}", parts)
    show(f"tau2-bench, file order, {keys}", in_order(tau2, names, None))
for cap in (None, 8417):
    show(f"SWE-bench, cap {cap}", in_order(read("swebench_gemini3pro.jsonl"), [], cap))

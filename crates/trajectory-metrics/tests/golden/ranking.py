"""Writes ranking.json: reference values of ranking and calibration-error metrics.

The positive class is failure (outcome false) and the higher score means the
more likely failure, so scikit-learn gets y_true = not outcome and
y_score = -confidence (not 1 - confidence, whose rounding could make new ties).
auroc is null where only one class is present, average_precision where there
is no failure, and aurc where there are weights.

    pip install numpy==2.4.6 scikit-learn==1.9.1
    python3 ranking.py > ranking.json
"""

import itertools
import json
import sys
from fractions import Fraction

import numpy as np
import sklearn
from sklearn.metrics import average_precision_score, roc_auc_score


def aurc(confidence, outcome):
    """Mean over k of the expected failure share of the k most confident, exactly.

    Ties come in random order: inside a block of m ties with f failures, the
    first j hold f * j / m failures on average.
    """
    total, seen, failures = Fraction(0), 0, Fraction(0)
    for value in sorted(set(confidence), reverse=True):
        block = [y for c, y in zip(confidence, outcome) if c == value]
        failed = block.count(False)
        for j in range(1, len(block) + 1):
            total += (failures + Fraction(failed * j, len(block))) / (seen + j)
        seen += len(block)
        failures += failed
    return total / len(confidence)


def aurc_by_orders(confidence, outcome):
    """The same by trying every order that sorts by confidence: for few items only."""
    n, values = len(confidence), []
    for order in itertools.permutations(range(n)):
        if all(confidence[i] >= confidence[j] for i, j in zip(order, order[1:])):
            shares = [
                Fraction(sum(not outcome[i] for i in order[:k]), k) for k in range(1, n + 1)
            ]
            values.append(sum(shares) / n)
    return sum(values) / len(values)


def brier(c, y, w):
    return float(np.sum(w * (c - y) ** 2) / np.sum(w))


def ece(c, y, w):
    bins = np.minimum(np.floor(c * 10).astype(int), 9)
    gaps = [abs(np.sum((w * (c - y))[bins == b])) for b in range(10)]
    return float(sum(gaps) / np.sum(w))


def case(name, confidence, outcome, weights=None):
    c = np.asarray(confidence, dtype=float)
    y = np.asarray(outcome, dtype=bool)
    w = None if weights is None else np.asarray(weights, dtype=float)
    ones = np.ones(len(c)) if w is None else w
    failed = ~y
    area = precision = risk = None
    if failed.any() and y.any():
        area = float(roc_auc_score(failed, -c, sample_weight=w))
    if failed.any():
        precision = float(average_precision_score(failed, -c, sample_weight=w))
    if w is None:
        exact = aurc(c.tolist(), y.tolist())
        if len(c) <= 6:
            assert exact == aurc_by_orders(c.tolist(), y.tolist())
        risk = float(exact)
    return {
        "name": name,
        "confidence": c.tolist(),
        "outcome": y.tolist(),
        "weights": None if w is None else w.tolist(),
        "auroc": area,
        "average_precision": precision,
        "aurc": risk,
        "brier": brier(c, y, ones),
        "ece_equal_width_10": ece(c, y, ones),
    }


def random_case(name, seed, n, decimals=None, weighting=None):
    rng = np.random.default_rng(seed)
    c = rng.random(n)
    y = rng.random(n) < 0.2 + 0.6 * c  # informative, but far from perfect
    if decimals is not None:
        c = np.round(c, decimals)
    y[0], y[-1] = True, False  # both classes are present
    w = None
    if weighting == "real":
        w = rng.uniform(0.1, 3.0, n)
    elif weighting == "integer":
        w = rng.integers(1, 6, n)
    return case(name, c, y, w)


def main():
    cases = []
    for seed, n in enumerate([2, 3, 4, 5, 6, 10, 25, 60, 120, 200]):
        cases.append(random_case(f"no ties, n={n}", 100 + seed, n))
    for seed, n in enumerate([10, 50, 100, 200]):
        cases.append(random_case(f"two decimals, n={n}", 200 + seed, n, 2))
    for seed, n in enumerate([5, 6, 20, 100]):
        cases.append(random_case(f"one decimal, n={n}", 300 + seed, n, 1))
    for weighting in ("real", "integer"):
        for seed, n in enumerate([3, 20, 150]):
            cases.append(random_case(f"no ties, {weighting} weights, n={n}", 400 + seed, n, None, weighting))
        for seed, n in enumerate([12, 80, 200]):
            cases.append(random_case(f"two decimals, {weighting} weights, n={n}", 500 + seed, n, 2, weighting))

    rng = np.random.default_rng(600)
    mixed = rng.random(30) < 0.6
    cases.append(case("all equal, n=2", [0.5, 0.5], [True, False]))
    cases.append(case("all equal, n=30", [0.7] * 30, mixed))
    cases.append(case("all equal, real weights, n=30", [0.7] * 30, mixed, rng.uniform(0.1, 3.0, 30)))
    spread = np.sort(rng.random(20))
    rising = np.arange(20) >= 8
    weights = rng.uniform(0.1, 3.0, 20)
    cases.append(case("perfectly separated, n=20", spread, rising))
    cases.append(case("perfectly separated, real weights, n=20", spread, rising, weights))
    cases.append(case("reversed, n=20", spread, ~rising))
    cases.append(case("reversed, real weights, n=20", spread, ~rising, weights))
    cases.append(case("perfectly separated, n=2", [0.9, 0.1], [True, False]))
    cases.append(case("only 0 and 1, n=6", [0, 1, 1, 0, 1, 0], [False, True, False, False, True, True]))
    edges = np.arange(11) / 10  # every edge of the ten bins
    cases.append(case("bin edges, n=11", edges, np.arange(11) % 3 > 0))
    cases.append(case("all succeed, n=5", [0.2, 0.4, 0.4, 0.9, 1.0], [True] * 5))
    cases.append(case("all fail, n=5", [0.2, 0.4, 0.4, 0.9, 1.0], [False] * 5))

    origin = (
        f"scikit-learn {sklearn.__version__} and numpy {np.__version__}, "
        "python3 ranking.py > ranking.json, 2026-11-21, made by ranking.py"
    )
    lines = ",\n".join(json.dumps(c) for c in cases)
    sys.stdout.write('{"origin": ' + json.dumps(origin) + ',\n"cases": [\n' + lines + "\n]}\n")


if __name__ == "__main__":
    main()

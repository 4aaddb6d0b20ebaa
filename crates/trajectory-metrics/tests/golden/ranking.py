"""Writes ranking.json: reference values of ranking and calibration-error metrics.

The positive class is failure (outcome false) and the higher score means the
more likely failure, so scikit-learn gets y_true = not outcome and
y_score = -confidence (not 1 - confidence, whose rounding could make new ties).
auroc is null where only one class is present, average_precision where there
is no failure.

    pip install numpy==2.4.6 scikit-learn==1.9.1
    python3 ranking.py > ranking.json
"""

import json
import sys
from fractions import Fraction

import numpy as np
import sklearn
from sklearn.calibration import calibration_curve
from sklearn.metrics import average_precision_score, roc_auc_score


def aurc(confidence, outcome, weights):
    """The area under the steps of the failure share over the coverage, exactly.

    At the threshold of each distinct confidence, the rows of that confidence are accepted together.
    """
    rows = [(c, y, Fraction(w)) for c, y, w in zip(confidence, outcome, weights)]
    area, seen, failures = Fraction(0), Fraction(0), Fraction(0)
    for value in sorted(set(confidence), reverse=True):
        block = [(y, w) for c, y, w in rows if c == value]
        here = sum(w for _, w in block)
        seen += here
        failures += sum(w for y, w in block if not y)
        area += here * failures / seen
    return area / seen


def brier(c, y, w):
    return float(np.sum(w * (c - y) ** 2) / np.sum(w))


def ece(c, y, w):
    # As sklearn.calibration.calibration_curve does: bins contain their upper ends.
    bins = np.searchsorted(np.linspace(0, 1, 11)[1:-1], c)
    gaps = [abs(np.sum((w * (c - y))[bins == b])) for b in range(10)]
    error = float(sum(gaps) / np.sum(w))
    if (w == 1).all():
        rate, mean = calibration_curve(y, c, n_bins=10)
        sizes = np.bincount(bins)
        assert np.isclose(error, np.average(np.abs(rate - mean), weights=sizes[sizes > 0]), atol=1e-15)
    return error


def case(name, confidence, outcome, weights=None):
    c = np.asarray(confidence, dtype=float)
    y = np.asarray(outcome, dtype=bool)
    w = None if weights is None else np.asarray(weights, dtype=float)
    ones = np.ones(len(c)) if w is None else w
    failed = ~y
    area = precision = None
    if failed.any() and y.any():
        area = float(roc_auc_score(failed, -c, sample_weight=w))
    if failed.any():
        precision = float(average_precision_score(failed, -c, sample_weight=w))
    risk = float(aurc(c.tolist(), y.tolist(), ones.tolist()))
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
    sure = np.arange(200) < 100
    cases.append(case("0.9 and always right, 1 and often wrong", np.where(sure, 0.9, 1.0), sure | (np.arange(200) % 5 > 0)))
    cases.append(case("all succeed, n=5", [0.2, 0.4, 0.4, 0.9, 1.0], [True] * 5))
    cases.append(case("all fail, n=5", [0.2, 0.4, 0.4, 0.9, 1.0], [False] * 5))

    origin = (
        f"scikit-learn {sklearn.__version__} and numpy {np.__version__}, "
        "python3 ranking.py > ranking.json, 2026-11-27, made by ranking.py"
    )
    lines = ",\n".join(json.dumps(c) for c in cases)
    sys.stdout.write('{"origin": ' + json.dumps(origin) + ',\n"cases": [\n' + lines + "\n]}\n")


if __name__ == "__main__":
    main()

"""Writes categorical.csv: reference values of scores of one of several classes.

Every number stands for the double it parses to. Brier and ranked probability
scores are in rational arithmetic, log and spherical scores with 60 digits, all
from the textbook formulas (the thresholds of the ranked probability score are
those between neighbours), to 17 significant digits. Lists are separated by
spaces, classes are counted from 0.

Each row is compared with scikit-learn (log and Brier) and scoringrules (ranked
probability score), up to roundings of 1. Log scores of probabilities below 1e-15
are not, as scikit-learn clips them.

    pip install mpmath==1.4.1 scoringrules==0.10.0 scikit-learn==1.9.1
    python3 categorical.py > categorical.csv
"""

import random
import sys
import warnings
from fractions import Fraction as F

import mpmath
import numpy as np
import scoringrules as sr
import sklearn
from mpmath import mp, mpf
from sklearn.metrics import brier_score_loss, log_loss

warnings.simplefilter("ignore")  # scikit-learn on sums that are off by a rounding
random.seed(20261122)
mp.dps = 60
worst = 0.0


def number(x):
    return mpf(x.numerator) / x.denominator


def text(x):
    if x == 0:
        return "0"
    return "-inf" if mpmath.isinf(x) else mpmath.nstr(x, 17)


def check(value, other, where):
    global worst
    error = abs(float(value) - float(other)) / max(abs(float(value)), 1)
    worst = max(worst, error)
    if error > 1e-13:
        raise AssertionError(f"{where}: {float(value)!r} but {float(other)!r}")


def row(p, y):
    fs, k = [F(v) for v in p], len(p)
    hot = [F(int(i == y)) for i in range(k)]
    log = mpmath.log(mpf(p[y])) if p[y] > 0 else mpf("-inf")
    brier = -sum((a - b) ** 2 for a, b in zip(fs, hot))
    spherical = mpf(p[y]) / mpmath.sqrt(number(sum(a * a for a in fs)))
    rps = -sum((sum(fs[: i + 1]) - sum(hot[: i + 1])) ** 2 for i in range(k - 1))
    where, truth, labels = (p, y), np.array([y]), list(range(k))
    if p[y] > 1e-15:
        check(-log, log_loss(truth, np.array([p]), labels=labels), where)
    if k > 2:
        other = brier_score_loss(truth, np.array([p]), labels=labels, scale_by_half=False)
        check(-number(brier), other, where)
    check(-number(rps), sr.rps_score(y + 1, np.array(p)), where)
    numbers = [log, number(brier), spherical, number(rps)]
    print(f"{' '.join(repr(v) for v in p)},{y}," + ",".join(text(v) for v in numbers))


def main():
    print(
        f"# origin: mpmath {mpmath.__version__}, scoringrules {sr.__version__} and scikit-learn "
        f"{sklearn.__version__}, python3 categorical.py > categorical.csv, 2026-11-22, "
        "made by categorical.py"
    )
    print("forecast,outcome,log,brier,spherical,ranked_probability")
    tiny = 2.0**-40
    forecasts = [
        [1.0, 0.0], [0.25, 0.75], [0.1, 0.9], [1 - tiny, tiny], [1.0, 1e-300],
        [1e-300, 0.5, 0.5], [0.5, 0.5, 1e-300], [1e-300, 1.0, 1e-300], [0.0, 1.0, 0.0],
        [1 - 2 * tiny, tiny, tiny], [tiny, 1 - 2 * tiny, tiny], [1 / 3, 1 / 3, 1 / 3],
        [0.1, 0.2, 0.3, 0.4], [0.2] * 5,
    ]
    for k in [2, 3, 5, 10, 40]:
        for _ in range(3):
            weights = [random.gammavariate(0.7, 1) + 0.01 for _ in range(k)]
            forecasts.append([w / sum(weights) for w in weights])
    for p in forecasts:
        for y in sorted({0, len(p) // 2, len(p) - 1} | set(range(min(len(p), 5)))):
            row(p, y)
    print(f"largest difference from the others {worst:.1e}", file=sys.stderr)


main()

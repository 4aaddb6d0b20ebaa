"""Writes logistic.csv: chances of 25 logistic regressions with weights and a
penalty, on standardised features. In the last one the success is rare and far
out, where a whole step of Newton's method goes too far.

One line a row of a data set:

    set;penalty;weight;outcome;features;chance

    pip install scikit-learn==1.9.1 numpy==2.4.6
    python3 logistic.py > logistic.csv
"""

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression

SETS = 24


def main():
    rng = np.random.default_rng(20261122)
    print(
        f"# origin: scikit-learn {sklearn.__version__}, LogisticRegression(C=1/penalty, "
        "solver='newton-cholesky', tol=1e-14) on features standardised with the weights, "
        "python3 logistic.py > logistic.csv, 2026-11-22, made by logistic.py"
    )
    print("set;penalty;weight;outcome;features;chance")
    for number in range(SETS):
        n, d = int(rng.integers(8, 30)), 1 + number % 4
        penalty = [1.0, 0.01, 10.0][number % 3]
        x = np.round(rng.normal(0, 1, (n, d)) * 10.0 ** rng.integers(-2, 3, d) + rng.normal(0, 5, d), 3)
        if number % 6 == 5:
            x[:, -1] = 3 * x[:, 0] + 1  # a feature that repeats another
        slope = rng.normal(0, 1, d)
        z = (x - x.mean(0)) / x.std(0) @ slope
        while True:
            y = rng.random(n) < 1 / (1 + np.exp(-z))
            if y.any() and not y.all():
                break
        w = np.ones(n) if number % 2 == 0 else np.round(rng.uniform(0.1, 4, n), 2)
        write(number, penalty, x, y, w)
    x = np.array([[0.0], [5.0], [5.0]])
    write(SETS, 1.0, x, np.array([False, False, True]), np.array([1000.0, 10.0, 1.0]))


def write(number, penalty, x, y, w):
    mean = np.average(x, axis=0, weights=w)
    std = np.sqrt(np.average((x - mean) ** 2, axis=0, weights=w))
    xs = (x - mean) / std
    model = LogisticRegression(C=1 / penalty, solver="newton-cholesky", tol=1e-14, max_iter=1000)
    chances = model.fit(xs, y, sample_weight=w).predict_proba(xs)[:, 1]
    for i in range(len(y)):
        features = " ".join(repr(float(v)) for v in x[i])
        print(f"{number};{penalty};{float(w[i])!r};{int(y[i])};{features};{float(chances[i])!r}")


main()

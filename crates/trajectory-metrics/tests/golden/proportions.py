"""Writes proportions.csv: intervals of rates in clusters, and of differences of two rates, by matrices and by SciPy.

The variance is CR2 (Bell and McCaffrey, 2002): least squares on a constant, the residuals of a cluster multiplied by the
inverse square root of I - H of that cluster. Its degrees of freedom (Satterthwaite) are those of the quadratic form in the
outcomes if all rows of a cluster are copies of each other. Both are made of whole matrices, over rows.

The interval is Wilson's with that many rows as have this variance and Student's t; where fewer than ten
clusters, by Kish, make up the rarer outcome, unless rows are independent outcomes, no more rows count than Kish's, and a
rate below 1/4 or above 3/4 has Clopper and Pearson's interval (scipy.stats.beta). If there are values between 0 and 1, the
variance of a rate grows by the square of the distance that half a cluster at the farther end would move it. A difference of rates, each the mean of the
means of its clusters, recovers its variance from these intervals (Zou and Donner, 2008), with the normal quantile if all rows
are of clusters of their own.

Lists are separated by spaces; the rows of a difference have their arm, those of a rate none.

    pip install numpy==2.4.6 scipy==1.17.1
    python3 proportions.py > proportions.csv
"""

import numpy as np
import scipy
from scipy.linalg import fractional_matrix_power
from scipy.stats import beta, norm, t

LEVEL = 0.95


def effective(d, groups):
    sums = np.array([d[groups == name].sum() for name in np.unique(groups)])
    return sums.sum() ** 2 / np.sum(sums**2) if sums.any() else 0.0


def rate(y, groups, quantile=None, independent=None, unseen=True):
    n, names = len(y), np.unique(groups)
    one = np.ones((n, 1))
    hat = one @ one.T / n
    residual = (np.eye(n) - hat) @ y
    parts, forms = [], []
    for name in names:
        own = groups == name
        root = fractional_matrix_power(np.eye(own.sum()) - hat[np.ix_(own, own)], -0.5).real
        row = np.zeros(n)
        row[own] = one[own, 0] @ root / n
        parts.append(row @ residual)
        forms.append((np.eye(n) - hat).T @ row)
    parts, forms = np.array(parts), np.array(forms)
    copies = np.equal.outer(groups, groups).astype(float)
    products = forms @ copies @ forms.T
    degrees = np.trace(products) ** 2 / np.sum(products**2)
    sizes = np.array([(groups == name).sum() for name in names])
    kish = n**2 / np.sum(sizes**2)
    few = min(effective(y, groups), effective(1 - y, groups)) < 10
    variance, p = float(np.sum(parts**2)), float(y.mean())
    partial = unseen and not np.all((y == 0) | (y == 1))
    shift = max(p, 1 - p) / (2 * (kish + 1)) if partial else 0.0
    rows = p * (1 - p) / (variance + shift**2) if variance > 1e-28 else kish
    if independent is None:
        independent = np.all(sizes == 1) and np.all((y == 0) | (y == 1))
    few = few and not (independent and 0 < p < 1)
    if few:
        rows = min(rows, kish)
    if few and min(p, 1 - p) < 0.25:
        x, tail = p * rows, (1 - LEVEL) / 2
        low = 0.0 if x <= 1e-15 else beta.ppf(tail, x, rows - x + 1)
        high = 1.0 if rows - x <= 1e-13 else beta.ppf(1 - tail, x + 1, rows - x)
    else:
        s = (quantile or t.ppf((1 + LEVEL) / 2, degrees)) ** 2 / rows
        middle, half = (p + s / 2) / (1 + s), np.sqrt(p * (1 - p) * s + s * s / 4) / (1 + s)
        low, high = middle - half, middle + half
    return p, variance, degrees, low, high


def difference(y, groups, second):
    arms = []
    for arm in (False, True):
        of = {name: y[(groups == name) & (second == arm)] for name in np.unique(groups[second == arm])}
        arms.append(of)
    independent = len(np.unique(groups)) == len(y) and bool(np.all((y == 0) | (y == 1)))
    quantile = norm.ppf((1 + LEVEL) / 2) if independent else None
    means = [np.array([own.mean() for own in of.values()]) for of in arms]
    (p, vp, _, lp, up), (q, vq, _, lq, uq) = [rate(m, np.arange(len(m)), quantile, independent, unseen=False) for m in means]
    n, m = map(len, means)
    shared = [name for name in arms[0] if name in arms[1]]
    r = 0.0
    if shared:
        covariance = sum((arms[0][g].mean() - p) * (arms[1][g].mean() - q) for g in shared)
        covariance /= n * m * np.sqrt((1 - 1 / n) * (1 - 1 / m))
        half = np.mean([1 / min(len(arms[0][g]), len(arms[1][g])) for g in shared]) / (2 * n * m)
        r = np.clip((covariance - half) / np.sqrt((vp + half) * (vq + half)), -1, 1)
    away = lambda a, b: np.sqrt(max(a * a - 2 * r * a * b + b * b, 0))
    low, high = q - p - away(q - lq, up - p), q - p + away(uq - q, p - lp)
    return q - p, max(low, -1.0), min(high, 1.0)


def text(numbers):
    return " ".join(repr(float(number)) for number in numbers)


def main():
    print(f"# origin: numpy {np.__version__} and scipy {scipy.__version__}, python3 proportions.py > proportions.csv, made by proportions.py")
    print("kind,y,groups,second,numbers")
    rng = np.random.default_rng(20261126)
    for clusters in (6, 9, 15, 24, 40):
        for p in (0.02, 0.3, 0.5, 0.9, 1.0):
            for shape in (0, 1, 2):
                sizes = [np.ones(clusters, int), rng.integers(1, 6, clusters), np.where(np.arange(clusters) % 8 == 0, 8, 1)][shape]
                groups = np.repeat(np.arange(clusters), sizes)
                chance = rng.beta(2 * p + 1e-9, 2 * (1 - p) + 1e-9, clusters)
                y = (rng.random(len(groups)) < chance[groups]).astype(float)
                if shape == 2:
                    y = np.round(y * rng.random(len(y)), 2)
                print(f"rate,{text(y)},{' '.join(map(str, groups))},,{text(rate(y, groups))}")
                others = groups + rng.choice([0, clusters // 2, clusters])
                z = (rng.random(len(others)) < 0.6).astype(float)
                both, arms = np.concatenate([groups, others]), np.concatenate([np.zeros(len(groups), int), np.ones(len(others), int)])
                found = difference(np.concatenate([y, z]), both, arms == 1)
                print(f"difference,{text(np.concatenate([y, z]))},{' '.join(map(str, both))},{' '.join(map(str, arms))},{text(found)}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Intervals of means and of ratios of sums that are at least 0 by the bootstrap-t (Hall 1992), on the scale of the logarithm or of the
log odds: python3 studentized.py > studentized.csv.

Written from the formula, with numpy's own draws, 200,000 of them; with few clusters Student's t takes the place of the draws."""

import sys

import numpy as np
import scipy
from scipy.stats import t

RESAMPLES = 200_000


def sums(values, groups):
    return np.array([values[groups == group].sum() for group in np.unique(groups)])


def error(above, below):
    """The standard error of a ratio of sums by linearization, and the ratio."""
    n = above.shape[-1]
    ratio = above.sum(-1) / below.sum(-1)
    off = above - ratio[..., None] * below
    return np.sqrt(n / (n - 1) * (off**2).sum(-1)) / below.sum(-1), ratio


def interval(numerators, denominators, groups, is_share):
    above, below = sums(numerators, groups), sums(denominators, groups)
    n = len(above)
    se, ratio = error(above, below)

    def onto(r):
        return np.log(r / (1 - r)) if is_share else np.log(r)

    def scale(se, r):
        return se / (r * (1 - r)) if is_share else se / r

    if se == 0:
        return ratio, None, None
    quantiles = None
    if n >= 15 and min((above > 0).sum(), (below > 0).sum()) >= 10:
        rng, found = np.random.default_rng(1), []
        for _ in range(RESAMPLES // 20_000):
            drawn = rng.integers(0, n, (20_000, n))
            with np.errstate(all="ignore"):
                errors, ratios = error(above[drawn], below[drawn])
                found.append((onto(ratios) - onto(ratio)) / scale(errors, ratios))
        found = np.concatenate(found)
        found = found[np.isfinite(found)]
        if len(found) >= 0.95 * RESAMPLES:
            quantiles = np.quantile(found, [0.975, 0.025])
    if quantiles is None:
        half = t.ppf(0.975, n - 1)
        quantiles = [half, -half]
    ends = [onto(ratio) - q * scale(se, ratio) for q in quantiles]
    low, high = (1 / (1 + np.exp(-np.array(ends)))) if is_share else np.exp(ends)
    return ratio, low, high


def numbers(values):
    return " ".join(repr(float(value)) for value in values)


def main():
    rng = np.random.default_rng(45)
    print(f"# studentized.py with numpy {np.__version__} and scipy {scipy.__version__}")
    print("kind,numerators,denominators,groups,value,low,high")
    for case in range(40):
        tasks = int(rng.choice([8, 15, 20, 40, 80]))
        groups = np.repeat(np.arange(tasks), rng.integers(1, 4, tasks))
        spent = np.exp(rng.choice([0.3, 1.0]) * rng.standard_normal(len(groups)))
        spent = np.round(1000 * spent) + 1
        kind = ["mean", "ratio", "share"][case % 3]
        if kind == "mean":
            rows = spent, np.ones(len(groups))
        elif kind == "ratio":
            rows = spent, (rng.random(len(groups)) < 0.7).astype(float)
        else:
            rows = np.round(spent * rng.random(len(groups)) ** 2), spent
        if rows[1].sum() == 0:
            continue
        found = interval(*rows, groups, kind == "share")
        print(f"{kind},{numbers(rows[0])},{numbers(rows[1])},{' '.join(map(str, groups))},{numbers(found).replace(' ', ',')}")


if __name__ == "__main__":
    sys.exit(main())

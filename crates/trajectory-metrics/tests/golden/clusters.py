"""Writes clusters.csv: cluster-robust standard errors by statsmodels, sign-flip p-values by SciPy.

Standard errors: weighted least squares with cov_type="cluster", corrected by G / (G - 1) only (that
is, statsmodels' without its own correction, times the root of that factor). A mean is a regression
on a constant; a ratio sum w y / sum w x a regression of y on x without constant under weights w / x;
a difference one on a constant and an indicator. Each is compared with the linearised formula in
plain numpy. A difference where some clusters have rows of one arm alone is that of plain numpy, with
the factor and the degrees of freedom of each kind of cluster.

"paired" and "welch" are scipy.stats.ttest_rel and ttest_ind without equal variances, with the ends
of their 95 % intervals in place of the weights.

Sign flips: scipy.stats.permutation_test of the cluster sums against zeros (permutation_type
"samples"), which tries all 2^G.

Lists are separated by spaces. Every number stands for the double it parses to.

    pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0
    python3 clusters.py > clusters.csv
"""

import numpy as np
import scipy
import statsmodels
import statsmodels.api as sm
from scipy.stats import permutation_test


def robust(y, x, w, groups):
    model = sm.WLS(y, x, weights=w)
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
    count = len(np.unique(groups))
    return fit.params[-1], fit.bse[-1] * np.sqrt(count / (count - 1)), count


def linearised(parts, groups):
    sums = np.array([parts[groups == g].sum() for g in np.unique(groups)])
    return np.sqrt(len(sums) / (len(sums) - 1) * np.sum(sums**2))


def stratified(parts, second, groups):
    """Standard error and degrees of freedom with a factor for each kind of cluster."""
    names = np.unique(groups)
    sums = np.array([parts[groups == g].sum() for g in names])
    has = np.array([[np.any(second[groups == g] == arm) for arm in (0, 1)] for g in names])
    of_arm = has.sum(0)
    variances, squares = [], 0.0
    for kind in [(True, True), (True, False), (False, True)]:
        rows = (has == kind).all(1)
        n = of_arm[list(kind)].min()
        variances.append(n / (n - 1) * np.sum(sums[rows] ** 2))
        if rows.any():
            squares += variances[-1] ** 2 / (rows.sum() * (n - 1) / n)
    return np.sqrt(sum(variances)), sum(variances) ** 2 / squares


def t_tests(rng, first, second):
    """Two tests of two columns of numbers, the first of which needs equal lengths."""
    for kind in ["paired", "welch"]:
        y = np.concatenate([first, second])
        arms = np.repeat([0.0, 1.0], [len(first), len(second)])
        groups = np.arange(len(y))
        if kind == "paired":
            if len(first) != len(second):
                continue
            groups = groups % len(first)
            found = scipy.stats.ttest_rel(second, first)
        else:
            found = scipy.stats.ttest_ind(second, first, equal_var=False)
        order = rng.permutation(len(y))
        gap = second.mean() - first.mean()
        ends = np.array(found.confidence_interval(0.95))
        numbers = (gap, gap / found.statistic, len(np.unique(groups)), found.df)
        write(kind, y[order], arms[order], ends, groups[order], numbers)


def text(part):
    return " ".join(repr(v) for v in part.tolist())


def write(kind, y, x, w, groups, numbers):
    print(",".join([kind, *map(text, (y, x, w, groups)), *map(repr, map(float, numbers))]))


def errors(rng, n, count, weighted):
    groups = rng.integers(0, count, n)
    groups[:2] = [0, 1]
    y = rng.normal(size=n) + rng.normal(size=count)[groups]
    w = rng.uniform(0.1, 3, n) if weighted else np.ones(n)
    x = rng.uniform(0.5, 4, n)
    second = (rng.random(n) < 0.5).astype(float)
    second[:2] = [0, 1]
    ones, zeros = np.ones(n), np.zeros(n)

    mean, error, found = robust(y, ones, w, groups)
    assert np.isclose(error, linearised(w * (y - mean) / w.sum(), groups), rtol=1e-11)
    write("mean", y, zeros, w, groups, (mean, error, found, found - 1))

    ratio, error, found = robust(y, x, w / x, groups)
    assert np.isclose(error, linearised(w * (y - ratio * x) / (w * x).sum(), groups), rtol=1e-11)
    write("ratio", y, x, w, groups, (ratio, error, found, found - 1))

    gap, error, found = robust(y, np.column_stack([ones, second]), w, groups)
    parts = np.zeros(n)
    for kind, sign in [(0, -1), (1, 1)]:
        rows = second == kind
        weight = w[rows].sum()
        parts[rows] = sign * w[rows] * (y[rows] - (w * y)[rows].sum() / weight) / weight
    assert np.isclose(error, linearised(parts, groups), rtol=1e-10)
    if min(len(np.unique(groups[second == arm])) for arm in (0, 1)) < 2:
        return
    stratified_error, degrees = stratified(parts, second, groups)
    if degrees == found - 1:
        assert np.isclose(error, stratified_error, rtol=1e-10)
    else:
        error = stratified_error
    write("difference", y, second, w, groups, (gap, error, found, degrees))


def flips(rng, n, count, decimals, weighted):
    groups = np.arange(n) % count
    y = rng.normal(0.3, 1, n)
    if decimals is not None:
        y = np.round(y, decimals)
    w = rng.uniform(0.1, 3, n) if weighted else np.ones(n)
    sums = np.array([(w * y)[groups == g].sum() for g in range(count)])
    test = permutation_test(
        (sums, np.zeros(count)), lambda a, b, axis: np.mean(a - b, axis=axis), vectorized=True,
        permutation_type="samples", n_resamples=np.inf,
    )
    assert len(test.null_distribution) == 2**count
    numbers = (np.sum(w * y) / np.sum(w), test.pvalue, count, count - 1)
    write("sign flip", y, np.zeros(n), w, groups, numbers)


def main():
    print(
        f"# origin: numpy {np.__version__}, scipy {scipy.__version__} and statsmodels "
        f"{statsmodels.__version__}, python3 clusters.py > clusters.csv, 2026-11-24, "
        "made by clusters.py"
    )
    print("kind,y,x,weights,groups,estimate,standard_error_or_p_value,clusters,degrees")
    rng = np.random.default_rng(20261122)
    for n, count in [(6, 3), (10, 3), (30, 7), (60, 20), (60, 60), (100, 12)]:
        for weighted in [False, True]:
            errors(rng, n, count, weighted)
    for n, count, decimals in [(2, 2, None), (3, 3, 1), (5, 5, None), (8, 8, 1), (10, 10, 0),
                               (12, 12, None), (20, 7, 1), (26, 13, None)]:
        for weighted in [False, True]:
            flips(rng, n, count, decimals, weighted)
    for n, m in [(3, 3), (8, 8), (20, 20), (60, 60), (20, 7), (4, 50)]:
        t_tests(rng, rng.normal(0, 1, n), rng.normal(0.5, 2, m))


main()
